import { describe, expect, it } from 'vitest';
import { nearestNames } from '../../src/core/nearestNames.ts';

const names = ['path-relative', 'path-missing', 'conf-value', 'conf-value', 'unit-syntax'];

describe('nearestNames', () => {
  it.each([
    ['path-relativ', ['path-relative']],
    ['Path relative', ['path-relative']],
    ['relative-path', ['path-relative']],
    ['conf-valu', ['conf-value', 'conf-value']],
    ['unitsyntax', ['unit-syntax']],
    ['zzz', []],
    ['', []],
    ['x'.repeat(100_000), []],
  ])('%s', (typed, expected) => {
    expect(nearestNames(typed, names)).toEqual(expected);
  });
});
