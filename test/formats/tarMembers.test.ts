/** The streaming reader of tar archives against what tar-stream and bsdtar write, in pieces of any size. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { ByteReader } from '../../src/formats/byteReader.ts';
import { readTarMembers } from '../../src/formats/tar.ts';
import { have, oracleNote } from '../support/programs.ts';

function sourceIn(bytes: Uint8Array, pieceSize: number) {
  let offset = 0;
  return {
    next: async () => {
      const piece = bytes.subarray(offset, (offset += pieceSize));
      return piece.length === 0 ? undefined : piece;
    },
  };
}

interface Header {
  readonly name?: string;
  readonly kind?: string;
  readonly link?: string;
  /** As it is in the field. */
  readonly size?: string;
}

/** A header and its data, made by hand. */
function memberOf({ name = 'a', kind = '0', link = '', size }: Header, data = ''): Buffer {
  const bytes = Buffer.from(data);
  const header = Buffer.alloc(512);
  header.write(name);
  header.write(size ?? bytes.length.toString(8).padStart(11, '0'), 124, 'latin1');
  header.write(kind, 156);
  header.write(link, 157);
  header.write('ustar\x0000', 257);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc(-bytes.length & 511)]);
}

/** GNU has times where the newer format has a prefix, and tells so by what is behind `ustar`. */
function gnuMember(name: string, data: string): Buffer {
  const member = memberOf({ name }, data);
  member.write('ustar  \0', 257);
  member.write('14567012345', 345);
  member.fill(' ', 148, 156);
  const sum = member.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  member.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return member;
}

