import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { openIsoTree } from '../../src/image/isoTree.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { findPxeFiles, type PxeFile } from '../../src/image/bootParts.ts';
import { layouts, liveIso, liveIsoWith } from '../support/liveIso.ts';

const find = async (bytes: Uint8Array): Promise<readonly PxeFile[]> => {
  const image = bytesAccess(bytes);
  return findPxeFiles(await openIsoTree(image));
};

it.each(layouts)('finds the files of layout %s', async (layout) => {
  const bytes = liveIso(layout);
  const files = await find(bytes);
  expect(files.map(({ name }) => name)).toEqual(['initrd.img', 'rootfs.img', 'vmlinuz']);
  const [, rootfs = { offset: 0, length: 0 }] = files;
  expect(Buffer.from(bytes).toString('utf8', rootfs.offset, rootfs.offset + rootfs.length)).toMatch(
    /^This is a sample[^]*\n$/,
  );
});

it('finds whatever is in the folder, and not what is in folders of it', async () => {
  const bytes = liveIsoWith((files) => {
    files.set('images/pxeboot/kernel.img', Buffer.from('kernel'));
    files.set('images/pxeboot/more/file.img', Buffer.from('more'));
  });
  expect((await find(bytes)).map(({ name }) => name)).toContain('kernel.img');
  expect((await find(bytes)).map(({ name }) => name)).not.toContain('file.img');
});

/** The record of the kernel with another name of the same length. */
const named = (name: string): Uint8Array => {
  const bytes = Buffer.from(liveIso('2023-07'));
  const at = bytes.indexOf('VMLINUZ.;1');
  bytes.write(name, at, 'latin1');
  return bytes;
};

describe('refuses', () => {
  it.each(['../../X.;1', '/VMLINU.;1', 'A\\..\\B.;1', '\0MLINUZ.;1', '\x1b[2JABC.;1', '\x9bMLINUZ.;1'])(
    'the name %j',
    async (name) => {
      await expect(find(named(name))).rejects.toThrow(/contains path traversal$/);
      await expect(find(named(name))).rejects.toBeInstanceOf(FormatError);
    },
  );

  it('a file that reaches beyond the end', async () => {
    const bytes = Buffer.from(liveIso('2023-07'));
    bytes.writeUInt32LE(0xffff_ffff, bytes.indexOf('VMLINUZ.;1') - 23);
    await expect(find(bytes)).rejects.toThrow(/^ISO image is incomplete: vmlinuz exceeds/);
  });

  it('an image without the folder', async () => {
    const bytes = liveIsoWith((files) => {
      for (const path of files.keys()) if (path.startsWith('images/pxeboot/')) files.delete(path);
    });
    await expect(find(bytes)).rejects.toThrow(/^Unrecognized CoreOS ISO image/);
  });
});
