import { describe, expect, it } from 'vitest';
import { firstOverlap } from '../../../src/ignition/rules/disk.ts';
import { brokenRules } from '../../support/brokenRules.ts';

const disk = (...partitions: readonly object[]): object => ({ device: '/dev/a', partitions });
const at = (start: number | bigint, size: number | bigint): object => ({ startMiB: start, sizeMiB: size });

describe('disks', () => {
  it.each([
    ['no device', { partitions: [{ number: 1 }, { number: 1 }] }, ['disk-device-required at device']],
    ['a device that is no path', { device: 'a' }, ['path-relative at device']],
    ['a device alone', { device: '/dev/a' }, []],
    ['different numbers', disk({ number: 1 }, { number: 2 }), []],
    ['number 0 twice', disk({ number: 0 }, { number: 0 }, {}), []],
    // Ignition 2.26 refuses this.
    [
      'no number beside one that shall not exist',
      disk({ number: 1, shouldExist: false }, { label: 'a' }),
      [],
    ],
    [
      'a number twice',
      disk({ number: 1 }, { number: 2 }, { number: 1 }),
      ['partition-numbers-collide at partitions.2'],
    ],
    [
      'a label twice',
      disk({ label: '' }, { label: 'a' }, { label: '' }),
      ['partition-labels-collide at partitions.2'],
    ],
    ['no label twice', disk({}, {}), []],
    [
      'everything at once',
      {
        device: '/dev//a',
        partitions: [
          { number: 1, label: 'a', ...at(1, 5) },
          { number: 1, label: 'a', ...at(3, 5) },
        ],
      },
      [
        'path-dirty at device',
        'partition-numbers-collide at partitions.1',
        'partitions-overlap at partitions.1',
        'partition-labels-collide at partitions.1',
      ],
    ],
  ])('with %s', (_title, value, rules) => {
    expect(brokenRules('Disk', value)).toEqual(rules);
  });
});

describe('partitions that overlap', () => {
  const max = 2n ** 63n - 1n;
  it.each([
    ['side by side', [at(1, 10), at(11, 10)], undefined],
    ['one MiB in common', [at(1, 11), at(11, 10)], 1],
    ['one in the other', [at(1, 100), at(50, 10)], 1],
    ['one around the other', [at(50, 10), at(1, 100)], 1],
    ['the partner of the first that has one', [at(200, 1), at(1, 10), at(100, 10), at(105, 1)], 3],
    ['no start', [{ sizeMiB: 10 }, at(1, 10)], undefined],
    ['start 0', [at(0, 10), at(1, 10)], undefined],
    ['size 0 takes one place', [at(5, 0), at(1, 10)], 1],
    ['size 0 behind the other', [at(11, 0), at(1, 10)], undefined],
    ['an end beyond 64 bits is smaller than all others', [at(max, 2n), at(1, 10)], 0],
    ['two ends before their starts, apart', [at(10, -5), at(100, -5)], undefined],
    ['two ends before their starts, one in the other', [at(100, -200), at(50, -50)], 0],
    ['an end before the start, inside another', [at(20, -5), at(10, 5)], 1],
    ['an end before the start, that ends with another', [at(2, 3), at(10, -5)], 0],
    ['not one that starts at the same place and ends before', [at(10, 0), at(10, -5), at(10, 1)], 2],
    ['not one that ends at the same place and before its start', [at(2, 3), at(10, -5), at(4, 1)], 2],
    ['one around an end before the start, with another between', [at(1, 5), at(8, -5), at(7, 3)], 1],
    ['two that start together, behind another', [at(1, 2), at(5, 5), at(5, 3)], 2],
  ])('%s', (_title, partitions, index) => {
    expect(firstOverlap(partitions)).toBe(index);
  });

  it('are found among the 128 partitions that a disk can have', () => {
    const partitions = Array.from({ length: 127 }, (_, index) => at(1 + index * 10, 10));
    expect(firstOverlap([...partitions, at(1265, 1)])).toBe(127);
    expect(firstOverlap([...partitions, at(5000, 1), at(1265, 1)])).toBeUndefined();
  });
});

describe('RAID arrays', () => {
  it.each(['raid1', '1', 'mirror', 'raid4', '4', 'raid5', '5', 'raid6', '6', 'raid10', '10'])(
    'of level %s may have spares',
    (level) => {
      expect(brokenRules('Raid', { level, devices: ['/a'], spares: 1 })).toEqual([]);
    },
  );

  it.each(['linear', 'raid0', '0', 'stripe'])('of level %s may not', (level) => {
    expect(brokenRules('Raid', { level, devices: ['/a'] })).toEqual([]);
    expect(brokenRules('Raid', { level, devices: ['/a'], spares: 0 })).toEqual([]);
    expect(brokenRules('Raid', { level, devices: ['/a'], spares: -1 })).toEqual(['raid-spares at level']);
  });

  it('need devices and a level', () => {
    expect(brokenRules('Raid', {}, '3.3.0')).toEqual([
      'raid-level-required at level',
      'raid-devices-required at devices',
    ]);
    expect(brokenRules('Raid', { level: '', devices: [] }, '3.2.0')).toEqual([
      'raid-level-unrecognized at level',
      'raid-devices-required at devices',
    ]);
    expect(brokenRules('Raid', { level: 'RAID1', devices: ['/a'] })).toEqual([
      'raid-level-unrecognized at level',
    ]);
  });
});

const guid = '01234567-89ab-CDEF-EDCB-A98765432101';

describe('partitions', () => {
  it.each([
    [{ number: 1 }, []],
    [{ number: -1 }, []],
    [{ label: '' }, []],
    [{}, ['partition-number-or-label']],
    [{ number: 0 }, ['partition-number-or-label']],
    [{ number: 1, shouldExist: false }, []],
    [{ number: 1, shouldExist: false, wipePartitionEntry: true }, []],
    [{ number: 1, shouldExist: false, guid: '', typeGuid: '' }, []],
    [{ number: 1, shouldExist: false, guid }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: false, typeGuid: guid }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: false, label: '' }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: false, startMiB: 0 }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: false, sizeMiB: 0 }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: true, sizeMiB: 0 }, []],
    [{ label: 'x'.repeat(36) }, []],
    [{ label: 'x'.repeat(37) }, ['partition-label-too-long at label']],
    [{ label: 'é'.repeat(19) }, ['partition-label-too-long at label']],
    [{ label: 'a:b' }, ['partition-label-colon at label']],
    [{ label: `:${'x'.repeat(36)}` }, ['partition-label-too-long at label']],
    [{ number: 1, guid, typeGuid: guid.toLowerCase() }, []],
    [
      { number: 1, guid: 'x', typeGuid: `{${guid}}` },
      ['partition-guid at guid', 'partition-guid at typeGuid'],
    ],
    [{ number: 1, guid: `${guid}\n` }, ['partition-guid at guid']],
    [{ number: 1, guid: `{${guid}` }, ['partition-guid at guid']],
  ])('%j breaks %j', (partition, rules) => {
    expect(brokenRules('Partition', partition)).toEqual(rules);
  });
});
