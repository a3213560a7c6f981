/** The streaming reader of tar archives against what tar-stream and bsdtar write, in pieces of any size. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.ts';
import { inputOf } from '../../src/formats/byteSource.ts';
import { readTarMembers } from '../../src/formats/tar.ts';
import { have, missingNote } from '../support/programs.ts';

function sourceIn(bytes: Uint8Array, pieceSize: number) {
  let offset = 0;
  return {
    next: async () => {
      const piece = bytes.subarray(offset, (offset += pieceSize));
      return piece.length === 0 ? undefined : piece;
    },
  };
}

async function list(bytes: Uint8Array, pieceSize = 1000): Promise<Record<string, string>> {
  const members: Record<string, string> = {};
  for await (const member of readTarMembers(inputOf('tar', sourceIn(bytes, pieceSize)))) {
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
    for await (const { path } of readTarMembers(inputOf('tar', sourceIn(archive, 700)))) paths.push(path);
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

  it.each([
    ['no archive', Buffer.from('hello, world'), 'cut off'],
    ['text of a whole block', Buffer.alloc(1024, 'x'), 'a checksum does not match'],
  ])('refuses %s', async (_title, bytes, message) => expect(list(bytes)).rejects.toThrow(message));

  it.skipIf(!have('bsdtar')).each(['ustar', 'pax', 'gnutar'])(
    `reads what bsdtar writes: %s${missingNote('bsdtar')}`,
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
