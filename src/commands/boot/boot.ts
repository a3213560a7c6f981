/**
 * `boot`: boots machines from an ISO by their BMCs, follows them until their agents call home, and restores them. The servers,
 * the timeline and the report are those of `try`.
 */

import { CliError } from '../../core/errors.ts';
import type { Architecture } from '../../core/architecture.ts';
import { diagnosticOf } from '../../core/finding.ts';
import { shorten } from '../../core/foreignText.ts';
import { runParallel } from '../../core/parallel.ts';
import { formatCount, formatWordList } from '../../formats/messageText.ts';
import { quoteShellWord } from '../../formats/shell.ts';
import { repeat } from '../../http/client/retries.ts';
import { systemClock } from '../../io/clock.ts';
import { confirm, requireTerminal } from '../../io/confirm.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { listenToStop, SECOND_SIGNAL } from '../../io/process.ts';
import { defaultTiming } from '../../redfish/redfishClient.ts';
import { isImageRefusal } from '../../redfish/messages.ts';
import { RedfishError } from '../../redfish/redfishError.ts';
import { jsonBytes } from '../../io/report/choices.ts';
import { knownError, report } from '../../io/report/report.ts';
import { writeStdout } from '../../io/stdout.ts';
import { parseListenAddress } from '../../http/server/listenAddress.ts';
import { type ConsoleLog, readConsoleLogs } from '../../trial/console/consoleLog.ts';
import type { Expectation } from '../../trial/expectation.ts';
import { reachableAddresses } from '../../trial/api/ironicAddress.ts';
import type { TrialSetup } from '../../trial/setup.ts';
import type { ApiEndpoint } from '../../trial/timeline/addresses.ts';
import { readServeSource } from '../../service/source.ts';
import { runTrial } from '../../trial/runTrial.ts';
import { type BmcClients, createBmcClients } from '../../trial/bmc/bmcClients.ts';
import { bootMachine, restoreMachine } from '../../trial/bmc/bootMachine.ts';
import { describeChecks, formatChecks, formatProblems, problemsOf } from '../../trial/bmc/checkOutput.ts';
import { type CheckedMachine, checkMachine, isRefused, type MachineCheck } from '../../trial/bmc/checks.ts';
import { checkHostImages, checkConfiguredIso, isoArchitecture } from '../../trial/bmc/imageChecks.ts';
import {
  expectedUrl,
  findImageServer,
  type ImageServer,
  remoteIso,
  urlFor,
} from '../../trial/bmc/imageUrls.ts';
import type { BmcRequest, BootTimes, Change, MachineBoot } from '../../trial/bmc/machineBoot.ts';
import { EmptySlotError } from '../../trial/bmc/media.ts';
import type { BootOptions } from './options.ts';
import { type BootSetup, readBootSetup } from './setup.ts';
import { type Survey, surveyMachine } from '../../trial/bmc/survey.ts';
import { readTargets, type Target } from '../../trial/bmc/targets.ts';
import type { BootMachines, TrialServices } from '../../trial/trial.ts';
import type { BmcEvent } from '../../trial/timeline/events.ts';

/** A machine whose BMC was read. */
type SurveyedMachine = CheckedMachine & { readonly survey: Survey };

/** A machine that `boot` works on. */
type StartedMachine = SurveyedMachine & { readonly changes: Change[] };

/** Milliseconds. The slowest BMC that is documented, an iLO that inventories the machine, answers some requests in 30 s. */
const MINUTE = 60_000;

export const defaultTimes: BootTimes = {
  ...defaultTiming,
  insert: 15 * MINUTE,
  power: 2 * MINUTE,
  check: 5 * MINUTE,
  restore: 5 * MINUTE,
  retry: 2 * MINUTE,
  silence: 5000,
};

/**
 * @param names hosts of the inventory
 * @returns 0 if all agents have called home and all machines are restored; with `check`, if all can be booted
 */
