import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import {
  checkHostSettings,
  type HostSettings,
  renderHostManifests,
} from '../../../../src/commands/deploy/documents/bareMetalHost.ts';
import { asMapping, type Mapping } from '../../../../src/formats/mapping.ts';
import type { HostBmc } from '../../../../src/commands/deploy/documents/host.ts';
import { parseBmcAddress } from '../../../../src/redfish/bmcAddress.ts';

const schema: object = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../schemas/deploy/baremetalhost.json'), 'utf8'),
);
const isBareMetalHost = new Ajv({ strict: false }).compile(schema);

const bmc = (text: string): HostBmc => {
  const address = parseBmcAddress(text);
  if ('problem' in address) throw new Error(address.problem);
  return { address, insecure: false };
};
const system = '/redfish/v1/Systems/1';
const hardware = (volume: object) => ({ hardwareRAIDVolumes: [{ level: '1', ...volume }] });
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
  deployment: {},
  labels: {},
};
const rulesOf = (settings: HostSettings) => checkHostSettings(settings).map(({ rule }) => rule);
const withHost = (host: Partial<HostSettings['host']>): HostSettings => ({
  ...base,
  host: { ...base.host, ...host },
});
const deployed = (deployment: HostSettings['deployment']): HostSettings => ({ ...base, deployment });
const { bootMac: _mac, ...hostWithoutMac } = base.host;
const { bmc: _bmc, ...hostWithoutBmc } = base.host;
const { config: _config, ...withoutConfig } = base;
const checksum = 'a'.repeat(64);
const raid = {
  softwareRAIDVolumes: [
    { level: '1', physicalDisks: [{ deviceName: '/dev/sda' }, { serialNumber: 'x' }], sizeGibibytes: 100 },
    { level: '0' },
  ],
};
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
  deployment: { image: { url: 'https://h/i', checksum, format: 'raw' } },
  inspectionMode: 'fast',
  labels: { 'site.example/rack': '7', plain: '' },
  raid,
  firmwareSettings: { BootMode: 'Uefi', Cores: 8 },
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
      ['secure-boot-driver'],
    ],
    ['no system', withHost({ bmc: bmc('redfish://h/redfish/v1/') }), ['bmc-system']],
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
    ['an image', { ...base, deployment: { image: { url: 'https://h/i', checksum } } }, ['image-unverified']],
    [
      'an image without a checksum',
      { ...base, deployment: { image: { url: 'https://h/i' } } },
      ['image-unverified', 'image-checksum'],
    ],
    [
      'an image of Ironic',
      deployed({ deployInterface: 'direct', image: { url: 'https://h/i', checksum } }),
      [],
    ],
    [
      'an image of Ironic without a checksum',
      deployed({ deployInterface: 'direct', image: { url: 'https://h/i' } }),
      ['image-checksum-direct'],
    ],
    [
      'kernel arguments for an image of Ironic',
      {
        ...deployed({ deployInterface: 'direct', image: { url: 'https://h/i', checksum } }),
        install: { appendKarg: ['a'] },
      },
      ['needs-install-coreos'],
    ],
    [
      'a live ISO, and no disk',
      { ...deployed({ bootIso: 'https://h/i' }), host: { ...base.host, rootDevice: {} } },
      [],
    ],
    [
      'no inspection, and no MAC address',
      { ...base, host: hostWithoutMac, inspectionMode: 'disabled' },
      ['mac-missing-inspection'],
    ],
    [
      'inspection by a BMC with IPMI',
      { ...withHost({ bmc: bmc('ipmi://h') }), inspectionMode: 'fast' },
      ['inspection-fast'],
    ],
    ['labels with and without a prefix', { ...base, labels: { 'a.b/C_d': 'e', C_d: 'e' } }, []],
    ['a label with a blank', { ...base, labels: { 'a b': 'c' } }, ['label-invalid']],
    ['a label with a prefix in upper case', { ...base, labels: { 'A/b': 'c' } }, ['label-invalid']],
    [
      'a password of the firmware',
      { ...base, firmwareSettings: { AdminPassword: 'x' } },
      ['firmware-setting'],
    ],
    ['network data', { ...base, networkData: '{}' }, ['network-data-unread']],
    ['a large config', { ...base, config: { a: 'x'.repeat(1024 * 1024) } }, ['secret-size']],
  ])('is checked: %s', (_title, settings, rules) => {
    expect(rulesOf(settings)).toEqual(rules);
  });

  it.each<[string, HostSettings['deployment'], object]>([
    ['customDeploy', {}, { customDeploy: { method: 'install_coreos' } }],
    [
      'an image',
      { deployInterface: 'direct', image: { url: 'https://h/i', checksum, format: 'qcow2' } },
      {
        image: { url: 'https://h/i', checksum, checksumType: 'sha256', format: 'qcow2' },
      },
    ],
    [
      'a container',
      { deployInterface: 'bootc', image: { url: 'oci://h/i:1' } },
      { image: { url: 'oci://h/i:1' } },
    ],
    ['a live ISO', { bootIso: 'https://h/i.iso' }, { image: { url: 'https://h/i.iso', format: 'live-iso' } }],
  ])('asks the operator for what is deployed: %s', (_title, deployment, spec) => {
    const host = renderHostManifests(deployed(deployment)).at(-1);
    const { customDeploy, image } = asMapping(asMapping(host)['spec']);
    expect({ customDeploy, image }).toEqual({ image: undefined, ...spec });
    isBareMetalHost(host);
    expect(isBareMetalHost.errors).toBeNull();
  });

  const disks = [{ deviceName: '/dev/sda' }, { deviceName: '/dev/sdb' }];
  it.each<[string, Mapping, Partial<HostSettings['host']>, RegExp | undefined]>([
    [
      'hardware volumes',
      hardware({ controller: 'c', physicalDisks: ['a', 'b'], numberOfPhysicalDisks: 2 }),
      {},
      undefined,
    ],
    ['no hardware volumes any more', { hardwareRAIDVolumes: [] }, { bmc: bmc('ipmi://h') }, undefined],
    ['both', { ...hardware({}), ...raid }, {}, /either hardware or software/],
    ['hardware volumes by IPMI', hardware({}), { bmc: bmc('ipmi://h') }, /ipmi does not support hardware/],
    [
      'disks without a controller',
      hardware({ physicalDisks: ['a'] }),
      {},
      /physicalDisks of hardware volume 1 require/,
    ],
    [
      'another number of disks',
      hardware({ controller: 'c', physicalDisks: ['a'], numberOfPhysicalDisks: 2 }),
      {},
      /differ/,
    ],
    ['a negative size', hardware({ sizeGibibytes: -1 }), {}, /negative/],
    ['software volumes', raid, {}, undefined],
    [
      'one that is not mirrored',
      { softwareRAIDVolumes: [{ level: '0' }] },
      {},
      /first software volume must be "1"/,
    ],
    [
      'a disk of its own',
      { softwareRAIDVolumes: [{ level: '1', physicalDisks: [disks[0]] }] },
      {},
      /fewer than two/,
    ],
    [
      'an unknown hint',
      { softwareRAIDVolumes: [{ level: '1', physicalDisks: [{ disk: 'x' }, disks[0]] }] },
      {},
      /unknown root device hint/,
    ],
    [
      'a root volume beside root device hints',
      { softwareRAIDVolumes: [{ level: '1', rootVolume: true }] },
      {},
      /cannot be combined with root device hints/,
    ],
    [
      'a root volume',
      { softwareRAIDVolumes: [{ level: '1', rootVolume: true, physicalDisks: disks }] },
      { rootDevice: {} },
      undefined,
    ],
    [
      'two root volumes',
      { softwareRAIDVolumes: [1, 2].map(() => ({ level: '1', rootVolume: true })) },
      { rootDevice: {} },
      /only one software volume/,
    ],
  ])('has RAID: %s', (_title, volumes, host, message) => {
    const issues = checkHostSettings({ ...withHost(host), raid: volumes }).filter(
      ({ path }) => path[0] === 'raid',
    );
    const texts = issues.map(({ message: text }) => text);
    expect(texts.join('\n')).toMatch(message ?? /^$/);
  });

  it.each([
    ['SHA-256', checksum, 'sha256'],
    ['SHA-512', 'b'.repeat(128), 'sha512'],
    ['a URL', 'https://h/SHA256SUMS', 'auto'],
  ])('says what the checksum is: %s', (_title, sum, checksumType) => {
    const host = renderHostManifests({
      ...base,
      deployment: { image: { url: 'https://h/i', checksum: sum } },
    }).at(-1);
    expect(host).toMatchObject({ spec: { image: { url: 'https://h/i', checksum: sum, checksumType } } });
  });
});
