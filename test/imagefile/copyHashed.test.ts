/** New files with the digest of what is in them. */

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedImage } from '../../src/image/imageChange.ts';
import { bytesAccess, CHUNK, slice } from '../../src/image/overlay.ts';
import { copyHashed, digestBehind, writeHashed } from '../../src/imagefile/copyImage.ts';
import { readImage } from '../../src/imagefile/imageFile.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'hashed file '));
});
afterAll(() => rm(root, { recursive: true }));

const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
const targetOf = (name: string) =>
  ({ path: join(root, name), shownPath: name, existing: 'replace', mode: 0o644 }) as const;

describe('copyHashed', () => {
  it('writes an image with its change, and gives the digest of the file', async () => {
    const original = Buffer.alloc(3 * CHUNK + 100, 'live');
    await writeFile(join(root, 'original'), original);
    const patches = fc.record({
      offset: fc.integer({ min: 0, max: original.length }),
      data: fc.uint8Array({ minLength: 1, maxLength: 5000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        patches,
        fc.option(fc.integer({ min: 1, max: 4 * CHUNK }), { nil: undefined }),
        async (patch, cut) => {
          const size =
            cut === undefined
              ? undefined
              : Math.min(cut, Math.max(original.length, patch.offset + patch.data.length));
          const change = { stages: [[patch]], ...(size !== undefined && { size }) };
          const digest = await readImage('original', { cwd: root }, (image) =>
            copyHashed({ image, change }, targetOf('copy')),
          );
          const whole = changedImage(bytesAccess(original), change);
          const copy = await readFile(join(root, 'copy'));
          expect(copy.equals(await whole.read(0, whole.size))).toBe(true);
          expect(digest).toBe(sha256(copy));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('leaves no file where the image cannot be read', async () => {
    const broken = { size: 10, read: () => Promise.reject(new Error('broken')) };
    await expect(writeHashed(broken, targetOf('broken'))).rejects.toThrow('broken');
    expect((await readdir(root)).filter((name) => name.includes('broken'))).toEqual([]);
  });
});

describe('writeHashed', () => {
  it('writes a part', async () => {
    const bytes = Buffer.from('0123456789');
    const digest = await writeHashed(slice(bytesAccess(bytes), { offset: 2, length: 5 }), targetOf('part'));
    expect([await readFile(join(root, 'part'), 'utf8'), digest]).toEqual([
      '23456',
      sha256(bytes.subarray(2, 7)),
    ]);
  });
});

describe('digestBehind', () => {
  it('goes on from what has been taken in, as often as it is asked for', () => {
    const prefix = createHash('sha256').update('base');
    for (const end of ['one', 'two'])
      expect(digestBehind(prefix, Buffer.from(end))).toBe(sha256(Buffer.from(`base${end}`)));
  });
});
