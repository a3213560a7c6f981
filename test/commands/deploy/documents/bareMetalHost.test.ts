import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import {
  checkHostSettings,
  type HostSettings,
  renderHostManifests,
} from '../../../../src/commands/deploy/documents/bareMetalHost.ts';
import { asMapping } from '../../../../src/formats/mapping.ts';
import type { DeployHost } from '../../../../src/commands/deploy/documents/host.ts';
import type { DeployOptions } from '../../../../src/commands/deploy/options.ts';
import { parseBmcAddress } from '../../../../src/redfish/bmcAddress.ts';

const readJson = (path: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../..', path), 'utf8'));
const { definitions } = readJson('dist/schemas/inventory.json');
const isSpec = new Ajv({ strict: false }).compile(definitions.hostSpec);

const bmc = (text: string) => {
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
  config: { ignition: { version: '3.4.0' } },
  options: { bmcAddress: 'given', rootDevice: ['given'] },
};
const rulesOf = (settings: HostSettings) => checkHostSettings(settings).map(({ rule }) => rule);
const withHost = (host: Partial<DeployHost>): HostSettings => ({ ...base, host: { ...base.host, ...host } });
const withOptions = (options: DeployOptions): HostSettings => ({
  ...base,
  options: { ...base.options, ...options },
});
const { config: _config, ...withoutConfig } = base;
const checksum = 'a'.repeat(64);
const full: HostSettings = {
  ...base,
  host: {
    ...base.host,
    architecture: 'aarch64',
    bmc: { ...bmc(`idrac-virtualmedia://[2001:db8::1]${system}`), insecure: true },
    rootDevice: { by_path: '/dev/disk/by-path/x', model: '<in> PERC', size: '>= 100', rotational: false },
  },
  ramdiskNetwork: { key: 'nmstate', text: 'interfaces: []\n' },
  networkData: '{}',
  options: {
    ...base.options,
    namespace: 'metal3',
    userDataName: 'site-config',
    appendKarg: ['a=1', 'b'],
    copyNetwork: true,
    imageSource: 'https://h/i',
    imageChecksum: checksum,
    imageFormat: 'raw',
    labels: { 'site.example/rack': '7', plain: '' },
    spec: { bootMode: 'UEFISecureBoot', raid: { softwareRAIDVolumes: [{ level: '1' }] }, online: false },
  },
};

describe('a BareMetalHost', () => {
  it('has the specification of the resource definition', () => {
    const definition = readJson('test/interop/kubernetes/definitions/baremetalhosts.metal3.io.json');
    const [version] = definition.spec.versions;
    expect(readJson('schemas/deploy/baremetalhost.json').properties.spec).toEqual(
      version.schema.openAPIV3Schema.properties.spec,
    );
  });

  it.each<[string, HostSettings]>([
    ['the least', base],
    ['everything', full],
    ['no disk', withHost({ rootDevice: {} })],
    ['assisted', { ...withOptions({ method: 'start_assisted_install' }), config: undefined }],
  ])('obeys the resource definition: %s', (_title, settings) => {
    isSpec(asMapping(renderHostManifests(settings).at(-1))['spec']);
    expect(isSpec.errors).toBeNull();
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
    ['no BMC', { ...base, options: { rootDevice: ['given'] } }, ['bmc-missing']],
    ['no MAC address', withHost({ bootMac: undefined }), []],
    ['a disk in the specification', withOptions({ rootDevice: [], spec: { rootDeviceHints: {} } }), []],
    ['no disk', withOptions({ rootDevice: [] }), ['root-device-missing']],
    ['a hint that Metal3 has not', withHost({ rootDevice: { tran: 'nvme' } }), ['hint-not-in-metal3']],
    ['no config', withoutConfig, ['user-data-missing']],
    ['a config that is there', { ...withOptions({ userDataName: 'site' }), config: undefined }, []],
    ['assisted with a config', withOptions({ method: 'start_assisted_install' }), ['method-takes-nothing']],
    ['an image', withOptions({ imageSource: 'https://h/i', imageChecksum: checksum }), ['image-unverified']],
    [
      'an image without a checksum',
      withOptions({ imageSource: 'https://h/i' }),
      ['image-unverified', 'image-checksum'],
    ],
    [
      'an image of Ironic',
      withOptions({ deployInterface: 'direct', imageSource: 'https://h/i', imageChecksum: checksum }),
      [],
    ],
    [
      'an image of Ironic without a checksum',
      withOptions({ deployInterface: 'direct', imageSource: 'https://h/i' }),
      ['image-checksum'],
    ],
    [
      'an image without a deploy step and without a checksum',
      withOptions({ method: 'none', imageSource: 'https://h/i' }),
      ['image-checksum'],
    ],
    [
      'kernel arguments for an image of Ironic',
      withOptions({
        deployInterface: 'direct',
        imageSource: 'https://h/i',
        imageChecksum: checksum,
        appendKarg: ['a'],
      }),
      ['needs-install-coreos'],
    ],
    ['a live ISO, and no disk', withOptions({ bootIso: 'https://h/i', rootDevice: [] }), []],
    ['network data', { ...base, networkData: '{}' }, ['network-data-unread']],
    ['a large config', { ...base, config: { a: 'x'.repeat(256 * 1024) } }, ['secret-apply-size']],
  ])('is checked: %s', (_title, settings, rules) => {
    expect(rulesOf(settings)).toEqual(rules);
  });

  it.each<[string, DeployOptions, object]>([
    ['customDeploy', {}, { customDeploy: { method: 'install_coreos' } }],
    [
      'an image',
      {
        deployInterface: 'direct',
        imageSource: 'https://h/i',
        imageChecksum: checksum,
        imageFormat: 'qcow2',
      },
      {
        image: { url: 'https://h/i', checksum, checksumType: 'sha256', format: 'qcow2' },
      },
    ],
    [
      'an image without a deploy step',
      { method: 'none', imageSource: 'https://h/i', imageChecksum: checksum, imageFormat: 'qcow2' },
      { image: { url: 'https://h/i', checksum, checksumType: 'sha256', format: 'qcow2' } },
    ],
    [
      'a container',
      { deployInterface: 'bootc', imageSource: 'oci://h/i:1' },
      { image: { url: 'oci://h/i:1' } },
    ],
    ['a live ISO', { bootIso: 'https://h/i.iso' }, { image: { url: 'https://h/i.iso', format: 'live-iso' } }],
  ])('asks the operator for what is deployed: %s', (_title, options, spec) => {
    const host = renderHostManifests(withOptions(options)).at(-1);
    const { customDeploy, image } = asMapping(asMapping(host)['spec']);
    expect({ customDeploy, image }).toEqual({ image: undefined, ...spec });
    isSpec(asMapping(host)['spec']);
    expect(isSpec.errors).toBeNull();
  });

  it('has the fields of the specification in place of those of settings', () => {
    expect(renderHostManifests(full).at(-1)).toMatchObject({
      metadata: { labels: { 'site.example/rack': '7', plain: '' } },
      spec: { online: false, bootMode: 'UEFISecureBoot', bmc: { credentialsName: 'worker-3-bmc-secret' } },
    });
  });

  it.each([
    ['SHA-256', checksum, 'sha256'],
    ['SHA-512', 'b'.repeat(128), 'sha512'],
    ['a URL', 'https://h/SHA256SUMS', 'auto'],
  ])('says what the checksum is: %s', (_title, sum, checksumType) => {
    const host = renderHostManifests(withOptions({ imageSource: 'https://h/i', imageChecksum: sum })).at(-1);
    expect(host).toMatchObject({ spec: { image: { url: 'https://h/i', checksum: sum, checksumType } } });
  });
});
