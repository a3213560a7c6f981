/**
 * Runs a trial: a mock of the part of Ironic's API that a ramdisk calls first, which reports how far each machine gets. It can
 * also serve the images of an inventory, and boot machines. It never deploys anything.
 */

import { pause, systemClock } from '../io/clock.ts';
import { parseIfJson } from '../formats/mapping.ts';
import { compareWithAgent } from '../hosts/artifacts/hostHardware.ts';
import { readHardware } from '../ipa/machineHardware.ts';
import type { CollectedInventory } from './ironic/inspection.ts';
import { loadPackage } from '../core/assets.ts';
import { isLoopbackHost } from '../formats/hostName.ts';
import type { ExitCode } from '../io/io.ts';
import { showLiveRows } from '../io/liveRows.ts';
import { type GracefulStop, listenToStop } from '../io/process.ts';
import { report } from '../io/report/report.ts';
import { writeStdout } from '../io/stdout.ts';
import { startIso } from './serving/isoService.ts';
import {
  certificateNames,
  type IronicOfHosts,
  ironicOfHosts,
  reachableAddresses,
  reportApiAddress,
} from './api/ironicAddress.ts';
import { STATUS_TIME, STEPS_TIME } from './api/askAgent.ts';
import { openInventoryFolder } from './api/inventoryFolder.ts';
import { type IronicApi, type IronicApiOptions, startIronicApi } from './api/ironicApi.ts';
import { startEmulated } from './emulation/emulatedTrial.ts';
import { findGuestAddress, refuseOtherIronic } from './emulation/guestAddress.ts';
import { followConsoleLog } from './console/consoleLog.ts';
import { createRates } from './report/rates.ts';
import { formatLiveRows } from './report/terminalRows.ts';
import { describeTrial } from './report/trialPage.ts';
import { createQuietLog } from './quietLog.ts';
import { formatClosingReport, formatReportDocument } from './report/closingReport.ts';
import { planTrial, type TrialPlan, type TrialRequest } from './trial.ts';
import { type ImageService, startImages } from './serving/imageService.ts';

/** Runs the services, waits for the expected machines, and writes the report. Throws CliError. */
export async function runTrial(request: TrialRequest): Promise<ExitCode> {
  const { io, setup } = request;
  const stop = listenToStop({ aborted: io.signal });
  const plan = planTrial(request, stop.signal);
  const problem = await run(plan, stop).finally(stop.ignore);
  const last = plan.result();
  const text = setup.format === 'text' ? formatClosingReport(last) : formatReportDocument(last);
  await writeStdout(io, [Buffer.from(text)]);
  if (problem !== undefined) throw problem;
  return last.verdict.isPassed ? 0 : 1;
}

/**
 * Starts the servers and the machine, waits for the end, and stops them.
 * @returns the error of stopping them, which does not make the result worthless
 * @throws CliError, UsageError if they cannot be started
 */
async function run(plan: TrialPlan, { stopped }: GracefulStop): Promise<unknown> {
  const end = new AbortController();
  let problem: unknown;
  try {
    let isStarting = true;
    // Before a machine is changed: a trial takes as long as its machines.
    const starting = loadPackage()
      .then(() => startParts(plan))
      .finally(() => (isStarting = false));
    const ended = starting.then((parts) => waitForEnd(parts, plan, end.signal));
    await Promise.race([stopped, ended]);
    if (isStarting) {
      const hint = 'press Ctrl-C again to stop at once';
      report(plan.io, { severity: 'info', message: 'stopping when the images are loaded', hint });
    }
    await starting.catch(() => undefined); // the cleanup also has to stop everything that it starts
  } finally {
    end.abort();
    problem = await plan.cleanup.dispose();
  }
  return problem;
}

