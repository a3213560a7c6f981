import { describe, expect, it } from 'vitest';
import { brokenRules, issuesOf } from '../../support/brokenRules.ts';

describe('resources', () => {
  it.each([
    ['nothing', {}, []],
    ['no compression', { compression: '' }, []],
    ['gzip', { compression: 'gzip' }, []],
    ['another compression', { compression: 'xz' }, ['compression-unknown at compression']],
    [
      'a hash of nothing',
      { verification: { hash: 'x' } },
      ['verification-without-source at verification.hash'],
    ],
    ['a hash of an empty source', { source: '', verification: { hash: 'x' } }, []],
    ['headers for https', { source: 'https://h', httpHeaders: [{ name: 'A' }] }, []],
    ['headers for http', { source: 'http://h', httpHeaders: [{ name: 'A' }] }, []],
    ['headers for nothing', { httpHeaders: [{ name: 'A' }] }, ['url-unparsable at httpHeaders']],
    ['headers for data', { source: 'data:,', httpHeaders: [{}] }, ['http-headers-scheme at httpHeaders']],
    [
      'headers for no URL',
      { source: '%', httpHeaders: [{}] },
      ['url-unparsable at source', 'url-unparsable at httpHeaders'],
    ],
    ['an empty list of headers', { source: 'data:,', httpHeaders: [] }, []],
    [
      'all at once',
      { compression: 'x', source: 'x', httpHeaders: [{}] },
      ['compression-unknown at compression', 'url-scheme at source', 'http-headers-scheme at httpHeaders'],
    ],
  ])('with %s', (_title, resource, rules) => {
    expect(brokenRules('Resource', resource)).toEqual(rules);
  });

  it('say that headers need a URL', () => {
    const [issue] = issuesOf('Resource', { httpHeaders: [{ name: 'A' }] });
    expect(issue?.hint).toBe('give the http or https URL that the headers are for, or remove them');
  });

  it.each([
    [{ name: 'A', value: 'b' }, []],
    [{ name: 'A' }, []],
    [{ name: 'A', value: '' }, ['http-header-value at value']],
    [{ value: 'b' }, ['http-header-name at name']],
    [{ name: '', value: '' }, ['http-header-name at name', 'http-header-value at value']],
  ])('header %j breaks %j', (header, rules) => {
    expect(brokenRules('HTTPHeader', header)).toEqual(rules);
  });

  it('know the older types of 3.0.0', () => {
    expect(brokenRules('ConfigReference', {}, '3.0.0')).toEqual([]);
    expect(brokenRules('ConfigReference', { source: 'x', verification: { hash: '' } }, '3.0.0')).toEqual([
      'url-scheme at source',
    ]);
    expect(brokenRules('ConfigReference', { verification: { hash: '' } }, '3.0.0')).toEqual([]);
    expect(brokenRules('CaReference', {}, '3.0.0')).toEqual(['url-scheme at source']);
    expect(brokenRules('CaReference', { source: 'data:,' }, '3.0.0')).toEqual([]);
  });
});
