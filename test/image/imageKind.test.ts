import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeGzip } from '../../src/formats/gzip.ts';
import { writeCpio } from '../../src/formats/cpio.ts';
import { detectImageKind } from '../../src/image/imageKind.ts';
import { writeInitrd } from '../../src/image/initrd.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { hybridIso, liveIso } from '../support/liveIso.ts';

const files = new Map([['config.ign', Buffer.from('{}')]]);
const cpio = Buffer.from(writeCpio(files));

describe('detectImageKind', () => {
  it.each<[string, Uint8Array, string]>([
    ['a live ISO', liveIso('2023-07'), 'iso'],
    ['one with a boot record at its start', hybridIso(), 'iso'],
    ['a plain archive', cpio, 'initramfs'],
    ['one compressed by gzip', encodeGzip(cpio), 'initramfs'],
    ['one compressed by xz', writeInitrd(files), 'initramfs'],
    ['one compressed by zstd', Buffer.from('28b52ffd0000', 'hex'), 'initramfs'],
    ['a config', Buffer.from('{"ignition":{}}'), 'other'],
    ['nothing', new Uint8Array(), 'other'],
    ['a single byte', Uint8Array.of(0x1f), 'other'],
    ['an image that is cut off before its mark', liveIso('2023-07').subarray(0, 32_773), 'other'],
  ])('%s', async (_title, bytes, kind) => {
    expect(await detectImageKind(bytesAccess(bytes))).toBe(kind);
  });

  it('takes any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        expect(['iso', 'initramfs', 'other']).toContain(await detectImageKind(bytesAccess(bytes)));
      }),
    );
  });
});
