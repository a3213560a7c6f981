/**
 * A machine in QEMU, from its start to its end. It never outlives this program: it is ended with it, by the system where
 * that can be asked for it, and it has no disk.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { isMapping, type Mapping } from '../../formats/mapping.ts';
import { findProgram } from '../../io/programs.ts';
import type { Io } from '../../io/io.ts';

interface MachineStart {
  /** QEMU. */
  readonly program: string;
  /** With the console on standard output, and the control socket at descriptor 3. */
  readonly args: readonly string[];
  readonly env: Io['env'];
  /** Bytes of the console, as they come. */
  readonly console: (bytes: Uint8Array) => void;
  readonly sign: (sign: MachineSign) => void;
}

export interface EmulatedMachine {
  /** Resolves when it is gone, however that came; never rejects. */
  readonly ended: Promise<MachineEnd>;
  /** Ends it at once. */
  stop(): Promise<void>;
}

interface MachineEnd {
  /** Undefined where it ended as it was asked to, by its own system or by `stop`. */
  readonly problem: string | undefined;
}

/** Starts it; why it could not start is how it ends. */
export async function startMachine(start: MachineStart): Promise<EmulatedMachine> {
  const [program = '', ...args] = await boundToUs(start);
  const child = spawn(program, args, {
    env: { ...start.env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.stdout?.on('data', start.console);
  const said = collectText(child.stderr);
  followControl(child, start.sign);
  let isStopped = false;
  const ended = new Promise<MachineEnd>((resolve) => {
    let problem: string | undefined;
    child.once('error', (error) => {
      problem = `QEMU could not be started: ${error.message}`;
    });
    child.once('close', (code, signal) => {
      process.off('exit', kill);
      resolve({
        problem: isStopped || code === 0 ? undefined : (problem ?? describeEnd(said(), code, signal)),
      });
    });
  });
  return {
    ended,
    stop: async () => {
      isStopped = true;
      kill();
      for (const stream of child.stdio) stream?.destroy(); // which others may hold, too
      await ended;
    },
  };
}

/**
 * Where this program is killed, it can end nobody any more: util-linux has a program that asks the system to do so. It
 * becomes QEMU itself.
 */
async function boundToUs({ args, env, program }: MachineStart): Promise<string[]> {
  const setpriv = process.platform === 'linux' ? await findProgram('setpriv', env) : undefined;
  const bound = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--'];
  return [...bound, program, ...args];
}

/** Characters of what QEMU says about itself. */
const MOST_SAID = 4000;

function collectText(stream: Readable | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, MOST_SAID);
  });
  return () => text;
}

function followControl(child: ChildProcess, tell: (sign: MachineSign) => void): void {
  const control = child.stdio[3];
  if (!isDuplex(control)) return;
  const read = createControlReader();
  control.on('error', () => undefined); // QEMU has ended, which is told elsewhere
  control.setEncoding('utf8').on('data', (text: string) => {
    for (const sign of read(text)) tell(sign);
  });
  control.write(CONTROL_GREETING);
}

function isDuplex(stream: unknown): stream is Duplex {
  return typeof stream === 'object' && stream !== null && 'write' in stream && 'setEncoding' in stream;
}

function describeEnd(said: string, code: number | null, signal: NodeJS.Signals | null): string {
  const first = said.split('\n').find((line) => line.trim() !== '') ?? '';
  const how = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with ${code}`;
  return first === '' ? `QEMU ${how}` : `QEMU ${how}: ${first.trim()}`;
}

/** `stuck`: QEMU has stopped the machine by itself, as when virtualization does not work. */
export type MachineSign = 'rebooted' | 'stuck';

/** Is sent first: before it, there are no events. */
const CONTROL_GREETING = '{"execute":"qmp_capabilities"}\n';

/** Characters of a line; events that matter have some hundred. */
const LONGEST_LINE = 64 * 1024;

/** Reads events out of what arrives, wherever it is cut. */
export function createControlReader(): (text: string) => MachineSign[] {
  let rest = '';
  let isOver = false;
  const signOf = (line: string): MachineSign | undefined => {
    const { event, data } = parse(line) ?? {};
    isOver ||= event === 'SHUTDOWN';
    if (event === 'STOP') return isOver ? undefined : 'stuck';
    // There are resets by QEMU itself, too: the machine starts with one.
    return event === 'RESET' && isMapping(data) && data['guest'] === true ? 'rebooted' : undefined;
  };
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-LONGEST_LINE);
    return lines.flatMap((line) => signOf(line) ?? []);
  };
}

function parse(line: string): Mapping | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