export async function boot(
  names: readonly string[],
  options: BootOptions,
  io: Io,
  times: BootTimes = defaultTimes,
): Promise<ExitCode> {
  const started = systemClock.now();
  const asked = readBootSetup(options);
  const targets = await readTargets(names, options, asked.method, io);
  const consoleLogs = readConsoleLogs(
    options.consoleLog,
    targets.map(({ name }) => name),
  );
  const server = await findImageServer(targets, asked.iso, options);
  const setup = { ...asked, trial: { ...asked.trial, listen: parseListenAddress(server.options.listen) } };
  const [architecture, images] = await Promise.all([
    isoArchitecture(options.iso, io),
    checkImages(setup, server.options, io),
  ]);
  const clients = createBmcClients(times, io);
  const run = { setup, server, clients, times, io, architecture, consoleLogs, started };
  try {
    const { isCanceled, machines } = await checkTargets(targets, images, run);
    if (!isCanceled) refuseSharedSystems(machines);
    const code = setup.isCheck ? await writeChecks(machines, options, io) : undefined;
    if (isCanceled && !setup.isCheck) report(io, machines.flatMap(problemsOf));
    if (isCanceled) throw new CliError('canceled; nothing was booted', { code: 'ERR_BMC' });
    return code ?? (await bootChecked(machines, run));
  } finally {
    await clients.close();
  }
}

interface BootRun {
  readonly setup: BootSetup;
  readonly server: ImageServer;
  readonly clients: BmcClients;
  readonly times: BootTimes;
  readonly io: Io;
  /** Of the only ISO. */
  readonly architecture: Architecture | undefined;
  readonly consoleLogs: readonly ConsoleLog[];
  /** A time of the clock. */
  readonly started: number;
}

/** Two hosts with the same system would work against each other. */
function refuseSharedSystems(machines: readonly CheckedMachine[]): void {
  const seen = new Map<string, string>();
  for (const { survey, target } of machines) {
    if (survey === undefined) continue;
    const key = `${new URL(target.origin).origin}${survey.system.path}`;
    const other = seen.get(key);
    if (other !== undefined) {
      throw new CliError(`${other} and ${target.name} are the same system of the same BMC`, {
        code: 'ERR_INVENTORY',
        hint: `fix bmc.address of ${other} or ${target.name} in the inventory`,
      });
    }
    seen.set(key, target.name);
  }
}

/** The trial checks the images of an inventory itself, before a machine is changed. */
async function checkImages(
  { isCheck, iso, trial }: BootSetup,
  options: ImageServer['options'],
  io: Io,
): Promise<(name: string) => readonly MachineCheck[]> {
  if (iso !== undefined) {
    const checks = await checkConfiguredIso(iso, endpointOf(trial), io);
    return () => checks;
  }
  if (!isCheck || options.inventory === undefined) return () => [];
  const { format: _, ...served } = options;
  const checks = await checkHostImages(served, trial.ironicUrl, endpointOf(trial), io);
  return (name) => checks.get(name) ?? [];
}

/** Undefined if the port is not known before the server listens. */
function endpointOf({ listen, scheme }: TrialSetup): ApiEndpoint | undefined {
  if (listen.kind !== 'tcp' || listen.port === 0) return undefined;
  return { scheme, port: listen.port, addresses: reachableAddresses(listen) };
}

/** Ends on a signal: then the machines that were not read yet have an error. */
async function checkTargets(
  targets: readonly Target[],
  images: (name: string) => readonly MachineCheck[],
  run: BootRun,
): Promise<{ readonly machines: readonly CheckedMachine[]; readonly isCanceled: boolean }> {
  const { ignore, signal } = listenToStop({ aborted: run.io.signal });
  const machines = await runParallel(targets, run.setup.parallel, (target) =>
    checkTarget(target, images(target.name), run, signal),
  ).finally(ignore);
  return { machines, isCanceled: signal.aborted };
}

