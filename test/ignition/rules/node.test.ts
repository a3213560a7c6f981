import { describe, expect, it } from 'vitest';
import { devicePathIssue, pathIssue } from '../../../src/ignition/rules/path.ts';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

describe('the hint for a path that is not absolute', () => {
  it.each([
    ['etc/motd', 'write "/etc/motd"'],
    ['\\etc\\motd', 'write "/etc/motd"'],
    ['C:\\etc\\motd', 'write "/etc/motd"'],
    ['etc\\x', 'write "/etc/x"'],
    ['c:x', 'write "/c:x"'],
  ])('%s: %s', (path, hint) => expect(pathIssue(path, [])).toMatchObject({ hint }));

  it('of a device names no device of Windows', () => {
    expect(devicePathIssue('\\dev\\sda', [])).toMatchObject({ hint: 'write "/dev/sda"' });
    expect(devicePathIssue('sda', [])).toMatchObject({ hint: 'write "/dev/sda"' });
  });
});

describe('owners', () => {
  it.each([
    [{}, []],
    [{ id: 0 }, []],
    [{ id: -1, name: '' }, []],
    [{ name: 'core' }, []],
    [{ id: 0, name: 'root' }, ['owner-id-and-name']],
  ])('%j breaks %j', (owner, rules) => {
    expect(brokenRules('NodeUser', owner)).toEqual(rules);
    expect(brokenRules('NodeGroup', owner)).toEqual(rules);
  });
});

describe('modes', () => {
  it.each([
    [0, []],
    [0o777, []],
    [0o1000, ['mode-special-bits at mode']],
    [0o7777, ['mode-special-bits at mode']],
    [0o10000, ['mode-illegal at mode']],
    [-1, ['mode-illegal at mode', 'mode-special-bits at mode']],
    [2n ** 62n, ['mode-illegal at mode']],
    [2n ** 62n + 0o1000n, ['mode-illegal at mode', 'mode-special-bits at mode']],
  ])('%s breaks %j before 3.6.0', (mode, rules) => {
    expect(brokenRules('File', { path: '/a', mode }, '3.5.0')).toEqual(rules);
    expect(brokenRules('Directory', { path: '/a', mode }, '3.0.0')).toEqual(rules);
  });

  it('may have special bits since 3.6.0', () => {
    expect(brokenRules('File', { path: '/a', mode: 0o4755 }, '3.6.0')).toEqual([]);
    expect(brokenRules('Directory', { path: '/a', mode: 0o1777 }, '3.7.0-experimental')).toEqual([]);
  });

  it.each([
    [644, 'use 420: modes are decimal in JSON, and octal 0644 is decimal 420'],
    [755, 'use 493: modes are decimal in JSON, and octal 0755 is decimal 493'],
    [1777, 'use 1023: modes are decimal in JSON, and octal 01777 is decimal 1023'],
    [7777, 'use 4095: modes are decimal in JSON, and octal 07777 is decimal 4095'],
    [0o4755, /^(?!use \d)/],
    [-644, /^(?!use \d)/],
    [99_644, /^(?!use \d)/],
    [64_499, /^(?!use \d)/],
  ])('%d is taken for octal where that makes sense', (mode, hint) => {
    expect(issuesOf('File', { path: '/a', mode })[0]?.hint ?? '').toMatch(hint);
  });
});

describe('paths', () => {
  it.each([
    ['/', undefined],
    ['/a b/é', undefined],
    ['/...', undefined],
    [undefined, 'path-missing'],
    ['', 'path-missing'],
    ['a', 'path-relative'],
    ['./a', 'path-relative'],
    ['//', 'path-dirty'],
    ['/a/', 'path-dirty'],
    ['/a//b', 'path-dirty'],
    ['/a/./b', 'path-dirty'],
    ['/a/..', 'path-dirty'],
  ])('%j: %s', (path, rule) => {
    expect(pathIssue(path, ['path'])?.rule).toBe(rule);
  });

  it.each([
    ['File', { path: 'etc/../etc/x' }, 'write "/etc/x"'],
    ['File', { path: '/etc//x/' }, 'write "/etc/x"'],
    ['Disk', { device: 'sda' }, 'write "/dev/sda"'],
    ['Disk', { device: 'dev/sda' }, 'write "/dev/sda"'],
    ['Disk', { device: '.sda' }, 'write "/.sda"'],
    ['File', { path: 'x'.repeat(119) }, `write "/${'x'.repeat(119)}"`],
    ['File', { path: 'x'.repeat(120) }, /^(?!write ")/],
  ])('says what to write for a %s with %j', (type, value, hint) => {
    expect(issuesOf(type, value)[0]?.hint ?? '').toMatch(hint);
  });

  it('checks the devices of an array one by one', () => {
    expect(brokenRules('Device', '/dev/sda')).toEqual([]);
    expect(brokenRules('Device', 'sda')).toEqual(['path-relative']);
    expect(brokenRules('Device', '')).toEqual(['path-missing']);
  });
});

describe('files, directories and links', () => {
  it.each([
    ['File', { path: '/a', overwrite: true, contents: { source: '' } }, []],
    ['File', { path: '/a', overwrite: false }, []],
    ['File', { path: '/a', overwrite: true }, ['overwrite-without-source at overwrite']],
    ['File', { path: '/a', overwrite: true, contents: {} }, ['overwrite-without-source at overwrite']],
    [
      'File',
      { mode: -1, overwrite: true, append: [{ source: 'data:,' }] },
      [
        'path-missing at path',
        'mode-illegal at mode',
        'mode-special-bits at mode',
        'overwrite-without-source at overwrite',
      ],
    ],
    ['Directory', { path: '/a', overwrite: true, mode: 493 }, []],
    [
      'Directory',
      { path: 'a', mode: 99_999 },
      ['path-relative at path', 'mode-illegal at mode', 'mode-special-bits at mode'],
    ],
    ['Link', { path: '/a', target: '' }, []],
    ['Link', { path: '/a/' }, ['path-dirty at path']],
  ])('%s %j breaks %j', (type, value, rules) => {
    expect(brokenRules(type, value)).toEqual(rules);
  });
});
