/** Filesystems. A virtiofs share, supported since 3.7.0-experimental, is not a block device and has separate rules. */

import type { Finding } from '../../core/finding.ts';
import type { Filesystem } from '../config.ts';
import { errorRules, found, issue } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { devicePathIssue, pathIssue } from './path.ts';

const maxLabelBytes = new Map([
  ['ext4', 16],
  ['btrfs', 256],
  ['xfs', 12],
  ['swap', 15],
  ['vfat', 11],
]);

const labelRules = errorRules(
  Object.fromEntries(
    Array.from(maxLabelBytes, ([format, max]) => [
      `${format}-label-too-long`,
      [
        `filesystem labels cannot be longer than ${max} characters when using ${format}`,
        `shorten the label to ${max} bytes of UTF-8`,
      ] as const,
    ]),
  ),
);

export const filesystemRules = {
  ...errorRules({
    'filesystem-format-required': [
      'format cannot be empty when path, label, uuid, wipeFilesystem, options, or mountOptions is specified',
      'set "format", e.g. to "xfs" or "ext4"',
    ],
    'filesystem-format-invalid': [
      'invalid filesystem format',
      'use ext4, btrfs, xfs, vfat, swap, none (since 3.3.0) or virtiofs (since 3.7.0-experimental)',
    ],
    'filesystem-label-needs-format': [
      'filesystem must specify format if label is specified',
      'set "format", or remove the label',
    ],
    'virtiofs-tag-required': [
      'device not specified',
      'set "device" to the tag of the shared directory on the host',
    ],
    'virtiofs-tag-too-long': [
      'virtiofs device tag cannot be longer than 36 bytes',
      'use a shorter tag, here and on the host',
    ],
    'virtiofs-label': ['filesystem labels cannot be set when using virtiofs', 'remove the label'],
    'virtiofs-uuid': ['filesystem uuid cannot be set for non-block-device filesystems', 'remove the uuid'],
    'virtiofs-wipe': [
      'wipeFilesystem cannot be set for non-block-device filesystems',
      'remove wipeFilesystem',
    ],
    'virtiofs-options': [
      'filesystem options (mkfs) cannot be set for non-block-device filesystems',
      'remove the options, or move mount options to mountOptions',
    ],
  }),
  ...labelRules,
};

export const checkFilesystem: Check<Filesystem> = (filesystem, version) => {
  const { device, path } = filesystem;
  const mountPath = path && pathIssue(path, ['path']);
  if (filesystem.format === 'virtiofs' && isSince(version, '3.7.0-experimental')) {
    return found(mountPath, virtiofsIssues(filesystem));
  }
  const label = labelIssue(filesystem);
  return found(mountPath, devicePathIssue(device, ['device']), formatIssue(filesystem, version), label);
};

function virtiofsIssues(filesystem: Filesystem): readonly Finding[] {
  const { device = '', label, options = [], uuid, wipeFilesystem } = filesystem;
  return found(
    device === '' && issue(filesystemRules['virtiofs-tag-required'], ['device']),
    Buffer.byteLength(device) > 36 && issue(filesystemRules['virtiofs-tag-too-long'], ['device']),
    label && issue(filesystemRules['virtiofs-label'], ['label']),
    uuid && issue(filesystemRules['virtiofs-uuid'], ['uuid']),
    wipeFilesystem === true && issue(filesystemRules['virtiofs-wipe'], ['wipeFilesystem']),
    options.length > 0 && issue(filesystemRules['virtiofs-options'], ['options']),
  );
}

function formatIssue(filesystem: Filesystem, version: SpecVersion): Finding | undefined {
  const { format, label, mountOptions = [], options = [], path, uuid, wipeFilesystem } = filesystem;
  if (format) {
    const isKnown = maxLabelBytes.has(format) || (format === 'none' && isSince(version, '3.3.0'));
    return isKnown ? undefined : issue(filesystemRules['filesystem-format-invalid'], ['format']);
  }
  const needsFormat =
    path || label || uuid || wipeFilesystem === true || mountOptions.length > 0 || options.length > 0;
  return needsFormat ? issue(filesystemRules['filesystem-format-required'], ['format']) : undefined;
}

function labelIssue({ format, label }: Filesystem): Finding | undefined {
  if (!label) return undefined;
  if (!format) return issue(filesystemRules['filesystem-label-needs-format'], ['label']);
  const isTooLong = Buffer.byteLength(label) > (maxLabelBytes.get(format) ?? Infinity);
  const rule = labelRules[`${format}-label-too-long`];
  return isTooLong && rule !== undefined ? issue(rule, ['label']) : undefined;
}
