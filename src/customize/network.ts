/** Converts nmstate files to keyfiles, for `iso customize` and `pxe customize`. */

import { convertNmstate, type Keyfile } from '../network/convertNmstate.ts';
import { CliError, FormatError, formatPlace } from '../core/errors.ts';
import { parseYaml, type ParsedYaml } from '../formats/yaml.ts';
import type { NamedFile } from '../image/customize/parentConfig.ts';
import { readNetworkFiles } from '../hosts/input/networkFiles.ts';
import { readUserFile } from '../io/files/files.ts';
import type { Io } from '../io/io.ts';
import { findNmstatectl, runNmstatectl } from '../io/nmstatectl.ts';
import { diagnosticIn } from '../core/diagnostic.ts';
import { report } from '../io/report/report.ts';

const NMSTATE = { what: 'Network state', maxBytes: 16 * 1024 * 1024 };

/**
 * Converts an nmstate file (YAML or JSON) to keyfiles: with nmstatectl if it is installed, because it supports more keys
 * than this program.
 * @throws CliError if the file cannot be converted
 */
export async function readNmstate(path: string, io: Io): Promise<readonly NamedFile[]> {
  const bytes = await readUserFile(path, io, NMSTATE);
  const program = await findNmstatectl(io.env);
  io.note?.(`converting ${path} with ${program ?? 'the built-in converter: nmstatectl not found in PATH'}`);
  const state = Buffer.from(bytes).toString('utf8');
  const keyfiles =
    program === undefined
      ? convertBuiltIn(path, state, io)
      : await runNmstatectl(state, { program, env: io.env });
  if (keyfiles.length === 0) {
    report(io, {
      severity: 'warning',
      message: `${path} contains no connection`,
      hint: 'remove the option for this file',
    });
  }
  return keyfiles.map(({ name, text }) => ({ name, content: Buffer.from(text) }));
}

/**
 * The connections of a file with OpenStack network data.
 * @throws CliError if the file cannot be converted
 */
export async function readNetworkData(path: string, io: Io): Promise<readonly NamedFile[]> {
  const files = await readNetworkFiles({ networkData: [path] }, io);
  return files.map(({ name, data }) => ({ name, content: data }));
}

function convertBuiltIn(path: string, state: string, io: Io): readonly Keyfile[] {
  const yaml = parse(path, state);
  const { keyfiles, findings } = convertNmstate(yaml.value);
  const error = findings.find(({ severity }) => severity === 'error');
  if (error !== undefined) {
    const hint = error.hint ?? 'install nmstatectl, which supports more keys than this program';
    const place = formatPlace({ file: path, ...yaml.locate(error.path) });
    throw new CliError(`parsing nmstate ${place}: ${error.message}`, { code: 'ERR_FORMAT', hint });
  }
  report(
    io,
    ...findings.map((finding) => diagnosticIn(path, { ...finding, position: yaml.locate(finding.path) })),
  );
  return keyfiles;
}

function parse(path: string, state: string): ParsedYaml {
  try {
    return parseYaml(state);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`parsing nmstate ${path}: ${error.message}`, {
      code: 'ERR_FORMAT',
      hint: error.hint ?? 'fix the syntax of the file',
      cause: error,
    });
  }
}
