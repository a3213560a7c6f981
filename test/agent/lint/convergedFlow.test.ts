import { describe, expect, it } from 'vitest';
import type { Unit } from '../../../src/ignition/config.ts';
import { render, summary } from './support.ts';

describe('the converged flow', () => {
  it.each([
    [
      'an enabled agent.service',
      { name: 'agent.service', enabled: true },
      ['agent-converged-enabled $.systemd.units.1.enabled'],
    ],
    ['a disabled one', { name: 'agent.service', enabled: false }, []],
    ['one that is not mentioned to be enabled', { name: 'agent.service' }, []],
    ['a masked one', { name: 'agent.service', enabled: true, mask: true }, []],
    ['another service', { name: 'other.service', enabled: true }, []],
  ] satisfies [string, Unit, string[]][])('%s', (_title, unit, expected) => {
    const config = render();
    expect(summary({ ...config, systemd: { units: [...(config.systemd?.units ?? []), unit] } })).toEqual(
      expected,
    );
  });

  it('is not there without the Ironic agent', () => {
    expect(summary({ systemd: { units: [{ name: 'agent.service', enabled: true }] } })).toEqual([]);
  });
});
