/** Renames that Windows refuses for a while. */

import { describe, expect, it } from 'vitest';
import { renameFile, renameFileNow } from '../../../src/io/files/tempFile.ts';

function failing(code: string, times: number): { rename: () => void; count: () => number } {
  let count = 0;
  return {
    count: () => count,
    rename: () => {
      count += 1;
      if (count <= times) throw Object.assign(new Error(code), { code });
    },
  };
}

describe.each([
  [
    'renameFile',
    (platform: NodeJS.Platform, rename: () => void) =>
      renameFile('a', 'b', { platform, rename: async () => rename() }),
  ],
  [
    'renameFileNow',
    async (platform: NodeJS.Platform, rename: () => void) => renameFileNow('a', 'b', { platform, rename }),
  ],
] as const)('%s', (_name, attempt) => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('tries again on Windows after %s', async (code) => {
    const { rename, count } = failing(code, 3);
    await attempt('win32', rename);
    expect(count()).toBe(4);
  });

  it.each([
    ['win32', 'ENOENT'],
    ['win32', 'EXDEV'],
    ['linux', 'EPERM'],
    ['linux', 'EBUSY'],
    ['darwin', 'EACCES'],
  ] as const)('fails at once on %s with %s', async (platform, code) => {
    const { rename, count } = failing(code, 1);
    await expect(attempt(platform, rename)).rejects.toMatchObject({ code });
    expect(count()).toBe(1);
  });

  it('fails in the end where it stays so', async () => {
    const { rename, count } = failing('EPERM', Infinity);
    await expect(attempt('win32', rename)).rejects.toMatchObject({ code: 'EPERM' });
    expect(count()).toBeGreaterThan(5);
  });
});
