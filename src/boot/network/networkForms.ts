/**
 * What each loader makes of the settings of a machine when it reads them from a folder of boot files. In contrast to a
 * single script, GRUB gets `BOOTIF=` as well, as the others do anyway.
 */

import { checkReserved, type BootForm } from '../bootForm.ts';
import { argumentName, type BootSettings } from '../bootSettings.ts';
import { grub } from '../grub.ts';
import { ipxe } from '../ipxe.ts';
import { kernelArguments } from '../kernelArguments.ts';
import { pxelinux } from '../pxelinux.ts';
import type { NetworkLoader } from './networkBoot.ts';

/** How each loader is checked; what it renders is a matter of the files. */
export const networkForms: Readonly<Record<NetworkLoader, Pick<BootForm, 'check' | 'added'>>> = {
  ipxe,
  grub: {
    check: (settings, placed) => [...grub.check(settings, placed), ...checkReserved(placed, ['BOOTIF'])],
    added: (settings) => [...grub.added(settings), 'BOOTIF=00:00:00:00:00:00'],
  },
  pxelinux,
};

/**
 * The settings with `rd.bootif=0`, unless they say something else about it. The agent wants to know by `BOOTIF=` which
 * interface the machine has booted from, but dracut would set up no other one.
 */
export function withBootInterface(settings: BootSettings): BootSettings {
  const isDecided = kernelArguments(settings).some((text) => argumentName(text) === 'rd.bootif');
  if (isDecided) return settings;
  return { ...settings, extraArguments: [...settings.extraArguments, 'rd.bootif=0'] };
}
