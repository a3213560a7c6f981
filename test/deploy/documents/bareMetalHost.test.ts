import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import {
  checkHostSettings,
  type HostSettings,
  renderHostManifests,
} from '../../../src/deploy/documents/bareMetalHost.ts';
import type { HostBmc } from '../../../src/deploy/documents/host.ts';
import { parseBmcAddress } from '../../../src/redfish/bmcAddress.ts';

const schema: object = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../schemas/deploy/baremetalhost.json'), 'utf8'),
);
const isBareMetalHost = new Ajv({ strict: false }).compile(schema);

const bmc = (text: string): HostBmc => {
  const address = parseBmcAddress(text);
  if ('problem' in address) throw new Error(address.problem);
  return { address, insecure: false };
};
const system = '/redfish/v1/Systems/1';
const base: HostSettings = {
  host: {
    name: 'worker-3',
    bootMac: '52:54:00:12:34:56',
    bmc: bmc(`redfish-virtualmedia://h${system}`),
    rootDevice: { name: '/dev/sda' },
  },
  bmcCredentials: 'worker-3-bmc-secret',
  method: 'install_coreos',
  config: { ignition: { version: '3.4.0' } },
  install: { appendKarg: [] },
};
const rulesOf = (settings: HostSettings) => checkHostSettings(settings).map(({ rule }) => rule.id);
const withHost = (host: Partial<HostSettings['host']>): HostSettings => ({
  ...base,
  host: { ...base.host, ...host },
});
const { bootMac: _mac, ...hostWithoutMac } = base.host;
const { bmc: _bmc, ...hostWithoutBmc } = base.host;
const { config: _config, ...withoutConfig } = base;
const checksum = 'a'.repeat(64);
const full: HostSettings = {
  ...base,
  namespace: 'metal3',
  host: {
    ...base.host,
    architecture: 'aarch64',
    bmc: { ...bmc(`idrac-virtualmedia://[2001:db8::1]${system}`), insecure: true },
    rootDevice: { by_path: '/dev/disk/by-path/x', model: '<in> PERC', size: '>= 100', rotational: false },
  },
  userData: 'site-config',
  install: { appendKarg: ['a=1', 'b'], copyNetwork: true },
  ramdiskNetwork: { key: 'nmstate', text: 'interfaces: []\n' },
  networkData: '{}',
  image: { url: 'https://h/i', checksum, format: 'raw' },
  bootMode: 'UEFISecureBoot',
  cleaning: 'disabled',
};

describe('a BareMetalHost', () => {
  it.each<[string, HostSettings]>([
    ['the least', base],
    ['everything', full],
    ['no disk', withHost({ rootDevice: {} })],
    ['assisted', { ...withoutConfig, method: 'start_assisted_install' }],
  ])('obeys the resource definition: %s', (_title, settings) => {
    const host = renderHostManifests(settings).at(-1);
    isBareMetalHost(host);
    expect(isBareMetalHost.errors).toBeNull();
  });

  it('refers to the Secrets that are written, in its own namespace', () => {
    const manifests = renderHostManifests(full);
    const [userData, metaData, networkData, nmstate] = manifests.map(({ metadata }) => metadata);
    expect(manifests.at(-1)).toMatchObject({
      spec: { userData, metaData, networkData, preprovisioningNetworkDataName: nmstate?.name },
    });
    expect(manifests.every(({ metadata }) => metadata.namespace === 'metal3')).toBe(true);
  });

  it.each<[string, HostSettings, string[]]>([
    ['nothing is wrong', base, []],
    ['a name in upper case', withHost({ name: 'Worker' }), ['metal3-name']],
    ['a name that is a UUID', withHost({ name: '33ce8659-7400-4c68-9535-d10766f07a58' }), ['metal3-name']],
    ['a namespace with a dot', { ...base, namespace: 'a.b' }, ['metal3-name']],
    ['a Secret with a blank', { ...base, bmcCredentials: 'a b' }, ['metal3-name']],
    ['one Secret for both', { ...base, bmcCredentials: 'one', userData: 'one' }, ['secret-name-twice']],
    ['no BMC', { ...base, host: hostWithoutBmc }, ['bmc-missing']],
    ['no MAC address', { ...base, host: hostWithoutMac }, ['mac-missing-older']],
    [
      'no MAC address for libvirt',
      { ...base, host: { ...hostWithoutMac, bmc: bmc('libvirt://h') } },
      ['mac-missing'],
    ],
    ['no MAC address for IPMI', { ...base, host: { ...hostWithoutMac, bmc: bmc('ipmi://h') } }, []],
    [
      'secure boot by IPMI',
      { ...withHost({ bmc: bmc('ipmi://h') }), bootMode: 'UEFISecureBoot' },
      ['secure-boot'],
    ],
    ['no system', withHost({ bmc: bmc('redfish://h/redfish/v1/') }), ['bmc-system']],
    ['a manager', withHost({ bmc: bmc('redfish://h/redfish/v1/Managers/1') }), ['bmc-system-path']],
    ['no disk', withHost({ rootDevice: {} }), ['root-device-missing']],
    ['a hint that Metal3 has not', withHost({ rootDevice: { tran: 'nvme' } }), ['hint-not-in-metal3']],
    ['legacy on aarch64', { ...withHost({ architecture: 'aarch64' }), bootMode: 'legacy' }, ['boot-mode']],
    [
      'legacy with UEFI HTTP',
      { ...withHost({ bmc: bmc('redfish-uefihttp://h/redfish/v1/Systems/1') }), bootMode: 'legacy' },
      ['boot-mode'],
    ],
    ['no config', withoutConfig, ['user-data-missing']],
    ['a config that is there', { ...withoutConfig, userData: 'site' }, []],
    ['assisted with a config', { ...base, method: 'start_assisted_install' }, ['method-takes-nothing']],
    ['an image', { ...base, image: { url: 'https://h/i', checksum } }, ['image-unverified']],
    [
      'an image without a checksum',
      { ...base, image: { url: 'https://h/i' } },
      ['image-unverified', 'image-checksum'],
    ],
    ['network data', { ...base, networkData: '{}' }, ['network-data-unread']],
    ['a large config', { ...base, config: { a: 'x'.repeat(1024 * 1024) } }, ['secret-size']],
  ])('is checked: %s', (_title, settings, rules) => {
    expect(rulesOf(settings)).toEqual(rules);
  });

  it.each([
    ['SHA-256', checksum, 'sha256'],
    ['SHA-512', 'b'.repeat(128), 'sha512'],
    ['a URL', 'https://h/SHA256SUMS', 'auto'],
  ])('says what the checksum is: %s', (_title, sum, checksumType) => {
    const host = renderHostManifests({ ...base, image: { url: 'https://h/i', checksum: sum } }).at(-1);
    expect(host).toMatchObject({ spec: { image: { url: 'https://h/i', checksum: sum, checksumType } } });
  });
});
