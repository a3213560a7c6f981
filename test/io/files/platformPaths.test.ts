/** What is different on other systems, on all of them. */

import { describe, expect, it } from 'vitest';
import {
  homeFolder,
  isOwnName,
  programNameOf,
  programPaths,
  splitPath,
} from '../../../src/io/files/platform.ts';

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

describe('programNameOf', () => {
  it.each([
    ['linux', '/usr/lib/node_modules/ironic-coreos/bin/ironic-coreos.js', 'ironic-coreos'],
    ['linux', '/usr/local/bin/coreos-installer', 'coreos-installer'],
    ['linux', 'odd.exe', 'odd.exe'],
    ['darwin', '/opt/homebrew/bin/ironic-coreos', 'ironic-coreos'],
    ['win32', 'C:\\Tools\\coreos-installer.exe', 'coreos-installer'],
    ['win32', 'C:/Tools/IRONIC-COREOS.EXE', 'IRONIC-COREOS'],
    ['win32', 'C:\\npm\\node_modules\\ironic-coreos\\bin\\ironic-coreos.js', 'ironic-coreos'],
  ] as const)('%s: %s', (platform, path, name) => {
    expect(programNameOf(path, platform)).toBe(name);
  });
});

describe('programPaths', () => {
  it.each([
    ['linux', { PATH: '/usr/local/bin:/usr/bin:bin::.' }, ['/usr/local/bin/qemu', '/usr/bin/qemu']],
    ['linux', { PATH: '', Path: '/usr/bin' }, []],
    ['darwin', {}, []],
    ['win32', { Path: 'C:\\Windows;D:\\a b;bin' }, ['C:\\Windows\\qemu.exe', 'D:\\a b\\qemu.exe']],
    ['win32', { PATH: 'C:\\qemu' }, ['C:\\qemu\\qemu.exe']],
  ] as const)('%s: %j', (platform, env, paths) => {
    expect(programPaths('qemu', env, platform)).toEqual(paths);
  });
});

describe('homeFolder', () => {
  it.each([
    ['linux', { HOME: '/home/a', USERPROFILE: 'x' }, '/home/a'],
    ['linux', { USERPROFILE: 'x' }, undefined],
    ['linux', { HOME: '' }, undefined],
    ['win32', { USERPROFILE: 'C:\\Users\\a' }, 'C:\\Users\\a'],
    ['win32', { HOME: 'D:\\a', USERPROFILE: 'C:\\Users\\a' }, 'D:\\a'],
    ['win32', {}, undefined],
  ] as const)('%s: %j', (platform, env, folder) => {
    expect(homeFolder(env, platform)).toBe(folder);
  });
});
