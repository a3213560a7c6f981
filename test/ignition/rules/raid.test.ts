import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../support/brokenRules.ts';

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
