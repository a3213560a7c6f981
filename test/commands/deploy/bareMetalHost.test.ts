import { stat } from 'node:fs/promises';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { deployFolder, files, secret } from './support.ts';

const { path, run } = deployFolder();
const host = (...args: string[]) => run(['baremetalhost', '--name', 'worker-3', ...args]);
const minimal = [
  '--bmc-address',
  'redfish-virtualmedia://192.0.2.13/redfish/v1/Systems/1',
  '--boot-mac',
  '52:54:00:12:34:56',
  '--root-device',
  'name=/dev/nvme0n1',
  '--ignition',
  'host.ign',
];
const full = [
  '--namespace',
  'metal3',
  '--bmc-address',
  'idrac-virtualmedia://[2001:db8::1]/redfish/v1/Systems/1',
  '--bmc-insecure',
  '--bmc-credentials-name',
  'idrac',
  '--boot-mac',
  'A2-54-00-12-34-56',
  '--arch',
  'x86_64',
  '--spec',
  '{bootMode: UEFISecureBoot, automatedCleaningMode: disabled}',
  '--nmstate',
  'nmstate.yaml',
  '--root-device',
  'size=>= 100',
  '--root-device',
  'rotational=no',
  '--root-device',
  'serial=12345',
  '--ignition',
  'host.ign',
  '--user-data-name',
  'site',
  '--append-karg',
  'a=1',
  '--append-karg',
  'b',
  '--copy-network',
  '--image-source',
  'https://h/i.raw.xz',
  '--image-checksum',
  'a'.repeat(64),
];

describe('deploy baremetalhost', () => {
  it.each([
    ['minimal', minimal],
    ['full', full],
    ['assisted', [...minimal.slice(0, -2), '--method', 'start_assisted_install']],
  ])('writes manifests: %s', async (name, args) => {
    const { code, stdout } = await host(...args);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(`../../golden/deploy/baremetalhost-${name}.yaml`);
    const json = await host(...args, '--format', 'json');
    const list: unknown = JSON.parse(json.stdout);
    expect(list).toEqual({ apiVersion: 'v1', kind: 'List', items: loadAll(stdout) });
  });

  it('carries the config unchanged', async () => {
    const { stdout } = await host(...minimal, '--format', 'json');
    const { items }: { items: { stringData: { userData: string } }[] } = JSON.parse(stdout);
    expect(JSON.parse(items[0]?.stringData.userData ?? '')).toEqual(JSON.parse(files['host.ign']));
  });

  it('writes a file for nobody else', async () => {
    expect(await host(...minimal, '-o', 'host.yaml')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect((await stat(path('host.yaml'))).mode & 0o777).toBe(0o600);
  });

  it.each([
    [
      'another format',
      [...minimal, '--image-format', 'coreos'],
      /--image-format: unsupported image format \(image-format\)\nhint: use raw/,
    ],
    [
      'an image without a checksum',
      [...minimal, '--image-source', 'https://h/i'],
      /--image-checksum: .*requires it/,
    ],
    [
      'a broken MAC address',
      [...minimal.slice(0, 2), '--boot-mac', '52:54'],
      /--boot-mac: invalid MAC address "52:54": /,
    ],
    ['a broken hint', [...minimal, '--root-device', 'foo=1'], /--root-device foo: unknown root device hint/],
    [
      'a device as a hint',
      [...minimal, '--root-device', '/dev/sda'],
      /device hint \(hint-unknown\)\nhint: use name=\/dev\/sda\n/,
    ],
    [
      'a device by its path as a hint',
      [...minimal, '--root-device', '/dev/disk/by-path/pci-1'],
      /device hint \(hint-unknown\)\nhint: use by_path=\/dev\/disk\/by-path\/pci-1\n/,
    ],
    [
      'a hint without an equals sign',
      [...minimal, '--root-device', 'size>100'],
      /\nhint: use size="> 100"\n/,
    ],
    ['an operator without quotes', [...minimal, '--root-device', 'size>=100'], /\nhint: use size=">= 100"\n/],
    [
      'a size with a unit',
      [...minimal, '--root-device', 'size=100G'],
      /\nhint: use a number of GiB, such as size=/,
    ],
    [
      'a hint for Ironic only',
      [...minimal, '--root-device', 'model=PERC'],
      /--root-device model: .*\nhint: .*"<in> VALUE"/,
    ],
    ['no BMC', minimal.slice(2), /the BMC address is missing/],
    ['a config that is not valid', [...minimal.slice(0, -1), 'invalid.ign'], /not absolute/],
    [
      'network data that are no mapping',
      [...minimal, '--nmstate', 'list.yaml'],
      /list\.yaml: nmstate: the file contains no nmstate/,
    ],
    [
      'OpenStack network data as nmstate',
      [...minimal, '--nmstate', 'links.yaml'],
      /contains no nmstate\nhint: .*set network\.networkData/,
    ],
    [
      'nmstate as network data',
      [...minimal, '--network-data', 'nmstate.yaml'],
      /contains no OpenStack network data\nhint: .*use --nmstate/,
    ],
    [
      'an Ignition config as nmstate',
      [...minimal, '--nmstate', 'host.ign'],
      /host\.ign is an Ignition config, not an nmstate file\nhint: embed it with "ironic-coreos iso ignition embed -i host\.ign ISO"/,
    ],
    [
      'a mapping of unknown keys as nmstate',
      [...minimal, '--nmstate', 'unknown.yaml'],
      /unknown\.yaml: nmstate: the file contains no nmstate\nhint: pass nmstate/,
    ],
    [
      'network data that are no YAML',
      [...minimal, '--nmstate', 'broken.yaml'],
      /broken\.yaml:2:1: Invalid YAML/,
    ],
  ])('refuses %s', async (_title, args, message) => {
    expect(await host(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });

  it('says once what is wrong with an address, and never shows it', async () => {
    const { code, stderr } = await host(
      ...minimal.slice(2),
      '--bmc-address',
      `redfish://admin:${secret}@h/x`,
    );
    expect(code).toBe(1);
    expect(stderr.match(/^error:/gm)).toHaveLength(1);
    expect(stderr).not.toContain(secret);
  });

  it.each([
    [
      'a boot mode',
      ['--spec', '{bootMode: uefi}'],
      /--spec: .*"bootMode"\nhint: .*UEFI, UEFISecureBoot, legacy/,
    ],
    [
      'an unknown field',
      ['--spec', '{bootmode: UEFI}'],
      /--spec: unknown key "bootmode"\nhint: use "bootMode"/,
    ],
    ['no YAML', ['--spec', '{'], /--spec: /],
    ['a method', ['--method', 'install'], /install_coreos/],
    ['a checksum without an image', ['--image-checksum', 'a'], /--image-source URL/],
    ['an architecture', ['--arch', 'amd64'], /x86_64/],
  ])('asks for another command line: %s', async (_title, args, message) => {
    expect(await host(...minimal, ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message),
    });
  });
});
