import { describe, expect, it } from 'vitest';
import { addToGroup, formatGroup, type HostGroups } from '../../src/hosts/run/hostGroups.ts';

describe('host groups', () => {
  it.each([
    [['a'], 'a'],
    [['a', 'b', 'c'], 'a, b, c'],
    [['a', 'b', 'c', 'd'], 'a, b, c and 1 more'],
    [['a\u001b', 'b'], 'a\\u001b, b'],
  ])('%j: %s', (names, text) => {
    const groups: HostGroups = new Map();
    const counts = names.map((name) => addToGroup(groups, 'said', name));
    expect(counts.at(-1)).toBe(names.length);
    expect([...groups.values()].map(formatGroup)).toEqual([text]);
  });

  it('keeps nothing of what is empty', () => {
    const groups: HostGroups = new Map();
    expect([addToGroup(groups, '', 'a'), groups.size]).toEqual([0, 0]);
  });

  it('keeps the order in which texts came up, and few names of many hosts', () => {
    const groups: HostGroups = new Map();
    for (let index = 0; index < 1000; index++) addToGroup(groups, index % 2 === 0 ? 'x' : 'y', `h${index}`);
    expect([...groups]).toEqual([
      ['x', { names: ['h0', 'h2', 'h4'], count: 500 }],
      ['y', { names: ['h1', 'h3', 'h5'], count: 500 }],
    ]);
  });
});
