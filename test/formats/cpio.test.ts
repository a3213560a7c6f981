import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ByteReader, sourceOfBytes } from '../../src/formats/byteReader.ts';
import { type CpioHeader, isRegularFile, sortedByPath, walkCpio, writeCpio } from '../../src/formats/cpio.ts';
import { readCpio } from '../support/cpio.ts';
import { have, oracleNote } from '../support/programs.ts';
import { contents, refusesTruncation, survivesBitFlips } from './damage.ts';

const files = new Map([
  ['etc/coreos-firstboot-network/eth0.nmconnection', Buffer.from('[connection]\nid=eth0\ntype=ethernet\n')],
  ['config.ign', Buffer.from('{"a":1}\n')],
  ['etc/ünïcode', Buffer.from('x')],
  ['etc/empty', Buffer.alloc(0)],
]);
const archive = Buffer.from(writeCpio(files));

const field = (value: number): string => value.toString(16).padStart(8, '0');
const zeros = (count: number): string => '00000000'.repeat(count);

/** One member as text, with fields to choose. */
function member(name: string, options: { magic?: string; size?: string; nameSize?: number } = {}): Buffer {
  const { magic = '070701', size = '00000000', nameSize = Buffer.byteLength(name) } = options;
  const head = `${magic}${field(0)}${field(0o100644)}${field(0).repeat(4)}${size}${field(0).repeat(4)}${field(nameSize)}${field(0)}${name}`;
  const bytes = Buffer.from(head);
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

const trailer = member('TRAILER!!!\0');

describe('writeCpio', () => {
  it('lists files bytewise by path, each directory once before its files', async () => {
    const members = (await readCpio(archive)).members.map(({ path, mode }) => `${mode.toString(8)} ${path}`);
    expect(members).toEqual([
      '100600 config.ign',
      '40755 etc',
      '40755 etc/coreos-firstboot-network',
      '100600 etc/coreos-firstboot-network/eth0.nmconnection',
      '100600 etc/empty',
      '100600 etc/ünïcode',
    ]);
  });

  it('sorts by bytes and not by UTF-16 units', async () => {
    const paths = ['\u{1f600}', '\uffee', 'a/b', 'a.b', 'B'];
    const written = writeCpio(new Map(paths.map((path) => [path, Buffer.alloc(0)])));
    const read = (await readCpio(Buffer.from(written))).members.map(({ path }) => path);
    expect(read).toEqual(['B', 'a.b', 'a', 'a/b', '\uffee', '\u{1f600}']);
  });

  it('writes the fields as coreos-installer does', async () => {
    const written = Buffer.from(writeCpio(new Map([['d/f', Buffer.from('12345')]]))).toString('latin1');
    expect(written).toBe(
      [
        `070701${zeros(1)}000041ed${zeros(2)}00000001${zeros(6)}00000002${zeros(1)}d\0`,
        `0707010000000100008180${zeros(2)}00000001${zeros(1)}00000005${zeros(4)}00000004${zeros(1)}d/f\0\0\0`,
        '12345\0\0\0',
        `070701${zeros(4)}00000001${zeros(6)}0000000b${zeros(1)}TRAILER!!!\0\0\0\0`,
      ].join(''),
    );
  });

  it('without files is a trailer', async () => {
    const { members, end } = await readCpio(Buffer.from(writeCpio(new Map())));
    expect([members.length, end]).toEqual([0, 124]);
  });

  it('round trip of anything', async () => {
    const path = fc
      .array(fc.stringMatching(/^[a-zäß._-]{1,6}$/), { minLength: 1, maxLength: 4 })
      .map((steps) => steps.join('/'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(path, contents, { maxKeys: 6 }), async (tree) => {
        const { members, end } = await readCpio(Buffer.from(writeCpio(new Map(Object.entries(tree)))));
        const read = members
          .filter(isRegularFile)
          .map(({ path: name, data }) => [name, Buffer.from(data).toString('hex')]);
        const expected = Object.entries(tree).map(([name, data]) => [
          name,
          Buffer.from(data).toString('hex'),
        ]);
        expect(Object.fromEntries(read)).toEqual(Object.fromEntries(expected));
        return end % 4 === 0;
      }),
    );
  });

  it.skipIf(!have('cpio'))(`is listed by cpio${oracleNote('cpio')}`, () => {
    const { stdout } = spawnSync('cpio', ['-t', '--quiet'], { input: archive });
    expect(stdout.toString().trim().split('\n')).toHaveLength(6);
  });

  it.skipIf(!have('bsdtar'))(`is listed by bsdtar${oracleNote('bsdtar')}`, () => {
    const { stdout, status } = spawnSync('bsdtar', ['-tf', '-'], { input: archive });
    expect(stdout.toString()).toMatch(/^config\.ign\netc\/?\netc\/coreos-firstboot-network\/?\n/);
    expect(status).toBe(0);
  });
});

it('sortedByPath goes by the bytes of UTF-8', () => {
  const paths = ['\u{1f600}', '\uffee', 'a/b', 'a.b', 'B'];
  const sorted = sortedByPath(new Map(paths.map((path) => [path, Buffer.alloc(0)])));
  expect(sorted.map(([path]) => path)).toEqual(['B', 'a.b', 'a/b', '\uffee', '\u{1f600}']);
});

describe('walkCpio', () => {
  it('reads one archive from an offset and says where it ends', async () => {
    const { members, end } = await readCpio(Buffer.concat([Buffer.from('xy'), archive, archive]), 2);
    expect([members.length, end]).toEqual([6, 2 + archive.length]);
  });

  it.each([
    ['the format with checksums', member('a\0', { magic: '070702' }), 'a'],
    ['a name padded with NULs', member('a\0\0\0\0\0\0'), 'a'],
    ['capital digits', member('a\0', { size: '0000000A' }).toString('latin1') + '0123456789\0\0', 'a'],
    ['a name as it is', member('./config.ign\0'), './config.ign'],
    ['a byte order mark in a name', member('\ufeffa\0'), '\ufeffa'],
    ['a name of 64 KiB', member(`${'a'.repeat(0xffff)}\0`), 'a'.repeat(0xffff)],
    ['a name of NULs alone', member('\0\0'), ''],
  ])('accepts %s', async (_name, bytes, path) => {
    const { members } = await readCpio(Buffer.concat([Buffer.from(bytes), trailer]));
    expect(members.map((entry) => entry.path)).toEqual([path]);
  });

  const long = Buffer.concat([member('a\0'), member('b\0', { size: '7fffffff' }), trailer]);
  it.each([
    ['zeros', Buffer.alloc(110), 0, 'Invalid magic number'],
    ['the old ASCII format', member('a\0', { magic: '070707' }), 0, 'Invalid magic number'],
    ['an archive without trailer', member('a\0'), 112, 'the archive is truncated'],
    ['data that is longer than the archive', long, 112, 'the archive is truncated'],
    ['a name without NUL', member('ab'), 0, 'the name does not end with NUL'],
    ['no name', member(''), 0, 'the name does not end with NUL'],
    ['a name longer than the archive', member('a\0', { nameSize: 0xffff }), 0, 'the archive is truncated'],
    [
      'a name in Latin-1',
      Buffer.concat([
        member('x\xe9'.slice(0, 1), { nameSize: 4 }).subarray(0, 110),
        Buffer.from('e9e90000', 'hex'),
        Buffer.alloc(2),
      ]),
      0,
      'the name is not UTF-8',
    ],
    ['a name of more than 64 KiB', member(`${'a'.repeat(0x1_0000)}\0`), 0, 'the name is too long'],
    ['a field that is no number', member('a\0', { size: '+0000001' }), 0, 'a header field is not a number'],
  ])('refuses %s', async (_name, bytes, offset, problem) => {
    const message = `reading CPIO entry at byte ${offset}: ${problem}`;
    await expect(readCpio(bytes)).rejects.toThrow(expect.objectContaining({ message, offset }));
  });

  it('asks about members that are whole, and not about the trailer', async () => {
    const asked: CpioHeader[] = [];
    const bytes = Buffer.concat([member('a\0'), member('b\0', { size: '00000004' }), Buffer.from('data')]);
    const reader = new ByteReader('cpio', sourceOfBytes(Buffer.concat([bytes, trailer])));
    const data: unknown[] = [];
    for await (const entry of walkCpio(reader, (header) => asked.push(header) > 1)) {
      data.push(entry.data && Buffer.from(entry.data).toString());
    }
    expect(asked).toEqual([
      { path: 'a', mode: 0o100644, size: 0 },
      { path: 'b', mode: 0o100644, size: 4 },
    ]);
    expect(data).toEqual([undefined, 'data']);
  });

  it('asks about no member whose name is wrong', async () => {
    const reader = new ByteReader('cpio', sourceOfBytes(Buffer.concat([member('ab'), trailer])));
    const wants = vi.fn<() => boolean>();
    await expect(walkCpio(reader, wants).next()).rejects.toThrow('the name does not end with NUL');
    expect(wants).not.toHaveBeenCalled();
  });

  const large = new Map([
    ['large', Buffer.from(Array.from({ length: 2_500_001 }, (_, index) => index % 251))],
    ['small', Buffer.from('x')],
  ]);
  it.each([1000, 65_536, 1 << 21])('reads members in pieces of %i bytes', async (size) => {
    const read = await inPieces(Buffer.from(writeCpio(large)), size);
    expect(read.map(([path]) => path)).toEqual([...large.keys()]);
    for (const [path, data] of read) expect(data).toEqual(large.get(path) ?? Buffer.of());
  });

  it('refuses truncated archives that come in pieces', async () => {
    const whole = archive.subarray(0, archive.indexOf('070701', 300));
    for (const length of [50, 110, 112, 115, whole.length - 1]) {
      await expect(inPieces(whole.subarray(0, length), 7)).rejects.toThrow('the archive is truncated');
    }
  });

  it('refuses truncated archives', async () => {
    await expect(refusesTruncation(archive, (bytes) => readCpio(bytes))).resolves.toBeUndefined();
  });
  it('survives flipped bits', async () => {
    await expect(survivesBitFlips(archive, (bytes) => readCpio(bytes))).resolves.toBeUndefined();
  });
});

/** Path and data of its members. */
async function inPieces(bytes: Uint8Array, size: number): Promise<[string, Uint8Array][]> {
  let offset = 0;
  const next = async (): Promise<Uint8Array | undefined> =>
    offset < bytes.length ? bytes.subarray(offset, (offset += size)) : undefined;
  const reader = new ByteReader('cpio', { next });
  const members: [string, Uint8Array][] = [];
  for await (const { path, data } of walkCpio(reader, () => true)) {
    members.push([path, Uint8Array.from(data ?? [])]);
  }
  return members;
}

describe.skipIf(!have('cpio'))(`walkCpio of what cpio writes${oracleNote('cpio')}`, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cpio test '));
    mkdirSync(join(folder, 'd'));
    writeFileSync(join(folder, 'd/f'), 'content');
    symlinkSync('f', join(folder, 'd/link'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['newc', 'crc'])('%s', async (format) => {
    const written = spawnSync('cpio', ['-o', '--quiet', '-H', format], {
      cwd: folder,
      input: 'd\nd/f\nd/link\n',
    });
    const { members, end } = await readCpio(written.stdout);
    expect(members.map(({ path, data }) => [path, Buffer.from(data).toString()])).toEqual([
      ['d', ''],
      ['d/f', 'content'],
      ['d/link', 'f'],
    ]);
    expect(members.filter(isRegularFile).map(({ path }) => path)).toEqual(['d/f']);
    expect(written.stdout.subarray(end).every((byte) => byte === 0)).toBe(true);
  });
});
