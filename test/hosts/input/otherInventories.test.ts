/** Documents of another type in place of an inventory, in each command that reads an inventory. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { anyImage, runCli } from '../../support/runCli.ts';

const object = (kind: string, rest = 'spec: {}'): string =>
  `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: {name: a}\n${rest}\n`;
const inAgent = (setting: string): string => `set "${setting}" below "agent" of the inventory`;
const inNetwork = (setting: string): string =>
  `set "network: {${setting}}" in the entry of its host below "hosts" of the inventory`;

/** What is passed, what it is, and what to do with it. */
const DOCUMENTS: readonly (readonly [
  file: string,
  content: string | Uint8Array,
  noun: string,
  hint: string,
])[] = [
  [
    'host.yaml',
    object('BareMetalHost', 'spec: {bootMACAddress: "52:54:00:00:00:01"}'),
    'a BareMetalHost',
    'write an entry below "hosts" of an inventory: metadata.name as "name", spec.bootMACAddress as "mac"',
  ],
  [
    'host after its Secret.yaml',
    `---\n${object('Secret', 'stringData: {username: root, password: hunter2}')}---\n${object('BareMetalHost')}`,
    'a BareMetalHost',
    'write an entry below "hosts"',
  ],
  [
    'list of hosts.yaml',
    `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: metal3.io/v1alpha1, kind: BareMetalHost}\n`,
    'a BareMetalHost',
    'write an entry below "hosts"',
  ],
  [
    'image.yaml',
    object('PreprovisioningImage'),
    'a PreprovisioningImage',
    'use "ironic-coreos controller", which builds the images of these objects',
  ],
  ['state.yaml', object('NMStateConfig'), 'an NMStateConfig', inNetwork('nmstate: state.yaml')],
  [
    'agents.yaml',
    object('AgentConfig', 'hosts: [{hostname: a}]'),
    'an AgentConfig',
    'write its hosts to an inventory: hostname as "name"',
  ],
  [
    'machine.yaml',
    object('MachineConfig'),
    'a MachineConfig',
    'write its spec.config to a file, and set "ignition.merge: [PATH]" below "agent"',
  ],
  [
    'mirrors.yaml',
    object('ImageDigestMirrorSet'),
    'an ImageDigestMirrorSet',
    inAgent('agent.registriesConf: mirrors.yaml'),
  ],
  [
    'secret.yaml',
    object('Secret', 'stringData: {.dockerconfigjson: hunter2}'),
    'a Secret with a pull secret',
    inAgent('agent.pullSecret: secret.yaml'),
  ],
  [
    'map.yaml',
    object('ConfigMap', 'data: {ramdisk.yaml: "agent: {}"}'),
    'a ConfigMap with "ramdisk.yaml"',
    'pass a file with the value of one of its keys',
  ],
  [
    'other.yaml',
    object('Kustomization'),
    'a Kubernetes object of kind "Kustomization"',
    'apply it with kubectl apply -f other.yaml',
  ],
  [
    'install.yaml',
    'apiVersion: v1\nbaseDomain: example.com\npullSecret: hunter2\n',
    'an install-config.yaml of OpenShift',
    'write its hosts to an inventory',
  ],
  ['nmstate.yaml', 'interfaces:\n- name: eth0\n', 'an nmstate file', inNetwork('nmstate: nmstate.yaml')],
  [
    'data.json',
    '{"links": [], "networks": []}',
    'OpenStack network data',
    inNetwork('networkData: data.json'),
  ],
  [
    'eth0.nmconnection',
    '[connection]\nid=eth0\n',
    'a NetworkManager keyfile',
    inNetwork('keyfiles: [eth0.nmconnection]'),
  ],
  [
    'netplan.yaml',
    'network: {version: 2, ethernets: {}}\n',
    'a netplan file',
    'write the network as nmstate',
  ],
  [
    'user-data',
    '#cloud-config\nhosts: []\nusers: [core]\n',
    'a cloud-init config',
    'write its SSH keys to "host.sshKeys" below "agent" of an inventory; CoreOS does not contain cloud-init',
  ],
  [
    'auth.json',
    '{"auths":{"quay.io":{"auth":"hunter2"}}}',
    'a pull secret',
    inAgent('agent.pullSecret: auth.json'),
  ],
  ['a.ign', '{"ignition":{"version":"3.4.0"}}', 'an Ignition config', inAgent('ignition.merge: [a.ign]')],
  ['a.bu', 'variant: fcos\nversion: 1.5.0\n', 'a Butane config', inAgent('ignition.merge: [a.bu]')],
  [
    'ipa.conf',
    '# comment\n[DEFAULT]\napi_url = https://192.0.2.1\n',
    'a configuration file of ironic-python-agent',
    inAgent('agent.confFile: ipa.conf'),
  ],
  [
    'conductor.conf',
    '[DEFAULT]\ndebug = true\n[conductor]\nautomated_clean = false\n',
    'an ironic.conf',
    'check it with "ironic-coreos validate conductor.conf"',
  ],
  ['a.service', '[Unit]\nDescription=x\n', 'a systemd unit', inAgent('ignition.units: [a.service]')],
  ['ca.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n', 'a PEM certificate', inAgent('ironic.caFiles: [ca.pem]')],
  [
    'id.pub',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 a@b\n',
    'an SSH public key',
    inAgent('host.sshKeys: [id.pub]'),
  ],
  [
    'ansible.yaml',
    'all:\n  hosts: {worker-0: {ansible_host: 192.0.2.5}}\n',
    'an Ansible inventory',
    'write its hosts to the inventory: a list "hosts" of entries with "name" and "mac"',
  ],
  ['ansible.ini', '[metal]\nworker-0 ansible_host=192.0.2.5\n', 'an Ansible inventory', 'write its hosts'],
  [
    'bifrost.json',
    '{"testvm1": {"driver": "ipmi", "driver_info": {"password": "hunter2"}, "nics": [{"mac": "00:01:02:03:04:05"}]}}',
    'a Bifrost inventory',
    'write its nodes to the inventory: "name", and the mac of one of its nics as "mac"',
  ],
  [
    'nodes.json',
    '{"nodes": [{"name": "a", "driver": "redfish"}]}',
    'a list of nodes for Ironic',
    'write its nodes to an inventory: "name", and the address of a port as "mac"',
  ],
  ['live.iso', liveIso('2023-07'), 'an ISO image', 'inspect it with "ironic-coreos inspect live.iso"'],
  ['page.html', '<!DOCTYPE html>\n<title>404</title>\n', 'an HTML page', 'download the file again'],
];

