import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeGzip } from '../../src/formats/gzip.ts';
import { writeCpio } from '../../src/formats/cpio.ts';
import { detectKind } from '../../src/image/imageKind.ts';
import { writeInitrd } from '../../src/image/initrd.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { hybridIso, liveIso } from '../support/liveIso.ts';
import { cpio as cpioOf } from '../support/newIso.ts';

const files = new Map([['config.ign', Buffer.from('{}')]]);
const cpio = Buffer.from(writeCpio(files));

const kernel = Buffer.alloc(1024);
kernel.write('HdrS', 514);

describe('detectKind', () => {
  it.each<[string, Uint8Array, string]>([
    ['a live ISO', liveIso('2023-07'), 'iso'],
    ['one with a boot record at its start', hybridIso(), 'iso'],
    ['a plain archive', cpio, 'initramfs'],
    ['one compressed by gzip', encodeGzip(cpio), 'initramfs'],
    ['one of this program', writeInitrd(files), 'initramfs'],
    ['one compressed by zstd', Buffer.from('28b52ffd0000', 'hex'), 'initramfs'],
    ['one in a format that only Linux unpacks', Buffer.from('BZh91AY'), 'initramfs'],
    ['a root filesystem', cpioOf({ 'root.squashfs': '' }), 'rootfs'],
    ['a kernel', kernel, 'kernel'],
    ['one compressed by gzip', gzipSync(kernel), 'kernel'],
    ['a config compressed by gzip', gzipSync('{"ignition":{}}'), 'other'],
    ['a config', Buffer.from('{"ignition":{}}'), 'other'],
    ['nothing', new Uint8Array(), 'other'],
    ['a single byte', Uint8Array.of(0x1f), 'other'],
    ['an image that is cut off before its mark', liveIso('2023-07').subarray(0, 32_773), 'other'],
  ])('%s', async (_title, bytes, kind) => {
    expect(await detectKind(bytesAccess(bytes))).toBe(kind);
  });

  it('takes any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        expect(['iso', 'kernel', 'initramfs', 'rootfs', 'other']).toContain(
          await detectKind(bytesAccess(bytes)),
        );
      }),
    );
  });
});
