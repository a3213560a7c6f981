/** Disks, and what the partitions of one disk have to do with each other. */

import type { Disk, Partition } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { found, issue, refusal } from './declare.ts';
import { devicePathIssue } from './path.ts';
import { firstOverlap } from './partitionOverlap.ts';
import { isNonZero } from './integers.ts';

export const diskRules = {
  deviceRequired: refusal(
    'disk-device-required',
    'disk device is required',
    'give the path of the device, e.g. /dev/disk/by-id/NAME',
  ),
  numbersCollide: refusal(
    'partition-numbers-collide',
    'partition numbers collide',
    'give every partition of the disk a number of its own, or 0 for the next free one',
  ),
  overlap: refusal(
    'partitions-overlap',
    'partitions overlap',
    'start the partition after the end of the one before, or leave startMiB out',
  ),
  labelsCollide: refusal(
    'partition-labels-collide',
    'cannot use the same partition label twice',
    'give every partition of the disk a label of its own',
  ),
};

export const checkDisk: Check<Disk> = ({ device, partitions = [] }) => {
  if (!device) return [issue(diskRules.deviceRequired, ['device'])];
  return found(
    devicePathIssue(device, ['device']),
    numbersIssue(partitions),
    overlapIssue(partitions),
    labelsIssue(partitions),
  );
};

/** Where several numbers collide, Ignition names any of them; this is the one that is used first. */
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

function overlapIssue(partitions: readonly Partition[]): Issue | undefined {
  const overlapping = firstOverlap(partitions);
  return overlapping === undefined ? undefined : issue(diskRules.overlap, ['partitions', overlapping]);
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
