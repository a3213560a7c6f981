/** `deploy … --inventory`: what the commands write for many hosts. */

import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { loadAll } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/core/finding.ts';
import { node } from '../../../src/commands/deploy/node.ts';
import type { Io } from '../../../src/io/io.ts';
import type { RunResult } from '../../support/runCli.ts';
import { deployFolder, files, secret } from './support.ts';

const { path, run } = deployFolder();

const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1
deploy:
  namespace: metal3
  bmcInsecure: true
  rootDeviceHints: {minSizeGigabytes: 100, rotational: false}
  ignition: ../host.ign
  copyNetwork: true
  deployIso: http://192.0.2.1/{name}.iso
hosts:
- name: worker-0
  mac: 52-54-00-12-34-56
  architecture: x86_64
  network:
    nmstate:
      interfaces:
      - {name: eno1, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}
  deploy:
    bmcAddress: redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1
    appendKargs: ["ip={name}:dhcp"]
- name: worker-1
  mac: 52:54:00:12:34:57
  network: {nmstate: ../nmstate.yaml}
  deploy:
    bmcAddress: redfish://192.0.2.11/redfish/v1/Systems/1
    bmcInsecure: null
    bmcCredentialsName: "bmc-{mac:hexhyp}"
    ignition: null
    userDataName: site
    deployKernel: http://192.0.2.1/ipa.kernel
    deployRamdisk: http://192.0.2.1/{architecture}.initramfs
    kernelAppendParams: "%default% console=ttyS0"
    rootDeviceHints: {deviceName: /dev/nvme0n1}
  architecture: aarch64
