import { describe, expect, it } from 'vitest';
import {
  checkConditions,
  type ConditionVerdict,
  type Fields,
  rangeApplies,
} from '../../../../src/http/server/answer/conditions.ts';

const current = { etag: '"now"', lastModified: new Date('2026-11-21T10:00:00Z') };
const same = 'Sat, 21 Nov 2026 10:00:00 GMT';
const before = 'Sat, 21 Nov 2026 09:59:59 GMT';
const after = 'Sat, 21 Nov 2026 10:00:01 GMT';

describe('checkConditions', () => {
  it.each<[ConditionVerdict, Fields]>([
    ['met', {}],
    ['met', { 'if-match': '"now"' }],
    ['met', { 'if-match': '"a, b", "now"' }],
    ['met', { 'if-match': ['"a"', '"now"'] }],
    ['met', { 'if-match': '*' }],
    ['failed', { 'if-match': '"then"' }],
    ['failed', { 'if-match': 'W/"now"' }],
    ['failed', { 'if-match': 'now' }],
    ['failed', { 'if-match': '"*"' }],
    ['failed', { 'if-match': '' }],
    ['met', { 'if-unmodified-since': same }],
    ['met', { 'if-unmodified-since': after }],
    ['failed', { 'if-unmodified-since': before }],
    ['met', { 'if-unmodified-since': 'yesterday' }],
    ['unchanged', { 'if-none-match': '"now"' }],
    ['unchanged', { 'if-none-match': 'W/"now"' }],
    ['unchanged', { 'if-none-match': '"then" ,\tW/"x","now"' }],
    ['unchanged', { 'if-none-match': ' * ' }],
    ['met', { 'if-none-match': '"then"' }],
    ['met', { 'if-none-match': 'now' }],
    ['met', { 'if-none-match': '"NOW"' }],
    ['unchanged', { 'if-modified-since': same }],
    ['unchanged', { 'if-modified-since': after }],
    ['met', { 'if-modified-since': 'Saturday, 21-Nov-26 10:00:00 GMT' }],
    ['met', { 'if-modified-since': '2026-11-21T10:00:00Z' }],
    ['met', { 'if-modified-since': before }],
    ['met', { 'if-modified-since': 'yesterday' }],
    // Precedence: a tag makes the date of no account, and what fails comes before what is unchanged.
    ['met', { 'if-match': '"now"', 'if-unmodified-since': before }],
    ['failed', { 'if-match': '"then"', 'if-unmodified-since': after }],
    ['met', { 'if-none-match': '"then"', 'if-modified-since': after }],
    ['unchanged', { 'if-none-match': '"now"', 'if-modified-since': before }],
    ['failed', { 'if-match': '"then"', 'if-none-match': '"now"' }],
    ['unchanged', { 'if-match': '"now"', 'if-none-match': '"now"' }],
    ['unchanged', { 'if-unmodified-since': after, 'if-modified-since': same }],
    ['failed', { 'if-unmodified-since': before, 'if-none-match': '"now"' }],
  ])('%s: %j', (verdict, fields) => {
    expect(checkConditions(fields, current)).toBe(verdict);
  });

  it('compares dates in whole seconds', () => {
    const written = { ...current, lastModified: new Date('2026-11-21T10:00:00.999Z') };
    expect(checkConditions({ 'if-modified-since': same }, written)).toBe('unchanged');
    expect(checkConditions({ 'if-unmodified-since': same }, written)).toBe('met');
    expect(checkConditions({ 'if-modified-since': before }, written)).toBe('met');
  });

  it('takes its time only once for a long list', () => {
    expect(checkConditions({ 'if-none-match': '"W/,'.repeat(50_000) }, current)).toBe('met');
  });
});

describe('rangeApplies', () => {
  it.each<[boolean, string | undefined]>([
    [true, undefined],
    [true, '"now"'],
    [false, 'W/"now"'],
    [false, '"then"'],
    [false, '"now", "then"'],
    [false, '*'],
    [false, same],
    [false, 'Sat Nov 21 10:00:00 2026'],
    [false, before],
    [false, after],
    [false, ''],
  ])('%s: If-Range %j', (expected, ifRange) => {
    expect(rangeApplies({ 'if-range': ifRange }, current)).toBe(expected);
  });

  it.each<[boolean, Fields]>([
    [false, { 'if-unmodified-since': same }],
    [true, { 'if-unmodified-since': same, 'if-range': '"now"' }],
    [true, { 'if-unmodified-since': same, 'if-match': '"now"' }],
    [true, { 'if-match': '"now"' }],
  ])('%s: %j', (expected, fields) => expect(rangeApplies(fields, current)).toBe(expected));
});
