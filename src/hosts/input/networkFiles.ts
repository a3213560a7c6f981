/**
 * Reads the network settings to embed: keyfiles unchanged, and nmstate files and OpenStack network data converted to
 * keyfiles. The conversion is always the built-in one, so that the result is the same on every machine.
 */

import { basename } from 'node:path';
import type { Keyfile } from '../../network/convertedKeyfile.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import { acceptedName, initramfsNameProblem } from '../../network/keyfile/names.ts';
import { findConnectionProblems } from '../../network/reachability.ts';
import { placeIn, UsageError } from '../../core/errors.ts';
import { diagnosticAt } from '../../core/finding.ts';
import { append } from '../../core/lists.ts';
import { findKeyfileProblems, type NetworkFile } from '../../image/networkSettings.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { convertNetwork } from './networkDescription.ts';
import { refuseOtherKeyfile } from './contentKind.ts';
import { type CheckChoice, refuseFindings, wantsCheck } from './refuse.ts';

export interface NetworkOptions extends CheckChoice {
  /** NetworkManager keyfiles; each is embedded under its file name. */
  readonly keyfile?: readonly string[];
  readonly nmstate?: readonly string[];
  /** Files with OpenStack network data (`network_data.json`). */
  readonly networkData?: readonly string[];
}

const KEYFILE = { what: 'NetworkManager keyfile', maxBytes: 64 * 1024 * 1024 };
const DESCRIPTIONS = {
  nmstate: { what: 'Network state', maxBytes: 16 * 1024 * 1024 },
  networkData: { what: 'Network data', maxBytes: 16 * 1024 * 1024 },
};

/**
 * All keyfiles, given ones first.
 * @throws UsageError if no file is given, CliError if a file cannot be read or converted, or NetworkManager would ignore it
 */
export async function readNetworkFiles(options: NetworkOptions, io: Io): Promise<NetworkFile[]> {
  const { keyfile = [], networkData = [], nmstate = [] } = options;
  if (keyfile.length + nmstate.length + networkData.length === 0) {
    throw new UsageError('no network settings are given', {
      hint: 'pass a keyfile with -k FILE, or an nmstate file with --nmstate FILE',
    });
  }
  const files: NetworkFile[] = [];
  for (const path of keyfile) files.push(await readKeyfile(path, options, io));
  for (const [format, paths] of [
    ['nmstate', nmstate],
    ['networkData', networkData],
  ] as const) {
    for (const path of paths) {
      const text = Buffer.from(await readUserFile(path, io, DESCRIPTIONS[format])).toString('utf8');
      const keyfiles = await convertNetwork({ format, text, file: path }, (problem) => report(io, problem));
      append(files, checkKeyfiles(keyfiles, options, io));
    }
  }
  if (wantsCheck(options, io)) reportConnections(files, io);
  return files;
}

/** The converted keyfiles as files. @throws CliError if NetworkManager would ignore one of them */
export function checkKeyfiles(
  keyfiles: readonly Keyfile[],
  options: CheckChoice,
  io: Io,
): readonly NetworkFile[] {
  const files = keyfiles.map(({ text, ...keyfile }) => ({ ...keyfile, data: Buffer.from(text) }));
  for (const file of files) refuseKeyfile(file, options, io);
  return files;
}

/** Reports connections that cannot work, at the lines that they come from. */
export function reportConnections(files: readonly NetworkFile[], io: Io): void {
  for (const problem of findConnectionProblems(readConnections(files))) {
    const at = files.find(({ name }) => name === problem.file)?.locate?.(problem.line);
    report(io, diagnosticAt(problem, at));
  }
}

async function readKeyfile(path: string, options: NetworkOptions, io: Io): Promise<NetworkFile> {
  const data = await readUserFile(path, io, KEYFILE);
  const name = basename(path);
  const keyfile = { name, data, locate: (line?: number) => placeIn(path, line) };
  if (wantsCheck(options, io)) await refuseOtherKeyfile(path, data);
  const isAccepted = refuseKeyfile(keyfile, options, io);
  const problem = initramfsNameProblem(name);
  if (isAccepted && problem !== undefined) {
    const message = `NetworkManager ignores the keyfile in the initramfs: ${problem}`;
    const hint = `rename the file to ${acceptedName(name)}`;
    refuseFindings([{ severity: 'error', message, hint, at: { file: path } }], {
      code: 'ERR_SETTING',
      options,
      io,
    });
  }
  return keyfile;
}

/**
 * Reports what NetworkManager ignores in a keyfile, which may be the result of a conversion.
 * @returns false if NetworkManager would ignore the keyfile
 * @throws CliError if NetworkManager would ignore the keyfile, and the user wants checks
 */
function refuseKeyfile(
  { name, data, locate = (line) => placeIn(name, line) }: NetworkFile,
  options: CheckChoice,
  io: Io,
): boolean {
  const problems = findKeyfileProblems(data).map(({ hint, line, message, severity }) => ({
    severity,
    message,
    hint,
    at: locate(line),
  }));
  return refuseFindings(problems, { code: 'ERR_FORMAT', options, io });
}
