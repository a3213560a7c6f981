import { describe, expect, it } from 'vitest';
import { checkHardware, compareAddresses, type ExpectedHardware } from '../../src/agent/hardwareChecks.ts';
import type { MachineHardware } from '../../src/ipa/machineHardware.ts';
import { readRootDevice, splitHint } from '../../src/ipa/rootDeviceHints.ts';
import { readConnections } from '../../src/network/keyfile/readKeyfile.ts';

const GIB = 1024 ** 3;

const machine: MachineHardware = {
  name: undefined,
  isFromBmc: false,
  disks: [
    { name: '/dev/sda', size: 447 * GIB, hctl: '3:2:0:0', serial: 'A', rotational: true, tran: null },
    { name: '/dev/sdb', size: 447 * GIB, hctl: '3:2:1:0', serial: 'A', rotational: true, tran: null },
    { name: '/dev/nvme0n1', size: 894 * GIB, hctl: null, serial: 'B', rotational: false, tran: 'nvme' },
  ],
  interfaces: [
    { name: 'eno1np0', mac: '52:54:00:12:34:56', addresses: ['192.0.2.177', 'fe80::1'] },
    { name: 'eno2np1', mac: '52:54:00:12:34:57', addresses: [] },
  ],
  memory: 4 * GIB,
  architecture: 'x86_64',
  bootMode: 'bios',
};

const connections = (...keyfiles: string[]) =>
  readConnections(
    keyfiles.map((text, index) => ({ name: `${index}.nmconnection`, data: Buffer.from(text) })),
  );
const ethernet = (lines: string, more = '') =>
  `[connection]\nid=net\ntype=ethernet\n${more}\n[ethernet]\n${lines}\n`;
const hints = (...texts: string[]) => readRootDevice(texts.map(splitHint)).rootDevice;
const check = (host: Partial<ExpectedHardware>, found = machine) =>
  checkHardware({ connections: [], ...host }, found).map(
    ({ severity, rule, message, hint }) => `${severity} ${rule}: ${message} | ${hint}`,
  );