async function checkTarget(
  target: Target,
  image: readonly MachineCheck[],
  run: BootRun,
  signal: AbortSignal,
): Promise<CheckedMachine> {
  try {
    const now = systemClock.now();
    if (signal.aborted) throw new CliError('not checked: canceled before', { code: 'ERR_BMC' });
    const end = run.started + run.setup.trial.timeout;
    if (now >= end) {
      throw new CliError('not checked: the time of --timeout is over', {
        code: 'ERR_BMC',
        hint: 'use a longer --timeout, or check more BMCs at the same time with --parallel',
      });
    }
    const deadline = Math.min(now + run.times.check, end);
    return await run.clients.use(target, { signal, deadline }, async (client) => {
      const survey = await surveyMachine(client, target.path);
      const { architecture = run.architecture } = target;
      const checks = checkMachine(survey, {
        ...target,
        architecture,
        imageUrl: expectedUrl(target, run.server),
        image,
      });
      const show = (text: string): string => shorten(client.mask(text), LONGEST_TEXT);
      return { target, survey, checks: checks.map((one) => ({ ...one, text: show(one.text) })), show };
    });
  } catch (error) {
    const { hint, message: text } = knownError(error, run.io);
    const checks = [{ id: 'bmc', status: 'error', text, hint }, ...image] as const;
    return { target, survey: undefined, checks, show: String };
  }
}

/** Characters. Names and lists of a BMC are shorter. */
const LONGEST_TEXT = 1000;

async function writeChecks(
  machines: readonly CheckedMachine[],
  { format }: BootOptions,
  io: Io,
): Promise<ExitCode> {
  const isJson = format === 'json';
  const formatText = machines.length > 1 && io.note === undefined ? formatProblems : formatChecks;
  const output = isJson ? jsonBytes(describeChecks(machines)) : Buffer.from(formatText(machines));
  await writeStdout(io, [output]);
  return machines.some(({ checks }) => isRefused(checks)) ? 1 : 0;
}

/** Undefined if no machine is on. */
function questionAbout(machines: readonly SurveyedMachine[]): string | undefined {
  const running = machines
    .filter(({ survey }) => survey.system.power !== 'Off')
    .map(({ target }) => target.name);
  if (running.length === 0) return undefined;
  return `power off and boot ${formatWordList(running)}, which ${running.length === 1 ? 'is' : 'are'} on`;
}

/** Boots the machines that can be booted, in a trial. */
async function bootChecked(machines: readonly CheckedMachine[], run: BootRun): Promise<ExitCode> {
  const { consoleLogs, io, server, setup } = run;
  const bootable = machines.filter(isBootable);
  report(io, machines.flatMap(problemsOf));
  if (bootable.length === 0) {
    throw new CliError('no machine can be booted', { code: 'ERR_BMC', hint: 'fix the errors above' });
  }
  const question = setup.isConfirmed ? undefined : questionAbout(bootable);
  if (question !== undefined) requireTerminal(question, io);
  const left = new Set<string>();
  const bootMachines: BootMachines = async (services) => {
    // Now all warnings about the images are printed.
    if (question !== undefined && !(await confirm(question, io, services.signal))) {
      const hint = 'answer y, or pass --yes';
      throw new CliError('canceled; nothing was booted', { code: 'ERR_BMC', hint });
    }
    for (const { checks, target } of machines) {
      const refusal = checks.find(({ status }) => status === 'error');
      if (refusal === undefined) continue;
      observeBmc(services, target, 'failed', `cannot be booted: ${refusal.text}`, refusal);
    }
    return startMachines(bootable, run, services, left);
  };
  const { options } = server;
  const code = await runTrial({
    options,
    setup: setup.trial,
    inventory: options.inventory === undefined ? undefined : await readServeSource(options, io),
    machine: undefined,
    consoleLogs,
    expectation: expectationOf(machines),
    coverage: remoteIso(setup.iso) === undefined ? 'boot' : 'calls',
    bootMachines,
    iso:
      setup.iso === undefined
        ? undefined
        : { file: setup.iso, listen: parseListenAddress(options.serveListen) },
    io,
  });
  if (left.size === 0) return code;
  throw new CliError(`${formatCount(left.size, 'machine')} not restored`, {
    code: 'ERR_BMC',
    hint: 'run the commands above, with the user of the BMC for USER, or use the web interface of the BMC',
  });
}

