/** Network settings for `iso customize` and `pxe customize`: keyfiles as they are, and what nmstate files describe. */

import { convertNmstate, type Keyfile } from '../network/convertNmstate.ts';
import { CliError, FormatError } from '../core/errors.ts';
import { parseYaml, type ParsedYaml } from '../formats/yaml.ts';
import type { NamedFile } from '../image/customize/parentConfig.ts';
import { readUserFile } from '../io/files/files.ts';
import type { Io } from '../io/io.ts';
import { findNmstatectl, runNmstatectl } from '../io/nmstatectl.ts';
import { diagnosticIn } from '../core/diagnostic.ts';
import type { Finding } from '../core/finding.ts';
import { report } from '../io/report/report.ts';

const NMSTATE = { what: 'Network state', maxBytes: 16 * 1024 * 1024 };

/**
 * The connections of an nmstate file, as YAML or JSON: converted by nmstate where it is installed, since it knows more.
 * @throws CliError where the file cannot be converted
 */
export async function readNmstate(path: string, io: Io): Promise<readonly NamedFile[]> {
  const bytes = await readUserFile(path, io, NMSTATE);
  const program = await findNmstatectl(io.env);
  io.note?.(`${path} is converted by ${program ?? 'this program: there is no nmstatectl on PATH'}`);
  const state = Buffer.from(bytes).toString('utf8');
  const keyfiles =
    program === undefined
      ? convertHere(path, state, io)
      : await runNmstatectl(state, { program, env: io.env });
  if (keyfiles.length === 0) {
    const remark = {
      severity: 'warning',
      message: `${path} describes no connection`,
      hint: 'leave it out',
    } as const;
    report(io, remark);
  }
  return keyfiles.map(({ name, text }) => ({ name, content: Buffer.from(text) }));
}

function convertHere(path: string, state: string, io: Io): readonly Keyfile[] {
  const yaml = parse(path, state);
  const { keyfiles, findings } = convertNmstate(yaml.value);
  const sentence = (finding: Finding): string => {
    const position = yaml.locate(finding.path);
    const where = position === undefined ? path : `${path}:${position.line}:${position.column}`;
    return `${where}: ${finding.message}`;
  };
  const error = findings.find(({ severity }) => severity === 'error');
  if (error !== undefined) {
    const hint = error.hint ?? 'install nmstatectl, which knows more than this program';
    throw new CliError(`parsing nmstate ${sentence(error)}`, { code: 'ERR_FORMAT', hint });
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
      hint: error.hint ?? 'correct the file',
      cause: error,
    });
  }
}
