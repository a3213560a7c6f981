/** `boot_device`: mirrors and encrypts the root filesystem. Source: `processBootDevice` of Butane's `fcos` variant. */

import type { Path } from '../core/finding.ts';
import { asMapping, mappingAt, withoutUndefined } from '../formats/mapping.ts';
import type { Disk, Filesystem, Luks, Partition, Raid, Storage } from '../ignition/config.ts';
import { asString, itemsOf } from '../ignition/decode.ts';
import type { ButaneMembers } from './decode.ts';
import { type Generated, Sources } from './sources.ts';

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
export function bootDeviceConfig(device: ButaneMembers): Generated | undefined {
  const mirror = itemsOf(mappingAt(device, ['mirror'])['devices']).map(asString);
  const luks = mappingAt(device, ['luks']);
  const wantsCex = mappingAt(luks, ['cex'])['enabled'] === true;
  const wantsLuks = luks['tpm2'] === true || itemsOf(luks['tang']).length > 0 || wantsCex;
  if (mirror.length === 0 && !wantsLuks) return undefined;
  const layout = asString(device['layout']) || 'x86_64';
  const sources = new Sources();
  const mirrored = mirror.length === 0 ? {} : mirrorStorage(mirror, firstPartitions[layout] ?? [], sources);
  const encrypted = wantsLuks
    ? { luks: [luksOf(luks, wantsCex, luksDevice(luks, layout, mirror.length > 0), sources)] }
    : {};
  const filesystem: Filesystem = {
    device: wantsLuks ? '/dev/mapper/root' : '/dev/md/md-root',
    format: 'xfs',
    label: 'root',
    wipeFilesystem: true,
  };
  const filesystems = [...(mirrored.filesystems ?? []), filesystem];
  const storage: Storage = { ...mirrored, ...encrypted, filesystems };
  sources.addAll(['storage', 'filesystems', filesystems.length - 1], at);
  sources.add(['storage', 'filesystems'], at);
  return { config: { storage }, locate: (path) => sources.find(path) ?? at };
}

const at: Path = ['boot_device'];

/** Disks with equal partitions, a RAID of the boot and one of the root partitions. */
function mirrorStorage(devices: readonly string[], first: readonly Partition[], sources: Sources): Storage {
  const disks: Disk[] = [];
  const filesystems: Filesystem[] = [];
  for (const [index, device] of devices.entries()) {
    const from = [...at, 'mirror', 'devices', index];
    const numbered = ({ label, ...others }: Partition): Partition => ({
      label: `${label}-${index + 1}`,
      ...others,
    });
    sources.addAll(['storage', 'disks', index], from);
    disks.push({ device, partitions: [...first, boot, root].map(numbered), wipeTable: true });
    if (!first.includes(esp)) continue;
    const label = `esp-${index + 1}`;
    sources.addAll(['storage', 'filesystems', filesystems.length], from);
    filesystems.push({
      device: `/dev/disk/by-partlabel/${label}`,
      format: 'vfat',
      label,
      wipeFilesystem: true,
    });
  }
  const raidOf = (label: string, options: Partial<Raid>): Raid => ({
    devices: devices.map((_device, index) => `/dev/disk/by-partlabel/${label}-${index + 1}`),
    level: 'raid1',
    name: `md-${label}`,
    ...options,
  });
  // The boot loader reads the partition without knowing RAID, so the superblock is at its end.
  const raid = [raidOf('boot', { options: ['--metadata=1.0'] }), raidOf('root', {})];
  sources.add(['storage', 'disks'], [...at, 'mirror', 'devices']);
  sources.addAll(['storage', 'raid'], [...at, 'mirror']);
  sources.addAll(['storage', 'filesystems', filesystems.length], [...at, 'mirror']);
  filesystems.push({ device: '/dev/md/md-boot', format: 'ext4', label: 'boot', wipeFilesystem: true });
  return { disks, filesystems, raid };
}

function luksDevice(luks: ButaneMembers, layout: string, isMirrored: boolean): string {
  const partition = rootPartition[layout];
  if (partition !== undefined) return `${asString(luks['device'])}${partition}`;
  return isMirrored ? '/dev/md/md-root' : '/dev/disk/by-partlabel/root';
}

function luksOf(luks: ButaneMembers, wantsCex: boolean, device: string, sources: Sources): Luks {
  const { cex, discard, tang, threshold, tpm2 } = luks;
  const to = ['storage', 'luks', 0];
  const from = [...at, 'luks'];
  const methods = wantsCex
    ? { cex: asMapping(cex) }
    : { clevis: withoutUndefined({ tang, threshold, tpm2 }) };
  sources.addAll(['storage', 'luks'], from);
  sources.add([...to, 'discard'], [...from, 'discard']);
  sources.addMoved([...to, 'clevis'], from);
  sources.addMoved([...to, 'cex'], [...from, 'cex']);
  return {
    ...methods,
    device,
    ...(typeof discard === 'boolean' && { discard }),
    label: 'luks-root',
    name: 'root',
    wipeVolume: true,
  };
}