const url = 'http://192.0.2.1';
/** The commands that read an inventory, with the option for it last. */
const COMMANDS: readonly (readonly string[])[] = [
  ['render', ...anyImage, '-o', 'out', '--inventory'],
  ['prepare', '--iso', 'live.iso', '--artifacts', 'iso', '--base-url', url, '-o', 'out', '--inventory'],
  ['try', '--iso', 'live.iso', '--public-url', url, '--inventory'],
  ['boot', 'a', '--inventory'],
  ['deploy', 'node', '--inventory'],
  ['deploy', 'baremetalhost', '--inventory'],
  ['pxe', 'kargs', '--inventory'],
];

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'other inventories '));
  for (const [file, content] of DOCUMENTS) writeFileSync(join(cwd, file), content);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('a document of another type', () => {
  it.each(DOCUMENTS)('%s', async (file, _content, noun, hint) => {
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await runCli([...command, file], { cwd });
      expect([command[0], code, stdout]).toEqual([command[0], 1, '']);
      expect(stderr).toContain(`error: ${file} is ${noun}, not an inventory of ironic-coreos\nhint: ${hint}`);
      expect(stderr).not.toContain('hunter2');
    }
    expect(readdirSync(cwd)).toHaveLength(DOCUMENTS.length);
  });
});

describe('an inventory with mistakes remains an inventory', () => {
  it.each([
    ['a misspelled key', 'agnet: {}\nhosts: []\n', 'unknown key "agnet"', 'use "agent"'],
    [
      'a setting at the top',
      'ironic.apiUrls: https://192.0.2.1\n',
      'unknown key "ironic.apiUrls"',
      'write settings',
    ],
    [
      'an empty file',
      '# nothing\n',
      'the inventory is empty',
      'write settings below "agent:" or entries below "hosts:"',
    ],
    [
      'a list of hosts',
      '- name: a\n- name: b\n',
      'must be a mapping',
      'write each entry as an indented line',
    ],
    [
      'hosts by their names',
      'hosts: {worker-0: {mac: x}}\n',
      '"hosts" must be a list',
      'write each item as a line that starts with',
    ],
    ['a list of others', '- a\n', 'must be a mapping', 'write each entry as an indented line'],
  ])('%s', async (_title, content, message, hint) => {
    const folder = mkdtempSync(join(tmpdir(), 'inventory '));
    writeFileSync(join(folder, 'inventory.yaml'), content);
    const { code, stderr } = await runCli(['render', '--inventory', 'inventory.yaml', '-o', 'out'], {
      cwd: folder,
    });
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`hint: ${hint}`);
  });
});
