/** Renames that Windows refuses for a while. */

import { describe, expect, it } from 'vitest';
import { renameFile } from '../../../src/io/files/tempFile.ts';

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

describe('renameFile', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('tries again on Windows after %s', (code) => {
    const { rename, count } = failing(code, 3);
    renameFile('a', 'b', { platform: 'win32', rename });
    expect(count()).toBe(4);
  });

  it.each([
    ['win32', 'ENOENT'],
    ['win32', 'EXDEV'],
    ['linux', 'EPERM'],
    ['linux', 'EBUSY'],
    ['darwin', 'EACCES'],
  ] as const)('fails at once on %s with %s', (platform, code) => {
    const { rename, count } = failing(code, 1);
    expect(() => renameFile('a', 'b', { platform, rename })).toThrow(code);
    expect(count()).toBe(1);
  });

  it('fails in the end where it stays so', () => {
    const { rename, count } = failing('EPERM', Infinity);
    expect(() => renameFile('a', 'b', { platform: 'win32', rename })).toThrow('EPERM');
    expect(count()).toBeGreaterThan(5);
  });
});
