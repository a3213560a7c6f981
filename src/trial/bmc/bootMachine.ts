/**
 * Boots one machine by its BMC, and restores it. The order of the requests is that of OpenStack Ironic
 * (`ironic/drivers/modules/redfish/boot.py`, `prepare_ramdisk`), but the image is inserted first: a BMC that refuses it does
 * not cost a running machine its run.
 */

import type { CliError } from '../../core/errors.ts';
import { knownError } from '../../io/report/report.ts';
import { setBootDevice } from './bootDevice.ts';
import type { MachineBoot } from './machineBoot.ts';
import { ejectAll, insertImage } from './media.ts';
import { powerOff, powerOn, refuseRunning } from './power.ts';

/** Throws CliError, on the signal that of the request which it interrupts. Stops silently between two steps on the signal. */
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
