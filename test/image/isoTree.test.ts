import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError, FormatError } from '../../src/core/errors.ts';
import { type IsoTree, openIsoTree } from '../../src/image/isoTree.ts';
import { readIgnition } from '../../src/image/embeddedIgnition.ts';
import { openLiveIso } from '../../src/image/liveIso.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { writeInitrd } from '../../src/image/initrd.ts';
import { isoEntries } from '../support/isoEntries.js';
import { liveIso } from '../support/liveIso.ts';
import { writeIso9660 } from '../support/writeIso.ts';

const spec = { volumeId: 'test', date: new Date(0) };
const image = writeIso9660(
  spec,
  new Map([
    ['coreos/igninfo.json', new TextEncoder().encode('{}')],
    ['images/pxeboot/vmlinuz', new Uint8Array(5000).fill(1)],
    ['.cmdline', new Uint8Array(3)],
  ]),
);

const open = async (bytes: Uint8Array): Promise<IsoTree> => openIsoTree(bytesAccess(bytes));

/** As many programs repack images: without Rock Ridge, and with what is in the primary tree changed. */
function renamed(from: string, to: string): Uint8Array {
  const bytes = Buffer.from(image);
  for (let at = bytes.indexOf('NM'); at >= 0; at = bytes.indexOf('NM', at + 1)) bytes.write('ZZ', at);
  bytes.write(to, bytes.indexOf(from));
  return bytes;
}

describe('find', () => {
  it.each([
    ['coreos/igninfo.json', 'igninfo.json'],
    ['/coreos//igninfo.json/', 'igninfo.json'],
    ['COREOS/IGNINFO.JSO', 'igninfo.json'],
    ['COREOS/IGNINFO.JSON', 'igninfo.json'],
    ['Coreos/igninfo.JSON', 'igninfo.json'],
    ['./coreos/./igninfo.json', 'igninfo.json'],
    ['.cmdline', '.cmdline'],
    ['_CMDLINE', '.cmdline'],
    ['images/pxeboot', 'pxeboot'],
  ])('%s', async (path, name) => {
    expect(await (await open(image)).find(path)).toMatchObject({ name });
  });

  it.each(['coreos/igninfo', 'igninfo.json', 'coreos/igninfo.json/x', 'images/../coreos', 'a/'.repeat(100)])(
    'not %s',
    async (path) => {
      expect(await (await open(image)).find(path)).toBeUndefined();
    },
  );

  it.each([
    ['by its 8.3 name without Rock Ridge', renamed('IGNINFO.JSO', 'IGNINFO.JSO')],
    ['by a lower-case primary name', renamed('IGNINFO.JSO', 'igninfo.jso')],
  ])('finds igninfo.json %s', async (_title, bytes) => {
    expect((await (await open(bytes)).find('coreos/igninfo.json'))?.kind).toBe('file');
  });

  it('finds names of the Joliet tree too', async () => {
    const tree = await openIsoTree(bytesAccess(liveIso('2023-07')), 'joliet');
    const primary = await (await open(liveIso('2023-07'))).find('coreos/igninfo.json');
    expect(await tree.find('coreos/igninfo.json')).toMatchObject({
      offset: primary?.offset,
      size: primary?.size,
    });
  });

  it('tells where the directory record is', async () => {
    const entry = await (await open(image)).find('images/pxeboot/vmlinuz');
    const record = Buffer.from(image).subarray(entry?.recordOffset);
    expect(record.readUInt32LE(2) * 2048).toBe(entry?.offset);
    expect(record.readUInt32LE(10)).toBe(5000);
  });
});