function isBootable(machine: CheckedMachine): machine is SurveyedMachine {
  return machine.survey !== undefined && !isRefused(machine.checks);
}

/** A single machine whose BMC shows no MAC address may be any machine that calls. */
function expectationOf(machines: readonly CheckedMachine[]): Expectation {
  const known = machines.map(({ survey, target }) => ({
    name: target.name,
    macs: [...new Set([...target.macs, ...(survey?.macs ?? [])])],
  }));
  const isAnonymous = known.length === 1 && known.every(({ macs }) => macs.length === 0);
  return {
    known,
    awaited: isAnonymous
      ? { kind: 'any', count: 1 }
      : { kind: 'hosts', names: known.map(({ name }) => name) },
  };
}

/** @param left receives the names of the machines that are not restored */
function startMachines(
  bootable: readonly SurveyedMachine[],
  run: BootRun,
  services: TrialServices,
  left: Set<string>,
): Awaited<ReturnType<BootMachines>> {
  const { setup } = run;
  const controller = new AbortController();
  const { signal } = controller;
  const started: StartedMachine[] = [];
  const work = runParallel(bootable, setup.parallel, async (surveyed) => {
    if (signal.aborted) return;
    const machine = { ...surveyed, changes: [] };
    started.push(machine);
    await bootOne(machine, { run, services, signal });
  });
  work.catch(() => undefined); // `stop` throws its error after the machines are restored
  return {
    stop: async () => {
      controller.abort();
      await Promise.allSettled([work]);
      if (setup.isLeft) for (const machine of started) reportChanges(machine, 'info', run);
      else if (started.length > 0) await restoreAll(started, run, services, left);
      await work;
    },
  };
}

/** Says what is not undone, and how to undo it. */
function reportChanges(
  { changes, show, target }: StartedMachine,
  severity: 'error' | 'info',
  { io }: BootRun,
): void {
  const name = severity === 'info' ? `${target.name} is left` : target.name;
  for (const { request, text } of changes.toReversed()) {
    const hint = show(`run ${curlCommand(request, target)}`);
    report(io, { severity, message: show(`${name}: ${text}`), hint });
  }
}

async function restoreAll(
  started: readonly StartedMachine[],
  run: BootRun,
  services: TrialServices,
  left: Set<string>,
): Promise<void> {
  const { io, setup } = run;
  // The first signal may have ended the trial: only a later one ends the restoring.
  const { ignore, signal } = listenToStop({ quiet: services.signal.aborted ? SECOND_SIGNAL : 0 });
  const again = services.signal.aborted ? ' again' : '';
  io.stderr.write(`restoring ${formatCount(started.length, 'machine')}; press Ctrl-C${again} to stop\n`);
  await runParallel(started, setup.parallel, async (machine) => {
    const { name } = machine.target;
    for (const error of await restoreOne(machine, { run, services, signal }))
      report(io, diagnosticOf(new CliError(`${name}: ${error.message}`, error)));
    if (machine.changes.length > 0) left.add(name);
    reportChanges(machine, 'error', run);
  }).finally(ignore);
  io.stderr.write(`restored ${started.length - left.size} of ${formatCount(started.length, 'machine')}\n`);
}

/** Milliseconds of the longest pause between two attempts. */
const LONGEST_PAUSE = 30_000;

