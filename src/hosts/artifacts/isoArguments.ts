/** The kernel arguments that an ISO gets besides its own: those of a network boot, without what only that needs. */

import { argumentName, type BootSettings } from '../../boot/bootSettings.ts';
import { kernelArguments } from '../../boot/kernelArguments.ts';

/** Live ISOs have these by themselves, in their own way. */
const ofIso: ReadonlySet<string> = new Set([
  'coreos.live.rootfs_url',
  'ignition.config.url',
  'ignition.firstboot',
  'ignition.platform.id',
  'coreos.liveiso',
]);

/** In the order in which they are appended. */
export function isoArguments(settings: BootSettings): readonly string[] {
  return kernelArguments(settings).filter((text) => !ofIso.has(argumentName(text)));
}
