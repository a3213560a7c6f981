import { createWriteStream } from 'node:fs';
import { mkdtemp, open, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { openImage } from '../../src/imagefile/imageFile.ts';
import type { NewFile } from '../../src/io/files/newFile.ts';
import { copyWithChange, streamImage, writeBytes } from '../../src/imagefile/copyImage.ts';
import { changeInPlace } from '../../src/imagefile/writableImage.ts';
import { changedImage, type ImageChange } from '../../src/image/imageChange.ts';
import { bytesAccess, CHUNK, type Patch, slice } from '../../src/image/overlay.ts';
import { createIo } from '../support/createIo.ts';

const original = Buffer.alloc(3 * 1024 * 1024 + 17, 'abcdefg');
const patches: Patch[] = [
  { offset: 5, data: Buffer.from('PATCHED') },
  { offset: 1024 * 1024 - 2, data: bytesAccess(Buffer.from('LATE')) },
];
const patched = Buffer.from(original);
patched.write('PATCHED', 5);
patched.write('LATE', 1024 * 1024 - 2);

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'io patches ')));
  await writeFile(join(cwd, 'image'), original);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const imageBytes = async (): Promise<Buffer> => readFile(join(cwd, 'image'));

/** A patch that fails after half of its bytes. */
const failing: Patch = {
  offset: 100,
  data: {
    size: 4 * 1024 * 1024,
    read: async (offset, length) => {
      if (offset > 1024 * 1024) throw new CliError('the source broke off', { code: 'ERR_SETTING' });
      return Buffer.alloc(length, 'X');
    },
  },
};

describe('changeInPlace', () => {
  it('changes what the patches cover', async () => {
    await changeInPlace('image', { patches }, { cwd });
    expect(await imageBytes()).toEqual(patched);
  });

  it('makes a file longer', async () => {
    await changeInPlace(
      'image',
      { patches: [{ offset: original.length + 3, data: Buffer.from('end') }] },
      {
        cwd,
      },
    );
    expect((await imageBytes()).subarray(original.length).toString()).toBe('\0\0\0end');
  });

  it('takes back what it wrote when something fails', async () => {
    const run = changeInPlace('image', { patches: [...patches.slice(0, 1), failing] }, { cwd });
    await expect(run).rejects.toThrow('the source broke off');
    expect(await imageBytes()).toEqual(original);
  });

  it('makes a file shorter, and long again where it cannot', async () => {
    await changeInPlace('image', { patches, size: 2_000_000 }, { cwd });
    expect(await imageBytes()).toEqual(patched.subarray(0, 2_000_000));
    const run = changeInPlace(
      'image',
      { patches: [{ offset: 2_500_000, data: Buffer.from('end') }, failing] },
      { cwd },
    );
    await expect(run).rejects.toThrow('the source broke off');
    expect(await imageBytes()).toEqual(patched.subarray(0, 2_000_000));
  });

  it.each([
    ['nowhere', 'ISO image not found: nowhere'],
    ['.', '. is a directory'],
  ])('%s: %s', async (path, message) => {
    await expect(changeInPlace(path, { patches }, { cwd })).rejects.toThrow(message);
  });
});

const output = (): NewFile => ({ path: join(cwd, 'copy'), shownPath: 'copy', existing: 'refuse' });

async function copy(list: readonly Patch[], file: NewFile): Promise<void> {
  const image = await openImage('image', { cwd });
  try {
    await copyWithChange({ image, change: { patches: list } }, file);
  } finally {
    await image.close();
  }
}

