/**
 * The program nmstatectl of nmstate: `nmstatectl gc` turns a network state into NetworkManager
 * keyfiles without touching the machine it runs on.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Keyfile } from '../../network/convertedKeyfile.ts';
import { CliError } from '../../core/errors.ts';
import { createMasker, type Masker } from '../../core/knownSecrets.ts';
import { isSecretName, maskSetting } from '../../core/masking.ts';
import { isMapping } from '../../formats/mapping.ts';
import { errorCode } from '../../io/files/fileErrors.ts';
import { writeAll } from '../../io/files/handles.ts';
import { openNameless, spoolError } from '../../imagefile/spool.ts';
import type { Io } from '../../io/io.ts';

export interface NmstatectlOptions {
  /** Path of the program; a name without a slash is not searched for. */
  readonly program: string;
  readonly env: Io['env'];
  /** Milliseconds after which it is ended; by default 60 000. */
  readonly timeout?: number;
}

/**
 * Runs `nmstatectl gc` on the text of a network state.
 * @throws CliError with what nmstatectl has written, or why it could not be run
 */
export async function runNmstatectl(state: string, options: NmstatectlOptions): Promise<readonly Keyfile[]> {
  // Not a pipe: Node makes sockets of them, which cannot be opened as `/dev/stdin`.
  const input = await openNameless();
  try {
    const bytes = Buffer.from(state);
    await writeAll(input, bytes, 0).catch((error: unknown) => {
      throw spoolError(error, bytes.length);
    });
    return await readKeyfiles(await run(input.fd, options, await maskerOf(state)));
  } finally {
    await input.close();
  }
}

/** Keyfiles of a host are some kilobytes. */
const MAX_OUTPUT = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT = 60_000;

async function run(
  input: number,
  { program, env, timeout = DEFAULT_TIMEOUT }: NmstatectlOptions,
  mask: Masker,
): Promise<string> {
  const child = spawn(program, ['gc', '/dev/stdin'], { stdio: [input, 'pipe', 'pipe'], env: { ...env } });
  const end = (): void => {
    child.kill('SIGKILL');
    // Its child processes may keep the pipes open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const timer = setTimeout(end, timeout);
  const stdout = collect(child.stdout, end);
  const stderr = collect(child.stderr, end);
  await once(child, 'close')
    .catch((error: unknown) => {
      throw startError(program, error);
    })
    .finally(() => clearTimeout(timer));
  const { exitCode, signalCode } = child;
  if (exitCode === 0) return Buffer.concat(stdout).toString();
  if (exitCode === null) {
    const limits = `${timeout / 1000} seconds and ${MAX_OUTPUT / 1024 / 1024} MiB of output`;
    throw new CliError(`${program} was killed by ${signalCode ?? 'a signal'}`, {
      code: 'ERR_PROGRAM',
      hint: `run it manually to find the cause; the limits are ${limits}`,
    });
  }
  const reason = withoutLogLines(mask(Buffer.concat(stderr).toString())) || `exit code ${exitCode}`;
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

/** The values of all keys with a name like a secret. Aliases may repeat a value without end, so each is read once. */
function secretsIn(state: unknown): readonly string[] {
  const secrets: string[] = [];
  const waiting: unknown[] = [state];
  const seen = new Set<unknown>();
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'object') waiting.push(member);
      else if (isSecretName(key) || key === 'mka-cak') secrets.push(String(member));
    }
  }
  return secrets;
}

function collect(stream: Readable | null, tooMuch: () => void): Buffer[] {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OUTPUT) tooMuch();
    else chunks.push(chunk);
  });
  return chunks;
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
const MAX_REASON = 2000;

function withoutLogLines(output: string): string {
  const lines = output.split('\n').filter((line) => !LOG_LINE.test(line));
  const reason = lines.join('\n').trim();
  // Characters that could do something to a terminal.
  return reason.slice(0, MAX_REASON).replaceAll(/[^\P{C}\n]/gu, ' ');
}

/** The output is `NetworkManager: [[NAME, TEXT], …]` in YAML. */
async function readKeyfiles(output: string): Promise<readonly Keyfile[]> {
  const { parseYaml } = await import('../../formats/yaml.ts');
  let value: unknown;
  try {
    ({ value } = parseYaml(output));
  } catch {
    // whatever it is, it is no output of `gc`
  }
  const entries = listOfPairs(value);
  if (entries === undefined) {
    throw new CliError('unexpected output from nmstatectl: not a list of keyfiles', {
      code: 'ERR_PROGRAM',
      hint: 'install nmstate 1.0.2 or later, which supports "nmstatectl gc"',
    });
  }
  return entries;
}

function listOfPairs(value: unknown): Keyfile[] | undefined {
  const list = isMapping(value) ? value['NetworkManager'] : undefined;
  const keyfiles = Array.isArray(list) ? list.map(readPair) : [undefined];
  return keyfiles.every((keyfile) => keyfile !== undefined) ? keyfiles : undefined;
}

/** The name becomes a file in a folder, so it must not lead out of it. */
function readPair(item: unknown): Keyfile | undefined {
  if (!Array.isArray(item) || item.length !== 2) return undefined;
  const pair: readonly unknown[] = item;
  const [name, text] = pair;
  if (typeof name !== 'string' || typeof text !== 'string') return undefined;
  return /^[^/\p{Cc}]{1,255}$/u.test(name) && name !== '.' && name !== '..' ? { name, text } : undefined;
}
