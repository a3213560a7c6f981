/** What an initramfs is recognised by. */

import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { findRamdiskSystem } from '../../src/image/ramdiskSystem.ts';
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
    expect(system.kind).toBe('coreos');
    expect('features' in system ? Buffer.from(system.features ?? []).toString() : undefined).toBe(features);
  });

  it.each([
    ['a ramdisk of the builder', initrd],
    [
      'features.json alone, which somebody has put there',
      gzipSync(cpio({ 'etc/coreos/features.json': '{}' })),
    ],
    ['a stamp in another folder', cpio({ 'usr/etc/coreos-live-initramfs': '44.1\n' })],
  ])('takes %s for another system', async (_title, bytes) => {
    expect(await findRamdiskSystem(bytesAccess(bytes))).toEqual({ kind: 'other' });
  });

  it.each([
    ['of lz4', Buffer.from('04224d18'.padEnd(400, '0'), 'hex'), 'Cannot read the initramfs'],
    ['that is cut off', liveInitrd.subarray(0, -20), 'is cut off at byte'],
  ])('says why it knows nothing of an initramfs %s', async (_title, bytes, problem) => {
    expect(await findRamdiskSystem(bytesAccess(bytes))).toEqual({
      kind: 'other',
      problem: expect.stringContaining(problem),
    });
  });

  it('refuses features that no program could read', async () => {
    const damaged = cpio({ ...stamp, 'etc/coreos/features.json': '{"live-initrd-network": "yes"}' });
    await expect(findRamdiskSystem(bytesAccess(damaged))).rejects.toThrow(FormatError);
  });

  it('ends with an answer for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        expect((await findRamdiskSystem(bytesAccess(bytes))).kind).toBe('other');
      }),
      { numRuns: 200 },
    );
  });
});
