/** What an initramfs is recognized by. */

import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { findRamdiskSystem, ramdiskKargs } from '../../src/image/ramdiskSystem.ts';
import { cpio, initrd, liveFeatures, liveInitrd } from '../support/newIso.ts';

const stamp = { 'etc/coreos-live-initramfs': '44.1\n' };
const microcode = cpio({ 'kernel/x86/microcode/GenuineIntel.bin': 'microcode' });

describe('findRamdiskSystem', () => {
  it.each([
    ['a live system with what it supports', liveInitrd, liveFeatures],
    [
      'one behind microcode and zeros',
      Buffer.concat([microcode, Buffer.alloc(64), liveInitrd]),
      liveFeatures,
    ],
    ['one of a time without features.json', gzipSync(cpio(stamp)), undefined],
  ])('knows %s', async (_title, bytes, features) => {
    const system = await findRamdiskSystem(bytesAccess(bytes));
    expect(system.build).toMatch(/^\d/);
    expect(system.features && Buffer.from(system.features).toString()).toBe(features);
  });

  it.each([
    ['a ramdisk of the builder', initrd],
    [
      'features.json alone, which somebody has put there',
      gzipSync(cpio({ 'etc/coreos/features.json': '{}' })),
    ],
    ['a stamp in another folder', cpio({ 'usr/etc/coreos-live-initramfs': '44.1\n' })],
  ])('takes %s for another system', async (_title, bytes) => {
    expect(await findRamdiskSystem(bytesAccess(bytes))).toEqual({ embedded: new Map(), hasRootfs: false });
  });

  it.each([
    ['of lz4', Buffer.from('02214c18'.padEnd(400, '0'), 'hex'), 'Cannot read the initramfs'],
    ['that is cut off', liveInitrd.subarray(0, -20), 'is truncated at byte'],
  ])('says why it knows nothing of an initramfs %s', async (_title, bytes, problem) => {
    expect(await findRamdiskSystem(bytesAccess(bytes))).toEqual({
      problem: expect.stringContaining(problem),
    });
  });

  it('reads no stamp that is too large for a text', async () => {
    const bytes = cpio(stamp);
    bytes.write('20000000', bytes.indexOf('etc/coreos-live-initramfs') - 110 + 54); // the size of the file
    expect(await findRamdiskSystem(bytesAccess(bytes))).toEqual({
      problem: expect.stringContaining('the extracted files are larger than 268435456 bytes'),
    });
  });

  it('refuses features that no program could read', async () => {
    const damaged = cpio({ ...stamp, 'etc/coreos/features.json': '{"live-initrd-network": "yes"}' });
    await expect(findRamdiskSystem(bytesAccess(damaged))).rejects.toThrow(FormatError);
  });

  it('ends with an answer for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        expect((await findRamdiskSystem(bytesAccess(bytes))).build).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});

// The kernel arguments of a new ISO.

const ignition = 'ignition.firstboot ignition.platform.id=metal';

describe('ramdiskKargs', () => {
  it.each<[string, 'other' | 'coreos', { given?: string[]; label?: string }, string]>([
    ['of the builder', 'other', {}, 'boot_method=vmedia'],
    ['of the builder, as the user wants it', 'other', { given: ['a=1', 'b c'] }, 'a=1 b c'],
    ['of CoreOS', 'coreos', {}, ignition],
    ['of CoreOS with its root filesystem', 'coreos', { label: 'own' }, `coreos.liveiso=own ${ignition}`],
    ['of CoreOS, with more', 'coreos', { given: ['console=ttyS0'] }, `${ignition} console=ttyS0`],
    [
      'of CoreOS, with one of those that it needs',
      'coreos',
      { given: ['quiet ignition.platform.id=openstack'], label: 'own' },
      'coreos.liveiso=own ignition.firstboot quiet ignition.platform.id=openstack',
    ],
    [
      'of CoreOS, with a similar one',
      'coreos',
      { given: ['coreos.liveiso.fromram'], label: 'own' },
      `coreos.liveiso=own ${ignition} coreos.liveiso.fromram`,
    ],
  ])('has them for a ramdisk %s', (_title, kind, { given, label }, kargs) => {
    expect(ramdiskKargs({ build: kind === 'coreos' ? '44.1' : undefined }, given, label)).toBe(kargs);
  });
});