/** Repeats what failed until it succeeds, no failure may pass, or the time is over. Returns the last failures. */
async function restoreOne(machine: StartedMachine, working: Working): Promise<readonly CliError[]> {
  const { io, setup, times } = working.run;
  const deadline = systemClock.now() + setup.shutdownTimeout + times.restore;
  let failures: readonly CliError[] = [];
  let end: number | undefined;
  const attempt = async (): Promise<void> => {
    failures = await withMachine(machine, { ...working, deadline }, restoreMachine).catch(
      (error: unknown) => [knownError(error, io)],
    );
    const passing = failures.find(mayPass);
    if (passing !== undefined) throw passing;
  };
  const pauseAfter = (error: unknown, count: number): number | undefined => {
    const wait = Math.min(times.interval * 2 ** (count - 1), LONGEST_PAUSE);
    end ??= Math.min(deadline, systemClock.now() + times.retry);
    if (systemClock.now() + wait >= end) return undefined;
    const again = `trying again in ${formatCount(Math.ceil(wait / 1000), 'second')}`;
    const { message } = knownError(error);
    report(io, { severity: 'info', message: `${machine.target.name}: ${message}; ${again}` });
    return wait;
  };
  await repeat({ pauseAfter, signal: working.signal }, attempt).catch(() => undefined); // in `failures`
  return failures;
}

/** Whether the same request may succeed later. */
function mayPass(error: CliError): boolean {
  if (!(error instanceof RedfishError) || error.code === 'ERR_TLS') return false;
  return error.isPassing || error.status === undefined || error.status >= 500;
}

/** curl asks for the password. */
function curlCommand({ body, method, path }: BmcRequest, { caFile, isInsecure, origin }: Target): string {
  const trust = isInsecure ? ['-k'] : caFile === undefined ? [] : ['--cacert', caFile];
  const type = 'Content-Type: application/json';
  const words = ['curl', ...trust, '-u', 'USER', '-X', method, '-H', type, '-d', JSON.stringify(body)];
  return [...words, `${origin}${path}`].map(quoteShellWord).join(' ');
}

interface Working {
  readonly run: BootRun;
  readonly services: TrialServices;
  readonly signal: AbortSignal;
  readonly deadline?: number;
}

async function bootOne(machine: StartedMachine, working: Working): Promise<void> {
  const { run, services, signal } = working;
  const { target } = machine;
  try {
    await withMachine(machine, working, bootMachine);
  } catch (thrown) {
    const error = knownError(thrown, run.io);
    // At the end of the trial, the error names the request that the BMC has not answered yet.
    const problem = signal.aborted ? 'not booted before the end' : 'cannot be booted';
    const { hint, message } = error;
    observeBmc(services, target, 'failed', `${problem}: ${message}`, { hint, reason: reasonOf(error) });
  }
}

/** Logs in to the BMC of a machine, and starts to log out at the end. */
async function withMachine<T>(
  { changes, survey, target }: StartedMachine,
  { deadline, run, services, signal }: Working,
  use: (boot: MachineBoot) => Promise<T>,
): Promise<T> {
  return run.clients.use(target, { signal, deadline }, (client) =>
    use({
      client,
      survey,
      method: target.method,
      mayPowerOff: run.setup.isConfirmed || survey.system.power !== 'Off',
      imageUrl: urlFor(target, services.imageUrl(target.name), run.server),
      timing: { ...run.times, shutdown: run.setup.shutdownTimeout },
      changes,
      signal,
      say: (step, text) => observeBmc(services, target, step, shorten(client.mask(text), LONGEST_TEXT)),
    }),
  );
}

function observeBmc(
  { observe }: TrialServices,
  { name: host }: Target,
  step: BmcEvent['step'],
  text: string,
  { hint, reason }: Pick<BmcEvent, 'hint' | 'reason'> = {},
): void {
  observe({ kind: 'bmc', at: new Date(), client: undefined, host, step, text, reason, hint });
}

function reasonOf(error: CliError): BmcEvent['reason'] {
  const isOfImage = error instanceof RedfishError && isImageRefusal(error.messages);
  return isOfImage || error instanceof EmptySlotError ? 'image' : undefined;
}
