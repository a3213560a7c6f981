/** The program nmstatectl of nmstate: `nmstatectl gc` turns a network state into keyfiles, without touching the machine. */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Keyfile } from '../../network/convertedKeyfile.ts';
import { CliError, ifWellFormed } from '../../core/errors.ts';
import { createMasker, type Masker } from '../../core/knownSecrets.ts';
import { isSecretName, maskSetting } from '../../core/masking.ts';
import { isMapping } from '../../formats/mapping.ts';
import { errorCode, fileError } from '../../io/files/fileErrors.ts';
import { writeFileAtomically } from '../../io/files/newFile.ts';
import { withTempFolder } from '../../io/files/tempFile.ts';
import type { Io } from '../../io/io.ts';
import { runProgram } from '../../io/programs.ts';

/**
 * Runs `nmstatectl gc` on the text of a network state.
 * @param program its path; a name without a slash is not searched for
 * @throws CliError with what nmstatectl has written, or why it could not be run
 */
export async function runNmstatectl(
  state: string,
  program: string,
  env: Io['env'],
): Promise<readonly Keyfile[]> {
  try {
    return await withTempFolder(async (folder) => {
      const file = join(folder, 'state.yaml');
      await writeFileAtomically(file, state, { mode: 0o600 });
      return readKeyfiles(await convert(file, program, env, await maskerOf(state)));
    });
  } catch (error) {
    throw fileError(error, { path: tmpdir(), what: 'Temporary folder', action: 'write' });
  }
}

/** Keyfiles of a host are some kilobytes. */
const MAX_OUTPUT = 16 * 1024 * 1024;
/** Milliseconds. */
const TIMEOUT = 60_000;

async function convert(file: string, program: string, env: Io['env'], mask: Masker): Promise<string> {
  const options = { env: { ...env }, timeout: TIMEOUT, maxBuffer: MAX_OUTPUT };
  const { exitCode, signal, stderr, stdout } = await runProgram(program, ['gc', file], options).catch(
    (error: unknown) => {
      throw startError(program, error);
    },
  );
  if (exitCode === 0) return stdout;
  if (exitCode === undefined) {
    const limits = `${TIMEOUT / 1000} seconds and ${MAX_OUTPUT / 1024 / 1024} MiB of output`;
    throw new CliError(`${program} was killed by ${signal}`, {
      code: 'ERR_PROGRAM',
      hint: `run it manually to find the cause; the limits are ${limits}`,
    });
  }
  const reason = withoutLogLines(mask(stderr)) || `exit code ${exitCode}`;
  throw new CliError(`nmstatectl rejected the network state: ${reason}`, {
    code: 'ERR_SETTING',
    hint: 'fix the network state',
  });
}

/** nmstatectl quotes the network state, which may contain passwords: of 802.1X, WLAN and MACsec. */
async function maskerOf(state: string): Promise<Masker> {
  const { parseYaml } = await import('../../formats/yaml.ts');
  try {
    return createMasker(secretsIn(parseYaml(state).value));
  } catch {
    return maskSetting; // nmstatectl may read what this program does not
  }
}

/** The values of all keys with a name like a secret. */
function secretsIn(state: unknown): readonly string[] {
  const secrets: string[] = [];
  JSON.stringify(state, (key, value: unknown) => {
    const isText = typeof value === 'string' || typeof value === 'number';
    if (isText && isSecretName(key)) secrets.push(`${value}`);
    return value;
  });
  return secrets;
}

function startError(program: string, cause: unknown): CliError {
  const reason = errorCode(cause) === 'ENOENT' ? 'file not found' : 'not an executable file';
  return new CliError(`Cannot run ${program}: ${reason}`, {
    code: 'ERR_PROGRAM',
    hint: 'pass the path of nmstatectl',
    cause,
  });
}

/** Of what nmstatectl logs while it works, nothing is for the user. */
const LOG_LINE = /^\[\S+ +(?:TRACE|DEBUG|INFO|WARN) /;

function withoutLogLines(output: string): string {
  const lines = output.split('\n').filter((line) => !LOG_LINE.test(line));
  // Characters that could do something to a terminal.
  return lines
    .join('\n')
    .trim()
    .replaceAll(/[^\P{C}\n]/gu, ' ');
}

/** The output is `NetworkManager: [[NAME, TEXT], …]` in YAML. */
async function readKeyfiles(output: string): Promise<readonly Keyfile[]> {
  const { parseYaml } = await import('../../formats/yaml.ts');
  const value = ifWellFormed(() => parseYaml(output).value);
  const list = isMapping(value) ? value['NetworkManager'] : undefined;
  const pairs: readonly unknown[] = Array.isArray(list) ? list : [undefined];
  return pairs.map((pair) => {
    const [name, text]: readonly unknown[] = Array.isArray(pair) && pair.length === 2 ? pair : [];
    // The name becomes a file in a folder, so it must not lead out of it.
    const isName = typeof name === 'string' && /^(?!\.{1,2}$)[^/\p{Cc}]{1,255}$/u.test(name);
    if (isName && typeof text === 'string') return { name, text };
    throw new CliError('unexpected output from nmstatectl: not a list of keyfiles', {
      code: 'ERR_PROGRAM',
      hint: 'install nmstate 1.0.2 or later, which supports "nmstatectl gc"',
    });
  });
}
