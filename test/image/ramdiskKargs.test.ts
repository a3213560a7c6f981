/** The kernel arguments of a new ISO. */

import { describe, expect, it } from 'vitest';
import { type KargsWishes, ramdiskKargs, type RamdiskSystem } from '../../src/image/ramdiskSystem.ts';

const usual: KargsWishes = { given: undefined, label: 'own', hasRootfs: false };
const ignition = 'ignition.firstboot ignition.platform.id=metal';

describe('ramdiskKargs', () => {
  it.each<[string, RamdiskSystem['kind'], Partial<KargsWishes>, string]>([
    ['of the builder', 'other', {}, 'boot_method=vmedia'],
    ['of the builder, as the user wants it', 'other', { given: ['a=1', 'b c'] }, 'a=1 b c'],
    ['of CoreOS', 'coreos', {}, ignition],
    ['of CoreOS with its root filesystem', 'coreos', { hasRootfs: true }, `coreos.liveiso=own ${ignition}`],
    ['of CoreOS, with more', 'coreos', { given: ['console=ttyS0'] }, `${ignition} console=ttyS0`],
    [
      'of CoreOS, with one of those that it needs',
      'coreos',
      { given: ['quiet ignition.platform.id=openstack'], hasRootfs: true },
      'coreos.liveiso=own ignition.firstboot quiet ignition.platform.id=openstack',
    ],
    [
      'of CoreOS, with a similar one',
      'coreos',
      { given: ['coreos.liveiso.fromram'], hasRootfs: true },
      `coreos.liveiso=own ${ignition} coreos.liveiso.fromram`,
    ],
  ])('has them for a ramdisk %s', (_title, kind, wishes, kargs) => {
    expect(ramdiskKargs({ kind }, { ...usual, ...wishes })).toBe(kargs);
  });
});
