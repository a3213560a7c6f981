/** What is taken for the root filesystem of a live system. */

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { checkLiveRootfs } from '../../src/image/ramdiskSystem.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { cpio, liveRootfs } from '../support/newIso.ts';

describe('checkLiveRootfs', () => {
  it.each([
    ['with squashfs', liveRootfs],
    ['with erofs', cpio({ 'root.erofs': 'filesystem' })],
  ])('takes one %s', async (_title, bytes) => {
    await expect(checkLiveRootfs(bytesAccess(bytes), 'rootfs.img')).resolves.toBeUndefined();
  });

  it.each([
    ['the filesystem alone', Buffer.from('hsqs'.repeat(100))],
    ['another archive', cpio({ 'config.ign': '{}' })],
    ['a longer name', cpio({ 'root.squashfs2': 'hsqs' })],
    ['a compressed archive, which could not be mounted', gzipSync(liveRootfs)],
    ['a few bytes', Buffer.from('070701')],
  ])('refuses %s', async (_title, bytes) => {
    const check = checkLiveRootfs(bytesAccess(bytes), 'rootfs.img');
    await expect(check).rejects.toThrow(CliError);
    await expect(check).rejects.toThrow('rootfs.img is no root filesystem');
  });
});
