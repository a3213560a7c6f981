/**
 * `try`: plays the part of Ironic that a ramdisk meets first, and tells how far each machine comes. Beside it, the images
 * of an inventory are served, or a machine is emulated, if that is asked for. Nothing is ever deployed.
 */

import { pause, systemClock } from '../io/clock.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { listenToSignals } from '../io/process.ts';
import { writeStdout } from '../io/stdout.ts';
import type { ApiPlace } from './timeline/addresses.ts';
import { defaultPorts, type Ports } from './timeline/causes/cause.ts';
import { exitCodeOf, type TrialResult } from './timeline/result.ts';
import { readInventoryDocument } from '../hosts/settings/inventory.ts';
import { readServeSource, type ServeSource } from '../serve/source.ts';
import {
  bootTokensOfHosts,
  certificateNames,
  ironicUrlsOfHosts,
  reachableAddresses,
  reportApiAddress,
} from './ironicAddress.ts';
import { type IronicApi, openInventoryFolder, startIronicApi } from './api/ironicApi.ts';
import {
  type EmulatedSource,
  type EmulatedHost,
  readEmulatedSource,
  readMachineSetup,
} from './emulation/emulatedSource.ts';
import { findMedium, startEmulated, type TrialMachine } from './emulation/emulatedTrial.ts';
import {
  findGuestPlace,
  type GuestPlace,
  preflightProblem,
  preflightDiagnostic,
} from './emulation/guestPlace.ts';
import { readExpectation } from './expectation.ts';
import { createQuietLog } from './quietLog.ts';
import { formatClosingReport, formatReportDocument } from './report/closingReport.ts';
import { createEventOutput } from './report/liveLines.ts';
import {
  createCleanupStack,
  createRunningTrial,
  createTrialOutput,
  type PlannedMachine,
  type TrialPlan,
} from './trial.ts';
import { startImages } from './serving/imageService.ts';
import { readTrialSetup, type TrialSetup, type TryOptions } from './setup.ts';

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
  const output = createTrialOutput(io, expectation.awaited);
  const events = setup.format === 'ndjson' ? createEventOutput(io) : undefined;
  const { say, count } = output;
  const { successStage } = setup;
  const trial = createRunningTrial({ expectation, successStage, say, count, writeEvent: events?.write });
  const started = new Date();
  const ports = await run({ options, setup, machine, expectation, trial, output, io });
  const { timeline } = trial;
  const isServed = options.inventory !== undefined || source?.medium.kind === 'folder';
  const verdict = trial.verdict();
  const sight = isServed ? 'boot' : 'calls';
  const result: TrialResult = { timeline, verdict, successStage, sight, ports, started, ended: new Date() };
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

async function listInventory({ inventory: name }: TryOptions, io: Io): Promise<EmulatedHost[]> {
  if (name === undefined) return [];
  const { inventory } = await readInventoryDocument(name, io, 'served');
  return (inventory.hosts ?? []).map(({ architecture, mac, name: host }) => ({
    name: host,
    macs: mac === undefined ? [] : [mac],
    architecture,
  }));
}

/** From the first that listens to the last that has ended. Resolves to where it listened. */
async function run(plan: Omit<TrialPlan, 'cleanup'>): Promise<Ports> {
  const signals = listenToSignals(() => undefined);
  const stopped = signals.nextStop().then((): undefined => {
    setTimeout(() => signals.ignore(), SECOND_SIGNAL).unref();
    return undefined;
  });
  const cleanup = createCleanupStack();
  const end = new AbortController();
  try {
    const starting = startParts({ ...plan, cleanup });
    const parts = await Promise.race([starting, stopped]);
    if (parts !== undefined) await Promise.race([stopped, whenOver(parts, plan, end.signal)]);
    else await starting.catch(() => undefined); // all that it starts has to be ended, too
    return parts?.ports ?? defaultPorts;
  } finally {
    end.abort();
    await cleanup.dispose();
    plan.output.close();
    signals.ignore();
  }
}

/** When all are home, or the time is over, or nobody is left to come. */
async function whenOver(
  { isHopeless, machine }: TrialParts,
  { options: { expect }, setup, trial }: Omit<TrialPlan, 'cleanup'>,
  signal: AbortSignal,
): Promise<void> {
  if (isHopeless) return;
  const late = pause(systemClock, setup.timeout, signal);
  // Who is awaited besides may be a real machine.
  const gone = machine !== undefined && expect === undefined ? [machine.ended] : [];
  await Promise.race([trial.passed, late, ...gone]);
  if (setup.askBack === 'never' || !trial.verdict().isPassed) return;
  for (
    let waited = 0;
    trial.unasked() > 0 && waited < ANSWER_TIME && !signal.aborted;
    waited += LOOK_INTERVAL
  ) {
    await pause(systemClock, LOOK_INTERVAL, signal);
  }
}

