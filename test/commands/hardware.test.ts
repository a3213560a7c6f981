/** `--hardware`: hosts are compared with the machines that inspections describe. */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/runCli.ts';

const inventory = `agent:
  ironic.apiUrls: http://192.0.2.1:6385
  agent.image: registry.example.com/ironic-agent:13.0.0
  host.sshKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAQKSWkhv7lmhGiHNDoCrS1fIdx1PlUweG9SL0b4P2TV core@desk"]
deploy:
  rootDeviceHints: {hctl: "6:0:0:0"}
hosts:
- name: node-0
  mac: 00:55:4a:4a:79:1c
  network: {nmstate: {interfaces: [{name: eno1, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}]}}
  deploy: {bmcAddress: "redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1"}
- name: other-name
  mac: 52:54:00:c0:4e:05
  deploy:
    bmcAddress: redfish-virtualmedia://192.0.2.11/redfish/v1/Systems/1
    rootDeviceHints: {serialNumber: CHAIN0}
- name: unknown
  mac: 52:54:00:00:00:09
  deploy: {bmcAddress: "redfish-virtualmedia://192.0.2.12/redfish/v1/Systems/1"}
`;

const data = join(import.meta.dirname, '../ipa/hardware');
let cwd = '';
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'hardware '));
  await mkdir(join(cwd, 'machines'));
  for (const name of await readdir(data))
    await writeFile(join(cwd, 'machines', name), await readFile(join(data, name)));
  await writeFile(join(cwd, 'inventory.yaml'), inventory);
  await writeFile(join(cwd, 'none.yaml'), inventory.replace('"6:0:0:0"', '"0:2:0:0"'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const commands = [
  ['deploy baremetalhost', ['deploy', 'baremetalhost', '-o', 'manifests']],
  ['deploy node', ['deploy', 'node', '-o', 'nodes']],
  ['prepare', ['prepare', '--artifacts', 'ign', '-o', 'boot']],
] as const;

describe.each(commands)('%s --hardware', (_title, words) => {
  it('names the disk, the interface and the host without a machine', async () => {
    const run = await runCli([...words, '--inventory', 'inventory.yaml', '--hardware', 'machines'], { cwd });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(
      '/dev/sda (50 GiB, hctl 6:0:0:0) of the machine is overwritten (hardware-disk)',
    );
    expect(run.stderr).toContain(
      '/dev/vda (8 GiB, serial CHAIN0) of the machine is overwritten (hardware-disk)',
    );
    expect(run.stderr).toContain('the machine has no interface eno1 (hardware-no-interface)');
    expect(run.stderr).toMatch(
      /machines contains no machine with .* \(hardware-no-machine\)\n {2}for unknown/,
    );
  });

  it('ends without a file', async () => {
    const run = await runCli([...words, '--inventory', 'inventory.yaml', '--hardware', 'none'], { cwd });
    expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(/^error: .*not found: none\n/)]);
  });

  it('takes the default disk of a host that has no hints in place of those of all hosts', async () => {
    await writeFile(join(cwd, 'default.yaml'), inventory.replace('{serialNumber: CHAIN0}', 'null'));
    const run = await runCli([...words, '--inventory', 'default.yaml', '--hardware', 'machines'], { cwd });
    expect(run.stderr).toContain(
      'without a hint, the smallest disk of at least 4 GiB is overwritten: /dev/vda',
    );
  });

  it('writes nothing for a host whose disk is missing, unless the rule is turned off', async () => {
    const args = [...words, '--inventory', 'none.yaml', '--hardware', 'machines/bareMetalHost.yaml'];
    const refused = await runCli(args, { cwd });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('node-0 is not written');
    expect(refused.stderr).toContain(
      'no disk of the machine matches hctl: the disks are /dev/sda (50 GiB, hctl 6:0:0:0)',
    );
    expect(refused.stderr).toContain('use hctl="6:0:0:0" for /dev/sda');
    expect(await runCli([...args, '--ignore', 'hardware-no-disk'], { cwd })).toMatchObject({ code: 0 });
  });
});

describe('validate --hardware', () => {
  it('compares the hosts of an inventory', async () => {
    const args = ['validate', '--hardware', 'machines/bareMetalHost.yaml'];
    const run = await runCli([...args, 'none.yaml'], { cwd });
    expect(run.code).toBe(1);
    const words = run.stdout.replaceAll(/\s+/g, ' ');
    expect(words).toContain('error: node-0: no disk of the machine matches hctl');
    expect(words).toContain('(hardware-no-interface)');
    expect(words).toContain('(hardware-no-machine)');
    expect(await runCli([...args, 'inventory.yaml'], { cwd })).toMatchObject({ code: 0 });
    const missing = await runCli(['validate', '--hardware', 'none', 'inventory.yaml'], { cwd });
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('not found: none')]);
  });
});

/** An inventory with one host. */
const oneHost = (
  mac: string,
  more: string,
): string => `${inventory.slice(0, inventory.indexOf('deploy:'))}hosts:
- {name: a, mac: "${mac}", ${more}}
`;
const validate = async (file: string, text: string) => {
  await writeFile(join(cwd, 'one.yaml'), text);
  const { code, stdout } = await runCli(['validate', '--hardware', `machines/${file}`, 'one.yaml'], {
    cwd,
  });
  return { code, words: stdout.replaceAll(/\s+/g, ' ') };
};

