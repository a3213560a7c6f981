import { describe, expect, it } from 'vitest';
import { hostRow } from '../../../src/service/status/hostRows.ts';
import {
  countStates,
  formatStatusQuery,
  parseStatusQuery,
  problemsFirst,
  selectMachines,
} from '../../../src/service/status/select.ts';
import { exampleStatus, manyHosts, now } from './exampleStatus.ts';

const parse = (text: string) => parseStatusQuery(new URLSearchParams(text));

describe('parseStatusQuery', () => {
  it.each([
    ['', { text: '', state: undefined, page: 1 }],
    ['q=+Worker-1+', { text: 'worker-1' }],
    [`q=${'x'.repeat(1000)}`, { text: 'x'.repeat(100) }],
    ['show=under-way', { state: 'under-way' }],
    ['show=toString', { state: undefined }],
    ['page=7', { page: 7 }],
    ['page=0', { page: 1 }],
    ['page=-1', { page: 1 }],
    ['page=1e9', { page: 1 }],
    ['page=99999999999', { page: 1 }],
  ])('%s', (text, expected) => {
    expect(parse(text)).toMatchObject(expected);
  });

  it.each(['?', '?q=a+b%26', '?show=failed&page=2', '?q=x&show=home&page=3'])(
    'is written as it is read: %s',
    (text) => {
      expect(formatStatusQuery(parse(text))).toBe(text);
    },
  );
});

const rows = exampleStatus().hosts.map((host) => hostRow(host, now));

describe('selectMachines', () => {
  it.each([
    ['', [3, 0, 2, 4, 1]],
    ['q=worker-1', [1]],
    ['q=ORKER', [3, 0, 2, 4, 1]],
    ['q=00:0A', [4]],
    ['q=52-54-00-00-00-0b', [4]],
    ['q=x86_64', [0, 2, 4, 1]],
    ['q=aarch64', []],
    ['show=failed', [3]],
    ['show=stuck', []],
    ['show=under-way', [0, 2]],
    ['show=home', [1]],
    ['show=idle', [4]],
    ['show=under-way&q=worker-2', [2]],
  ])('%s', (text, expected) => {
    expect(selectMachines(problemsFirst(rows), parse(text)).rows.map(({ name }) => name)).toEqual(
      expected.map((index) => `worker-${index}`),
    );
  });

  it.each([
    ['page=1', { page: 1, pages: 3, matching: 120 }, 50],
    ['page=3', { page: 3, pages: 3 }, 20],
    ['page=9', { page: 3, pages: 3 }, 20],
    ['q=absent', { page: 1, pages: 1, matching: 0 }, 0],
  ])('of 120: %s', (text, expected, count) => {
    const selection = selectMachines(
      manyHosts(120).map((host) => hostRow(host, now)),
      parse(text),
    );
    expect(selection).toMatchObject(expected);
    expect(selection.rows).toHaveLength(count);
  });

  it('counts each state', () => {
    expect(countStates(rows)).toEqual({ failed: 1, stuck: 0, 'under-way': 2, idle: 1, home: 1 });
  });
});
