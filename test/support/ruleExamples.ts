/** The examples of `docs/rules.md` as whole documents: what they leave out is put around them. */

import type { SpecVersion } from '../../src/ignition/versions.ts';
import type { Example } from '../../src/io/report/explanations.ts';
import { runCli, type RunResult } from './runCli.ts';

export interface ExampleDocument {
  /** Its ending tells what it is. */
  readonly file: string;
  readonly text: string;
}

/** A conf stays a file of its own, unless the rule is about confs in configs. */
export function completeExample(
  id: string,
  { language, text }: Example,
  version: SpecVersion = '3.5.0',
): ExampleDocument {
  if (language === 'ini')
    return id.startsWith('agent-') ? config(confConfig(text), version) : { file: 'a.conf', text };
  if (language === 'yaml') return { file: 'a.bu', text: completeButane(text) };
  if (language === 'systemd') return config(unitConfig(text), version);
  const parsed = parseObject(text);
  return parsed === undefined ? { file: 'a.ign', text } : config(parsed, version);
}

function completeButane(text: string): string {
  return text.startsWith('variant:') ? text : `variant: fcos\nversion: 1.8.0-experimental\n${text}`;
}

type Members = Readonly<Record<string, unknown>>;

function parseObject(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Examples about the version name one that is not known; all others are tried with several. */
function config(members: Members, version: SpecVersion): ExampleDocument {
  const ignition = { version, ...Object(members['ignition']) };
  if (ignition.version === '3.5.0') ignition.version = version;
  return { file: 'a.ign', text: JSON.stringify({ ...members, ignition }) };
}

function confConfig(text: string): Members {
  const source = `data:;base64,${Buffer.from(`${text}\n`).toString('base64')}`;
  const file = { path: '/etc/ironic-python-agent.conf', contents: { source } };
  return { storage: { files: [file] } };
}

function unitConfig(text: string): Members {
  const unit = { name: 'ironic-agent.service', enabled: true, contents: `${text}\n` };
  return { systemd: { units: [unit] } };
}

/** Runs an example of the language `sh`: a command of this program, with standard input from `echo`. */
export async function runExample({ text }: Example): Promise<RunResult> {
  const [, stdin, command = ''] =
    /^(?:echo '([^']+)' \|\s+)?ironic-coreos (.+)$/s.exec(text.replaceAll('\\\n', '')) ?? [];
  const args = command.match(/(?:'[^']*'|\S)+/g) ?? [];
  return runCli(
    args.map((word) => word.replaceAll("'", '')),
    stdin === undefined ? {} : { stdin },
  );
}
