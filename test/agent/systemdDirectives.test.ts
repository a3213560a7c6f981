import { describe, expect, it } from 'vitest';
import {
  directiveNames,
  findDirective,
  suggestDirective,
  suggestSection,
  knownSystemdVersion,
  unitSections,
} from '../../src/agent/lint/unitKeys.ts';

describe('src/agent/lint/systemd-directives.json', () => {
  it('names the release that it is taken from', () => {
    expect(Number(knownSystemdVersion())).toBeGreaterThanOrEqual(262);
  });

  it.each([
    ['Unit', 'StartLimitIntervalSec', { since: 0 }],
    ['Unit', 'RequiresOverridable', { since: 0 }],
    ['Service', 'StartLimitInterval', { since: 0 }],
    ['Service', 'StartLimitIntervalSec', undefined],
    ['Service', 'RestartMode', { since: 254 }],
    ['Service', 'WorkingDirectory', { since: 0 }],
    ['Service', 'KillMode', { since: 0 }],
    ['Service', 'MemoryMax', { since: 0 }],
    ['Service', 'memorymax', undefined],
    ['Service', 'CPUShares', 'removed'],
    ['Service', 'constructor', undefined],
    ['Slice', 'MemoryMax', { since: 0 }],
    ['Slice', 'KillMode', undefined],
    ['Scope', 'KillMode', { since: 0 }],
    ['Scope', 'Environment', undefined],
    ['Timer', 'OnCalendar', { since: 0 }],
    ['Install', 'UpheldBy', { since: 254 }],
    ['Unit', 'AssertVersion', { since: 258 }],
    ['Target', 'Where', undefined],
    ['constructor', 'name', undefined],
  ])('[%s] %s=', (section, key, expected) => {
    expect(findDirective(section, key)).toEqual(expected);
  });

  it('has the sections of each type of unit', () => {
    expect(unitSections('service')).toEqual(['Unit', 'Service', 'Install']);
    expect(unitSections('device')).toEqual(['Unit', 'Device', 'Install']);
    expect(unitSections('container')).toBeUndefined();
    expect(unitSections('toString')).toBeUndefined();
  });

  it('lists only keys that have an effect', () => {
    const names = directiveNames('Service');
    expect(names.filter((name) => typeof findDirective('Service', name) !== 'object')).toEqual([]);
    expect(names).toContain('ExecStart');
    expect(directiveNames('Nothing')).toEqual([]);
  });
});

describe('suggestions', () => {
  it.each([
    ['service', 'Service', 'Restartt', { section: 'Service', key: 'Restart' }],
    ['service', 'Service', 'EXECSTART', { section: 'Service', key: 'ExecStart' }],
    ['service', 'Service', 'StartLimitIntervalSec', { section: 'Unit', key: 'StartLimitIntervalSec' }],
    ['service', 'Service', 'WantedBy', { section: 'Install', key: 'WantedBy' }],
    ['service', 'Service', 'OnCalendar', { section: 'Timer', key: 'OnCalendar', type: 'timer' }],
    ['service', 'Service', 'WantdBy', { section: 'Install', key: 'WantedBy' }],
    ['service', 'Service', 'Zzz', undefined],
    ['nothing', 'Service', 'Restartt', { section: 'Service', key: 'Restart' }],
  ])('%s [%s] %s=', (type, section, key, expected) => {
    expect(suggestDirective(type, section, key)).toEqual(expected);
  });

  it.each([
    ['service', 'service', { section: 'Service', type: 'service' }],
    ['service', ' Service ', { section: 'Service', type: 'service' }],
    ['service', 'Instal', { section: 'Install', type: 'service' }],
    ['service', 'Timer', { section: 'Timer', type: 'timer' }],
    ['service', 'Container', undefined],
  ])('%s [%s]', (type, section, expected) => {
    expect(suggestSection(type, section)).toEqual(expected);
  });
});
