/** Permissions and links on platforms that do not have them. */

import { describe, expect, it } from 'vitest';
import { allowsMore, canAllRead, cannotLink, hasPermissions } from '../../../src/io/files/platform.ts';

describe('permission bits', () => {
  it.each([
    ['linux', 0o100_644, 0o600, { more: true, all: true }],
    ['linux', 0o100_640, 0o640, { more: false, all: false }],
    ['linux', 0o100_600, 0o644, { more: false, all: false }],
    ['darwin', 0o100_604, 0o600, { more: true, all: true }],
    ['win32', 0o100_666, 0o600, { more: false, all: false }],
  ] as const)('%s: %o where %o is wanted', (platform, mode, wanted, { more, all }) => {
    expect(allowsMore({ mode }, wanted, platform)).toBe(more);
    expect(canAllRead({ mode }, platform)).toBe(all);
  });

  it('are on all systems but Windows', () => {
    expect(
      (['linux', 'darwin', 'freebsd', 'win32'] as const).map((platform) => hasPermissions(platform)),
    ).toEqual([true, true, true, false]);
  });
});

describe('cannotLink', () => {
  it.each([
    ['linux', 'EPERM', true],
    ['darwin', 'ENOTSUP', true],
    ['win32', 'EISDIR', true],
    ['linux', 'EISDIR', false],
    ['win32', 'ENOENT', false],
    ['linux', 'EEXIST', false],
    ['linux', undefined, false],
  ] as const)('%s: %s is %s', (platform, code, is) => expect(cannotLink(code, platform)).toBe(is));
});
