/** The power of a machine: off before the boot, on for it, and as it was at the end. */

import { CliError } from '../../core/errors.ts';
import { pause, systemClock } from '../../io/clock.ts';
import type { BmcChange } from '../../redfish/redfishClient.ts';
import { RedfishError } from '../../redfish/redfishError.ts';
import { formatDuration } from '../../service/status/figures.ts';
import { type Change, eventLogOf, type MachineBoot, readNow } from './machineBoot.ts';
import type { Survey } from './survey.ts';

/** Throws CliError for a machine that is on and must not be powered off. */
export async function refuseRunning(boot: MachineBoot): Promise<void> {
  if (boot.mayPowerOff || (await readNow(boot)).power === 'Off') return;
  throw new CliError('the machine was powered on after it was checked', {
    code: 'ERR_BMC',
    hint: 'run the command again, with --yes to power the machine off',
  });
}

export async function powerOff(boot: MachineBoot): Promise<void> {
  if ((await readNow(boot)).power === 'Off') return;
  // Undone last: only a machine without the ISO is powered on again.
  boot.changes.unshift({
    text: 'it was on, and may be off',
    request: resetRequest(boot.survey, 'On'),
    undo: createPowerOnAgain(),
  });
  await shutDown(boot);
  if (!boot.signal.aborted) boot.say('power off', 'powered off');
}

function createPowerOnAgain(): Change['undo'] {
  let isRequested = false;
  return async (boot) => {
    const { changes, say, signal, timing } = boot;
    if (changes.some(({ undo }) => undo === stopRamdisk)) return false;
    // After a cancellation it may still be shutting down.
    const isOff = isRequested
      ? (await readNow(boot)).power === 'Off'
      : await waitForPower(boot, 'Off', timing.shutdown);
    if (isOff) {
      isRequested = true;
      if (await reachOn(boot)) say('restored', 'powered on again');
    }
    return !signal.aborted;
  };
}

export async function powerOn(boot: MachineBoot): Promise<void> {
  boot.changes.push({
    text: 'it may still run the ISO',
    request: resetRequest(boot.survey, 'ForceOff'),
    undo: stopRamdisk,
  });
  if (await reachOn(boot)) boot.say('power on', 'powered on');
}

/** The image is in use as long as the ramdisk runs. */
async function stopRamdisk(boot: MachineBoot): Promise<boolean> {
  if ((await readNow(boot)).power === 'Off') return true;
  await shutDown(boot);
  if (boot.signal.aborted) return false;
  boot.say('restored', 'powered off');
  return true;
}

/** Gracefully, then by force. */
async function shutDown(boot: MachineBoot): Promise<void> {
  const { say, survey, timing } = boot;
  const { resetTypes } = survey.system;
  if (resetTypes.length === 0 || resetTypes.includes('GracefulShutdown')) {
    const isGone = await resetTo(boot, 'GracefulShutdown', 'shutting the machine down').then(
      () => {
        say('power off', `shuts down; forced off after ${formatDuration(timing.shutdown / 1000)}`);
        return waitForPower(boot, 'Off', timing.shutdown);
      },
      (error: unknown) => {
        if (error instanceof RedfishError && error.status !== undefined) return false;
        throw error;
      },
    );
    if (isGone || boot.signal.aborted) return;
    say('power off', 'does not shut down; forcing it off');
  }
  await resetTo(boot, 'ForceOff', 'forcing the machine off');
  if (await waitForPower(boot, 'Off', timing.power)) return;
  throw powerError(boot, 'the machine stays on after the BMC accepted "ForceOff"');
}

/** False on the signal. */
async function reachOn(boot: MachineBoot): Promise<boolean> {
  await resetTo(boot, 'On', 'powering the machine on');
  if (await waitForPower(boot, 'On', boot.timing.power)) return true;
  if (boot.signal.aborted) return false;
  throw powerError(boot, 'the machine stays off after the BMC accepted "On"');
}

async function resetTo(boot: MachineBoot, type: string, action: string): Promise<void> {
  await boot.client.change(resetRequest(boot.survey, type), action);
}

function resetRequest({ system: { reset = '' } }: Survey, type: string): BmcChange {
  return { method: 'POST', path: reset, body: { ResetType: type } };
}

function powerError({ survey }: MachineBoot, message: string): CliError {
  return new CliError(message, {
    code: 'ERR_BMC',
    hint: `read ${eventLogOf(survey)}, and check the power supplies of the machine`,
  });
}

async function waitForPower(boot: MachineBoot, state: 'On' | 'Off', time: number): Promise<boolean> {
  const { signal, timing } = boot;
  const end = systemClock.now() + time;
  for (;;) {
    if ((await readNow(boot)).power === state) return true;
    if (signal.aborted || systemClock.now() >= end) return false;
    await pause(systemClock, timing.interval, signal);
  }
}
