import * as fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { readArchiveFiles } from '../../src/formats/tar.ts';

async function tarOf(fill: (archive: ReturnType<typeof pack>) => void): Promise<Uint8Array> {
  const archive = pack();
  fill(archive);
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function headerOf(name: string, type: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 'latin1');
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  return summed(header);
}

function withSize(header: Buffer, size: string): Buffer {
  header.fill(0, 124, 136).write(size, 124, 'latin1');
  return summed(header);
}

function summed(header: Buffer): Buffer {
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function blockOf(text: string): Buffer {
  return Buffer.concat([Buffer.from(text), Buffer.alloc(-text.length & 511)]);
}

function paxOf(records: string): Buffer[] {
  const size = records.length.toString(8).padStart(11, '0');
  return [withSize(headerOf('pax', 'x'), size), blockOf(records), headerOf('a', '0')];
}

describe('a tar archive', () => {
  it('gives its files by path, the last of a name, and skips folders', async () => {
    const long = `${'folder/'.repeat(30)}file`;
    const bytes = await tarOf((archive) => {
      archive.entry({ name: 'etc/', type: 'directory' });
      archive.entry({ name: 'etc/a' }, 'first');
      archive.entry({ name: long }, 'long');
      archive.entry({ name: 'etc/a' }, 'last');
    });
    const texts = [...(await readArchiveFiles(bytes))].map(([path, data]) => [
      path,
      Buffer.from(data).toString(),
    ]);
    expect(texts).toEqual([
      ['etc/a', 'last'],
      [long, 'long'],
    ]);
  });

  it.each(['symlink', 'link', 'fifo'] as const)('refuses a %s by its name', async (type) => {
    const bytes = await tarOf((archive) => {
      archive.entry({ name: 'odd', type, linkname: 'x' });
    });
    await expect(readArchiveFiles(bytes)).rejects.toMatchObject({
      message: `odd is a ${type}`,
      hint: 'use an archive with regular files only',
    });
  });

  it.each([
    ['text', Buffer.from('no archive '.repeat(200)), /^it is not a valid tar archive: /],
    ['nothing', new Uint8Array(), 'it contains no files'],
    ['zeros', new Uint8Array(10_240), 'it contains no files'],
  ])('refuses %s', async (_title, bytes, message) => {
    await expect(readArchiveFiles(bytes)).rejects.toBeInstanceOf(FormatError);
    await expect(readArchiveFiles(bytes)).rejects.toThrow(message);
  });

  it('takes no data of a folder, whatever size it announces', async () => {
    const folder = await tarOf((archive) => void archive.entry({ name: 'a/', type: 'directory' }));
    const file = await tarOf((archive) => void archive.entry({ name: 'b' }, 'text'));
    const header = withSize(Buffer.from(folder).subarray(0, 512), '00000001000');
    expect([...(await readArchiveFiles(Buffer.concat([header, file]))).keys()]).toEqual(['b']);
  });

  it('reads what GNU tar writes: binary sizes, long names, a prefix', async () => {
    const name = `${'folder/'.repeat(30)}file`;
    const long = withSize(headerOf('././@LongLink', 'L'), name.length.toString(8).padStart(11, '0'));
    const binary = Buffer.from(withSize(headerOf('x', '0'), ''));
    binary.set([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4], 124);
    const bytes = Buffer.concat([long, blockOf(name), summed(binary), blockOf('text')]);
    const prefixed = headerOf('c', '0');
    prefixed.write('a/b', 345);
    const files = await readArchiveFiles(Buffer.concat([bytes, summed(prefixed)]));
    expect([...files].map(([path, data]) => [path, Buffer.from(data).toString()])).toEqual([
      [name, 'text'],
      ['a/b/c', ''],
    ]);
  });

  it.each([
    [
      'data that are cut off',
      [withSize(headerOf('a', '0'), '00000001001'), blockOf('x')],
      'it is truncated at byte 1024',
    ],
    ['a size that is no number', [withSize(headerOf('a', '0'), 'x')], 'a size is not a number at byte 0'],
    [
      'a negative size',
      [withSize(headerOf('a', '0'), '\xff'.repeat(11))],
      'a size is not a number at byte 0',
    ],
    ['a pax record of no length', paxOf('0 path=b\n'), 'a pax record is invalid at byte 0'],
    ['a pax record past the end', paxOf('99 path=b\n'), 'a pax record is invalid at byte 0'],
    ['a pax size that is no number', paxOf('9 size=x\n'), 'a size is not a number at byte 0'],
    ['a sparse file', paxOf('22 GNU.sparse.major=1\n'), 'it contains a sparse file'],
    ['a header that is cut off', [headerOf('a', '0').subarray(0, 100)], 'it is truncated at byte 100'],
    ['an unknown kind', [headerOf('a', 'Q')], 'a has the unsupported type "Q" at byte 0'],
  ])('refuses %s', async (_title, parts, message) => {
    await expect(readArchiveFiles(Buffer.concat(parts))).rejects.toThrow(message);
  });

  it('bears damage: answers or explains', async () => {
    const bytes = await tarOf((archive) => {
      archive.entry({ name: 'a' }, 'x'.repeat(700));
      archive.entry({ name: 'b' }, 'y');
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.nat(255),
        fc.nat(bytes.length),
        async (at, value, length) => {
          const copy = Uint8Array.from(bytes).subarray(0, length);
          if (at < length) copy[at] = value;
          const outcome = await readArchiveFiles(copy).catch((error: unknown) => error);
          expect(outcome instanceof Map || outcome instanceof FormatError).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});
