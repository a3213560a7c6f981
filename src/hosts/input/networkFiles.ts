/**
 * Reads the network settings to embed: keyfiles unchanged, and nmstate files and OpenStack network data converted to
 * keyfiles. The conversion is always the built-in one, so that the result is the same on every machine.
 */

import { append } from '../../core/lists.ts';
import { basename } from 'node:path';
import { convertNmstate } from '../../network/convertNmstate.ts';
import { convertNetworkData } from '../../network/networkData/convertNetworkData.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import { locateLines } from '../../network/convertedKeyfile.ts';
import { acceptedName, initramfsNameProblem } from '../../network/keyfile/names.ts';
import { findConnectionProblems } from '../../network/reachability.ts';
import { CliError, type FilePlace, UsageError } from '../../core/errors.ts';
import { findKeyfileProblems, type NetworkFile } from '../../image/networkSettings.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { diagnosticIn } from '../../core/diagnostic.ts';
import { nameInput } from './nameInput.ts';
import { explainOtherKeyfile, readNetworkDocument } from './pastedPart.ts';
import { type CheckChoice, refuseFile, wantsCheck } from './refuse.ts';

export interface NetworkOptions {
  /** NetworkManager keyfiles; each is embedded under its file name. */
  readonly keyfile?: readonly string[];
  /** nmstate files, as YAML or JSON. */
  readonly nmstate?: readonly string[];
  /** Files with OpenStack network data (`network_data.json`). */
  readonly networkData?: readonly string[];
  /** False embeds keyfiles also if NetworkManager would ignore them. */
  readonly validate?: boolean;
}

/** Bytes. */
const MAX_DESCRIPTION = 1024 * 1024;
const KEYFILE = { what: 'NetworkManager keyfile', maxBytes: 64 * 1024 * 1024 };
const FORMATS = {
  nmstate: {
    what: 'Network state',
    convert: convertNmstate,
  },
  networkData: {
    what: 'Network data',
    convert: convertNetworkData,
  },
} as const;

/**
 * All keyfiles, given ones first.
 * @param readNmstate converts an nmstate file (default: as this program does)
 * @throws UsageError if no file is given, CliError if a file cannot be read or converted, or NetworkManager would ignore it
 */
export async function readNetworkFiles(
  options: NetworkOptions,
  io: Io,
  readNmstate: (path: string) => Promise<NetworkFile[]> = (path) => convertFile(path, 'nmstate', io),
): Promise<NetworkFile[]> {
  const { keyfile = [], networkData = [], nmstate = [] } = options;
  if (keyfile.length + nmstate.length + networkData.length === 0) {
    throw new UsageError('no network settings are given', {
      hint: 'pass a keyfile with -k FILE, or an nmstate file with --nmstate FILE',
    });
  }
  const given: NetworkFile[] = [];
  for (const path of keyfile) given.push(await readKeyfile(path, options, io));
  const converted: NetworkFile[] = [];
  for (const path of nmstate) append(converted, await readNmstate(path));
  for (const path of networkData) append(converted, await convertFile(path, 'networkData', io));
  for (const file of converted) refuseKeyfile(file, options, io);
  const files = [...given, ...converted];
  if (wantsCheck(options, io)) reportConnections(files, io);
  return files;
}

/** Reports connections that cannot work, at the lines that they come from. */
export function reportConnections(files: readonly NetworkFile[], io: Io): void {
  for (const { file, hint, line, message, rule, severity } of findConnectionProblems(
    readConnections(files),
  )) {
    const at = files.find(({ name }) => name === file)?.locate?.(line);
    report(io, { severity, rule, message, hint, at });
  }
}

async function readKeyfile(path: string, options: NetworkOptions, io: Io): Promise<NetworkFile> {
  const data = await readUserFile(path, io, KEYFILE);
  const name = basename(path);
  const locate = (line: number | undefined): FilePlace => ({
    file: path,
    ...(line !== undefined && { line }),
  });
  const keyfile = { name, data, locate };
  const other = wantsCheck(options, io) ? await explainOtherKeyfile(path, data) : undefined;
  if (other !== undefined) throw other;
  const isAccepted = refuseKeyfile(keyfile, options, io);
  const problem = initramfsNameProblem(name);
  if (isAccepted && problem !== undefined) {
    const message = `NetworkManager ignores the keyfile in the initramfs: ${problem}`;
    const hint = `rename the file to ${acceptedName(name)}`;
    refuseFile({ file: path }, { message, hint }, { code: 'ERR_SETTING', options, io });
  }
  return keyfile;
}

/**
 * Reports what NetworkManager ignores in a keyfile, which may be the result of a conversion.
 * @returns false if NetworkManager would ignore the keyfile, and the user does not want checks
 * @throws CliError if NetworkManager would ignore the keyfile
 */
export function refuseKeyfile(
  { name, data, locate = (line) => ({ file: name, ...(line !== undefined && { line }) }) }: NetworkFile,
  options: CheckChoice,
  io: Io,
): boolean {
  const problems = findKeyfileProblems(data);
  const isChecked = wantsCheck(options, io);
  const last = problems.findLast(({ severity }) => severity === 'error');
  for (const problem of problems) {
    const { hint, line, message, severity } = problem;
    if (problem !== last && isChecked) report(io, { severity, message, hint, at: locate(line) });
  }
  if (last === undefined) return true;
  refuseFile(locate(last.line), last, { code: 'ERR_FORMAT', options, io });
  return false;
}

async function convertFile(path: string, format: keyof typeof FORMATS, io: Io): Promise<NetworkFile[]> {
  const { convert, what } = FORMATS[format];
  const bytes = await readUserFile(path, io, { what, maxBytes: MAX_DESCRIPTION });
  const content = Buffer.from(bytes).toString('utf8');
  const { warnings, yaml } = await nameInput(path, async () => {
    const document = await readNetworkDocument(format, content, path);
    return { ...document, yaml: await document.parse() };
  });
  const { keyfiles, findings } = convert(yaml.value);
  report(
    io,
    warnings,
    findings.map((finding) => diagnosticIn(path, { ...finding, position: yaml.locate(finding.path) })),
  );
  if (findings.some(({ severity }) => severity === 'error')) {
    throw new CliError(`${path} cannot be converted to keyfiles`, {
      code: 'ERR_FORMAT',
      hint: 'fix the errors above',
    });
  }
  if (keyfiles.length === 0) {
    const message = `${path} contains no connections`;
    report(io, { severity: 'warning', message, hint: `remove ${path} from the command` });
  }
  return keyfiles.map((keyfile) => ({
    name: keyfile.name,
    data: Buffer.from(keyfile.text),
    locate: locateLines(keyfile, path, yaml.locate),
  }));
}