/** One pax record, which counts its own length. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = rest.length + 2;
  return `${length < 100 ? length : length + 1}${rest}`;
}

async function list(bytes: Uint8Array, pieceSize = 1000): Promise<Record<string, string>> {
  const members: Record<string, string> = {};
  for await (const member of readTarMembers(new ByteReader('tar', sourceIn(bytes, pieceSize)))) {
    if (member.type === 'link') members[member.path] = `-> ${member.target}`;
    else {
      let text = '';
      for await (const piece of member.content) text += Buffer.from(piece).toString('latin1');
      members[member.path] = text;
    }
  }
  return members;
}

async function tarOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) archive.entry({ name }, text);
  archive.entry({ name: 'folder/', type: 'directory' });
  archive.entry({ name: 'soft', type: 'symlink', linkname: '../x' });
  archive.entry({ name: 'hard', type: 'link', linkname: 'x' });
  archive.finalize();
  return buffer(archive);
}

describe('readTarMembers', () => {
  it('reads files and links, in pieces of any size', async () => {
    const names = fc.string({ unit: fc.constantFrom('a', 'ü', '-', '.'), minLength: 1, maxLength: 150 });
    const files = fc.dictionary(
      names.map((name) => `f/${name}x`),
      fc.string({ maxLength: 2000, unit: fc.constantFrom('a', 'b') }),
      { maxKeys: 5 },
    );
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 3000 }), async (given, pieceSize) => {
        const expected = { ...given, soft: '-> ../x', hard: '-> x' };
        expect(await list(await tarOf(given), pieceSize)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('passes over content that nobody reads', async () => {
    const archive = await tarOf({ a: 'x'.repeat(5000), b: 'y' });
    const paths: string[] = [];
    for await (const { path } of readTarMembers(new ByteReader('tar', sourceIn(archive, 700))))
      paths.push(path);
    expect(paths).toEqual(['a', 'b', 'soft', 'hard']);
  });

  // oxlint-disable-next-line vitest/expect-expect -- it is in the property
  it('ends in a FormatError or in members for damaged archives', async () => {
    const archive = await tarOf({ a: 'x'.repeat(700), b: 'y' });
    const damage = fc.tuple(fc.nat(archive.length - 1), fc.nat(255), fc.nat(archive.length));
    await fc.assert(
      fc.asyncProperty(damage, async ([at, value, length]) => {
        const bytes = Buffer.from(archive);
        bytes[at] = value;
        const outcome = await list(bytes.subarray(0, length)).catch((error: unknown) => error);
        expect(outcome instanceof FormatError || !(outcome instanceof Error)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, Buffer[], Record<string, string>]>([
    [
      'records for all members, and for one',
      [
        memberOf({ kind: 'g' }, record('path', 'all') + record('mtime', '1234567')),
        memberOf({ kind: 'x' }, record('path', 'one')),
        memberOf({}, 'x'),
        memberOf({}, 'y'),
      ],
      { one: 'x', all: 'y' },
    ],
    [
      'a size beside that of the header',
      [memberOf({ kind: 'x' }, record('size', '4')), memberOf({ size: '0' }), Buffer.alloc(512, 'text')],
      { a: 'text' },
    ],
    [
      'a target in a record',
      [memberOf({ kind: 'x' }, record('linkpath', 'b')), memberOf({ kind: '2', link: 'c' })],
      { a: '-> b' },
    ],
    [
      'a long target of GNU',
      [
        memberOf({ kind: 'K' }, `${'b'.repeat(150)}\0`),
        memberOf({ kind: '1', link: 'b' }),
        memberOf({ name: 'c' }),
      ],
      { a: `-> ${'b'.repeat(150)}`, c: '' },
    ],
    [
      'a long name of 1 MiB, the rest of which are NULs',
      [memberOf({ kind: 'L' }, 'b'.padEnd(2 ** 20, '\0')), memberOf({}, 'x')],
      { b: 'x' },
    ],
    ['a label with data', [memberOf({ kind: 'V' }, 'x'.repeat(600)), memberOf({}, 'y')], { a: 'y' }],
    ['a file of the kind for contiguous ones', [memberOf({ kind: '7' }, 'x')], { a: 'x' }],
    ['a file of the oldest kind', [memberOf({ kind: '\0' }, 'x')], { a: 'x' }],
    ['a folder of the oldest kind', [memberOf({ name: 'f/', kind: '\0' }), memberOf({}, 'x')], { a: 'x' }],
    ['bytes behind the end', [memberOf({}, 'x'), Buffer.alloc(1024), Buffer.from('rest')], { a: 'x' }],
    ['no prefix where the format has other things there', [gnuMember('a', 'x')], { a: 'x' }],
    ['a size with blanks', [memberOf({ size: '  1 ' }), Buffer.alloc(512, 'x')], { a: 'x' }],
  ])('reads %s', async (_title, parts, expected) => {
    expect(await list(Buffer.concat(parts))).toEqual(expected);
  });

  it.each<[string, Buffer[], string]>([
    [
      'an extended header of more than 1 MiB',
      [memberOf({ kind: 'x', size: '4000001' })],
      'an extended header is too large at byte 0',
    ],
    ['a NUL in a path', [memberOf({ kind: 'x' }, record('path', 'a\0b'))], 'a path contains a NUL at byte 0'],
    [
      'a size below zero',
      [memberOf({ kind: 'x' }, record('size', '-4'))],
      'a size is not a number at byte 0',
    ],
    [
      'a size beyond all numbers',
      [memberOf({ kind: 'x' }, record('size', '9007199254740992'))],
      'a size is not a number',
    ],
    [
      'a size of the header with a letter',
      [memberOf({ size: '0000000000x' })],
      'a size is not a number at byte 0',
    ],
    [
      'a size of GNU beyond all numbers',
      [memberOf({ size: '\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff' })],
      'a size is not a number at byte 0',
    ],
    ['a size of GNU below zero', [memberOf({ size: '\xff'.repeat(12) })], 'a size is not a number at byte 0'],
    ['a record without length', [memberOf({ kind: 'x' }, 'path=b\n')], 'a pax record is invalid'],
    ['a record of length zero', [memberOf({ kind: 'x' }, '0 path=b\n')], 'a pax record is invalid'],
    ['a record without value', [memberOf({ kind: 'x' }, '8 path=\nx=')], 'a pax record is invalid'],
    ['a record without equals sign', [memberOf({ kind: 'x' }, '8 pathb\n')], 'a pax record is invalid'],
    [
      'a record whose equals sign is in the next',
      [memberOf({ kind: 'x' }, '7 path\n10 path=b\n')],
      'a pax record is invalid',
    ],
    [
      'a size with a point',
      [memberOf({ kind: 'x' }, record('size', '4.0'))],
      'a size is not a number at byte 0',
    ],
    ['a record without end', [memberOf({ kind: 'x' }, '8 path=b')], 'a pax record is invalid'],
    ['padding that is cut off', [memberOf({}, 'x').subarray(0, 600)], 'it is truncated at byte 600'],
    ['a device', [memberOf({ kind: '3' })], 'a is a character-device'],
    ['a device of blocks', [memberOf({ kind: '4' })], 'a is a block-device'],
    ['a sparse file of GNU', [memberOf({ kind: 'S' })], 'a is a sparse file'],
  ])('refuses %s', async (_title, parts, message) => {
    await expect(list(Buffer.concat(parts))).rejects.toThrow(message);
  });

  it('says of each member what it is', async () => {
    const archive = Buffer.concat([
      memberOf({}, 'text'),
      memberOf({ name: 's', kind: '2', link: 't' }),
      memberOf({ name: 'h', kind: '1', link: 't' }),
    ]);
    const members: unknown[] = [];
    for await (const member of readTarMembers(new ByteReader('tar', sourceIn(archive, 512))))
      members.push(member);
    expect(members).toMatchObject([
      { type: 'file', path: 'a', size: 4 },
      { type: 'link', path: 's', target: 't', isSymbolic: true },
      { type: 'link', path: 'h', target: 't', isSymbolic: false },
    ]);
  });

  it('reads on behind the end, so that all has passed', async () => {
    const source = sourceIn(Buffer.concat([memberOf({}, 'x'), Buffer.alloc(100_000)]), 1000);
    for await (const { path } of readTarMembers(new ByteReader('tar', source))) expect(path).toBe('a');
    expect(await source.next()).toBeUndefined();
  });

  it.each([
    ['no archive', Buffer.from('hello, world'), 'truncated'],
    ['text of a whole block', Buffer.alloc(1024, 'x'), 'a checksum does not match'],
  ])('refuses %s', async (_title, bytes, message) => expect(list(bytes)).rejects.toThrow(message));

  it.skipIf(!have('bsdtar')).each(['ustar', 'pax', 'gnutar'])(
    `reads what bsdtar writes: %s${oracleNote('bsdtar')}`,
    async (format) => {
      const folder = mkdtempSync(join(tmpdir(), 'tar stream '));
      writeFileSync(join(folder, 'file'), 'text');
      symlinkSync('file', join(folder, 'link'));
      const long = `${'l'.repeat(90)}.txt`;
      writeFileSync(join(folder, long), 'long');
      const { stdout } = spawnSync('bsdtar', ['-c', '--format', format, '-f', '-', 'file', 'link', long], {
        cwd: folder,
      });
      rmSync(folder, { recursive: true });
      expect(await list(stdout)).toEqual({ file: 'text', link: '-> file', [long]: 'long' });
    },
  );
});
