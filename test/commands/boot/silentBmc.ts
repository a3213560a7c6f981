/**
 * Runs of `boot` against a BMC that fails at one of its requests, or from one on, while the user waits or presses Ctrl-C.
 * What must hold for each run is in `problemsOf`.
 */

import { exec } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDeferred } from '../../../src/core/deferred.ts';
import type { BootTimes } from '../../../src/trial/bmc/machineBoot.ts';
import { ownProcess } from '../../../src/io/process.ts';
import { type BmcModel, bmcUser, type FakeBmc, startFakeBmc } from '../../support/fakeBmc.ts';
import { bootAndCallHome, type BootEnd, type RunningBoot, startBoot } from './startBoot.ts';

export const failures = ['silent', 'lost', 'head', 'drip', 'reset'] as const;

type Failure = (typeof failures)[number];

/** What a BMC does instead of an answer; `lost`: it acts on the request. */
const answers: Readonly<Record<Exclude<Failure, 'lost'>, (response: ServerResponse) => void>> = {
  silent: () => undefined,
  head: (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    response.write('{');
  },
  drip: (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
    const timer = setInterval(() => response.write(' '), 1000);
    response.on('close', () => clearInterval(timer));
  },
  reset: (response) => void response.socket?.resetAndDestroy(),
};

export interface SilentRun {
  readonly model: BmcModel;
  readonly power: 'On' | 'Off';
  readonly method?: 'uefi-http';
  readonly failure: Failure;
  /** The number of the request, from 1; undefined for a BMC that always answers. */
  readonly request?: number;
  /** Whether all later requests fail, too. */
  readonly isLasting?: boolean;
  readonly check?: boolean;
  /** Whether the user presses Ctrl-C; otherwise `--timeout` ends the run. */
  readonly isInterrupted?: boolean;
}

export interface RunEnd extends BootEnd {
  readonly bmc: FakeBmc;
  readonly said: string;
  /** Milliseconds until the end, or from Ctrl-C to the end; undefined after `MAX_TIME`. */
  readonly time: number | undefined;
}

/** A request that waits this long has no bound. */
const UNBOUNDED = 120_000;
/** For a check and a boot, or for restoring, with the times below, on a machine that does other work. */
const MAX_TIME = 60_000;

const times: Partial<BootTimes> = {
  connect: UNBOUNDED,
  answer: UNBOUNDED,
  task: UNBOUNDED,
  insert: UNBOUNDED,
  check: UNBOUNDED,
  logout: 300,
  restore: 500,
  retry: 200,
};

const mac = '52:54:00:00:00:01';

/** Runs at the same time: one Ctrl-C is for all of them. Those that are not `isInterrupted` end by themselves. */
export async function runAll(runs: readonly SilentRun[], cwd: string): Promise<readonly RunEnd[]> {
  const disown = ownProcess(); // so that SIGINT ends the runs
  process.on('SIGINT', ignore);
  try {
    return await runOwned(runs, cwd);
  } finally {
    process.off('SIGINT', ignore);
    disown(); // other tests in this process end services, which would end it
  }
}

/** A second signal that nothing listens to ends the program at once, which here is the process of the tests. */
const ignore = (): void => undefined;

async function runOwned(runs: readonly SilentRun[], cwd: string): Promise<readonly RunEnd[]> {
  const started = await Promise.all(
    runs.map(async (run) => ({ ...(await start(run, cwd)), isInterrupted: run.isInterrupted === true })),
  );
  const interrupted = started.filter(({ isInterrupted }) => isInterrupted);
  await Promise.race([Promise.all(interrupted.map(({ isWaiting }) => isWaiting)), wait(MAX_TIME)]);
  const pressed = performance.now();
  if (interrupted.length > 0) process.emit('SIGINT');
  // If the BMC still fails, restoring ends at its own bound, or by the second Ctrl-C.
  const timer = setTimeout(() => void process.emit('SIGINT'), 1500);
  if (interrupted.length === 0) clearTimeout(timer);
  const ends = await Promise.all(
    started.map(({ end, isInterrupted }) => end(isInterrupted ? pressed : undefined)),
  );
  clearTimeout(timer);
  return ends;
}

interface StartedRun {
  /** Resolves when the BMC has failed, or when the run ends without that. */
  readonly isWaiting: Promise<void>;
  readonly end: (from?: number) => Promise<RunEnd>;
}

