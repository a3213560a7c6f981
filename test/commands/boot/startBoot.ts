/** `boot`, in process, with what it has said so far. */

import { imageEnv } from '../../support/agentImage.ts';
import { Readable, Writable } from 'node:stream';
import { boot } from '../../../src/commands/boot/boot.ts';
import { type BootTimes, defaultTimes } from '../../../src/trial/bmc/machineBoot.ts';
import { bootOptions } from '../../../src/commands/boot/options.ts';
import { type Given, givenOptions } from '../../support/givenOptions.ts';
import type { Io } from '../../../src/io/io.ts';
import type { TerminalSize } from '../../../src/io/liveRows.ts';
import { scriptedAgent } from '../../support/scriptedAgent.ts';

export type GivenBoot = Given<typeof bootOptions>;

export interface BootEnd {
  readonly code: number;
  readonly report: string;
  readonly error: Error | undefined;
}

export interface RunningBoot {
  readonly said: () => string;
  readonly ended: Promise<BootEnd>;
  /** As the first Ctrl-C does. */
  readonly stop: () => Promise<BootEnd>;
}

export interface BootPlace {
  readonly cwd: string;
  readonly times?: Partial<BootTimes>;
  readonly env?: Io['env'];
  /** The ids of `--ignore`. */
  readonly ignored?: Io['ignored'];
  /** What the user types on a terminal, up to the end of input; undefined without a terminal. */
  readonly typed?: string;
  /** Of the terminal of standard error; undefined without a terminal. */
  readonly screen?: TerminalSize;
}

/** On free ports. */
export function startBoot(
  names: readonly string[],
  options: GivenBoot,
  { cwd, env = {}, ignored = [], screen, times = {}, typed }: BootPlace,
): RunningBoot {
  const stdout = collector();
  const stderr = collector();
  const end = new AbortController();
  const io: Io = {
    stdin: typed === undefined ? Readable.from([]) : Object.assign(Readable.from([typed]), { isTTY: true }),
    stdout: stdout.stream,
    stderr: screen === undefined ? stderr.stream : Object.assign(stderr.stream, screen, { isTTY: true }),
    env: { PATH: process.env['PATH'], ...imageEnv, ...env },
    cwd,
    ignored,
    programName: 'ironic-coreos',
    signal: end.signal,
  };
  const all = { listen: '127.0.0.1:0', serveListen: '127.0.0.1:0', ...options };
  const fast = { ...defaultTimes, power: 300, interval: 1, retry: 100, ...times };
  const run = async (): Promise<number> => boot(names, givenOptions(bootOptions, all), io, fast);
  const ended = run().then(
    (code) => ({ code, report: stdout.text(), error: undefined }),
    (error: unknown) => ({
      code: 1,
      report: stdout.text(),
      error: error instanceof Error ? error : new Error(String(error)),
    }),
  );
  const stop = (): Promise<BootEnd> => {
    end.abort();
    return ended;
  };
  return { said: stderr.text, ended, stop };
}

/** The machine: fetches the ISO as a BMC does, and its agent calls home. The report of `boot` shows a failure. */
export function bootAndCallHome(...machine: Parameters<typeof runMachine>): void {
  runMachine(...machine).catch(() => undefined);
}

async function runMachine(image: string, mac: string, running: () => RunningBoot): Promise<void> {
  const bytes = await (await fetch(image)).arrayBuffer();
  if (bytes.byteLength === 0) throw new Error('the ISO is empty');
  const origin = /listening on (https?:\/\/[^\s:]+:\d+)/.exec(running().said())?.[1];
  await scriptedAgent({ api: origin ?? '', mac }).callHome();
}

function collector(): { stream: Writable; text: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}
