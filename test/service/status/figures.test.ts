import { describe, expect, it } from 'vitest';
import { formatAgo, formatDuration, formatPercent } from '../../../src/service/status/figures.ts';
import { ago, now } from './exampleStatus.ts';

describe('figures', () => {
  it.each([
    [0, 10, '0 %'],
    [999, 1000, '99 %'],
    [1000, 1000, '100 %'],
    [0, 0, '100 %'],
  ])('%s of %s', (bytes, size, expected) => {
    expect(formatPercent(bytes, size)).toBe(expected);
  });

  it.each([
    [-10, 'just now'],
    [4, 'just now'],
    [59, '59 s ago'],
    [61, '1 min ago'],
    [7200, '2 h ago'],
    [86_400, '24 h ago'],
    [200_000, '2 days ago'],
  ])('%s seconds ago', (seconds, expected) => {
    expect(formatAgo(ago(seconds), now)).toBe(expected);
  });

  it.each([
    [0.04, '0.0 s'],
    [9.5, '9.5 s'],
    [75.4, '75 s'],
    [720, '12 min'],
  ])('took %s seconds', (seconds, expected) => {
    expect(formatDuration(seconds)).toBe(expected);
  });
});
