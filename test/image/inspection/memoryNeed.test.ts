/** The memory of a live system: what is documented, and more where its parts have outgrown that. */

import { describe, expect, it } from 'vitest';
import { liveMemory, totalMemory } from '../../../src/image/inspection/memoryNeed.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

describe('liveMemory', () => {
  it.each([
    ['nothing known', 'network', {}, 2 * GIB],
    ['usual parts', 'network', { rootfs: 800 * MIB, initramfs: 90 * MIB }, 2 * GIB],
    [
      'parts that have outgrown it',
      'network',
      { rootfs: 3 * GIB, initramfs: 100 * MIB },
      4 * GIB + 100 * MIB,
    ],
    ['a root filesystem on the medium', 'medium', { rootfs: 3 * GIB, initramfs: 100 * MIB }, 2 * GIB],
    ['one in the initramfs', 'initramfs', { initramfs: 900 * MIB }, 4 * GIB],
  ] as const)('%s', (_title, source, parts, total) => {
    expect(totalMemory(liveMemory(source, parts))).toBe(total);
  });
});
