/** An inventory with a value for every setting renders configs that `validate` has nothing to say about. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Setting, type SettingName, settingTable } from '../../../src/agent/settingTable.ts';
import { inputsNameImage } from '../../support/agentImage.ts';
import { dockerArchive } from '../../support/containerImages.ts';
import { runCli } from '../../support/runCli.ts';

const key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 ipa-test@example';

const certificates = resolve(import.meta.dirname, '../../support/certificates');

/** Files that the values name. */
const files: Readonly<Record<string, string>> = {
  'auth.json': '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}',
  'registries.conf': '[[registry]]\nlocation = "registry.example.com"\n',
  'agent.conf': '[DEFAULT]\nip_lookup_attempts = 5\n',
  'managers/burn_in.py': 'class BurnIn:\n    pass\n',
  'managers/burn_in.dist-info/entry_points.txt':
    '[ironic_python_agent.hardware_managers]\nburn_in = burn_in:BurnIn\n',
  'core.hash':
    '$6$c2FsdHNhbHQ$uvS9S1E3Nuw6pDu2Tw0cKjLmFUGfjDq0o7vVXh3MJUyHlXGJQ5pF9xeCRDGAhnQ5VBSZfLM0vTgfDcTzPqHn4.\n',
  'net.yaml': 'interfaces:\n- {name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}\n',
  'eth1.nmconnection': '[connection]\nid=eth1\ntype=ethernet\ninterface-name=eth1\n',
  'note.txt': 'a note\n',
  'burn-in.service':
    '[Unit]\nDescription=Burn in\n[Service]\nExecStart=/usr/bin/true\n[Install]\nWantedBy=multi-user.target\n',
  'own.bu':
    'variant: fcos\nversion: 1.2.0\nstorage: {files: [{path: /etc/motd.d/own, contents: {local: motd}}]}\n',
  'files/motd': 'own\n',
  'own.ign': '{"ignition":{"version":"3.2.0"},"storage":{"directories":[{"path":"/var/lib/data"}]}}',
};

/** One that another setting excludes is `null` here, and stands in a host. Other switches are on, and of choices, the second one is chosen. */
const values: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    settingTable.flatMap(({ name, choices, kind }) =>
      choices === undefined && kind !== 'switch' ? [] : [[name, choices?.[1] ?? true]],
    ),
  ),
  'ironic.apiUrls': ['https://192.0.2.1', 'https://[2001:db8::1]'],
  'ironic.port': 6385,
  'ironic.inspectionCallbackUrls': ['https://192.0.2.1:5050/v1/continue'],
  'ironic.inspectorUrls': null,
  'ironic.inspectorPort': 5050,
  'ironic.caFiles': ['ca.pem'],
  'ironic.insecure': false,
  'agent.standalone': false,
  'agent.image': `registry.example.com/metal3/ironic-agent@sha256:${'0123456789abcdef'.repeat(4)}`,
  'agent.archive': null,
  'agent.archiveUrl': null,
  'agent.pullSecret': 'auth.json',
  'agent.registriesConf': 'registries.conf',
  'agent.options': ['inspection_collectors = default,logs'],
  'agent.confFile': 'agent.conf',
  'agent.vlanInterfaces': ['eno1', 'eno2.100'],
  'agent.hardwareManagers': ['managers'],
  'agent.podman.args': ['--mount=type=bind,src=/var/lib/data,dst=/data,ro=true', '--env=BURN_IN=1'],
  'agent.podman.pullArgs': ['--quiet'],
  'host.sshKeys': ['core.pub', key],
  'host.passwordHash': 'core.hash',
  'host.consoles': ['ttyS0'],
  'host.hostname': 'worker.example.com',
  'host.nmstate': 'net.yaml',
  'host.networkData': null,
  'host.keyfiles': ['eth1.nmconnection'],
  'host.installIpOptions': 'ip=dhcp6',
  'host.ntpServers': ['ntp.example.com'],
  'proxy.http': 'http://192.0.2.9:3128',
  'proxy.https': 'https://192.0.2.9:3128',
  'proxy.none': ['localhost', '.example.com'],
  'ignition.files': ['/etc/issue.d/note.issue=note.txt,mode=0644'],
  'ignition.units': ['burn-in.service'],
  'ignition.discovery': 'own.ign',
  'ignition.merge': ['own.ign', 'own.bu'],
  'ignition.filesDir': 'files',
  'image.stream': 'rhel-10',
  'boot.baseUrl': 'https://192.0.2.1/images',
  'boot.kernelUrl': 'https://192.0.2.1/kernel',
  'boot.initramfsUrl': 'https://192.0.2.1/initramfs',
  'boot.rootfsUrl': 'https://192.0.2.1/rootfs',
  'boot.ignitionUrl': 'https://192.0.2.1/config.ign',
  'boot.embedded': false,
  'boot.ip': ['dhcp'],
  'boot.ipaParameters': ['debug=1'],
  'boot.kernelArguments': ['nomodeset'],
};

