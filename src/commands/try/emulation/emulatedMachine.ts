/**
 * A machine in QEMU without a disk. It ends with this program: on Linux, the kernel kills it even if this program is
 * killed.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { createMasker, maskLine, secretsOfRequest } from '../../../core/masking.ts';
import { asMapping, parseIfJson } from '../../../formats/mapping.ts';
import { findProgram } from '../../../io/programs.ts';
import type { Io } from '../../../io/io.ts';

export interface EmulatedMachine {
  /**
   * Resolves when QEMU has ended for any reason, to the problem; undefined after a normal end: the machine powered off, or
   * `stop` was called. Never rejects.
   */
  readonly ended: Promise<string | undefined>;
  /** Kills QEMU. */
  stop(): Promise<void>;
}

/**
 * Starts QEMU. `ended` contains the error if it cannot start.
 * @param command QEMU and its arguments, with the console on standard output, and the control socket as file descriptor 3
 * @param onOutput gets the output of the console
 */
export async function startMachine(
  command: readonly string[],
  env: Io['env'],
  onOutput: (bytes: Uint8Array) => void,
  onSignal: (signal: QemuSignal) => void,
): Promise<EmulatedMachine> {
  const [program = '', ...args] = [...(await parentDeathCommand(env)), ...command];
  const child = spawn(program, args, { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.stdout?.on('data', onOutput);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    stderr = (stderr + part).slice(0, MAX_STDERR);
  });
  const mask = createMasker(secretsOfRequest(args)); // QEMU quotes the URL of an image
  readControl(child, onSignal);
  let isStopped = false;
  const ended = new Promise<string | undefined>((resolve) => {
    let problem: string | undefined;
    child.once('error', (error) => {
      problem = `cannot start QEMU: ${error.message}`;
    });
    child.once('close', (code, signal) => {
      process.off('exit', kill);
      resolve(isStopped || code === 0 ? undefined : (problem ?? describeEnd(mask(stderr), code, signal)));
    });
  });
  return {
    ended,
    stop: async () => {
      isStopped = true;
      kill();
      for (const stream of child.stdio) stream?.destroy(); // other processes may have these streams open
      await ended;
    },
  };
}

/**
 * If this program is killed, it cannot stop QEMU. `setpriv` of util-linux makes the kernel kill QEMU then, and replaces itself
 * with QEMU.
 */
async function parentDeathCommand(env: Io['env']): Promise<string[]> {
  const setpriv = process.platform === 'linux' ? await findProgram('setpriv', env) : undefined;
  return setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--'];
}

/** Maximum number of characters of QEMU's standard error. */
const MAX_STDERR = 4000;

function readControl(child: ChildProcess, onSignal: (signal: QemuSignal) => void): void {
  const control = child.stdio[3];
  if (!isDuplex(control)) return;
  const read = createControlReader();
  control.on('error', () => undefined); // QEMU has ended, which `ended` reports
  control.setEncoding('utf8').on('data', (text: string) => {
    for (const signal of read(text)) onSignal(signal);
  });
  control.write(CONTROL_GREETING);
}

function isDuplex(stream: unknown): stream is Duplex {
  return typeof stream === 'object' && stream !== null && 'write' in stream && 'setEncoding' in stream;
}

function describeEnd(stderr: string, code: number | null, signal: NodeJS.Signals | null): string {
  const first = stderr.split('\n').find((line) => line.trim() !== '') ?? '';
  const how = code === null ? `was killed by ${signal ?? 'a signal'}` : `exited with code ${code}`;
  // QEMU prints its options, and the URL of an image may contain a password.
  return first === '' ? `QEMU ${how}` : `QEMU ${how}: ${maskLine(first.trim())}`;
}

/** `stuck`: QEMU stopped the machine, for example because virtualization does not work. */
export type QemuSignal = 'rebooted' | 'stuck';

/** The first command: QEMU sends no events before it. */
const CONTROL_GREETING = '{"execute":"qmp_capabilities"}\n';

/** Maximum number of characters of a line; relevant events have a few hundred. */
const LONGEST_LINE = 64 * 1024;

/** Parses events from chunks of text. */
export function createControlReader(): (text: string) => QemuSignal[] {
  let rest = '';
  let isShutDown = false;
  const signalOf = (line: string): QemuSignal | undefined => {
    const { event, data } = asMapping(parseIfJson(line));
    isShutDown ||= event === 'SHUTDOWN';
    if (event === 'STOP') return isShutDown ? undefined : 'stuck';
    // QEMU itself also resets the machine, for example at its start.
    return event === 'RESET' && asMapping(data)['guest'] === true ? 'rebooted' : undefined;
  };
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-LONGEST_LINE);
    return lines.flatMap((line) => signalOf(line) ?? []);
  };
}