describe('openIsoTree', () => {
  it.each([
    ['text', new TextEncoder().encode('{"ignition": {}}'), /not an ISO 9660 image/],
    ['nothing', new Uint8Array(), /not an ISO 9660 image/],
    ['zeros', new Uint8Array(100_000), /not an ISO 9660 image/],
    ['an image without its last byte', image.subarray(0, -1), /^ISO image is incomplete$/],
    ['an image without half of its descriptors', image.subarray(0, 17 * 2048), /incomplete/],
  ])('refuses %s', async (_title, bytes, message) => {
    await expect(open(bytes)).rejects.toThrow(message);
  });

  it.each<readonly [string, Uint8Array, string]>([
    ['a compressed ISO', gzipSync(image), 'unpack the file first if it is a compressed ISO: gzip -d FILE'],
    ['a compressed initramfs', writeInitrd(new Map()), 'use the `pxe` commands for an initramfs'],
    ['text', Buffer.from('{}'), 'use the live ISO of a CoreOS release'],
  ])('has a hint for %s', async (_title, bytes, hint) => {
    await expect(open(bytes)).rejects.toMatchObject({ hint: expect.stringContaining(hint) });
  });

  it('refuses descriptors without an end', async () => {
    const descriptor = image.subarray(16 * 2048, 17 * 2048);
    const endless = Buffer.concat([
      image.subarray(0, 16 * 2048),
      ...Array.from({ length: 64 }, () => descriptor),
    ]);
    await expect(open(Buffer.concat([endless, image]))).rejects.toThrow(
      'the last volume descriptor is missing',
    );
  });

  it.each([
    ['is one that has all of it', 2048, 4096],
    ['cannot be read where it is scattered', 2049, 'A is fragmented, which is not supported'],
  ])('a file of several parts %s', async (_title, size, expected) => {
    const parts = new Map([
      ['A', new Uint8Array(size)],
      ['B', new Uint8Array(2048)],
    ]);
    const bytes = Buffer.from(writeIso9660(spec, parts));
    const [first, second] = await Promise.all(['A', 'B'].map(async (name) => (await open(bytes)).find(name)));
    bytes.writeUInt8(0x80, (first?.recordOffset ?? 0) + 25);
    bytes.write('A', (second?.recordOffset ?? 0) + 33);
    const found = (await open(bytes)).find('A').then(
      (entry) => entry?.size,
      (error: unknown) => (error instanceof FormatError ? error.message : error),
    );
    expect(await found).toBe(expected);
  });

  it('takes the primary name where the other goes on elsewhere', async () => {
    const name = `longlong${'x'.repeat(40)}.txt`;
    const bytes = Buffer.from(writeIso9660(spec, new Map([[name, new Uint8Array(1)]])));
    bytes[bytes.indexOf(name) - 1] = 1;
    expect((await (await open(bytes)).list()).map((entry) => entry.name)).toEqual(['LONGLONG.TXT']);
  });

  it('accepts padding behind the end', async () => {
    expect((await open(Buffer.concat([image, Buffer.alloc(100_000)]))).volume.volumeId).toBe('test');
  });

  it('refuses to read a file that is larger than expected', async () => {
    const tree = await open(image);
    const entry = await tree.find('images/pxeboot/vmlinuz');
    await expect(entry && tree.readFile(entry, { maxBytes: 4999 })).rejects.toThrow(/too large/);
  });

  it('walks directories that hold themselves once', async () => {
    const bytes = Buffer.from(image);
    const tree = await open(image);
    const images = await tree.find('images');
    const pxeboot = await tree.find('images/pxeboot');
    bytes.writeUInt32LE((images?.offset ?? 0) / 2048, (pxeboot?.recordOffset ?? 0) + 2);
    const paths: string[] = [];
    for await (const { path } of isoEntries(await open(bytes))) paths.push(path);
    expect(paths).toContain('images/pxeboot');
    expect(paths.length).toBeLessThan(6);
  });

  it('bears damage anywhere in descriptors and directories: answers or explains', async () => {
    const original = liveIso('2022-02');
    const damaged = fc.array(fc.tuple(fc.integer({ min: 16 * 2048, max: 40 * 2048 }), fc.nat(255)), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(damaged, fc.option(fc.nat(original.length)), async (bytes, end) => {
        const copy = Uint8Array.from(original);
        for (const [offset, value] of bytes) copy[offset] = value;
        const outcome = await inspect(copy.subarray(0, end ?? undefined)).catch((error: unknown) => error);
        expect(outcome === 'read' || outcome instanceof CliError).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});

async function inspect(bytes: Uint8Array): Promise<'read'> {
  const tree = await open(bytes);
  for await (const { entry } of isoEntries(tree)) {
    if (entry.kind === 'file' && entry.size < 4096) await tree.readFile(entry, { maxBytes: 4096 });
  }
  await readIgnition(await openLiveIso(bytesAccess(bytes)));
  return 'read';
}

it('errors of the format are FormatErrors', async () => {
  await expect(open(new Uint8Array())).rejects.toBeInstanceOf(FormatError);
});
