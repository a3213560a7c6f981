/** What is different on other systems, on all of them. */

import { describe, expect, it } from 'vitest';
import { isOwnName, splitPath } from '../../src/io/platformPaths.ts';

describe('splitPath', () => {
  it.each([
    ['linux', 'configs/*.ign', '', ['configs', '*.ign']],
    ['linux', '/etc//a/', '/', ['etc', 'a']],
    ['linux', 'a\\*b', '', ['a\\*b']],
    ['linux', 'C:/a', '', ['C:', 'a']],
    ['darwin', '/Users/a', '/', ['Users', 'a']],
    ['win32', 'configs\\*.ign', '', ['configs', '*.ign']],
    ['win32', 'C:\\configs\\**\\*.ign', 'C:\\', ['configs', '**', '*.ign']],
    ['win32', 'C:/configs/a b', 'C:/', ['configs', 'a b']],
    ['win32', '\\\\server\\share\\a', '\\\\server\\share\\', ['a']],
  ] as const)('%s: %s', (platform, path, root, steps) => {
    expect(splitPath(path, platform)).toEqual({ root, steps });
  });
});

describe('isOwnName', () => {
  it.each(['', '.', '..', 'a/b', 'a\0'])('no name anywhere: %j', (name) => {
    expect([isOwnName(name, 'linux'), isOwnName(name, 'win32')]).toEqual([false, false]);
  });

  it.each(['..\\evil', 'd:evil', 'a:stream', 'nul', 'NUL.txt', 'com1', 'a.', 'a ', 'what?', 'a\x01'])(
    'no name on Windows: %j',
    (name) => {
      expect(isOwnName(name, 'linux')).toBe(true);
      expect(isOwnName(name, 'win32')).toBe(false);
    },
  );

  it.each(['ignition.config', 'nulls', 'con-fig', '.hidden', 'a b', 'über'])(
    'a name everywhere: %j',
    (name) => {
      expect(isOwnName(name, 'linux')).toBe(true);
      expect(isOwnName(name, 'win32')).toBe(true);
    },
  );
});