describe('checkHardware', () => {
  it('finds nothing in a machine that fits', () => {
    const fits = connections(
      ethernet('mac-address=52:54:00:12:34:56'),
      ethernet('', 'interface-name=eno2np1'),
    );
    const host = {
      bootMac: '52:54:00:12:34:57',
      architecture: 'x86_64',
      bootMode: 'bios',
      memory: 4 * GIB,
    } as const;
    expect(check({ ...host, connections: fits })).toEqual([]);
  });

  it.each<[string, string[], string]>([
    [
      'one disk',
      ['tran=nvme'],
      'info hardware-disk: /dev/nvme0n1 (894 GiB, tran nvme) of the machine is overwritten | use another root device hint',
    ],
    [
      'the default disk',
      [],
      'info hardware-disk: without a hint, the smallest disk of at least 4 GiB is overwritten: /dev/sda (447 GiB) | use hctl="3:2:0:0" for /dev/sda',
    ],
    [
      'a SCSI address of another controller',
      ['hctl=0:2:0:0'],
      'error hardware-no-disk: no disk of the machine matches hctl: the disks are /dev/sda (447 GiB, hctl 3:2:0:0), /dev/sdb (447 GiB, hctl 3:2:1:0), /dev/nvme0n1 (894 GiB, hctl none) | use hctl="3:2:0:0" for /dev/sda',
    ],
    [
      'a serial number that udev may know',
      ['serial=C'],
      'warning hardware-no-disk: no disk of the machine matches serial: the disks are /dev/sda (447 GiB, serial A), /dev/sdb (447 GiB, serial A), /dev/nvme0n1 (894 GiB, serial B) | use hctl="3:2:0:0" for /dev/sda',
    ],
    [
      'hints of two disks',
      ['tran=nvme', 'hctl=3:2:0:0'],
      'error hardware-no-disk: no disk of the machine matches tran and hctl: the disks are /dev/sda (447 GiB, tran none, hctl 3:2:0:0), /dev/sdb (447 GiB, tran none, hctl 3:2:1:0), /dev/nvme0n1 (894 GiB, tran nvme, hctl none) | use hctl="3:2:0:0" for /dev/sda',
    ],
    [
      'two disks',
      ['serial=A'],
      'warning hardware-several-disks: 2 disks of the machine match, and the first is overwritten: /dev/sda (447 GiB), /dev/sdb (447 GiB) | add hctl="3:2:0:0" for /dev/sda',
    ],
    [
      'what the data does not contain',
      ['by_path=/dev/disk/by-path/a'],
      'info hardware-unknown-disk: the hardware data does not contain what a root device hint compares: by_path | use the inventory that Ironic or try stores',
    ],
  ])('says which disk the hints select: %s', (_title, texts, finding) => {
    expect(check({ rootDevice: hints(...texts) })).toEqual([finding]);
  });

  it('finds no disk for the default', () => {
    const small = { ...machine, disks: [{ name: '/dev/sdc', size: 2 * GIB }] };
    expect(check({ rootDevice: {} }, small)).toEqual([
      'error hardware-no-disk: no disk of the machine has 4 GiB: the disks are /dev/sdc (2 GiB) | add a disk',
    ]);
  });

  it.each<[string, Partial<ExpectedHardware>, string]>([
    [
      'the boot MAC address',
      { bootMac: '52:54:00:00:00:01' },
      'error hardware-no-mac: the machine has no interface with the MAC address: 52:54:00:00:00:01, from which it boots | use eno1np0 (52:54:00:12:34:56) or eno2np1 (52:54:00:12:34:57)',
    ],
    [
      'a MAC address of the network',
      { connections: connections(ethernet('mac-address=52:54:00:00:00:01')) },
      'error hardware-no-mac: the machine has no interface with the MAC address: 52:54:00:00:00:01 of net | use eno1np0 (52:54:00:12:34:56) or eno2np1 (52:54:00:12:34:57)',
    ],
    [
      'a name of another system',
      { connections: connections(ethernet('', 'interface-name=eno1')) },
      'warning hardware-no-interface: the machine has no interface eno1 | use eno1np0 (52:54:00:12:34:56)',
    ],
    [
      'a name that no other resembles',
      { connections: connections(ethernet('', 'interface-name=enp1s0')) },
      'warning hardware-no-interface: the machine has no interface enp1s0 | use eno1np0 (52:54:00:12:34:56) or eno2np1 (52:54:00:12:34:57)',
    ],
    [
      'the name of another MAC address',
      { connections: connections(ethernet('mac-address=52:54:00:12:34:56', 'interface-name=eno1')) },
      'warning hardware-no-interface: the machine has no interface eno1 with the MAC address 52:54:00:12:34:56: it is named eno1np0 | use eno1np0, or only the MAC address',
    ],
    [
      'the parent of a VLAN',
      {
        connections: connections(
          '[connection]\nid=vlan\ntype=vlan\ninterface-name=eno1.5\n[vlan]\nid=5\nparent=eno1\n',
        ),
      },
      'warning hardware-no-interface: the machine has no interface eno1, the parent of the VLAN eno1.5 | use eno1np0 (52:54:00:12:34:56)',
    ],
    [
      'the architecture',
      { architecture: 'aarch64' },
      'error hardware-architecture: the machine has another architecture than the host: x86_64, not aarch64 | set the architecture of the machine',
    ],
    [
      'the boot mode',
      { bootMode: 'uefi' },
      'warning hardware-boot-mode: the machine was inspected in another boot mode than the host sets: bios, not uefi | set the boot mode of the machine',
    ],
    [
      'memory',
      { memory: 6.5 * GIB },
      'error hardware-memory: the machine has less memory than its images need: 4 GiB, not 6.5 GiB | use a smaller image, or a machine with more memory',
    ],
  ])('finds what the machine lacks: %s', (_title, host, finding) => {
    expect(check(host)).toEqual([finding]);
  });

  it('leaves out what is not part of the machine, and what does not start', () => {
    const others = connections(
      '[connection]\nid=bond0\ntype=bond\ninterface-name=bond0\n',
      '[connection]\nid=vlan\ntype=vlan\ninterface-name=bond0.5\n[vlan]\nid=5\nparent=bond0\n',
      ethernet('mac-address=52:54:00:00:00:01', 'autoconnect=false'),
    );
    expect(check({ connections: others })).toEqual([]);
  });

  it('does not miss the MAC address of a port of a bond that runs', () => {
    const bonded = connections(
      '[connection]\nid=bond0\ntype=bond\ninterface-name=bond0\n',
      ethernet('mac-address=52:54:00:00:00:01', 'controller=bond0\nport-type=bond'),
    );
    const interfaces = machine.interfaces.slice(0, 1).flatMap((one) => [one, { ...one, name: 'bond0' }]);
    const running = { ...machine, interfaces };
    expect(check({ connections: bonded }, running)).toEqual([]);
    expect(check({ connections: bonded })).toHaveLength(1);
  });

  it('finds nothing in a machine of which nothing is known', () => {
    const unknown = { ...machine, memory: undefined, architecture: undefined, bootMode: undefined };
    expect(check({ architecture: 'aarch64', bootMode: 'uefi', memory: 9 * GIB }, unknown)).toEqual([]);
  });
});

const manual = (address: string) => `[ipv4]\nmethod=manual\naddress1=${address}/24\n`;

describe('compareAddresses', () => {
  it.each<[string, string, string[]]>([
    ['the address of the network', ethernet('mac-address=52:54:00:12:34:56') + manual('192.0.2.177'), []],
    [
      'another address',
      ethernet('mac-address=52:54:00:12:34:56') + manual('192.0.2.10'),
      ['eno1np0 has 192.0.2.177 instead of 192.0.2.10'],
    ],
    [
      'no address',
      ethernet('', 'interface-name=eno2np1') + manual('192.0.2.10'),
      ['eno2np1 has no IPv4 address instead of 192.0.2.10'],
    ],
    ['an interface that is missing', ethernet('', 'interface-name=eno3') + manual('192.0.2.10'), []],
    ['an address of DHCP', ethernet('', 'interface-name=eno1np0'), []],
  ])('compares what the agent reports: %s', (_title, keyfile, messages) => {
    expect(compareAddresses(connections(keyfile), machine)).toEqual(messages);
  });
});
