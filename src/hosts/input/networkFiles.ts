/**
 * The network settings that a command is to embed: keyfiles as they are, and nmstate descriptions converted to keyfiles.
 * The conversion is our own, also where nmstate is installed, so that the result is the same everywhere.
 */

import { basename } from 'node:path';
import { convertNmstate } from '../../network/convertNmstate.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import type { ParsedYaml } from '../../formats/yaml.ts';
import { findKeyfileProblem, type NetworkFile } from '../../image/networkSettings.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { diagnosticIn } from '../../core/diagnostic.ts';
import { nameInput } from './nameInput.ts';
import type { OptionFiles } from './swappedInputs.ts';

export interface NetworkOptions {
  /** Keyfiles of NetworkManager; each is embedded under its base name. */
  readonly keyfile?: readonly string[];
  /** Descriptions for nmstate, as YAML or JSON. */
  readonly nmstate?: readonly string[];
}

const KEYFILE = { what: 'NetworkManager keyfile', maxBytes: 64 * 1024 * 1024 };
const NMSTATE = { what: 'Network state', maxBytes: 1024 * 1024 };

/** The files of the options, none of which is an image. */
export function networkInputs({ keyfile, nmstate }: NetworkOptions): readonly OptionFiles[] {
  return [
    { flag: '-k', what: 'a NetworkManager keyfile', paths: keyfile },
    { flag: '--nmstate', what: 'an nmstate description', paths: nmstate },
  ];
}

/**
 * All keyfiles, those that were given first. What is strange about them is told, and they are taken nevertheless.
 * @throws UsageError where nothing is given; CliError where something cannot be read or converted
 */
export async function readNetworkFiles(options: NetworkOptions, io: Io): Promise<NetworkFile[]> {
  const { keyfile = [], nmstate = [] } = options;
  if (keyfile.length + nmstate.length === 0) {
    throw new UsageError('no network settings are given', {
      hint: 'give a keyfile with -k FILE, or an nmstate description with --nmstate FILE',
    });
  }
  const files: NetworkFile[] = [];
  for (const path of keyfile) files.push(await readKeyfile(path, io));
  for (const path of nmstate) files.push(...(await convertFile(path, io)));
  return files;
}

async function readKeyfile(path: string, io: Io): Promise<NetworkFile> {
  const data = await readUserFile(path, io, KEYFILE);
  const problem = findKeyfileProblem(data);
  if (problem !== undefined) {
    const hint = 'NetworkManager will pass over the file; it is embedded as it is';
    report(io, { severity: 'warning', message: problem, hint, at: { file: path } });
  }
  return { name: basename(path), data };
}

async function convertFile(path: string, io: Io): Promise<NetworkFile[]> {
  const yaml = await readYaml(path, io);
  const { keyfiles, findings } = convertNmstate(yaml.value);
  report(
    io,
    ...findings.map((finding) => diagnosticIn(path, { ...finding, position: yaml.locate(finding.path) })),
  );
  if (findings.some(({ severity }) => severity === 'error')) {
    throw new CliError(`${path} cannot be converted to keyfiles`, {
      code: 'ERR_FORMAT',
      hint: 'convert it with nmstatectl gc, and give the keyfiles with -k',
    });
  }
  if (keyfiles.length === 0) {
    const message = `${path} describes no connection`;
    report(io, { severity: 'warning', message, hint: 'leave it out' });
  }
  return keyfiles.map(({ name, text }) => ({ name, data: Buffer.from(text) }));
}

async function readYaml(path: string, io: Io): Promise<ParsedYaml> {
  const { parseYaml } = await import('../../formats/yaml.ts');
  const bytes = await readUserFile(path, io, NMSTATE);
  return nameInput(path, () => parseYaml(Buffer.from(bytes).toString('utf8')));
}