`;

beforeAll(async () => {
  await mkdir(path('site'));
  await writeFile(path('site/ramdisk.yaml'), inventory);
  await writeFile(path('other.ign'), '{"ignition":{"version":"3.4.0"}}');
});

const deploy = (command: string, ...args: string[]): Promise<RunResult> =>
  run([command, '--inventory', 'site/ramdisk.yaml', ...args]);

/** Discards what is printed. */
function silentIo(cwd: string): Io {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const stdin = Readable.from([]);
  return { stdin, stdout: nowhere, stderr: nowhere, env: {}, cwd, programName: 'ironic-coreos' };
}

let count = 0;

/** Runs a command with an inventory of its own; each host is one line. */
async function withHosts(command: string, hosts: string, ...args: string[]): Promise<RunResult> {
  const name = `hosts-${(count += 1)}.yaml`;
  await writeFile(path(name), `deploy: {rootDeviceHints: {deviceName: /dev/sda}}\nhosts:\n${hosts}`);
  const { stderr, ...result } = await run([command, '--inventory', name, ...args]);
  return { ...result, stderr: stderr.replaceAll(name, 'hosts.yaml') };
}

describe('deploy --inventory', () => {
  it.each([
    ['baremetalhost', 'yaml', []],
    ['node', 'sh', []],
    ['node', 'yaml', ['--format', 'yaml']],
    ['node', 'json', ['--format', 'json']],
    ['node', 'driver-info.json', ['--format', 'driver-info']],
    ['configdrive', 'json', []],
    ['steps', 'json', ['--config-drive', 'drives/{name}.json']],
    ['steps', 'sh', ['--format', 'command', '--config-drive', 'drives/{name}.json']],
  ])('writes all hosts of %s as %s', async (command, form, args) => {
    const { code, stdout, stderr } = await deploy(command, ...args);
    expect(stderr).not.toContain('error:');
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(`../../golden/deploy/inventory-${command}.${form}`);
  });

  it('writes the same as JSON and as YAML', async () => {
    const yaml = await deploy('baremetalhost');
    const json = await deploy('baremetalhost', '--format', 'json');
    const list: unknown = JSON.parse(json.stdout);
    expect(list).toEqual({ apiVersion: 'v1', kind: 'List', items: loadAll(yaml.stdout) });
    const nodes = await deploy('node', '--format', 'yaml');
    expect(loadAll(nodes.stdout)).toEqual([JSON.parse((await deploy('node', '--format', 'json')).stdout)]);
  });

  it('writes each config drive, for nobody else', async () => {
    await deploy('steps', '--config-drive', 'drives/{name}.json');
    expect(await readdir(path('drives'))).toEqual(['worker-0.json', 'worker-1.json']);
    expect((await stat(path('drives/worker-0.json'))).mode & 0o777).toBe(0o600);
    const drive: unknown = JSON.parse(await readFile(path('drives/worker-0.json'), 'utf8'));
    expect(drive).toEqual({
      user_data: JSON.parse(files['host.ign']),
      meta_data: { coreos_append_karg: ['ip=worker-0:dhcp'], coreos_copy_network: true },
    });
  });

  it('gives for one host what its flags give', async () => {
    const { stdout } = await deploy('node', '--host', 'worker-1', '-o', '-');
    const pairs = {
      '--name': 'worker-1',
      '--boot-mac': '52:54:00:12:34:57',
      '--arch': 'aarch64',
      '--bmc-address': 'redfish://192.0.2.11/redfish/v1/Systems/1',
      '--root-device': 'deviceName=/dev/nvme0n1',
      '--deploy-kernel': 'http://192.0.2.1/ipa.kernel',
      '--deploy-ramdisk': 'http://192.0.2.1/aarch64.initramfs',
      '--kernel-append-params': '%default% console=ttyS0',
    };
    const flags = await run(['node', ...Object.entries(pairs).flat()]);
    expect(flags.stdout).toBe(stdout);
  });

  it('lets flags win, placeholders in them included', async () => {
    const flags = ['--deploy-iso', 'http://h/{mac:hexhyp}.iso', '--root-device', 'name=/dev/sdb'];
    const { stdout } = await deploy('node', '--host', 'worker-0', '--format', 'json', ...flags);
    expect(JSON.parse(stdout)).toMatchObject({
      nodes: [
        {
          driver_info: { deploy_iso: 'http://h/52-54-00-12-34-56.iso', redfish_verify_ca: false },
          properties: { root_device: { name: '/dev/sdb' } },
        },
      ],
    });
  });

  it('takes the network of all hosts where a host has none of its own', async () => {
    const text = `agent: {host.nmstate: nmstate.yaml}\ndeploy: {bmcAddress: "redfish://{name}/a", userDataName: u}\n`;
    await writeFile(
      path('network.yaml'),
      `${text}hosts: [{name: a}, {name: b, overrides: {host.nmstate: null}}]\n`,
    );
    const { stdout } = await run(['baremetalhost', '--inventory', 'network.yaml']);
    const hosts = loadAll(stdout);
    expect(hosts).toMatchObject([
      {
        metadata: { name: 'a-preprovisioning-network-data' },
        stringData: { nmstate: files['nmstate.yaml'] },
      },
      { metadata: { name: 'a' }, spec: { preprovisioningNetworkDataName: 'a-preprovisioning-network-data' } },
      { metadata: { name: 'b' } },
    ]);
    expect(hosts[2]).not.toHaveProperty('spec.preprovisioningNetworkDataName');
  });

  it.each([
    [
      'a value that nmstate refuses',
      'upp',
      'error: a is not written (network.yaml:3): network.yaml:6:56: expected one of up, down, absent, ignore, found "upp"',
      0,
    ],
    [
      'an interface that never starts',
      'down',
      'warning: network.yaml:6:56: NetworkManager starts no connection of the network by itself: eth0',
      1,
    ],
  ])('reports %s in the inventory', async (_title, state, message, written) => {
    const text = `deploy: {bmcAddress: "redfish://{name}/a", userDataName: u}
hosts:
- name: a
  network:
    nmstate:
      interfaces: [{name: eth0, type: ethernet, state: ${state}}]
