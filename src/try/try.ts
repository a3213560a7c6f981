/**
 * `try`: runs a mock of the part of Ironic's API that a ramdisk calls first, and reports how far each machine gets. It can
 * also serve the images of an inventory, or emulate a machine. It never deploys anything.
 */

import { pause, systemClock } from '../io/clock.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { type GracefulStop, listenToStop } from '../io/process.ts';
import { writeStdout } from '../io/stdout.ts';
import type { ApiPlace } from './timeline/addresses.ts';
import { defaultPorts } from './timeline/causes/cause.ts';
import type { ObservedPart } from './timeline/causes.ts';
import { exitCodeOf, type TrialResult } from './timeline/result.ts';
import { startIso } from './serving/isoService.ts';
import { readInventoryDocument } from '../hosts/settings/inventory.ts';
import { readServeSource, type ServeSource } from '../serve/source.ts';
import {
  bootTokensOfHosts,
  certificateNames,
  ironicUrlsOfHosts,
  reachableAddresses,
  reportApiAddress,
} from './ironicAddress.ts';
import { STATUS_TIME } from './api/askAgent.ts';
import { STEPS_TIME } from './api/askSteps.ts';
import { type IronicApi, openInventoryFolder, startIronicApi } from './api/ironicApi.ts';
import { type EmulatedHost, readEmulatedSource, readMachineSetup } from './emulation/emulatedSource.ts';
import { startEmulated, type TrialMachine } from './emulation/emulatedTrial.ts';
import {
  findGuestAddress,
  type GuestAddress,
  preflightProblem,
  preflightDiagnostic,
} from './emulation/guestAddress.ts';
import { followConsoleLog, readConsoleLogs } from './consoleLog.ts';
import { createTrialPage } from './page/trialPage.ts';
import { readExpectedHosts } from './expectation.ts';
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

/** Returns 0 if all expected hosts have called home, otherwise 1. Throws CliError, UsageError. */
export async function tryRamdisk(options: TryOptions, io: Io): Promise<ExitCode> {
  const setup = readTrialSetup(options);
  const hosts = await listInventory(options, io);
  const source =
    options.qemu === undefined
      ? undefined
      : await readEmulatedSource(options, { boot: setup.machine.boot, hosts }, io);
  const machine = source && { source, setup: await readMachineSetup(setup.machine, source, io) };
  const expectation = readExpectedHosts({ given: options.expect, hosts, machine: source?.host });
  const { awaited } = expectation;
  const consoleLogs = readConsoleLogs(options.consoleLog, awaited.kind === 'hosts' ? awaited.names : []);
  const isServed = options.inventory !== undefined || source?.medium.kind === 'folder';
  const coverage = isServed ? 'boot' : 'calls';
  return runTrial({ options, setup, machine, consoleLogs, expectation, coverage, io });
}

/** A trial before it starts. */
export interface TrialRequest extends Omit<
  TrialPlan,
  'cleanup' | 'output' | 'page' | 'ports' | 'signal' | 'trial'
> {
  readonly coverage: ObservedPart;
}

/** Runs the services, waits for the expected machines, and writes the report. Throws CliError. */
export async function runTrial({ coverage, ...request }: TrialRequest): Promise<ExitCode> {
  const { expectation, io, setup } = request;
  const output = createTrialOutput(io, expectation.awaited);
  const stop = listenToStop();
  const events = setup.format === 'ndjson' ? createEventOutput(io, stop.stop) : undefined;
  const { print, count } = output;
  const { successStage } = setup;
  const trial = createRunningTrial({ expectation, successStage, print, count, writeEvent: events?.write });
  const started = new Date();
  const ports = { ...defaultPorts };
  const { timeline } = trial;
  const result = (): TrialResult => ({
    timeline,
    verdict: trial.verdict(),
    successStage,
    coverage,
    ports,
    started,
    ended: new Date(),
  });
  const plan = { ...request, trial, output, ports, page: createTrialPage(result) };
  const { problem } = await run(plan, stop).finally(stop.ignore);
  const last = result();
  await events?.close();
  await writeStdout(io, [Buffer.from(formatResult(last, setup.format))]);
  if (problem !== undefined) throw problem;
  return exitCodeOf(last.verdict);
}

function formatResult(result: TrialResult, format: TrialSetup['format']): string {
  if (format === 'text') return formatClosingReport(result);
  return formatReportDocument(result, format === 'ndjson' ? 'report' : undefined);
}

async function listInventory({ inventory: name }: TryOptions, io: Io): Promise<EmulatedHost[]> {
  if (name === undefined) return [];
  const { inventory } = await readInventoryDocument(name, io);
  return (inventory.hosts ?? []).map(({ architecture, mac, name: host }) => ({
    name: host,
    macs: mac === undefined ? [] : [mac],
    architecture,
  }));
}

/**
 * Starts the servers and the machine, waits for the end, and stops them.
 * @returns the error of stopping them, which does not make the result worthless
 * @throws CliError, UsageError if they cannot be started
 */
async function run(
  plan: Omit<TrialPlan, 'cleanup' | 'signal'>,
  stop: GracefulStop,
): Promise<{ readonly problem: unknown }> {
  const stopped = stop.stopped.then((): undefined => undefined);
  const cleanup = createCleanupStack();
  const end = new AbortController();
  let problem: unknown;
  try {
    const starting = startParts({ ...plan, cleanup, signal: stop.signal });
    const parts = await Promise.race([starting, stopped]);
    if (parts !== undefined) await Promise.race([stopped, waitForEnd(parts, plan, end.signal)]);
    else await starting.catch(() => undefined); // the cleanup also has to stop everything that it starts
  } finally {
    end.abort();
    problem = await cleanup.dispose();
    plan.output.close();
  }
  return { problem };
}

