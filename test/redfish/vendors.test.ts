import { describe, expect, it } from 'vitest';
import { findVendor, vendors } from '../../src/redfish/vendors.ts';

describe('the table of vendors', () => {
  it.each(vendors.map((vendor) => [vendor.name, vendor] as const))('%s has sources', (_, { sources }) => {
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) expect(source).toMatch(/^(?:https:\/\/\S+$|[\w-]+\/[\w-]+: \S)/);
  });

  it.each<[string, { maker: string; model?: string; firmware?: string }]>([
    ['Dell iDRAC 10', { maker: 'Dell Inc.', model: '17G Monolithic', firmware: '1.20.50.50' }],
    ['Dell iDRAC 9', { maker: 'Dell', model: '14G Monolithic', firmware: '7.00.00.00' }],
    [
      'Dell iDRAC with firmware before 6',
      { maker: 'Dell Inc.', model: '13G Monolithic', firmware: '2.86.86.86' },
    ],
    ['HPE iLO', { maker: 'Hpe', model: 'iLO 6' }],
    ['HPE iLO', { maker: 'Hewlett Packard Enterprise' }],
    ['Lenovo XCC', { maker: 'Lenovo' }],
    ['Supermicro with virtual media as Cd', { maker: 'Supermicro', model: 'ARS-111GL-NHR' }],
    ['Supermicro', { maker: 'Super Micro Computer', model: 'X12' }],
    ['Supermicro', { maker: 'Supermicro', model: 'X12' }],
    ['Cisco UCS (CIMC)', { maker: 'Cisco Systems Inc.', model: 'OpenBmc' }],
    ['Fujitsu iRMC', { maker: 'ts_fujitsu' }],
    ['OpenBMC', { maker: 'OpenBmc' }],
    ['sushy-tools', { maker: 'Sushy Emulator' }],
    ['Redfish', { maker: 'Contoso' }],
    ['Redfish', { maker: 'Shpellac' }],
  ])('%s: %o', (name, { firmware, maker, model }) => {
    expect(findVendor([undefined, maker], [model], firmware).name).toBe(name);
  });
});
