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
    expect(issue?.hint).toBe('use an http or https URL, or remove the headers');
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

describe('proxies', () => {
  it.each([
    [{}, []],
    [{ httpProxy: 'http://p:3128', httpsProxy: 'https://p:3129' }, []],
    [{ httpProxy: 'https://p' }, []],
    [{ httpsProxy: 'http://p' }, ['proxy-insecure at httpsProxy']],
    [{ httpProxy: '' }, ['proxy-scheme at httpProxy']],
    [
      { httpProxy: 'socks5://p', httpsProxy: 'p' },
      ['proxy-scheme at httpProxy', 'proxy-scheme at httpsProxy'],
    ],
    [
      { httpProxy: 'http://[', httpsProxy: 'p:%' },
      ['url-unparsable at httpProxy', 'proxy-scheme at httpsProxy'],
    ],
    [{ noProxy: ['', 'x'] }, []],
  ])('%j breaks %j', (proxy, rules) => {
    expect(brokenRules('Proxy', proxy)).toEqual(rules);
  });
});

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
      'write the whole sum: 64 digits instead of 3',
    );
  });
});
