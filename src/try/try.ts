/**
 * `try`: plays the part of Ironic that a ramdisk meets first, and tells how far each machine comes. Beside it, the images
 * of an inventory are served, or a machine is emulated, if that is asked for. Nothing is ever deployed.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { ExitCode, Io } from '../io/io.ts';
import { listenToSignals } from '../io/signals.ts';
import { writeStdout } from '../io/stdout.ts';
import { defaultPorts, type Ports } from './timeline/causes/cause.ts';
import type { TrialResult } from './timeline/result.ts';
import { exitCodeOf } from './timeline/verdict.ts';
import { readInventoryDocument } from '../hosts/settings/inventory.ts';
import { createEnds } from './ends.ts';
import { type EmulatedSource, type ListedHost, readEmulatedSource } from './emulation/emulatedSource.ts';
import { readMachineSetup } from './emulation/machineSetup.ts';
import { readExpectation } from './expectation.ts';
import type { TryOptions } from './options.ts';
import { formatClosingReport } from './report/closingReport.ts';
import { createEventOutput } from './report/eventOutput.ts';
import { formatReportDocument } from './report/reportDocument.ts';
import { createRunningTrial } from './runningTrial.ts';
import { readTrialSetup, type TrialSetup } from './setup.ts';
import { startParts, type TrialParts } from './trialParts.ts';
import type { PlannedMachine, TrialPlan } from './trialPlan.ts';
import { createTrialTalk } from './trialTalk.ts';

/** Ends with 0 when all that are awaited are home, with 1 at the end of the time. Throws CliError, UsageError. */
export async function tryRamdisk(options: TryOptions, io: Io): Promise<ExitCode> {
  const setup = readTrialSetup(options);
  const hosts = await listInventory(options, io);
  const source =
    options.qemu === undefined
      ? undefined
      : await readEmulatedSource(options, { boot: setup.machine.boot, hosts }, io);
  const machine = source && (await planMachine(options, { setup, source }, io));
  const expectation = readExpectation({ given: options.expect, hosts, machine: source?.host });
  const talk = createTrialTalk(io, expectation.awaited);
  const events = setup.format === 'ndjson' ? createEventOutput(io) : undefined;
  const { say, count } = talk;
  const { home } = setup;
  const trial = createRunningTrial({ expectation, home, say, count, tellPrograms: events?.write });
  const started = new Date();
  const ports = await run({ options, setup, machine, expectation, trial, talk, io });
  const { timeline } = trial;
  const isServed = options.inventory !== undefined || source?.medium.kind === 'folder';
  const verdict = trial.verdict();
  const sight = isServed ? 'boot' : 'calls';
  const result: TrialResult = { timeline, verdict, home, sight, ports, started, ended: new Date() };
  await events?.close();
  await writeStdout(io, [Buffer.from(formatResult(result, setup.format))]);
  return exitCodeOf(verdict);
}

function formatResult(result: TrialResult, format: TrialSetup['format']): string {
  if (format === 'text') return formatClosingReport(result);
  return formatReportDocument(result, format === 'ndjson' ? 'report' : undefined);
}

async function planMachine(
  { memory }: TryOptions,
  { setup, source }: { readonly setup: TrialSetup; readonly source: EmulatedSource },
  io: Io,
): Promise<PlannedMachine> {
  const wishes = { ...setup.machine, ...(memory !== undefined && { memory }) };
  return { source, setup: await readMachineSetup(wishes, source, io) };
}

async function listInventory({ inventory: name }: TryOptions, io: Io): Promise<ListedHost[]> {
  if (name === undefined) return [];
  const { inventory } = await readInventoryDocument(name, io, 'served');
  return (inventory.hosts ?? []).map(({ architecture, mac, name: host }) => ({
    name: host,
    macs: mac === undefined ? [] : [mac],
    architecture,
  }));
}

/** From the first that listens to the last that has ended. Resolves to where it listened. */
async function run(plan: Omit<TrialPlan, 'ends'>): Promise<Ports> {
  const signals = listenToSignals(() => undefined);
  const stopped = signals.nextStop().then((): undefined => {
    setTimeout(() => signals.ignore(), SECOND_SIGNAL).unref();
    return undefined;
  });
  const ends = createEnds();
  const end = new AbortController();
  try {
    const starting = startParts({ ...plan, ends });
    const parts = await Promise.race([starting, stopped]);
    if (parts !== undefined) await Promise.race([stopped, whenOver(parts, plan, end.signal)]);
    else await starting.catch(() => undefined); // all that it starts has to be ended, too
    return parts?.ports ?? defaultPorts;
  } finally {
    end.abort();
    await ends.endAll();
    plan.talk.close();
    signals.ignore();
  }
}

/** When all are home, or the time is over, or nobody is left to come. */
async function whenOver(
  { isHopeless, machine }: TrialParts,
  { options: { expect }, setup, trial }: Omit<TrialPlan, 'ends'>,
  signal: AbortSignal,
): Promise<void> {
  if (isHopeless) return;
  const late = pause(Math.min(setup.timeout, LONGEST_TIMER), signal);
  // Who is awaited besides may be a real machine.
  const gone = machine !== undefined && expect === undefined ? [machine.ended] : [];
  await Promise.race([trial.passed, late, ...gone]);
  if (setup.askBack === 'never' || !trial.verdict().isPassed) return;
  for (
    let waited = 0;
    trial.unasked() > 0 && waited < ANSWER_TIME && !signal.aborted;
    waited += LOOK_INTERVAL
  ) {
    await pause(LOOK_INTERVAL, signal);
  }
}

/** Never rejects; ends early with the signal. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/**
 * Milliseconds after which another signal ends the program at once: whoever sends one then does not want to wait for what
 * has to be ended. Sooner, it is the same one again, from a shell and from npm.
 */
const SECOND_SIGNAL = 1000;
/** Milliseconds, which a timer of Node counts in 32 bits. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** Milliseconds for the last agents to be asked back, which is a part of what is to be known. */
const ANSWER_TIME = 7000;
const LOOK_INTERVAL = 50;