describe('machines of QEMU with several disks', () => {
  it.each([
    ['2', 'serialNumber: TWO1', '/dev/vdb (12 GiB, serial TWO1) of the machine is overwritten'],
    ['2', 'minSizeGigabytes: 1', '2 disks of the machine match, and the first is overwritten: /dev/vda'],
    ['3', 'hctl: "1:0:0:0"', '/dev/sda (12 GiB, hctl 1:0:0:0) of the machine is overwritten'],
    [
      '3',
      'wwn: "0x5000c50015ea71ac"',
      '/dev/sdb (8 GiB, wwn 0x5000c50015ea71ac) of the machine is overwritten',
    ],
    ['3', 'rotational: false', '/dev/nvme0n1 (16 GiB, rotational false) of the machine is overwritten'],
    [
      '3',
      'deviceName: /dev/sdc',
      'no disk of the machine matches name: the disks are /dev/sda (12 GiB), /dev/sdb',
    ],
    [
      '3',
      'minSizeGigabytes: 10',
      '2 disks of the machine match, and the first is overwritten: /dev/sda (12 GiB), /dev/nvme0n1',
    ],
  ])('%s disks: %s', async (count, hint, text) => {
    const more = `deploy: {rootDeviceHints: {${hint}}}`;
    const { words } = await validate(`qemu-${count}-disks.json`, oneHost(`52:54:00:c0:4e:1${count}`, more));
    expect(words).toContain(text);
  });
});

describe('machines of other inspections', () => {
  const network = 'network: {nmstate: {interfaces: [{name: eno1, type: ethernet, state: up}]}}';

  it('by the BMC: names of disks and interfaces are not compared', async () => {
    const hints = 'deploy: {rootDeviceHints: {deviceName: /dev/sda}}';
    const { code, words } = await validate(
      'redfish.json',
      oneHost('52:54:00:00:00:01', `${network}, ${hints}`),
    );
    expect(words).toContain('the hardware data is that of the BMC, which does not know the names of disks');
    expect(words).not.toMatch(/hardware-no-/);
    expect(code).toBe(0);
  });

  it('by the BMC: another MAC address is only a warning', async () => {
    const { code, words } = await validate('redfish.json', oneHost('52:54:00:00:00:02', ''));
    expect([code, words]).toEqual([0, expect.not.stringContaining('hardware-no-mac')]);
    const other = await validate(
      'redfish.json',
      oneHost('52:54:00:00:00:08', '').replace('name: a', 'name: redfish'),
    );
    expect(other.words).toMatch(
      /warning: .*no interface with the MAC address: 52:54:00:00:00:08, from which/,
    );
    expect(other.code).toBe(0);
  });

  it.each([
    [
      'model: "Virtual_disk"',
      'pci-0000:03:00.0-scsi-0:0:0:0 (500 GiB, model Virtual_disk) of the machine is overwritten',
    ],
    ['minSizeGigabytes: 1', '2 disks of the machine match, and the first is overwritten'],
    ['wwn: "0x5000"', 'no disk of the machine matches wwn'],
  ])('by assisted-service with two disks: %s', async (hint, text) => {
    const more = `deploy: {rootDeviceHints: {${hint}}}`;
    expect((await validate('assisted.yaml', oneHost('00:50:56:81:2c:51', more))).words).toContain(text);
  });

  it('compares the boot mode in deploy.spec of the host, or else of all hosts', async () => {
    const uefi = 'deploy: {spec: {bootMode: UEFI}}';
    const none = oneHost('52:54:00:c0:4e:12', 'architecture: x86_64');
    const own = oneHost('52:54:00:c0:4e:12', uefi);
    const warning = 'the machine was inspected in another boot mode than the host sets: bios, not uefi';
    for (const text of [own, `${uefi}\n${none}`]) {
      expect((await validate('qemu-2-disks.json', text)).words).toContain(warning);
    }
    expect((await validate('qemu-2-disks.json', none)).words).not.toContain(warning);
  });
});

describe('deploy node --hardware', () => {
  const host = ['--name', 'a', '--bmc-address', 'redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1'];

  it('compares the host with the machine of its name', async () => {
    const args = [
      'deploy',
      'node',
      ...host.with(1, 'qemu'),
      '--hardware',
      'machines/qemu.json',
      '--root-device',
      'size=>= 9',
    ];
    const { code, stderr } = await runCli(args, { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(
      '--root-device size: no disk of the machine matches size: the disks are /dev/vda (8 GiB)',
    );
  });

  it.each<[string, string, string]>([
    ['a file that is missing', 'nothing.json', 'Hardware (--hardware) not found: nothing.json'],
    ['a file without machines', 'inventory.yaml', 'inventory.yaml contains no hardware data'],
  ])('refuses %s', async (_title, file, message) => {
    const { code, stderr } = await runCli(['deploy', 'node', ...host, '--hardware', file], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
