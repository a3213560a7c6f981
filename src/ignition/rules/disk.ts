/** Disks, their partitions, and software RAID. */

import type { Disk, Partition, Raid } from '../config.ts';
import { found, type Issue, issue, errorRule } from '../../core/rule.ts';
import { type Check, isNonZero } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { devicePathIssue } from './node.ts';

export const diskRules = {
  deviceRequired: errorRule(
    'disk-device-required',
    'disk device is required',
    'set "device" to the path of the device, e.g. /dev/disk/by-id/NAME',
  ),
  numbersCollide: errorRule(
    'partition-numbers-collide',
    'partition numbers collide',
    'use a different number for each partition of the disk, or 0 for the next free one',
  ),
  overlap: errorRule(
    'partitions-overlap',
    'partitions overlap',
    'start the partition after the end of the previous one, or remove startMiB',
  ),
  labelsCollide: errorRule(
    'partition-labels-collide',
    'cannot use the same partition label twice',
    'use a different label for each partition of the disk',
  ),
};

export const checkDisk: Check<Disk> = ({ device, partitions = [] }) => {
  if (!device) return [issue(diskRules.deviceRequired, ['device'])];
  const overlapping = firstOverlap(partitions);
  return found(
    devicePathIssue(device, ['device']),
    numbersIssue(partitions),
    overlapping !== undefined && issue(diskRules.overlap, ['partitions', overlapping]),
    labelsIssue(partitions),
  );
};

/** If several numbers collide, Ignition reports any of them; this function returns the first one. */
function numbersIssue(partitions: readonly Partition[]): Issue | undefined {
  const usersOf = new Map<bigint, number[]>();
  for (const [index, { number }] of partitions.entries()) {
    if (!isNonZero(number)) continue;
    const users = usersOf.get(BigInt(number)) ?? [];
    usersOf.set(BigInt(number), users);
    users.push(index);
  }
  for (const [, second] of usersOf.values()) {
    if (second !== undefined) return issue(diskRules.numbersCollide, ['partitions', second]);
  }
  return undefined;
}

function labelsIssue(partitions: readonly Partition[]): Issue | undefined {
  const seen = new Set<string>();
  for (const [index, { label }] of partitions.entries()) {
    if (label === undefined) continue;
    if (seen.has(label)) return issue(diskRules.labelsCollide, ['partitions', index]);
    seen.add(label);
  }
  return undefined;
}

/** From the first MiB to the last, both included. */
interface Extent {
  readonly index: number;
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * Finds a partition that overlaps another one, with the arithmetic of Ignition: 64-bit sums may wrap around and sizes may be
 * negative, so an end may be before its start. Returns the index that Ignition reports.
 */
export function firstOverlap(partitions: readonly Partition[]): number | undefined {
  const extents = partitions.slice(0, MAX_PARTITIONS).flatMap(extentOf);
  for (const extent of extents) {
    const other = extents.find((candidate) => candidate !== extent && overlaps(extent, candidate));
    if (other !== undefined) return other.index;
  }
  return undefined;
}

/** Of a GPT. Further ones are not compared. */
const MAX_PARTITIONS = 128;

/** With start 0 the tool chooses the start, with size 0 it fills the disk; then only the start is fixed. */
function extentOf({ sizeMiB, startMiB }: Partition, index: number): readonly Extent[] {
  if (!isNonZero(startMiB) || sizeMiB === undefined) return [];
  const start = BigInt(startMiB);
  const end = isNonZero(sizeMiB) ? BigInt.asIntN(64, start + BigInt(sizeMiB) - 1n) : start;
  return [{ index, start, end }];
}

function overlaps(extent: Extent, other: Extent): boolean {
  const contains = (place: bigint): boolean => place >= other.start && place <= other.end;
  const spans = extent.start < other.start && extent.end > other.end;
  return contains(extent.start) || contains(extent.end) || spans;
}

/** Checks of a single partition. */
export const partitionRules = {
  absentWithOthers: errorRule(
    'partition-absent-with-others',
    'shouldExist specified false with other options also specified',
    'remove all fields except the number of the partition',
  ),
  numberOrLabel: errorRule(
    'partition-number-or-label',
    'a partition number >= 1 or a label must be specified',
    'set "number" to 1 or higher, or set "label"',
  ),
  labelTooLong: errorRule(
    'partition-label-too-long',
    'partition labels may not exceed 36 characters',
    'shorten the label to 36 bytes of UTF-8',
  ),
  labelColon: errorRule(
    'partition-label-colon',
    'partition label will be truncated to text before the colon',
    'remove the colon from the label',
  ),
  guid: errorRule(
    'partition-guid',
    'doesn\'t match the form "01234567-89AB-CDEF-EDCB-A98765432101"',
    'write a GUID as 8-4-4-4-12 hexadecimal digits without braces, or remove the field',
  ),
};

export const checkPartition: Check<Partition> = (partition) => {
  const { guid, label, number, shouldExist, sizeMiB, startMiB, typeGuid } = partition;
  const hasOthers = guid || typeGuid || [label, startMiB, sizeMiB].some((one) => one !== undefined);
  const isLong = Buffer.byteLength(label ?? '') > MAX_LABEL_BYTES;
  return found(
    shouldExist === false && hasOthers && issue(partitionRules.absentWithOthers, []),
    !isNonZero(number) && label === undefined && issue(partitionRules.numberOrLabel, []),
    isLong && issue(partitionRules.labelTooLong, ['label']),
    !isLong && label?.includes(':') && issue(partitionRules.labelColon, ['label']),
    guid && !GUID_FORM.test(guid) && issue(partitionRules.guid, ['guid']),
    typeGuid && !GUID_FORM.test(typeGuid) && issue(partitionRules.guid, ['typeGuid']),
  );
};

const MAX_LABEL_BYTES = 36;

const GUID_FORM = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

// Software RAID arrays; the rules of paths (`node.ts`) check their devices.

const stripedLevels = new Set(['linear', 'raid0', '0', 'stripe']);
const redundantLevels = new Set([
  'raid1',
  '1',
  'mirror',
  'raid4',
  '4',
  'raid5',
  '5',
  'raid6',
  '6',
  'raid10',
  '10',
]);

export const raidRules = {
  levelRequired: errorRule('raid-level-required', 'raid level is required', 'set "level", e.g. to "raid1"'),
  spares: errorRule(
    'raid-spares',
    'spares unsupported for linear and raid0 arrays',
    'remove spares, or use a redundant level such as "raid1"',
  ),
  levelUnrecognized: errorRule(
    'raid-level-unrecognized',
    'unrecognized raid level',
    'use linear, raid0, raid1, raid4, raid5, raid6 or raid10',
  ),
  devicesRequired: errorRule(
    'raid-devices-required',
    'raid devices required',
    'list the paths of the devices',
  ),
};

export const checkRaid: Check<Raid> = (raid, version) =>
  found(
    levelIssue(raid, version),
    (raid.devices ?? []).length === 0 && issue(raidRules.devicesRequired, ['devices']),
  );

function levelIssue({ level = '', spares }: Raid, version: SpecVersion): Issue | undefined {
  const at = ['level'];
  if (level === '' && isSince(version, '3.3.0')) return issue(raidRules.levelRequired, at);
  if (redundantLevels.has(level)) return undefined;
  if (!stripedLevels.has(level)) return issue(raidRules.levelUnrecognized, at);
  return isNonZero(spares) ? issue(raidRules.spares, at) : undefined;
}