/** Resolves when the trial is decided, at the timeout, or when no further machine can call home. */
async function waitForEnd(
  { api, gone }: Awaited<ReturnType<typeof startParts>>,
  { setup, trial }: TrialPlan,
  signal: AbortSignal,
): Promise<void> {
  await Promise.race([trial.decided, pause(systemClock, setup.timeout, signal), ...gone]);
  if (trial.verdict().isPassed) await Promise.race([api.idle(), pause(systemClock, ANSWER_TIME, signal)]);
}

/** Milliseconds to wait for the answers of the last agents, which are part of the report; includes time to connect. */
const ANSWER_TIME = STATUS_TIME + STEPS_TIME + 2000;

/** If it fails, the cleanup stack contains everything that it has started. Throws CliError, UsageError. */
async function startParts(plan: TrialPlan) {
  const { cleanup, io, machine, setup } = plan;
  const { observe } = plan.trial;
  const read = plan.inventory;
  const listed: IronicOfHosts = read === undefined ? new Map() : ironicOfHosts(read, io);
  const guest = machine && (await findGuestAddress(machine, listed, plan));
  for (const log of plan.consoleLogs) {
    cleanup.defer(await followConsoleLog(log, observe, (diagnostic) => report(io, diagnostic), io));
  }
  let images: ImageService | undefined;
  const compare = ({ body, name = '' }: CollectedInventory): readonly string[] => {
    const host = read?.inventory.hosts?.find((one) => one.name === name);
    const hostPlan = images?.planOf(name);
    const [found] = readHardware(parseIfJson(Buffer.from(body).toString('utf8')));
    if (host === undefined || hostPlan === undefined || found === undefined) return [];
    return compareWithAgent(host, hostPlan, found);
  };
  const api = await startApi(plan, compare, guest?.host);
  const own = reachableAddresses(setup.listen);
  // In the emulated machine, 127.0.0.1 is the emulated machine itself.
  const others = guest && [guest.host, ...own.filter((address) => !isLoopbackHost(address))];
  const endpoint = { scheme: setup.scheme, port: api.port, addresses: others ?? own };
  if (guest !== undefined) refuseOtherIronic(guest, endpoint);
  images = read && (await startImages(plan, { api, guest, listed, endpoint }));
  const iso = plan.iso === undefined ? undefined : await startIso(plan, plan.iso);
  if (plan.bootMachines !== undefined) {
    const imageUrl = (host: string): string => iso?.url ?? images?.mediumUrl(host) ?? '';
    const booted = await plan.bootMachines({ imageUrl, observe, signal: plan.signal });
    cleanup.defer(() => booted.stop());
  }
  if (machine === undefined || guest === undefined) return { api, gone: [] };
  const { ended } = await startEmulated(plan, machine, { api, guest, images, endpoint });
  /** Promises that resolve when no further machine can call home. */
  const gone = machine.isOnly ? [ended] : [];
  return { api, gone };
}

/** @param guestHost address of this machine in the emulated network */
async function startApi(
  plan: TrialPlan,
  compare: IronicApiOptions['compare'],
  guestHost: string | undefined,
): Promise<IronicApi> {
  const { cleanup, io, options, page, setup, trial } = plan;
  const { askBack, listen, requiredSteps, scheme } = setup;
  const api = await startIronicApi({
    listen,
    askBack,
    requiredSteps,
    tlsNames: scheme === 'https' ? certificateNames(options, listen, guestHost) : undefined,
    machines: trial.machines,
    observe: trial.observe,
    saveInventory: options.save === undefined ? undefined : await openInventoryFolder(options.save, io),
    compare,
    page,
    log: createQuietLog(io),
  });
  cleanup.defer(() => api.stop());
  const url = `${api.origin}${page.path}`;
  report(io, { severity: 'info', message: `status page: ${url}` });
  const rateOf = createRates();
  const live = showLiveRows(io, (size) =>
    formatLiveRows(url, describeTrial(plan.result()), size, rateOf, io.paint),
  );
  cleanup.defer(async () => live.end());
  await reportApiAddress(api, plan);
  return api;
}