describe('copyWithChange', () => {
  it('writes a patched copy, with the mode of the umask, and leaves the original alone', async () => {
    const handle = await open(join(cwd, 'image'));
    await handle.chmod(0o400);
    await handle.close();
    await copy(patches, output());
    expect(await readFile(join(cwd, 'copy'))).toEqual(patched);
    expect(await imageBytes()).toEqual(original);
    expect((await stat(join(cwd, 'copy'))).mode & 0o777).toBe(0o666 & ~process.umask());
    expect((await readdir(cwd)).toSorted()).toEqual(['copy', 'image']);
  });

  it('gives the copy the mode that is asked for', async () => {
    await copy([], { ...output(), mode: 0o600 });
    expect((await stat(join(cwd, 'copy'))).mode & 0o777).toBe(0o600);
  });

  it('makes a copy that is longer', async () => {
    await copy([{ offset: original.length, data: Buffer.from('end') }], output());
    expect((await readFile(join(cwd, 'copy'))).subarray(original.length).toString()).toBe('end');
  });

  it.each(['copied by the system', 'read, as one without a path'])(
    'writes any change of an image that is %s',
    async (how) => {
      const patch = fc.record({
        offset: fc.integer({ min: 0, max: original.length }),
        data: fc.uint8Array({ minLength: 1, maxLength: 5000 }),
      });
      const cut = fc.option(fc.integer({ min: 1, max: 4 * CHUNK }), { nil: undefined });
      const { path, ...pathless } = await openImage('image', { cwd });
      const image = how === 'copied by the system' && path !== undefined ? { ...pathless, path } : pathless;
      try {
        await fc.assert(
          fc.asyncProperty(patch, cut, async ({ offset, data }, most) => {
            const end = Math.max(original.length, offset + data.length);
            const change = {
              patches: [{ offset, data }],
              ...(most !== undefined && { size: Math.min(most, end) }),
            };
            await copyWithChange({ image, change }, { ...output(), existing: 'replace' });
            const whole = changedImage(bytesAccess(original), change);
            const copied = await readFile(join(cwd, 'copy'));
            expect(copied).toEqual(await whole.read(0, whole.size));
          }),
          { numRuns: 20 },
        );
      } finally {
        await image.close();
      }
    },
  );

  it('writes nothing of an image that another program changes', async () => {
    const image = await openImage('image', { cwd });
    await writeFile(join(cwd, 'image'), 'another image');
    await expect(copyWithChange({ image, change: { patches: [] } }, output())).rejects.toThrow(
      'image was changed by another program while it was in use',
    );
    await image.close();
    expect(await readdir(cwd)).toEqual(['image']);
  });

  it('reports the size of the copy from time to time', async () => {
    const slow = {
      ...bytesAccess(original),
      readInto: async () => new Promise<void>((done) => void setTimeout(done, 300)),
    };
    const image = { ...(await openImage('image', { cwd })), ...slow };
    const sizes: number[] = [];
    const { path: _path, ...pathless } = image;
    await copyWithChange(
      { image: pathless, change: { patches: [] } },
      output(),
      (size) => void sizes.push(size),
    );
    await image.close();
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.at(-1)).toBeLessThanOrEqual(original.length);
  });

  it('leaves nothing when something fails', async () => {
    await expect(copy([failing], output())).rejects.toThrow('the source broke off');
    expect(await readdir(cwd)).toEqual(['image']);
  });

  it('does not replace a file that appears meanwhile', async () => {
    const late: Patch = {
      offset: 0,
      data: {
        size: 1,
        read: async () => {
          await writeFile(join(cwd, 'copy'), 'theirs');
          return Buffer.from('X');
        },
      },
    };
    await expect(copy([late], output())).rejects.toThrow('File exists: copy');
    expect(await readFile(join(cwd, 'copy'), 'utf8')).toBe('theirs');
    expect((await readdir(cwd)).toSorted()).toEqual(['copy', 'image']);
  });
});

describe('writeBytes', () => {
  it('writes a part', async () => {
    await writeBytes(slice(bytesAccess(original), { offset: 2, length: 5 }), output());
    expect(await readFile(join(cwd, 'copy'), 'utf8')).toBe('cdefg');
  });

  it('leaves no file where the image cannot be read', async () => {
    const broken = { size: 10, read: () => Promise.reject(new Error('broken')) };
    await expect(writeBytes(broken, output())).rejects.toThrow('broken');
    expect(await readdir(cwd)).toEqual(['image']);
  });
});

interface BytesPatch extends Patch {
  readonly data: Uint8Array;
}

/** The image after a change. */
function bytesAfter(list: readonly BytesPatch[], size?: number): Buffer {
  const end = Math.max(original.length, ...list.map(({ offset, data }) => offset + data.length));
  const bytes = Buffer.concat([original, Buffer.alloc(end - original.length)]);
  for (const { offset, data } of list) bytes.set(data, offset);
  return bytes.subarray(0, size);
}

describe('streamImage', () => {
  const end = original.length;

  it.each<[title: string, patches: BytesPatch[], size?: number]>([
    ['as it is', []],
    ['changed at its start', [{ offset: 0, data: Buffer.from('START') }]],
    ['changed at its end', [{ offset: end - 3, data: Buffer.from('END') }]],
    [
      'changed in several places, in order',
      [
        { offset: 2 * CHUNK + 1, data: Buffer.from('LATER') },
        { offset: 70_001, data: Buffer.from('FIRST') },
        { offset: 70_006, data: Buffer.from('NEXT') },
      ],
    ],
    ['changed in more than a chunk', [{ offset: 9, data: Buffer.alloc(CHUNK + 5, 'X') }]],
    ['changed as a whole', [{ offset: 0, data: Buffer.alloc(end, 'X') }]],
    ['longer', [{ offset: end, data: Buffer.from('MORE') }]],
    ['longer, with zeros in the gap', [{ offset: end + 3, data: Buffer.from('MORE') }]],
    ['shorter', [{ offset: 5, data: Buffer.from('START') }], 2 * CHUNK + 3],
    ['shorter, to the end of a change', [{ offset: CHUNK, data: Buffer.from('START') }], CHUNK + 5],
  ])('writes the image %s', async (_title, list, size) => {
    const change: ImageChange = { patches: list, ...(size !== undefined && { size }) };
    const target = await open(join(cwd, 'streamed'), 'w');
    const image = await openImage('image', { cwd });
    const stdout = createWriteStream('', { fd: target.fd, autoClose: false });
    try {
      await streamImage(image, change, createIo({ stdout }));
    } finally {
      await Promise.all([image.close(), target.close()]);
    }
    expect(await readFile(join(cwd, 'streamed'))).toEqual(bytesAfter(list, size));
  });

  it('fails where the file of the system cannot be written', async () => {
    const target = await open(join(cwd, 'image'), 'r');
    const image = await openImage('image', { cwd });
    const stdout = createWriteStream('', { fd: target.fd, autoClose: false });
    await expect(streamImage(image, { patches: [] }, createIo({ stdout }))).rejects.toThrow(
      'cannot write to standard output: Bad file descriptor',
    );
    await Promise.all([image.close(), target.close()]);
  });
});