`;
    await writeFile(path('network.yaml'), text);
    const { stderr, stdout } = await run(['baremetalhost', '--inventory', 'network.yaml']);
    expect(stderr).toContain(message);
    expect(stdout.match(/^kind: BareMetalHost$/gm) ?? []).toHaveLength(written);
  });

  it('writes network data under its own key', async () => {
    const links = '[{id: a, type: phy, ethernet_mac_address: "52:54:00:12:34:56"}]';
    await writeFile(
      path('network.yaml'),
      `agent: {host.nmstate: nmstate.yaml}\ndeploy: {bmcAddress: "redfish://{name}/a", userDataName: u}\n` +
        `hosts: [{name: a, network: {networkData: {links: ${links}}}}]\n`,
    );
    const [written] = loadAll((await run(['baremetalhost', '--inventory', 'network.yaml'])).stdout);
    expect(written).toMatchObject({
      metadata: { name: 'a-preprovisioning-network-data' },
      stringData: { networkData: expect.stringContaining("ethernet_mac_address: '52:54:00:12:34:56'") },
    });
  });
});

describe('deploy --inventory with a folder', () => {
  it.each([
    ['baremetalhost', [], ['worker-0.yaml', 'worker-1.yaml']],
    ['baremetalhost', ['--format', 'json'], ['worker-0.json', 'worker-1.json']],
    ['node', [], ['worker-0.sh', 'worker-1.sh']],
    ['node', ['--format', 'yaml'], ['worker-0.yaml', 'worker-1.yaml']],
    ['configdrive', ['--pretty'], ['worker-0.json', 'worker-1.json']],
    ['steps', ['--config-drive', 'drives/{name}'], ['worker-0.json', 'worker-1.json']],
  ])('%s %j writes a file a host, and leaves it alone the next time', async (command, args, names) => {
    const output = `out-${(count += 1)}`;
    const first = await deploy(command, '-o', output, ...args);
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toContain(`${output}: 2 written, 0 unchanged, 0 invalid\n`);
    expect(await readdir(path(output))).toEqual(names);
    const file = path(`${output}/${names[0]}`);
    await utimes(file, 1000, 1000);
    const second = await deploy(command, '-o', output, ...args);
    expect(second.stderr).toContain(`${output}: 0 written, 2 unchanged, 0 invalid\n`);
    expect((await stat(file)).mtimeMs).toBe(1_000_000);
  });

  it('writes each file as the command for one host does', async () => {
    await deploy('node', '-o', 'nodes', '--format', 'json');
    const { stdout } = await deploy('node', '--host', 'worker-0', '--format', 'json');
    expect(await readFile(path('nodes/worker-0.json'), 'utf8').then(JSON.parse)).toEqual(JSON.parse(stdout));
    expect((await stat(path('nodes/worker-0.json'))).mode & 0o044).toBe(0o044);
  });

  it('keeps secrets from others', async () => {
    await deploy('baremetalhost', '-o', 'manifests');
    expect((await stat(path('manifests/worker-0.yaml'))).mode & 0o777).toBe(0o600);
  });
});

const right = '- {name: c, deploy: {bmcAddress: 192.0.2.3, userDataName: u}}\n';

const unfit = (name: string): string =>
  `- {name: ${name}, deploy: {bmcAddress: ${name}, ignition: invalid.ign}}\n`;

describe('deploy --inventory where a host is wrong', () => {
  it.each([
    ['the BMC address', '{bmcAddress: "ftp://h"}', '3:34: bmcAddress: invalid BMC address'],
    [
      'no BMC address',
      '{}',
      'the BMC address is missing; Metal3 requires it (bmc-missing)\nhint: pass bmcAddress, e.g.',
    ],
    ['a placeholder', '{bmcAddress: "{nmae}"}', '3:34: bmcAddress contains an unknown placeholder'],
    [
      'a placeholder without value',
      '{bmcAddress: "{mac}"}',
      'contains the placeholder {mac}, but this host has no value',
    ],
    [
      'a hint',
      '{bmcAddress: h, rootDeviceHints: {sice: 1}}',
      '3:61: rootDeviceHints sice: unknown root device hint',
    ],
    [
      'a kernel argument',
      '{bmcAddress: h, appendKargs: [a, "b c"]}',
      '3:54: appendKargs (number 2): invalid kernel argument',
    ],
    ['a config', '{bmcAddress: h, ignition: invalid.ign}', 'not a valid Ignition config: invalid.ign'],
    ['a config that is missing', '{bmcAddress: h, ignition: no.ign}', 'not found: no.ign'],
    [
      'an image without checksum',
      '{bmcAddress: h, imageSource: "http://h/i"}',
      '3:3: imageChecksum: missing or invalid',
    ],
    ['a checksum without image', '{bmcAddress: h, imageChecksum: a}', 'imageChecksum requires imageSource'],
    ['a key', '{bmcAdress: h}', '3:33: unknown key "bmcAdress"'],
    ['a type', '{bmcInsecure: "yes"}', '"bmcInsecure" must be true or false or null'],
    ['a choice', '{spec: {bootMode: uefi}}', 'use one of UEFI, UEFISecureBoot, legacy'],
    [
      'a number',
      '{spec: {raid: {hardwareRAIDVolumes: [{level: "1", sizeGibibytes: -1}]}}}',
      '"sizeGibibytes" must be >= 0',
    ],
    ['a label', '{labels: {"a b": c}}', '"labels" property name must be valid'],
  ])('says where: %s', async (_title, wrong, message) => {
    const hosts = `- {name: b, deploy: ${wrong}}\n${right}`;
    const { code, stdout, stderr } = await withHosts('baremetalhost', hosts);
    expect(stderr).toContain('error: b is not written (hosts.yaml:3)');
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/\n1 written, 1 invalid\n$/);
    expect(code).toBe(1);
    expect(loadAll(stdout)).toMatchObject([{ kind: 'BareMetalHost', metadata: { name: 'c' } }]);
  });

  it('reports file, line, column and key of a setting as fields', async () => {
    const text = 'hosts:\n- name: a\n  deploy: {bmcAddress: "ftp://h", rootDeviceHints: {sice: 1}}\n';
    await writeFile(path('fields.yaml'), text);
    const reported: Diagnostic[] = [];
    const io = { ...silentIo(path('')), report: (all: readonly Diagnostic[]) => void reported.push(...all) };
    expect(await node({ format: 'json', inventory: 'fields.yaml' }, io)).toBe(1);
    const at = { file: 'fields.yaml', line: 3 };
    expect(reported).toMatchObject([
      {
        at: { ...at, column: 24 },
        message: 'bmcAddress: invalid BMC address: its scheme is not a supported driver',
      },
      { at: { ...at, column: 59 }, message: 'rootDeviceHints sice: unknown root device hint' },
    ]);
  });

  it('shows the missing root device hints in the form of the inventory', async () => {
    const hosts = `- {name: a, deploy: {bmcAddress: 192.0.2.3, rootDeviceHints: null, userDataName: u}}\n`;
    const { stderr } = await withHosts('baremetalhost', hosts);
    expect(stderr).toContain('hint: add rootDeviceHints: {name: /dev/nvme0n1}\n');
    const { stderr: ofFlags } = await run(['baremetalhost', '--name', 'a', '--bmc-address', '192.0.2.3']);
    expect(ofFlags).toContain('hint: pass --root-device name=/dev/nvme0n1\n');
  });

  it('tells once what is wrong with many', async () => {
    const { stderr } = await withHosts('node', '- {name: a}\n- {name: b}\n- {name: c}\n');
    expect(stderr.match(/a new node requires/g)).toHaveLength(1);
    expect(stderr).toContain('error: 3 hosts are not written: ');
    expect(stderr).toContain('0 written, 3 invalid\n');
  });

  it('says what is wrong with a config of many above the error that refers to it', async () => {
    const { stderr } = await withHosts('baremetalhost', unfit('a') + unfit('b'));
    expect(stderr).toMatch(/^error: 2 hosts are not written: /);
    expect(stderr).toMatch(
      /--> invalid\.ign:[^]*error: 2 hosts are not written: not a valid Ignition config: invalid\.ign\n.*\nhint: fix the errors/,
    );
    expect(stderr.match(/--> invalid\.ign/g)).toHaveLength(1);
    expect(stderr).toMatch(/\n0 written, 2 invalid\n$/);
  });

  it('stops there with --fail-fast', async () => {
    const hosts = `${right}- {name: d}\n- {name: e, deploy: {bmcAddress: h}}\n`;
    const { code, stderr } = await withHosts('node', hosts, '--fail-fast', '-o', 'fast');
    expect(stderr).toContain('fast: 1 written, 0 unchanged, 1 invalid; stopped (--fail-fast)\n');
    expect([code, await readdir(path('fast'))]).toEqual([1, ['c.sh']]);
  });

  it('writes nothing with --fail-fast where a host is no host', async () => {
    const { code, stdout } = await withHosts('node', `${right}- {name: _}\n`, '--fail-fast');
    expect([code, stdout]).toEqual([1, '']);
  });

  it('refuses both of two hosts with one BMC', async () => {
    const hosts =
      '- {name: a, deploy: {bmcAddress: "redfish://h:443/s"}}\n- {name: b, deploy: {bmcAddress: "redfish-virtualmedia://H/s/"}}\n';
    const { code, stderr, stdout } = await withHosts('node', hosts + right);
    expect(stderr).toContain('hosts.yaml:3:34: bmcAddress: host b has the same BMC');
    expect(stderr).toContain('hosts.yaml:4:34: bmcAddress: host a has the same BMC');
    expect(code).toBe(1);
    expect(stdout).toContain('--name c');
  });

  it('ignores hosts that are not wanted', async () => {
    expect(await withHosts('node', `- {name: a}\n- 7\n${right}`, '--host', 'c')).toMatchObject({ code: 0 });
  });

  it('never shows a password', async () => {
    const { stderr } = await withHosts(
      'node',
      `- {name: a, deploy: {bmcAddress: "redfish://u:${secret}@h/x"}}\n`,
    );
    expect(stderr).toContain('move user and password to the Secret');
    expect(stderr).not.toContain(secret);
  });
});

const sharing = (name: string, ignition: string): string =>
  `- {name: ${name}, deploy: {bmcAddress: "${name}", userDataName: site, ignition: ${ignition}}}\n`;

describe('a Secret that hosts share', () => {
  it('is written once', async () => {
    const { code, stdout } = await withHosts(
      'baremetalhost',
      sharing('a', 'host.ign') + sharing('b', './host.ign'),
    );
    expect(code).toBe(0);
    expect(loadAll(stdout)).toMatchObject([
      { kind: 'Secret', metadata: { name: 'site' } },
      { kind: 'BareMetalHost', spec: { userData: { name: 'site' } } },
      { kind: 'BareMetalHost', spec: { userData: { name: 'site' } } },
    ]);
  });

  it('holds one config only', async () => {
    const { code, stderr } = await withHosts(
      'baremetalhost',
      sharing('a', 'host.ign') + sharing('b', 'other.ign'),
    );
    expect(stderr).toContain('error: b is not written (hosts.yaml:4)');
    expect(stderr).toContain('the Secret site already contains a different config, for a');
    expect(code).toBe(1);
  });
});

describe('deploy --inventory asks for another command line', () => {
  it.each([
    ['a name', 'node', ['--name', 'a'], 'use --host a'],
    ['an unknown host', 'node', ['--host', 'worker-2'], 'use worker-0 or worker-1'],
    ['a MAC address for many', 'node', ['--boot-mac', '52:54:00:12:34:56'], 'select it with --host NAME'],
    ['a choice', 'baremetalhost', ['--method', 'x'], 'install_coreos, start_assisted_install'],
    ['a change as document', 'node', ['--set', '--format', 'json'], '--set requires --format command'],
    ['a node', 'steps', ['--node', 'a'], '--node cannot be combined with --inventory'],
    ['one config drive', 'steps', ['--config-drive', 'drive.json'], 'add {name}, for example'],
  ])('%s', async (_title, command, args, message) => {
    const { code, stdout, stderr } = await deploy(command, ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it.each([
    ['a key', 'agnet: {}\n', '1:8: unknown key "agnet"\nhint: use "agent"\n'],
    ['YAML', 'agent: [\n', '2:1: Invalid YAML'],
  ])('of an inventory with wrong %s it says where', async (_title, text, message) => {
    await writeFile(path('wrong.yaml'), text);
    const { code, stdout, stderr } = await run(['node', '--inventory', 'wrong.yaml']);
    expect(stderr).toContain(`error: wrong.yaml:${message}`);
    expect([code, stdout]).toEqual([1, '']);
  });

  it.each(['agent: {}\n', 'hosts: []\n'])('without hosts there is nothing to write: %j', async (text) => {
    await writeFile(path('none.yaml'), text);
    expect(await run(['node', '--inventory', 'none.yaml'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('none.yaml contains no hosts'),
    });
  });

  it.each([
    ['--host', ['node', '--name', 'a', '--host', 'b']],
    ['--host', ['steps', '--host', 'b']],
    ['--fail-fast', ['configdrive', '--fail-fast']],
    ['--fail-fast', ['baremetalhost', '--name', 'a', '--fail-fast']],
  ])('without inventory there is no %s: %j', async (flag, args) => {
    const message = `${flag} requires --inventory`;
    expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('without inventory the name is needed', async () => {
    expect(await run(['node', '--set'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--name'),
    });
  });
});
