/** `boot_device`: mirrors and encrypts the root filesystem. Source: `processBootDevice` of Butane's `fcos` variant. */

import type { Path } from '../core/finding.ts';
import { asList, asMapping, type Mapping, mappingAt, withoutUndefined } from '../formats/mapping.ts';
import type { Config, Disk, Filesystem, Luks, Partition, Raid, Storage } from '../ignition/config.ts';
import { asString } from '../ignition/decode.ts';
import { copiedFrom, madeFor } from './sources.ts';

/** What the CoreOS image has, with the same sizes: src/create_disk.sh of coreos-assembler. */
const reserved = { label: 'reserved', sizeMiB: 1, typeGuid: '8DA63339-0007-60C0-C436-083AC8230908' };
const bios = { label: 'bios', sizeMiB: 1, typeGuid: '21686148-6449-6E6F-744E-656564454649' };
const prep = { label: 'prep', sizeMiB: 4, typeGuid: '9E1A2D38-C612-4316-AA26-8B49521E5A8B' };
const esp = { label: 'esp', sizeMiB: 127, typeGuid: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B' };
const boot = { label: 'boot', sizeMiB: 384 };
const root = { label: 'root' };

/** The first partitions of a mirrored disk, by layout. The layouts of s390x cannot be mirrored. */
const firstPartitions: Readonly<Record<string, readonly Partition[]>> = {
  x86_64: [bios, esp],
  aarch64: [reserved, esp],
  ppc64le: [prep, reserved],
};

/** The partition with the root filesystem, which the device of these layouts does not name. */
const rootPartition: Readonly<Record<string, string>> = { 's390x-eckd': '2', 's390x-zfcp': '4' };

/** Undefined if neither a mirror nor encryption is wanted. */
export function bootDeviceConfig(device: Mapping): Config | undefined {
  const mirror = asList(mappingAt(device, ['mirror'])['devices']).map(asString);
  const luks = mappingAt(device, ['luks']);
  const wantsCex = mappingAt(luks, ['cex'])['enabled'] === true;
  const wantsLuks = luks['tpm2'] === true || asList(luks['tang']).length > 0 || wantsCex;
  if (mirror.length === 0 && !wantsLuks) return undefined;
  const layout = asString(device['layout']) || 'x86_64';
  const mirrored = mirror.length === 0 ? {} : mirrorStorage(mirror, firstPartitions[layout] ?? []);
  const encrypted = wantsLuks
    ? { luks: [luksOf(luks, wantsCex, luksDevice(luks, layout, mirror.length > 0))] }
    : {};
  const filesystem: Filesystem = {
    device: wantsLuks ? '/dev/mapper/root' : '/dev/md/md-root',
    format: 'xfs',
    label: 'root',
    wipeFilesystem: true,
  };
  const filesystems = [...(mirrored.filesystems ?? []), filesystem];
  return madeFor({ storage: { ...mirrored, ...encrypted, filesystems } }, at);
}

const at: Path = ['boot_device'];

/** Disks with equal partitions, a RAID of the boot and one of the root partitions. */
function mirrorStorage(devices: readonly string[], first: readonly Partition[]): Storage {
  const disks: Disk[] = [];
  const filesystems: Filesystem[] = [];
  for (const [index, device] of devices.entries()) {
    const from = [...at, 'mirror', 'devices', index];
    const numbered = ({ label, ...others }: Partition): Partition => ({
      label: `${label}-${index + 1}`,
      ...others,
    });
    const partitions = [...first, boot, root].map(numbered);
    disks.push(madeFor({ device, partitions, wipeTable: true }, from));
    if (!first.includes(esp)) continue;
    const label = `esp-${index + 1}`;
    const source = `/dev/disk/by-partlabel/${label}`;
    filesystems.push(madeFor({ device: source, format: 'vfat', label, wipeFilesystem: true }, from));
  }
  const raidOf = (label: string, options: Partial<Raid>): Raid => ({
    devices: devices.map((_device, index) => `/dev/disk/by-partlabel/${label}-${index + 1}`),
    level: 'raid1',
    name: `md-${label}`,
    ...options,
  });
  // The boot loader reads the partition without knowing RAID, so the superblock is at its end.
  const raid = [raidOf('boot', { options: ['--metadata=1.0'] }), raidOf('root', {})];
  const boots = { device: '/dev/md/md-boot', format: 'ext4', label: 'boot', wipeFilesystem: true };
  filesystems.push(madeFor(boots, [...at, 'mirror']));
  return {
    disks: madeFor(disks, [...at, 'mirror', 'devices']),
    filesystems,
    raid: madeFor(raid, [...at, 'mirror']),
  };
}

function luksDevice(luks: Mapping, layout: string, isMirrored: boolean): string {
  const partition = rootPartition[layout];
  if (partition !== undefined) return `${asString(luks['device'])}${partition}`;
  return isMirrored ? '/dev/md/md-root' : '/dev/disk/by-partlabel/root';
}

function luksOf(luks: Mapping, wantsCex: boolean, device: string): Luks {
  const { cex, discard, tang, threshold, tpm2 } = luks;
  const from = [...at, 'luks'];
  const methods = wantsCex
    ? { cex: copiedFrom(asMapping(cex), [...from, 'cex']) }
    : { clevis: copiedFrom(withoutUndefined({ tang, threshold, tpm2 }), from) };
  const made: Luks = {
    ...methods,
    device,
    ...(typeof discard === 'boolean' && { discard }),
    label: 'luks-root',
    name: 'root',
    wipeVolume: true,
  };
  return madeFor(made, from, { discard: [...from, 'discard'] });
}
