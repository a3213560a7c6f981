import fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.ts';
import { readArchiveFiles } from '../../src/formats/tar.ts';

async function tarOf(fill: (archive: ReturnType<typeof pack>) => void): Promise<Uint8Array> {
  const archive = pack();
  fill(archive);
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks);
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
    await expect(readArchiveFiles(bytes)).rejects.toThrow(`odd is a ${type}`);
  });

  it.each([
    ['text', Buffer.from('no archive '.repeat(200))],
    ['nothing', new Uint8Array()],
    ['zeros', new Uint8Array(10_240)],
  ])('refuses %s', async (_title, bytes) => {
    await expect(readArchiveFiles(bytes)).rejects.toBeInstanceOf(FormatError);
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
