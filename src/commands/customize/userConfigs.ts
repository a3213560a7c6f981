/** The user's Ignition configs for `iso customize` and `pxe customize`: JSON, or the same written as YAML. */

import { CliError, FormatError } from '../../errors.ts';
import type { ParsedYaml } from '../../formats/yaml.ts';
import { parseUserConfig } from '../../image/customize/userConfig.ts';
import { readConfig, validateConfig } from '../../ignition/validate.ts';
import { unusedKey } from '../../ignition/unusedKeys.ts';
import { readUserFile } from '../../io/files.ts';
import type { Io } from '../../io/io.ts';
import { formatPath, type Report } from '../../report.ts';
import { printable } from '../../reporters/printable.ts';
import { formatRemark } from '../../reporters/remark.ts';
import { formatTextReport } from '../../reporters/text.ts';
import { checkConfig } from '../validateDocument.ts';

export interface UserConfigReading {
  readonly io: Io;
  /** Whether a config that Ignition would refuse is refused here. */
  readonly validates: boolean;
}

const CONFIG = { what: 'Ignition config', maxBytes: 64 * 1024 * 1024 };

/**
 * The config as a document without what Ignition ignores, after telling what there is to say about it.
 * @throws CliError `parsing Ignition config …`
 */
export async function readUserConfig(path: string, reading: UserConfigReading): Promise<Uint8Array> {
  const { io, validates } = reading;
  const source = await readSource(path, io);
  const config = parseUserConfig(source.json, path);
  if (config.kind === 'unknown version') {
    tellUnknownVersion(path, config.version, io);
    return config.document;
  }
  if (validates) await refuseInvalid(source, io);
  if (config.kind === 'refused') throw config.error;
  if (!validates) tellUnusedKeys(source, io);
  return config.document;
}

interface Source {
  readonly path: string;
  readonly json: Buffer;
  /** Where values stand in the user's file, if that is YAML. */
  readonly locate?: ParsedYaml['locate'];
}

async function readSource(path: string, io: Io): Promise<Source> {
  const { buffer, byteOffset, byteLength } = await readUserFile(path, io, CONFIG);
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (!/\.ya?ml$/i.test(path)) return { path, json: bytes };
  const { parseYaml } = await import('../../formats/yaml.ts');
  try {
    const { value, locate } = parseYaml(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    refuseButane(value, path);
    return { path, json: Buffer.from(JSON.stringify(value)), locate };
  } catch (error) {
    if (error instanceof FormatError) throw refusal(path, error.message, error.hint);
    if (error instanceof CliError) throw error;
    throw refusal(path, 'it is not UTF-8', 'save the file as UTF-8');
  }
}

function refuseButane(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null || !('variant' in value)) return;
  throw refusal(path, 'it is a Butane config', 'translate it with butane first');
}

function refusal(path: string, problem: string, hint: string | undefined): CliError {
  return new CliError(`parsing Ignition config ${path}: ${problem}`, hint === undefined ? {} : { hint });
}

function tellUnknownVersion(path: string, version: string, io: Io): void {
  const message = `${path}: version ${version} of the spec is not known here; the config is embedded unchecked`;
  const hint = 'the Ignition of the image has to know that version';
  io.stderr.write(formatRemark({ severity: 'warning', message, hint }));
}

/** What only this program has to say against a config is told, and keeps nobody from embedding it. */
async function refuseInvalid(source: Source, io: Io): Promise<void> {
  const { report, shown } = await checkConfig(source.json, { lint: 'auto', now: new Date() });
  const text =
    source.locate === undefined
      ? formatTextReport(report, { name: source.path, bytes: shown })
      : formatYamlReport(report, source, source.locate);
  io.stderr.write(text);
  if (report.valid) return;
  throw refusal(
    source.path,
    'it is not valid; nothing was written',
    'mend what is reported above, or take it as it is with --no-validate',
  );
}

/** No line of the file is shown, since secrets are masked only in JSON; only where the findings are. */
function formatYamlReport(report: Report, { json, path }: Source, locate: ParsedYaml['locate']): string {
  const read = readConfig(json);
  // Of a value with a wrong type, Ignition knows only the position in the JSON text.
  const mismatch = read.status === 'refused' ? read.mismatch : undefined;
  const texts = report.findings.map((finding, index) => {
    const { position: _ofJson, ...placeless } = finding;
    const position = locate(index === 0 && mismatch !== undefined ? mismatch.path : finding.path);
    const name = position === undefined ? path : `${path}:${position.line}:${position.column}`;
    return formatTextReport({ ...report, findings: [placeless] }, { name, bytes: new Uint8Array() });
  });
  return texts.join('\n');
}

/** In the words of coreos-installer, since this is how its scripts embed what they like. */
function tellUnusedKeys({ json, path }: Source, io: Io): void {
  for (const finding of validateConfig(json).findings) {
    if (finding.rule !== unusedKey.id) continue;
    io.stderr.write(printable(`Warning parsing ${path}: unused key: ${formatPath(finding.path)}`) + '\n');
  }
}
