/** Boots the machines of a trial by their BMCs, several at the same time, and restores them at its end. */

import { CliError } from '../../core/errors.ts';
import { diagnosticOf } from '../../core/finding.ts';
import { runParallel } from '../../core/parallel.ts';
import { formatCount } from '../../formats/messageText.ts';
import { quoteShellWord } from '../../formats/shell.ts';
import { backOffAfter, repeat } from '../../http/client/retries.ts';
import { systemClock } from '../../io/clock.ts';
import { listenToStop, SECOND_SIGNAL } from '../../io/process.ts';
import { knownError, report } from '../../io/report/report.ts';
import { isImageRefusal } from '../../redfish/messages.ts';
import type { BmcChange } from '../../redfish/redfishClient.ts';
import { RedfishError } from '../../redfish/redfishError.ts';
import type { BmcEvent } from '../timeline/events.ts';
import type { BootMachines, TrialServices } from '../trial.ts';
import { setBootDevice } from './bootDevice.ts';
import type { BootRun, SurveyedMachine } from './bootRun.ts';
import { urlFor } from './imageUrls.ts';
import type { Change, MachineBoot } from './machineBoot.ts';
import { ejectAll, EmptySlotError, insertImage } from './media.ts';
import { powerOff, powerOn, refuseRunning } from './power.ts';
import type { Target } from './targets.ts';

type StartedMachine = SurveyedMachine & { readonly changes: Change[] };

/** The function that stops them throws CliError if a machine is not restored. */
export function startMachines(
  bootable: readonly SurveyedMachine[],
  run: BootRun,
  services: TrialServices,
): Awaited<ReturnType<BootMachines>> {
  const { leave, parallel } = run.options;
  const controller = new AbortController();
  const { signal } = controller;
  const started: StartedMachine[] = [];
  const work = runParallel(bootable, parallel, async (surveyed) => {
    if (signal.aborted) return;
    const machine = { ...surveyed, changes: [] };
    started.push(machine);
    await withMachine(machine, { run, services, signal }, bootMachine).catch((thrown: unknown) => {
      const error = knownError(thrown, run.io);
      // At the end of the trial, the error names the request that the BMC has not answered yet.
      const problem = signal.aborted ? 'not booted before the end' : 'cannot be booted';
      const { hint, message } = error;
      const text = `${problem}: ${message}`;
      observeBmc(services, machine.target, 'failed', text, { hint, reason: reasonOf(error) });
    });
  });
  work.catch(() => undefined); // `stop` throws its error after the machines are restored
  return {
    stop: async () => {
      controller.abort();
      await Promise.allSettled([work]);
      if (leave === true) for (const machine of started) reportChanges(machine, 'info', run);
      else if (started.length > 0) await restoreAll(started, run, services);
      await work;
    },
  };
}

/**
 * The order of the requests is that of OpenStack Ironic (`ironic/drivers/modules/redfish/boot.py`, `prepare_ramdisk`), but the image
 * is inserted first: a BMC that refuses it does not cost a running machine its run. Throws CliError, on the signal that of the request
 * which it interrupts. Stops silently between two steps on the signal.
 */
export async function bootMachine(boot: MachineBoot): Promise<void> {
  const media = boot.method === 'virtual-media' ? [ejectAll, insertImage] : [];
  for (const step of [refuseRunning, ...media, powerOff, setBootDevice, powerOn]) {
    if (boot.signal.aborted) return;
    await step(boot);
  }
}

/**
 * Undoes the changes, the last one first: libvirt, which sushy-tools uses, accepts the boot device Cd only while a medium is
 * inserted. Continues after a failure, and can be repeated for what is left.
 * @returns the failures
 */
export async function restoreMachine(boot: MachineBoot): Promise<readonly CliError[]> {
  const failures: CliError[] = [];
  for (const change of boot.changes.toReversed()) {
    try {
      if (await change.undo(boot)) boot.changes.splice(boot.changes.indexOf(change), 1);
    } catch (error) {
      failures.push(knownError(error));
    }
  }
  return failures;
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
): Promise<void> {
  const { io, options } = run;
  // The first signal may have ended the trial: only a later one ends the restoring.
  const { ignore, signal } = listenToStop({ quiet: services.signal.aborted ? SECOND_SIGNAL : 0 });
  const again = services.signal.aborted ? ' again' : '';
  io.stderr.write(`restoring ${formatCount(started.length, 'machine')}; press Ctrl-C${again} to stop\n`);
  await runParallel(started, options.parallel, async (machine) => {
    const { name } = machine.target;
    for (const error of await restoreOne(machine, { run, services, signal }))
      report(io, diagnosticOf(new CliError(`${name}: ${error.message}`, error)));
    reportChanges(machine, 'error', run);
  }).finally(ignore);
  const left = started.filter(({ changes }) => changes.length > 0).length;
  io.stderr.write(`restored ${started.length - left} of ${formatCount(started.length, 'machine')}\n`);
  if (left === 0) return;
  throw new CliError(`${formatCount(left, 'machine')} not restored`, {
    code: 'ERR_BMC',
    hint: 'run the commands above, with the user of the BMC for USER, or use the web interface of the BMC',
  });
}

/** Milliseconds of the longest pause between two attempts. */
const LONGEST_PAUSE = 30_000;

/** Repeats what failed until it succeeds, no failure may pass, or the time is over. Returns the last failures. */
async function restoreOne(machine: StartedMachine, working: Working): Promise<readonly CliError[]> {
  const { io, options, times } = working.run;
  const deadline = systemClock.now() + options.shutdownTimeout + times.restore;
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
    const wait = backOffAfter({ first: times.interval, longest: LONGEST_PAUSE }, count);
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

function mayPass(error: CliError): boolean {
  if (!(error instanceof RedfishError) || error.code === 'ERR_TLS') return false;
  return error.isPassing || error.status === undefined || error.status >= 500;
}

/** curl asks for the password. */
function curlCommand({ body, method, path }: BmcChange, { caFile, isInsecure, origin }: Target): string {
  const trust = isInsecure ? ['-k'] : caFile === undefined ? [] : ['--cacert', caFile];
  const type = ['-H', 'Content-Type: application/json'];
  // Some BMCs refuse a change without the header (status 428); an asterisk matches each resource, also one without an entity tag.
  const match = method === 'PATCH' ? ['-H', 'If-Match: *'] : [];
  const words = ['curl', ...trust, '-u', 'USER', '-X', method, ...type, ...match, '-d', JSON.stringify(body)];
  return [...words, `${origin}${path}`].map(quoteShellWord).join(' ');
}

interface Working {
  readonly run: BootRun;
  readonly services: TrialServices;
  readonly signal: AbortSignal;
  readonly deadline?: number;
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
      mayPowerOff: run.options.yes === true || survey.system.power !== 'Off',
      imageUrl: urlFor(target, services.imageUrl(target.name), run.server),
      timing: { ...run.times, shutdown: run.options.shutdownTimeout },
      changes,
      signal,
      say: (step, text) => observeBmc(services, target, step, client.show(text)),
    }),
  );
}

export function observeBmc(
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
  return isOfImage || error instanceof EmptySlotError ? 'bmc-not-fetched' : 'bmc-refused';
}
