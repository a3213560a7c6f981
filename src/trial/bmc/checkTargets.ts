/** Reads and checks the BMCs of all machines. */

import { CliError } from '../../core/errors.ts';
import { runParallel } from '../../core/parallel.ts';
import { systemClock } from '../../io/clock.ts';
import { listenToStop } from '../../io/process.ts';
import { knownError } from '../../io/report/report.ts';
import type { RedfishClient } from '../../redfish/redfishClient.ts';
import type { BootRun } from './bootRun.ts';
import { type CheckedMachine, checkMachine, type MachineCheck, type Plan } from './checks.ts';
import { expectedUrl } from './imageUrls.ts';
import { surveyMachine } from './survey.ts';
import type { Target } from './targets.ts';

/** Ends on a signal: then the machines that were not read yet have an error. */
export async function checkTargets(
  targets: readonly Target[],
  images: (name: string) => readonly MachineCheck[],
  run: BootRun,
): Promise<{ readonly machines: readonly CheckedMachine[]; readonly isCanceled: boolean }> {
  const { ignore, signal } = listenToStop({ aborted: run.io.signal });
  const machines = await runParallel(targets, run.options.parallel, (target) =>
    checkTarget(target, images(target.name), run, signal),
  ).finally(ignore);
  return { machines, isCanceled: signal.aborted };
}

/** What the BMC says about its machine. Texts are without secrets, and not too long. */
export async function askBmc(client: RedfishClient, plan: Plan): Promise<Omit<CheckedMachine, 'target'>> {
  const survey = await surveyMachine(client, plan.path);
  const checks = checkMachine(survey, plan).map((one) => ({ ...one, text: client.show(one.text) }));
  return { survey, checks, show: client.show };
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
    if (now >= run.end) {
      throw new CliError('not checked: the time of --timeout is over', {
        code: 'ERR_BMC',
        hint: 'use a longer --timeout, or check more BMCs at the same time with --parallel',
      });
    }
    const deadline = Math.min(now + run.times.check, run.end);
    return await run.clients.use(target, { signal, deadline }, async (client) => {
      const { architecture = run.architecture } = target;
      const imageUrl = expectedUrl(target, run.server);
      return { target, ...(await askBmc(client, { ...target, architecture, imageUrl, image })) };
    });
  } catch (error) {
    const { hint, message: text } = knownError(error, run.io);
    const checks = [{ id: 'bmc', status: 'error', text, hint }, ...image] as const;
    return { target, survey: undefined, checks, show: String };
  }
}
