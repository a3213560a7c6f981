import { describe, expect, it } from 'vitest';
import { sourceDate } from '../../src/io/sourceDate.ts';
import { runCli } from '../support/runCli.ts';

const read = (seconds?: string) => sourceDate({ env: { SOURCE_DATE_EPOCH: seconds } });

describe('SOURCE_DATE_EPOCH', () => {
  it.each([
    ['0', '1970-01-01T00:00:00.000Z'],
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    ['4294967295', '2106-02-07T06:28:15.000Z'],
  ])('%s', (seconds, expected) => {
    expect(read(seconds)?.toISOString()).toBe(expected);
  });

  it.each([undefined, ''])('%j is none', (seconds) => {
    expect(read(seconds)).toBeUndefined();
  });

  it.each(['today', '-1', '1.5', '4294967296', '8589934592', '999999999999', ' 1'])(
    '%j is refused',
    (seconds) => {
      expect(() => read(seconds)).toThrow(
        'SOURCE_DATE_EPOCH is not a number of seconds from 0 to 4294967295',
      );
    },
  );

  it.each([
    ['man iso'],
    ['iso create -k k -i i -o x.iso'],
    ['prepare --inventory i.yaml -o x --base-url http://192.0.2.1 --artifacts ign --bundle x.tar'],
  ])('%s refuses what the format cannot write', async (line) => {
    const { code, stderr } = await runCli(line.split(' '), { env: { SOURCE_DATE_EPOCH: '8589934592' } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('SOURCE_DATE_EPOCH is not a number')]);
  });
});
