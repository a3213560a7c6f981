import { describe, expect, it } from 'vitest';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

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
    [644, 'modes are decimal in JSON: 0644 is 420'],
    [755, 'modes are decimal in JSON: 0755 is 493'],
    [1777, 'modes are decimal in JSON: 01777 is 1023'],
    [7777, 'modes are decimal in JSON: 07777 is 4095'],
    [0o4755, undefined],
    [-644, undefined],
    [99_644, undefined],
    [64_499, undefined],
  ])('%d is taken for octal where that makes sense', (mode, hint) => {
    expect(issuesOf('File', { path: '/a', mode })[0]?.hint).toBe(hint);
  });
});