const nmstate = {
  interfaces: [
    {
      name: 'bond0',
      type: 'bond',
      state: 'up',
      ipv4: { enabled: true, dhcp: false, address: [{ ip: '192.0.2.7', 'prefix-length': 24 }] },
      'link-aggregation': { mode: 'active-backup', port: ['eth0', 'eth1'] },
    },
    { name: 'eth0', type: 'ethernet', state: 'up' },
    { name: 'eth1', type: 'ethernet', state: 'up' },
  ],
  'dns-resolver': { config: { server: ['192.0.2.53'] } },
};

const hosts = [
  { name: 'as-all' },
  { name: 'with-nmstate', mac: '52:54:00:12:34:56', architecture: 'aarch64', network: { nmstate } },
  {
    name: 'with-network-data',
    network: {
      networkData: {
        links: [{ id: 'eno1', type: 'phy', ethernet_mac_address: '52:54:00:12:34:57' }],
        networks: [{ id: 'machines', link: 'eno1', type: 'ipv4_dhcp' }],
      },
    },
  },
  { name: 'with-keyfiles', network: { keyfiles: { 'eth1.nmconnection': files['eth1.nmconnection'] } } },
  {
    name: 'with-inspector',
    overrides: { 'ironic.inspectionCallbackUrls': null, 'ironic.inspectorUrls': ['https://192.0.2.1'] },
  },
  {
    name: 'without-registry',
    architecture: 'x86_64',
    overrides: {
      'agent.image': null,
      'agent.pullPolicy': null,
      'agent.archive': 'ironic-agent.tar',
      'agent.archiveUrl': 'https://192.0.2.1/ironic-agent.tar',
    },
  },
  {
    name: 'standalone',
    overrides: { 'agent.standalone': true, 'ironic.apiUrls': null, 'host.consoles': ['ttyS1'] },
  },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'full inventory '));
  await mkdir(join(folder, 'managers/burn_in.dist-info'), { recursive: true });
  await mkdir(join(folder, 'files'));
  const ca = await readFile(join(certificates, 'test-ca.pem'), 'utf8');
  for (const [name, text] of Object.entries({ ...files, 'ca.pem': ca, 'core.pub': `${key}\n` })) {
    await writeFile(join(folder, name), text);
  }
  await writeFile(join(folder, 'ironic-agent.tar'), await dockerArchive({}));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

describe('a full inventory', () => {
  const settings: readonly (Setting & { readonly name: SettingName })[] = settingTable;

  it('has a value for every setting', () =>
    expect(Object.keys(values).toSorted()).toEqual(settings.map(({ name }) => name).toSorted()));

  it('is rendered to configs without a finding', async () => {
    const taken = settings.filter(({ profiles }) => profiles.includes('default'));
    const agent = Object.fromEntries(taken.map(({ name }) => [name, values[name]]));
    await writeFile(join(folder, 'ramdisk.yaml'), JSON.stringify({ agent, hosts }));
    const options = { cwd: folder, env: inputsNameImage };
    const rendered = await runCli(['render', '--inventory', 'ramdisk.yaml', '-o', 'configs'], options);
    expect(rendered.stderr).toBe(`configs: ${hosts.length} written, 0 unchanged, 0 invalid\n`);
    const names = hosts.map(({ name }) => `configs/${name}.ign`);
    const { code, stdout } = await runCli(['validate', '--format', 'json', ...names], options);
    const reports = stdout.split('\n').filter((line) => line !== '');
    expect(reports.map((line) => JSON.parse(line).messages)).toEqual(names.map(() => []));
    expect(code).toBe(0);
  });
});
