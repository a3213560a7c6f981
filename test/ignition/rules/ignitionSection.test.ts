import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../support/brokenRules.ts';

const sources = [{}, { source: '' }, { source: 'x' }, { source: '%' }, { source: 'data:,' }];

describe('sources that must be there', () => {
  it.each([
    ['IgnitionConfig', 'merge'],
    ['TLS', 'certificateAuthorities'],
  ])('%s.%s, since 3.1.0', (type, field) => {
    expect(brokenRules(type, { [field]: sources }, '3.1.0')).toEqual([
      `source-required at ${field}.0`,
      `source-required at ${field}.1`,
      `url-scheme at ${field}.2`,
      `url-unparsable at ${field}.3`,
    ]);
    expect(brokenRules(type, { [field]: sources }, '3.0.0')).toEqual([]);
    expect(brokenRules(type, {})).toEqual([]);
  });
});
