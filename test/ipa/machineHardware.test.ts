import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import { valueAt } from '../../src/formats/mapping.ts';
import { readHardware } from '../../src/ipa/machineHardware.ts';
import { defaultDisk } from '../../src/ipa/rootDisk.ts';

const GIB = 1024 ** 3;
const documentOf = (name: string): unknown =>
  parseYaml(readFileSync(join(import.meta.dirname, 'hardware', name), 'utf8')).value;

describe('readHardware', () => {
  it('reads what ironic-python-agent 13.0.0 sent from a machine of QEMU', () => {
    const [machine, ...others] = readHardware(documentOf('qemu.json'));
    expect(others).toEqual([]);
    expect(machine).toMatchObject({
      name: undefined,
      disks: [
        {
          name: '/dev/vda',
          size: 8 * GIB,
          serial: 'CHAIN0',
          wwn: null,
          tran: 'virtio',
          by_path: '/dev/disk/by-path/virtio-pci-0000:00:04.0',
        },
      ],
      interfaces: [
        {
          name: 'ens5',
          mac: '52:54:00:c0:4e:05',
          addresses: ['10.0.2.15', 'fec0::716f:2b38:b59c:2a96'],
        },
      ],
      memory: 4 * GIB,
      architecture: 'x86_64',
      bootMode: 'bios',
    });
  });

  it.each([
    ['qemu-2-disks.json', ['/dev/vda', '/dev/vdb'], '/dev/vda'],
    ['qemu-3-disks.json', ['/dev/sda', '/dev/sdb', '/dev/nvme0n1'], '/dev/sdb'],
  ])(
    'reads the disks of %s, and selects the one that the agent selects without hints',
    (name, disks, selected) => {
      const document = documentOf(name);
      const [machine] = readHardware(document);
      expect(machine?.disks.map((disk) => disk.name)).toEqual(disks);
      expect(valueAt(document, ['root_disk', 'name'])).toBe(selected);
      expect(defaultDisk(machine?.disks ?? [])?.name).toBe(selected);
    },
  );

  it('reads the inspected ones of a list of Metal3 objects', () => {
    const machines = readHardware(documentOf('bareMetalHost.yaml'));
    expect(machines.map(({ name }) => name)).toEqual(['node-0', 'node-1']);
    const [first, second] = machines;
    expect(first?.disks[0]).toMatchObject({ name: '/dev/sda', hctl: '6:0:0:0', size: 50 * GIB, wwn: null });
    expect(first?.disks[0]).not.toHaveProperty('by_path');
    expect(second?.disks[0]).toMatchObject({
      name: '/dev/vda',
      by_path: '/dev/disk/by-path/pci-0000:04:00.0',
      serial: null,
    });
    expect(second?.interfaces.map(({ mac }) => mac)).toEqual(['00:60:2f:31:81:01', '00:60:2f:31:81:01']);
  });

  it('reads what Ironic 39.0.0 stores after an inspection of the BMC', () => {
    const [machine] = readHardware(documentOf('redfish.json'));
    expect(machine).toMatchObject({
      isFromBmc: true,
      disks: [{ name: 'Drive Sample 0' }, { name: 'Drive Sample 1' }, { name: 'Drive Sample 2' }],
      interfaces: [{ mac: '52:54:00:00:00:01' }, { mac: '52:54:00:00:00:02' }],
      memory: 96 * GIB,
      architecture: 'x86_64',
    });
  });

  it.each([
    ['qemu.json', false],
    ['qemu-2-disks.json', false],
    ['qemu-3-disks.json', false],
    ['bareMetalHost.yaml', false],
    ['assisted.yaml', false],
  ])('knows that an agent inspected the machine of %s', (name, isFromBmc) => {
    expect(readHardware(documentOf(name)).map((one) => one.isFromBmc)).toContain(isFromBmc);
  });

  it.each<[string, unknown]>([
    ['text', 'text'],
    ['a list', [{ inventory: {} }]],
    ['another mapping', { hosts: [] }],
    ['an inventory that is a text', { inventory: 'text', interfaces: 5 }],
  ])('finds no machine in %s', (_title, document) => {
    expect(readHardware(document)).toEqual([]);
  });

  it('leaves out what is not of the type that the agent sends', () => {
    const disks = [5, { name: '/dev/sda' }, { name: '', size: 1 }, { name: '/dev/sdb', size: 5, model: [] }];
    const interfaces = [null, { name: 'a' }, { name: 'a', mac_address: 'M', ipv4_address: '' }];
    const [machine] = readHardware({ inventory: { disks, interfaces, memory: { total: 5 }, cpu: 'x' } });
    expect(machine).toEqual({
      name: undefined,
      isFromBmc: true,
      disks: [{ name: '/dev/sdb', size: 5 }],
      interfaces: [{ name: 'a', mac: 'm', addresses: [] }],
      memory: 5,
      architecture: undefined,
      bootMode: undefined,
    });
  });
});