/**
 * Milliseconds after which another signal ends the program at once: whoever sends one then does not want to wait for what
 * has to be ended. Sooner, it is the same one again, from a shell and from npm.
 */
const SECOND_SIGNAL = 1000;
/** Milliseconds for the last agents to be asked back, which is a part of what is to be known. */
const ANSWER_TIME = 7000;
const LOOK_INTERVAL = 50;

interface TrialParts {
  readonly machine: TrialMachine | undefined;
  /** Whether the machine was not started, as its agent would not call here. */
  readonly isHopeless: boolean;
  readonly ports: Ports;
}

/** What has been started when it fails is on the cleanup stack. Throws CliError, UsageError. */
async function startParts(plan: TrialPlan): Promise<TrialParts> {
  const { io, machine, options, setup } = plan;
  const read = await readInventory(options, io);
  const listed = read === undefined ? new Map() : ironicUrlsOfHosts(read, io);
  const wishes = { given: options.guestHost, listed, setup };
  const guest = machine && (await findGuestPlace(machine.source, wishes, io));
  const tokens = read === undefined ? new Map() : bootTokensOfHosts(read, io);
  const api = await startApi(plan, { guest, tokens });
  const place = placeOf(api, setup, guest);
  const problem = guest && preflightProblem(guest, place);
  if (machine !== undefined && problem !== undefined && isAwaited(machine, plan)) {
    plan.output.report(preflightDiagnostic(problem));
    const { mac } = machine.source;
    plan.trial.observe({ kind: 'preflight', at: new Date(), client: undefined, mac, problem });
    return { machine: undefined, isHopeless: true, ports: { ...defaultPorts, ironic: api.port } };
  }
  const images = read && (await startImages(plan, { api, guest, listed, place }));
  const ports = { ironic: api.port, images: images?.port ?? defaultPorts.images };
  if (machine === undefined || guest === undefined) return { machine: undefined, isHopeless: false, ports };
  if (problem !== undefined) plan.output.report({ ...preflightDiagnostic(problem), severity: 'warning' });
  const medium = await findMedium(plan, machine.source, images);
  const started = await startEmulated(plan, machine, { api, guest, medium, place });
  return { machine: started, isHopeless: false, ports };
}

/** Whether nothing can come of the trial without this machine. */
function isAwaited({ source }: PlannedMachine, { expectation: { awaited } }: TrialPlan): boolean {
  return awaited.kind === 'hosts' && awaited.names.includes(source.host.name);
}

async function readInventory({ inventory, profile }: TryOptions, io: Io): Promise<ServeSource | undefined> {
  if (inventory === undefined) return undefined;
  return readServeSource({ inventory, ...(profile !== undefined && { profile }) }, io);
}

interface ApiContext {
  readonly guest: GuestPlace | undefined;
  /** That hosts bring along. */
  readonly tokens: ReadonlyMap<string, string>;
}

async function startApi(
  { cleanup, expectation, io, options, setup, trial }: TrialPlan,
  { guest, tokens }: ApiContext,
): Promise<IronicApi> {
  const { askBack, listen, scheme } = setup;
  const saveInventory = options.save === undefined ? undefined : await openInventoryFolder(options.save, io);
  const api = await startIronicApi({
    listen,
    askBack,
    tlsNames: scheme === 'https' ? certificateNames(options, listen, guest?.host) : undefined,
    expected: expectation.known.map((host) => ({ ...host, agentToken: tokens.get(host.name) })),
    observe: (event) => trial.observe(event),
    saveInventory,
    log: createQuietLog(io),
  });
  cleanup.defer(() => api.stop());
  await reportApiAddress(api, options, { listen, io });
  return api;
}

/** Where machines find the API: an emulated one at its own address for this machine, and all where it listens. */
function placeOf(
  { port }: IronicApi,
  { listen, scheme }: TrialSetup,
  guest: GuestPlace | undefined,
): ApiPlace {
  const addresses = reachableAddresses(listen);
  if (guest === undefined) return { scheme, port, addresses };
  // To the machine, 127.0.0.1 is itself.
  return { scheme, port, addresses: [guest.host, ...addresses.filter((address) => !isLocal(address))] };
}

function isLocal(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
