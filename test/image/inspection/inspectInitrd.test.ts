import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { writeInitrd } from '../../../src/image/initrd.ts';
import type { InitrdInspection } from '../../../src/image/inspection/inspection.ts';
import { inspectInitrd } from '../../../src/image/inspection/inspectImage.ts';
import { totalMemory } from '../../../src/image/inspection/memoryNeed.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { sampleFiles } from '../../support/sampleIso.ts';

const GIB = 1024 ** 3;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const released = sampleFiles('fedora-coreos-99').get('images/pxeboot/initrd.img') ?? new Uint8Array();
const archive = (files: Readonly<Record<string, string>>): Uint8Array =>
  writeInitrd(new Map(Object.entries(files).map(([path, text]) => [path, utf8(text)])));
const inspect = async (...archives: readonly Uint8Array[]): Promise<InitrdInspection> =>
  inspectInitrd(bytesAccess(Buffer.concat(archives)));
const rulesOf = ({ issues }: InitrdInspection): string[] => issues.map(({ rule }) => rule);

const config = archive({ 'config.ign': '{}' });

describe('inspectInitrd', () => {
  it('tells one of CoreOS', async () => {
    const initrd = await inspect(released);
    expect(initrd).toMatchObject({ build: 'fedora-coreos-99', hasRootfs: false, size: released.length });
    expect(initrd.features?.liveInitrdNetwork).toBe(true);
    expect(initrd.files?.size).toBe(0);
    expect(totalMemory(initrd.memory)).toBe(2 * GIB);
    expect(rulesOf(initrd)).toEqual(['image-config-url']);
  });

  it('finds what was appended', async () => {
    const keyfile = archive({ 'etc/coreos-firstboot-network/a.nmconnection': 'x', 'etc/motd': 'x' });
    const initrd = await inspect(released, config, keyfile);
    expect([...(initrd.files?.keys() ?? [])]).toEqual([
      'config.ign',
      'etc/coreos-firstboot-network/a.nmconnection',
    ]);
    expect(totalMemory(initrd.memory)).toBe(2 * GIB + 3);
    expect(rulesOf(initrd)).toEqual(['image-keyfile']);
  });

  it('counts twice the memory where the root filesystem is in it', async () => {
    const initrd = await inspect(released, archive({ 'root.squashfs': 'x' }), config);
    expect(initrd.hasRootfs).toBe(true);
    expect(totalMemory(initrd.memory)).toBe(4 * GIB + 2);
  });

  it.each<[string, Uint8Array, boolean]>([
    ['a config', config, false],
    ['a root filesystem', archive({ 'root.erofs': 'x' }), true],
    ['nothing', archive({}), false],
  ])('takes %s by itself for what it is', async (_title, bytes, hasRootfs) => {
    const initrd = await inspect(bytes);
    expect(initrd).toMatchObject({ hasRootfs, issues: [] });
    expect(initrd.build).toBeUndefined();
  });

  it('goes on behind features that cannot be read', async () => {
    const broken = archive({ 'etc/coreos-live-initramfs': 'a\n', 'etc/coreos/features.json': '[]' });
    expect(await inspect(broken, config)).toMatchObject({
      build: 'a',
      issues: [{ rule: 'image-unreadable' }],
    });
  });

  it('refuses what is cut off', async () => {
    await expect(inspect(config.subarray(0, 60))).rejects.toBeInstanceOf(FormatError);
  });
});
