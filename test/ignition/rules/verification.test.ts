import { describe, expect, it } from 'vitest';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

describe('the hash of a resource', () => {
  it.each([
    ['none', undefined, undefined],
    ['sha512', `sha512-${'0'.repeat(128)}`, undefined],
    ['sha256', `sha256-${'0'.repeat(64)}`, undefined],
    ['digits that are not hexadecimal', `sha512-${'z'.repeat(128)}`, undefined],
    ['128 bytes in 64 characters', `sha512-${'é'.repeat(64)}`, undefined],
    ['an empty text', '', 'hash-malformed'],
    ['no dash', 'sha512', 'hash-malformed'],
    ['another function', `sha1-${'0'.repeat(40)}`, 'hash-unrecognized'],
    ['upper case', `SHA512-${'0'.repeat(128)}`, 'hash-unrecognized'],
    ['a short sum', `sha512-${'0'.repeat(127)}`, 'hash-size'],
    ['a second dash', `sha256-${'0'.repeat(60)}-000`, undefined],
  ])('%s', (_title, hash, rule) => {
    const rules = rule === undefined ? [] : [`${rule} at hash`];
    expect(brokenRules('Verification', hash === undefined ? {} : { hash })).toEqual(rules);
  });

  it('is not sha256 in 3.0.0', () => {
    const hash = `sha256-${'0'.repeat(64)}`;
    expect(brokenRules('Verification', { hash }, '3.0.0')).toEqual(['hash-unrecognized at hash']);
  });

  it('is not repeated in the hint, only its length', () => {
    expect(issuesOf('Verification', { hash: 'sha256-abc' })[0]?.hint).toBe(
      'write the whole sum: it has 64 digits, not 3',
    );
  });
});