async function start(run: SilentRun, cwd: string): Promise<StartedRun> {
  const { check, failure, isInterrupted, isLasting, method, model, power, request: chosen } = run;
  const place: { running?: RunningBoot } = {};
  const waiting = createDeferred();
  let count = 0;
  let isLifted = false;
  const isFailing = (): boolean =>
    chosen !== undefined && !isLifted && (isLasting === true ? count >= chosen : count === chosen);
  const bmc = await startFakeBmc({
    model,
    power,
    mac,
    onBoot: (image) => bootAndCallHome(image, mac, () => place.running!),
    fault: () => {
      count += 1;
      if (!isFailing()) return undefined;
      void wait(50).then(waiting.resolve);
      return failure === 'lost' ? undefined : answers[failure];
    },
    loses: () => failure === 'lost' && isFailing(),
  });
  const began = performance.now();
  const options = {
    bmc: bmc.origin,
    credentials: 'bmc.yaml',
    iso: ['live.iso'],
    askBack: 'never',
    shutdownTimeout: '1s',
    timeout: isInterrupted === true || chosen === undefined ? '1h' : '2s',
    yes: true,
    ...(check === true && { check }),
    ...(method !== undefined && { method }),
  };
  // Where the BMC answers, no bound is met, however busy the machine is.
  const running = startBoot([], options, { cwd, times: chosen === undefined ? {} : times });
  place.running = running;
  void running.ended.then(() => waiting.resolve());
  return {
    isWaiting: waiting.promise,
    end: async (from = began) => {
      const ended = await Promise.race([running.ended, wait(MAX_TIME)]);
      isLifted = true;
      const time = ended === undefined ? undefined : performance.now() - from;
      return { ...(ended ?? { code: 1, report: '', error: undefined }), bmc, said: running.said(), time };
    },
  };
}

const named =
  /\d: [a-z][^:]* (?:was canceled, \d+ seconds? after|failed: (?:no complete response|the connection was))/;

/** What is not as it must be, as sentences. Runs the commands that restore the machine, and closes the BMC. */
export async function problemsOf(run: SilentRun, end: RunEnd): Promise<readonly string[]> {
  const { bmc, error, report, said, time } = end;
  if (time === undefined) return ['the run does not end'];
  const output = `${said}${report}${error?.message ?? ''}`.replaceAll(/\s+/g, ' ');
  const failed = run.request === undefined ? undefined : bmc.seen[run.request - 1];
  // The end of a session has no effect on the result, and reading is repeated.
  const isHarmless = failed?.method === 'DELETE' || (run.failure === 'reset' && failed?.method === 'GET');
  const commands = commandsIn(said);
  const problems: string[] = [];
  if (failed !== undefined && !isHarmless && !named.test(output))
    problems.push(`the output does not name ${failed.method} ${failed.path}`);
  if (run.check === true && !report.includes('can')) problems.push('no result is printed');
  if (output.includes(bmcUser.password)) problems.push('the password is printed');
  if (commands.length === 0 && !isAsBefore(run, bmc))
    problems.push(`the machine is not as before, and no command is printed: ${stateOf(bmc)}`);
  problems.push(...(await runCommands(commands)));
  if (commands.length > 0 && !isAsBefore(run, bmc))
    problems.push(`the machine is not as before after the commands: ${stateOf(bmc)}`);
  await bmc.close();
  return problems;
}

/** The commands that restore a machine, as they are printed. */
export function commandsIn(said: string): readonly string[] {
  return [...said.matchAll(/^hint: run (curl .*)$/gm)].map(([, command = '']) => command);
}

/** One after the other, with the user of the fake. Returns the commands that fail, with what they print. */
export async function runCommands(commands: readonly string[]): Promise<readonly string[]> {
  const login = `-u '${bmcUser.username}:${bmcUser.password}' -sS --fail`;
  const failed: string[] = [];
  for (const command of commands) {
    await promisify(exec)(command.replace('-u USER', login)).catch(({ stderr }: { stderr: string }) =>
      failed.push(`${command}: ${stderr}`),
    );
  }
  return failed;
}

function isAsBefore({ power }: SilentRun, { state }: FakeBmc): boolean {
  const { boot, dellTarget = 'Normal', images } = state;
  const isBootRestored = boot['BootSourceOverrideEnabled'] === 'Disabled' && dellTarget === 'Normal';
  return state.power === power && images.size === 0 && isBootRestored;
}

function stateOf({ state: { boot, dellTarget, images, power } }: FakeBmc): string {
  return JSON.stringify({ power, images: [...images.keys()], boot, dellTarget });
}
