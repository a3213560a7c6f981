import { describe, expect, it } from 'vitest';
import { pathIssue } from '../../../src/ignition/rules/node.ts';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

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
    expect(pathIssue(path, ['path'])?.rule.id).toBe(rule);
  });

  it.each([
    ['File', { path: 'etc/../etc/x' }, 'write "/etc/x"'],
    ['File', { path: '/etc//x/' }, 'write "/etc/x"'],
    ['Disk', { device: 'sda' }, 'write "/dev/sda"'],
    ['Disk', { device: 'dev/sda' }, 'write "/dev/sda"'],
    ['Disk', { device: '.sda' }, 'write "/.sda"'],
    ['File', { path: 'x'.repeat(119) }, `write "/${'x'.repeat(119)}"`],
    ['File', { path: 'x'.repeat(120) }, undefined],
  ])('says what to write for a %s with %j', (type, value, hint) => {
    expect(issuesOf(type, value)[0]?.hint).toBe(hint);
  });

  it('checks the devices of an array one by one', () => {
    expect(brokenRules('Device', '/dev/sda')).toEqual([]);
    expect(brokenRules('Device', 'sda')).toEqual(['path-relative']);
    expect(brokenRules('Device', '')).toEqual(['path-missing']);
  });
});
