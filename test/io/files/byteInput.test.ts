import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ByteSource } from '../../../src/formats/byteReader.ts';
import { copyingSource, openInput } from '../../../src/io/files/byteInput.ts';
import { have, oracleNote } from '../../support/programs.ts';

const content = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * 31) >> 3));
const io = { stdin: Readable.from([content.subarray(0, 5), content.subarray(5)]), cwd: '' };

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'byte input '));
  await writeFile(join(cwd, 'file'), content);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

async function readAll(source: ByteSource): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let piece = await source.next(); piece !== undefined; piece = await source.next()) {
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

describe('openInput', () => {
  it('reads a file as often as it is asked to, and leaves out what is skipped', async () => {
    const input = await openInput({ path: 'file', what: 'Initramfs' }, { ...io, cwd });
    expect(input.isFile).toBe(true);
    for (let time = 0; time < 2; time++) expect(await readAll(input.bytes())).toEqual(content);
    const source = input.bytes();
    expect([source.skip?.(600_000), source.skip?.(0)]).toEqual([600_000, 0]);
    expect(await readAll(source)).toEqual(content.subarray(600_000));
    expect(source.skip?.(1)).toBe(0);
    await input.close();
  });

  it.skipIf(!have('mkfifo'))(`reads a named pipe${oracleNote('mkfifo')}`, async () => {
    spawnSync('mkfifo', [join(cwd, 'pipe')]);
    const [input] = await Promise.all([
      openInput({ path: 'pipe', what: 'Initramfs' }, { ...io, cwd }).then(async (opened) => {
        const read = await readAll(opened.bytes());
        await opened.close();
        return { isFile: opened.isFile, read };
      }),
      writeFile(join(cwd, 'pipe'), content),
    ]);
    expect([input.isFile, input.read.equals(content)]).toEqual([false, true]);
  });

  it('reads standard input', async () => {
    const input = await openInput({ path: undefined, what: 'Initramfs' }, io);
    expect([input.isFile, (await readAll(input.bytes())).equals(content)]).toEqual([false, true]);
    await input.close();
  });

  it.each([
    ['', 'Initramfs: the path is empty'],
    ['nowhere', 'Initramfs not found: nowhere'],
    ['.', '. is a directory'],
  ])('refuses %j', async (path, message) => {
    await expect(openInput({ path, what: 'Initramfs' }, { ...io, cwd })).rejects.toThrow(message);
  });
});

function threeBytes(): ByteSource {
  let calls = 0;
  return { next: async () => (calls < 3 ? Uint8Array.of(calls++) : undefined) };
}
const full = async (): Promise<void> => Promise.reject(new Error('full'));

describe('copyingSource', () => {
  it('has written everything when it ends', async () => {
    const written: number[] = [];
    const write = async (piece: Uint8Array): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      written.push(...piece);
    };
    expect([...(await readAll(copyingSource(threeBytes(), write)))]).toEqual([0, 1, 2]);
    expect(written).toEqual([0, 1, 2]);
  });

  it('passes on what is wrong with writing', async () => {
    await expect(readAll(copyingSource(threeBytes(), full))).rejects.toThrow('full');
  });
});
