/**
 * `boot`: boots machines from an ISO by their BMCs, follows them until their agents call home, and restores them. The servers,
 * the timeline and the report are those of a trial.
 */

import type { Architecture } from '../../core/architecture.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { formatWordList } from '../../formats/messageText.ts';
import { parseImageOption } from '../../hosts/plan/imageInputs.ts';
import { parseListenAddress } from '../../http/server/listenAddress.ts';
import { systemClock } from '../../io/clock.ts';
import { confirm, requireTerminal } from '../../io/confirm.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { jsonBytes } from '../../io/report/choices.ts';
import { report } from '../../io/report/report.ts';
import { writeStdout } from '../../io/stdout.ts';
import { readServeSource } from '../../service/source.ts';
import { reachableAddresses } from '../../trial/api/ironicAddress.ts';
import { type BootRun, createBmcClients, type SurveyedMachine } from '../../trial/bmc/bootRun.ts';
import { describeChecks, formatChecks, formatProblems, problemsOf } from '../../trial/bmc/checkOutput.ts';
import { type CheckedMachine, isRefused, type MachineCheck } from '../../trial/bmc/checks.ts';
import { checkTargets } from '../../trial/bmc/checkTargets.ts';
import { checkHostImages, checkConfiguredIso, isoArchitecture } from '../../trial/bmc/imageChecks.ts';
import { findImageServer, type ImageServer } from '../../trial/bmc/imageUrls.ts';
import { type BootTimes, defaultTimes } from '../../trial/bmc/machineBoot.ts';
import { observeBmc, startMachines } from '../../trial/bmc/startMachines.ts';
import { readTargets } from '../../trial/bmc/targets.ts';
import { type ConsoleLog, readConsoleLogs } from '../../trial/console/consoleLog.ts';
import type { Expectation } from '../../trial/expectation.ts';
import { runTrial } from '../../trial/runTrial.ts';
import { readTrialSetup, type TrialSetup } from '../../trial/setup.ts';
import type { ApiEndpoint } from '../../trial/api/apiEndpoint.ts';
import type { BootMachines } from '../../trial/trial.ts';
import type { BootOptions } from './options.ts';

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
  const { check = false, method } = options;
  const asked = readTrialSetup(options);
  const end = systemClock.now() + asked.timeout;
  const iso = readIso(options);
  const targets = await readTargets(names, options, method, io);
  const consoleLogs = readConsoleLogs(
    options.consoleLog,
    targets.map(({ name }) => name),
  );
  const server = await findImageServer(targets, iso, options);
  const trial = { ...asked, listen: parseListenAddress(server.options.listen) };
  const { architecture, images } = await checkImages(trial, server, check, io);
  const clients = createBmcClients(times, io);
  const run = { options, server, clients, times, io, architecture, end };
  try {
    const { isCanceled, machines } = await checkTargets(targets, images, run);
    if (!isCanceled) refuseSharedSystems(machines);
    const code = check ? await writeChecks(machines, options, io) : undefined;
    if (isCanceled && !check) report(io, machines.flatMap(problemsOf));
    if (isCanceled) throw new CliError('canceled; nothing was booted', { code: 'ERR_BMC' });
    return code ?? (await bootChecked(machines, trial, consoleLogs, run));
  } finally {
    await clients.close();
  }
}

/** The ISO that all machines boot, without an inventory. */
function readIso({ bmc, check, inventory, iso: isos = [] }: BootOptions): string | undefined {
  if (inventory !== undefined || bmc === undefined) return undefined;
  const [iso, ...others] = isos;
  if (others.length > 0) {
    throw new UsageError('--bmc requires a single --iso', { hint: 'pass one ISO: --iso FILE or --iso URL' });
  }
  if (iso === undefined && check !== true) {
    throw new UsageError('--bmc requires --iso', {
      hint: 'pass the ISO to boot: --iso FILE, or the URL of an ISO on another server',
    });
  }
  return iso === undefined ? undefined : parseImageOption(iso).name; // its architecture is read from it
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

/** The checks by the name of the machine, and the architecture of the only ISO. An image that cannot be read is read once. */
async function checkImages(
  trial: TrialSetup,
  { iso, options }: ImageServer,
  check: boolean,
  io: Io,
): Promise<{
  readonly images: (name: string) => readonly MachineCheck[];
  readonly architecture: Architecture | undefined;
}> {
  if (iso !== undefined) {
    const { architecture, checks } = await checkConfiguredIso(iso, endpointOf(trial), io);
    return { images: () => checks, architecture };
  }
  const { format: _, ...served } = options;
  // The trial checks the images of an inventory itself, before a machine is changed.
  const checks =
    check && options.inventory !== undefined
      ? await checkHostImages(served, trial.ironicUrl, endpointOf(trial), io)
      : undefined;
  const architecture = await isoArchitecture(options.iso, io);
  return { images: (name) => checks?.get(name) ?? [], architecture };
}

/** Undefined if the port is not known before the server listens. */
function endpointOf({ listen, scheme }: TrialSetup): ApiEndpoint | undefined {
  if (listen.kind !== 'tcp' || listen.port === 0) return undefined;
  return { scheme, port: listen.port, addresses: reachableAddresses(listen) };
}

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

async function bootChecked(
  machines: readonly CheckedMachine[],
  setup: TrialSetup,
  consoleLogs: readonly ConsoleLog[],
  run: BootRun,
): Promise<ExitCode> {
  const { io, server } = run;
  const bootable = machines.filter(isBootable);
  report(io, machines.flatMap(problemsOf));
  if (bootable.length === 0) {
    throw new CliError('no machine can be booted', { code: 'ERR_BMC', hint: 'fix the errors above' });
  }
  const question = run.options.yes === true ? undefined : questionAbout(bootable);
  if (question !== undefined) requireTerminal(question, io);
  const bootMachines: BootMachines = async (services) => {
    // Now all warnings about the images are printed.
    if (question !== undefined && !(await confirm(question, io, services.signal))) {
      const hint = 'answer y, or pass --yes';
      throw new CliError('canceled; nothing was booted', { code: 'ERR_BMC', hint });
    }
    for (const { checks, target } of machines) {
      const refusal = checks.find(({ status }) => status === 'error');
      if (refusal === undefined) continue;
      const { hint, text } = refusal;
      observeBmc(services, target, 'failed', `cannot be booted: ${text}`, { hint, reason: 'bmc-refused' });
    }
    return startMachines(bootable, run, services);
  };
  const { iso, options } = server;
  return runTrial({
    options,
    setup,
    inventory: options.inventory === undefined ? undefined : await readServeSource(options, io),
    machine: undefined,
    consoleLogs,
    expectation: expectationOf(machines),
    bootMachines,
    iso: iso === undefined ? undefined : { file: iso, listen: parseListenAddress(options.serveListen) },
    io,
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