/** Resolves when the trial is decided, at the timeout, or when no further machine can call home. */
async function waitForEnd(
  { isAborted, machine }: TrialParts,
  { options: { expect }, setup, trial }: Omit<TrialPlan, 'cleanup' | 'signal'>,
  signal: AbortSignal,
): Promise<void> {
  if (isAborted) return;
  const timeout = pause(systemClock, setup.timeout, signal);
  // With --expect, a real machine may be expected, too.
  const gone = machine !== undefined && expect === undefined ? [machine.ended] : [];
  await Promise.race([trial.decided, timeout, ...gone]);
  if (setup.askBack === 'never' || !trial.verdict().isPassed) return;
  for (
    let waited = 0;
    trial.pendingAnswers() > 0 && waited < ANSWER_TIME && !signal.aborted;
    waited += POLL_INTERVAL
  ) {
    await pause(systemClock, POLL_INTERVAL, signal);
  }
}

/** Milliseconds to wait for the answers of the last agents, which are part of the report; includes time to connect. */
const ANSWER_TIME = STATUS_TIME + STEPS_TIME + 2000;
const POLL_INTERVAL = 50;

interface TrialParts {
  readonly machine: TrialMachine | undefined;
  /** Whether the machine was not started, because its agent would not call the mock Ironic. */
  readonly isAborted: boolean;
}

/** If it fails, the cleanup stack contains everything that it has started. Throws CliError, UsageError. */
async function startParts(plan: TrialPlan): Promise<TrialParts> {
  const { cleanup, io, machine, options, setup } = plan;
  const read = await readInventory(options, io);
  const listed = read === undefined ? new Map() : ironicUrlsOfHosts(read, io);
  const choices = { given: options.guestHost, listed, setup };
  const guest = machine && (await findGuestAddress(machine.source, choices, io));
  const tokens = read === undefined ? new Map() : bootTokensOfHosts(read, io);
  await followConsoles(plan);
  const api = await startApi(plan, { guest, tokens });
  plan.ports.ironic = api.port;
  const place = placeOf(api, setup, guest);
  const problem = guest && preflightProblem(guest, place);
  if (machine !== undefined && problem !== undefined && isAwaited(machine, plan)) {
    plan.output.report(preflightDiagnostic(problem));
    const { mac } = machine.source;
    plan.trial.observe({ kind: 'preflight', at: new Date(), client: undefined, mac, problem });
    return { machine: undefined, isAborted: true };
  }
  const images = read && (await startImages(plan, { api, guest, listed, place }));
  const iso = plan.iso === undefined ? undefined : await startIso(plan, plan.iso);
  plan.ports.images = images?.port ?? iso?.port ?? defaultPorts.images;
  if (plan.bootMachines !== undefined) {
    const imageUrl = (host: string): string => iso?.url ?? images?.mediumUrl(host) ?? '';
    const { observe } = plan.trial;
    const booted = await plan.bootMachines({ imageUrl, observe, signal: plan.signal });
    cleanup.defer(() => booted.stop());
  }
  if (machine === undefined || guest === undefined) return { machine: undefined, isAborted: false };
  if (problem !== undefined) plan.output.report({ ...preflightDiagnostic(problem), severity: 'warning' });
  const started = await startEmulated(plan, machine, { api, guest, images, place });
  return { machine: started, isAborted: false };
}

async function followConsoles({ cleanup, consoleLogs, io, output, trial }: TrialPlan): Promise<void> {
  const follower = { observe: trial.observe, report: output.report };
  for (const log of consoleLogs) cleanup.defer(await followConsoleLog(log, follower, io));
}

/** Whether the trial cannot succeed without this machine. */
function isAwaited({ source }: PlannedMachine, { expectation: { awaited } }: TrialPlan): boolean {
  return awaited.kind === 'hosts' && awaited.names.includes(source.host.name);
}

async function readInventory({ inventory, profile }: TryOptions, io: Io): Promise<ServeSource | undefined> {
  if (inventory === undefined) return undefined;
  return readServeSource({ inventory, ...(profile !== undefined && { profile }) }, io);
}

interface ApiContext {
  readonly guest: GuestAddress | undefined;
  /** Agent tokens in the configs and boot parameters of the hosts. */
  readonly tokens: ReadonlyMap<string, string>;
}

async function startApi(
  { cleanup, expectation, io, options, page, setup, trial }: TrialPlan,
  { guest, tokens }: ApiContext,
): Promise<IronicApi> {
  const { askBack, listen, requiredSteps, scheme } = setup;
  const saveInventory = options.save === undefined ? undefined : await openInventoryFolder(options.save, io);
  const api = await startIronicApi({
    listen,
    askBack,
    requiredSteps,
    tlsNames: scheme === 'https' ? certificateNames(options, listen, guest?.host) : undefined,
    expected: expectation.known.map((host) => ({ ...host, agentToken: tokens.get(host.name) })),
    observe: trial.observe,
    saveInventory,
    page,
    log: createQuietLog(io),
  });
  cleanup.defer(() => api.stop());
  await reportApiAddress(api, options, { listen, page, io });
  return api;
}

/** The addresses of the API: the guest host for an emulated machine, and the addresses on which it listens. */
function placeOf(
  { port }: IronicApi,
  { listen, scheme }: TrialSetup,
  guest: GuestAddress | undefined,
): ApiPlace {
  const addresses = reachableAddresses(listen);
  if (guest === undefined) return { scheme, port, addresses };
  // In the emulated machine, 127.0.0.1 is the emulated machine itself.
  return { scheme, port, addresses: [guest.host, ...addresses.filter((address) => !isLocal(address))] };
}

function isLocal(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
