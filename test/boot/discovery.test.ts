import { expect, it } from 'vitest';
import type { BootSettings } from '../../src/boot/bootSettings.ts';
import { type DiscoverySettings, withDiscoveryParameters } from '../../src/boot/kernelArguments.ts';

const base: BootSettings = { embedded: true, ip: [], consoles: [], ipaParameters: [], extraArguments: [] };
const least: DiscoverySettings = {
  callbackUrl: 'https://h/v1/continue_inspection',
  collectors: [],
  vlanInterfaces: [],
  dhcpAllInterfaces: false,
  collectLldp: false,
  insecure: false,
  debug: false,
};
const most: DiscoverySettings = {
  callbackUrl: 'https://h/v1/continue_inspection',
  apiUrl: 'https://h:6385',
  collectors: ['default', 'logs'],
  vlanInterfaces: ['eth0.4', 'eth1'],
  dhcpAllInterfaces: true,
  collectLldp: true,
  insecure: true,
  debug: true,
};

it.each<[string, BootSettings, DiscoverySettings, readonly string[]]>([
  ['only where to', base, least, ['ipa-inspection-callback-url=https://h/v1/continue_inspection']],
  [
    'everything',
    base,
    most,
    [
      'ipa-inspection-callback-url=https://h/v1/continue_inspection',
      'ipa-api-url=https://h:6385',
      'ipa-inspection-collectors=default,logs',
      'ipa-enable-vlan-interfaces=eth0.4,eth1',
      'ipa-inspection-dhcp-all-interfaces=1',
      'ipa-collect-lldp=1',
      'ipa-insecure=1',
      'ipa-debug=1',
    ],
  ],
  [
    'what the operator says counts, by whatever name',
    { ...base, ipaParameters: ['inspection_callback_url=http://own/'], extraArguments: ['ipa-insecure=0'] },
    { ...least, insecure: true },
    ['inspection_callback_url=http://own/'],
  ],
])('%s', (_title, settings, discovery, parameters) => {
  expect(withDiscoveryParameters(settings, discovery)).toEqual({ ...settings, ipaParameters: parameters });
});
