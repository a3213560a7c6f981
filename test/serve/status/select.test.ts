import { describe, expect, it } from 'vitest';
import { formatStatusQuery, parseStatusQuery, selectHosts } from '../../../src/serve/status/select.ts';
import { exampleStatus, manyHosts } from './exampleStatus.ts';

const parse = (text: string) => parseStatusQuery(new URLSearchParams(text));

describe('parseStatusQuery', () => {
  it.each([
    ['', { text: '', view: 'all', page: 1, refresh: undefined }],
    ['q=+Worker-1+', { text: 'worker-1' }],
    [`q=${'x'.repeat(1000)}`, { text: 'x'.repeat(100) }],
    ['show=fetching', { view: 'fetching' }],
    ['show=toString', { view: 'all' }],
    ['page=7', { page: 7 }],
    ['page=0', { page: 1 }],
    ['page=-1', { page: 1 }],
    ['page=1e9', { page: 1 }],
    ['page=99999999999', { page: 1 }],
    ['refresh=10', { refresh: 10 }],
    ['refresh=1', { refresh: 2 }],
    ['refresh=999999', { refresh: 3600 }],
    ['refresh=soon', { refresh: undefined }],
  ])('%s', (text, expected) => {
    expect(parse(text)).toMatchObject(expected);
  });

  it.each(['?', '?q=a+b%26', '?show=problems&page=2', '?q=x&show=fetched&page=3&refresh=10'])(
    'is written as it is read: %s',
    (text) => {
      expect(formatStatusQuery(parse(text))).toBe(text);
    },
  );
});

const select = (text: string) => selectHosts(exampleStatus().hosts, parse(text));

describe('selectHosts', () => {
  it.each([
    ['', [0, 1, 2, 3, 4]],
    ['q=worker-1', [1]],
    ['q=ORKER', [0, 1, 2, 3, 4]],
    ['q=00:0A', [4]],
    ['q=52-54-00-00-00-0b', [4]],
    ['q=x86_64', [0, 1, 2, 4]],
    ['q=x86', []],
    ['show=problems', [3, 4]],
    ['show=fetching', [0]],
    ['show=fetched', [1]],
    ['show=unfetched', [0, 2, 3, 4]],
    ['show=unfetched&q=worker-2', [2]],
  ])('%s', (text, expected) => {
    expect(select(text).hosts.map(({ name }) => name)).toEqual(expected.map((index) => `worker-${index}`));
  });

  it.each([
    ['page=1', { page: 1, pages: 3, first: 0, matching: 120 }, 50],
    ['page=3', { page: 3, pages: 3, first: 100 }, 20],
    ['page=9', { page: 3, pages: 3 }, 20],
    ['q=nobody', { page: 1, pages: 1, first: 0, matching: 0 }, 0],
  ])('of 120: %s', (text, expected, count) => {
    const selection = selectHosts(manyHosts(120), parse(text));
    expect(selection).toMatchObject(expected);
    expect(selection.hosts).toHaveLength(count);
  });
});
