/** What a `deploy` command works with for one host besides its options, and how it reports what is wrong with them. */

import { CliError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { collectDiagnostics, report, withoutRepeats } from '../io/report/report.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { readInstalledConfig, type ReadInstalledConfig } from './options.ts';
import type { Issue } from '../ignition/rule.ts';
import type { Path } from '../core/finding.ts';
import { nameInput } from '../hosts/input/nameInput.ts';
import { readUserFile } from '../io/files/files.ts';

export interface HostContext {
  readonly io: Io;
  readonly wording: Wording;
  readonly readConfig: ReadInstalledConfig;
  /** The network that an inventory has for the host, as text; undefined where there is none. */
  readonly readNmstate: () => Promise<string | undefined>;
}

/** For a host that is described by flags. */
export function contextOfFlags(io: Io): HostContext {
  return {
    io,
    wording: wordingOfFlags,
    readConfig: readInstalledConfig,
    readNmstate: () => Promise.resolve(undefined),
  };
}

/** An answer of the reader, with what it reported. */
interface Remembered {
  readonly file: string;
  readonly answer: Promise<Awaited<ReturnType<ReadInstalledConfig>> | CliError>;
  readonly reported: readonly Diagnostic[];
}

/** Configs may be large; hosts with one of their own do not ask for it twice. */
const mostConfigs = 8;

/** Reads a config that many hosts share once, and says for each of them what there is to say. */
export function rememberConfigs(read: ReadInstalledConfig = readInstalledConfig): ReadInstalledConfig {
  const known: Remembered[] = [];
  return async (file, io) => {
    if (file === undefined) return undefined;
    let remembered = known.find((one) => one.file === file);
    if (remembered === undefined) {
      const { io: quiet, reported } = collectDiagnostics(io);
      const answer = read(file, quiet).catch((error: unknown) => {
        if (error instanceof CliError) return error;
        throw error;
      });
      remembered = { file, answer, reported };
      known.push(remembered);
      if (known.length > mostConfigs) known.shift();
    }
    const answer = await remembered.answer;
    report(io, ...remembered.reported);
    if (answer instanceof CliError) throw answer;
    return answer;
  };
}

/** By the first step of an issue's path. */
const flags: ReadonlyMap<string, string> = new Map([
  ['name', '--name'],
  ['namespace', '--namespace'],
  ['bootMac', '--boot-mac'],
  ['bmc', '--bmc-address'],
  ['bmcCredentials', '--bmc-credentials-name'],
  ['rootDevice', '--root-device'],
  ['kernelArguments', '--append-karg'],
  ['copyNetwork', '--copy-network'],
  ['config', '--ignition'],
  ['userData', '--user-data-name'],
  ['image', '--image-source'],
  ['bootMode', '--boot-mode'],
  ['networkData', '--network-data'],
  ['iso', '--deploy-iso'],
  ['kernel', '--deploy-kernel'],
  ['ramdisk', '--deploy-ramdisk'],
  ['arguments', '--kernel-append-params'],
  ['node', '--node'],
]);

const imageFlags: ReadonlyMap<unknown, string> = new Map([
  ['checksum', '--image-checksum'],
  ['format', '--image-format'],
]);

/** How the user says what an option would say. */
export interface Wording {
  /** Where its value stands, or of what is repeatable one of its values. */
  readonly place: (flag: string, detail?: string | number) => string;
  /** A sentence that names flags. */
  readonly reword: (text: string) => string;
}

const wordingOfFlags: Wording = { place: (flag) => flag, reword: (text) => text };

/** Reports all issues, each once; answers with 1 where one is an error. */
export function reportIssues(issues: readonly Issue[], io: Io, wording: Wording = wordingOfFlags): ExitCode {
  const { reword } = wording;
  const diagnostics = issues.map(({ rule, path, message = rule.message, hint = rule.hint }) => ({
    severity: rule.severity,
    message: `${subjectOf(path, wording)}${reword(message)}`,
    hint: hint && reword(hint),
  }));
  report(io, ...withoutRepeats(diagnostics));
  return issues.some(({ rule }) => rule.severity === 'error') ? 1 : 0;
}

/** Of what may repeat, the name of a hint or the place of an argument; never a value, which may be secret. */
function subjectOf([setting, detail]: Path, { place }: Wording): string {
  if (setting === 'image') return `${place(imageFlags.get(detail) ?? '--image-source')}: `;
  const flag = flags.get(String(setting));
  if (flag === undefined) return '';
  if (typeof detail === 'number') return `${place(flag, detail)} (number ${detail + 1}): `;
  const isNamed = setting === 'rootDevice' && detail !== undefined;
  return isNamed ? `${place(flag, detail)} ${detail}: ` : `${place(flag)}: `;
}

/**
 * The text of a YAML or JSON file that holds a mapping, as the receivers of both kinds of network data demand.
 * @throws CliError
 */
export async function readMapping(file: string, what: string, io: Io): Promise<string> {
  const bytes = await readUserFile(file, io, { what, maxBytes: 1024 * 1024 });
  const text = Buffer.from(bytes).toString('utf8');
  const { parseYaml } = await import('../formats/yaml.ts');
  const { value } = await nameInput(file, () => parseYaml(text));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  throw new CliError(`${file}: ${what} is a YAML mapping, and this is none`, {
    code: 'ERR_FORMAT',
    hint: 'is this the right file?',
  });
}
