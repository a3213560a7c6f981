/** Checks of a Butane document and of its disks, in addition to the rules of Ignition. */

import type { Path } from '../core/finding.ts';
import { isMapping, mappingAt } from '../formats/mapping.ts';
import type { Partition } from '../ignition/config.ts';
import { asString, itemsOf } from '../ignition/decode.ts';
import type { ButaneMembers } from './decode.ts';
import { templateOf } from './quadlets.ts';
import { type ButaneFinding, butaneIssue, problems } from './rules.ts';
import { structOf, type StructType } from '../ignition/schema.ts';
import type { Generated } from './sources.ts';
import type { ButaneRules } from './versions.ts';

type Check = (value: ButaneMembers, rules: ButaneRules) => readonly (ButaneFinding | false)[];

/** By object; paths are relative to it. */
const checks: Readonly<Record<string, Check>> = {
  BootDevice: checkBootDevice,
  BootDeviceLuks: checkBootDeviceLuks,
  Config: checkDisksAndMountPoints,
  Directory: ({ mode }) => checkMode(mode, isTypicalFolderMode),
  Dropin: checkUnitSources,
  File: ({ mode }) => checkMode(mode, isTypicalFileMode),
  FileContents: ({ inline, source }) => [
    inline !== undefined && source !== undefined && butaneIssue(problems.resourceSources, ['inline']),
  ],
  Filesystem: checkMountUnit,
  GrubUser: ({ name, password_hash: hash }) => [
    asString(name) === '' && butaneIssue(problems.grubName, ['name']),
    asString(hash) === '' && butaneIssue(problems.grubPassword, ['password_hash']),
  ],
  Quadlet: checkQuadlet,
  Resource: checkResource,
  Tree: ({ local }) => [asString(local) === '' && butaneIssue(problems.treeNoLocal, [])],
  Unit: checkUnitSources,
};

export function* checkButane(
  type: StructType,
  value: ButaneMembers,
  rules: ButaneRules,
  path: Path = [],
): Generator<ButaneFinding> {
  for (const issue of checks[type.name]?.(value, rules) ?? []) {
    if (issue !== false) yield { ...issue, path: [...path, ...issue.path] };
  }
  for (const field of type.fields) {
    const { name } = field;
    const struct = structOf(field);
    const member = value[name];
    if (struct === undefined || member === undefined) continue;
    if (isMapping(member)) yield* checkButane(struct, member, rules, [...path, name]);
    for (const [index, item] of itemsOf(member).entries()) {
      if (isMapping(item)) yield* checkButane(struct, item, rules, [...path, name, index]);
    }
  }
}

function checkResource({ inline, local, source }: ButaneMembers): readonly (ButaneFinding | false)[] {
  const given = Object.entries({ local, inline, source }).filter(([, value]) => value !== undefined);
  const name = given.at(-1)?.[0] ?? '';
  return [given.length > 1 && butaneIssue(problems.resourceSources, [name])];
}

function checkUnitSources({
  contents,
  contents_local: local,
}: ButaneMembers): readonly (ButaneFinding | false)[] {
  const hasBoth = contents !== undefined && local !== undefined;
  return [hasBoth && butaneIssue(problems.unitSources, ['contents_local'])];
}

function checkQuadlet(quadlet: ButaneMembers): readonly (ButaneFinding | false)[] {
  const { contents, contents_local: local } = quadlet;
  const name = asString(quadlet['name']);
  if (!/\.(?:container|volume|network|kube|image|build|pod|artifact)$/.test(name)) {
    return [butaneIssue(problems.quadletExtension, ['name'])];
  }
  if (templateOf(name) === undefined) return checkUnitSources(quadlet);
  return [
    contents !== undefined && butaneIssue(problems.quadletInstance, ['contents']),
    local !== undefined && butaneIssue(problems.quadletInstance, ['contents_local']),
  ];
}

function checkMountUnit(
  filesystem: ButaneMembers,
  { features }: ButaneRules,
): readonly (ButaneFinding | false)[] {
  if (filesystem['with_mount_unit'] !== true) return [];
  const format = asString(filesystem['format']);
  const needsPath = features.has('swap-units') ? format !== '' && format !== 'swap' : true;
  return [
    format === '' && butaneIssue(problems.mountNoFormat, ['format']),
    needsPath && asString(filesystem['path']) === '' && butaneIssue(problems.mountNoPath, ['path']),
  ];
}

function* disksWithoutNumber(config: ButaneMembers): Generator<ButaneFinding> {
  const mirror = new Set(itemsOf(mappingAt(config, ['boot_device', 'mirror'])['devices']));
  for (const [index, disk] of itemsOf(mappingAt(config, ['storage'])['disks']).entries()) {
    if (!isMapping(disk) || disk['wipe_table'] === true) continue;
    const device = asString(disk['device']);
    if (device === '/dev/disk/by-id/coreos-boot-disk' || mirror.has(device)) continue;
    for (const [number, partition] of itemsOf(disk['partitions']).entries()) {
      if (!isMapping(partition) || (partition['number'] ?? 0) !== 0 || partition['label'] === undefined)
        continue;
      yield butaneIssue(problems.reuseByLabel, ['storage', 'disks', index, 'partitions', number, 'number']);
    }
  }
}

function checkDisksAndMountPoints(
  config: ButaneMembers,
  { features }: ButaneRules,
): readonly ButaneFinding[] {
  if (!features.has('s390x')) return [];
  const issues = [...disksWithoutNumber(config)];
  for (const [index, filesystem] of itemsOf(mappingAt(config, ['storage'])['filesystems']).entries()) {
    if (!isMapping(filesystem) || filesystem['with_mount_unit'] !== true) continue;
    const { path } = filesystem;
    if (path === undefined || /^\/(?:etc|var)(?:\/|$)/.test(asString(path))) continue;
    issues.push(butaneIssue(problems.mountPoint, ['storage', 'filesystems', index, 'path']));
  }
  return issues;
}

function checkBootDevice(
  device: ButaneMembers,
  { features }: ButaneRules,
): readonly (ButaneFinding | false)[] {
  const layout = typeof device['layout'] === 'string' ? device['layout'] : undefined;
  const luks = mappingAt(device, ['luks']);
  const mirror = itemsOf(mappingAt(device, ['mirror'])['devices']);
  const isStrict = features.has('strict-boot-device');
  const noLayout = isStrict ? problems.mirrorNoLayoutStrict : problems.mirrorNoLayout;
  const found: (ButaneFinding | false)[] = [
    mirror.length > 0 && layout === undefined && butaneIssue(noLayout, ['mirror']),
    mirror.length === 1 && butaneIssue(problems.fewMirrorDevices, ['mirror', 'devices']),
  ];
  if (!features.has('s390x')) {
    const isKnown = layout === undefined || /^(?:aarch64|ppc64le|x86_64)$/.test(layout);
    return [...found, !isKnown && butaneIssue(problems.layoutLegacy, ['layout'])];
  }
  const isOfS390x = layout?.startsWith('s390x') === true;
  const wantsCex = mappingAt(luks, ['cex'])['enabled'] === true;
  const wantsClevis = itemsOf(luks['tang']).length > 0 || luks['tpm2'] === true;
  return [
    ...found,
    ...(layout === undefined ? [] : checkLayout(layout, asString(luks['device']))),
    isOfS390x && mirror.length > 0 && butaneIssue(problems.mirrorUnsupported, ['layout']),
    wantsCex &&
      !isOfS390x &&
      butaneIssue(problems.cexLayout, layout === undefined ? ['luks', 'cex'] : ['layout']),
    wantsCex && wantsClevis && butaneIssue(problems.cexClevis, ['luks']),
  ];
}

function checkLayout(layout: string, device: string): readonly (ButaneFinding | false)[] {
  if (/^(?:aarch64|ppc64le|x86_64|s390x-virt)$/.test(layout)) return [];
  const named = { 's390x-eckd': /\/dev\/dasd[a-z]$/, 's390x-zfcp': /\/dev\/sd[a-z]$/ };
  const [, pattern] = Object.entries(named).find(([name]) => name === layout) ?? [];
  if (pattern === undefined) return [butaneIssue(problems.layout, ['layout'])];
  if (device === '') return [butaneIssue(problems.luksNoDevice, ['layout'])];
  return [!pattern.test(device) && butaneIssue(problems.luksDeviceName, ['layout'])];
}

function checkBootDeviceLuks(
  luks: ButaneMembers,
  { features }: ButaneRules,
): readonly (ButaneFinding | false)[] {
  if (!features.has('strict-boot-device') || asString(luks['device']) === '') return [];
  const hasTang = itemsOf(luks['tang']).some(
    // Other than the URL, an empty key counts.
    (tang) => isMapping(tang) && Object.entries(tang).some(([name, it]) => name !== 'url' || it !== ''),
  );
  const hasMethod = hasTang || luks['tpm2'] === true || mappingAt(luks, ['cex'])['enabled'] === true;
  return [!hasMethod && butaneIssue(problems.luksNoMethod, ['luks'])];
}

/** Modes that were written in decimal: 644 instead of 0644. */
function checkMode(mode: unknown, isTypical: (mode: number) => boolean): readonly (ButaneFinding | false)[] {
  if (typeof mode !== 'number' || !/^[0-7]{1,4}$/.test(String(mode)) || isTypical(mode)) return [];
  const octal = `0${mode}`;
  if (!isTypical(Number.parseInt(String(mode), 8))) return [];
  return [{ ...butaneIssue(problems.decimalMode, ['mode']), hint: `write ${octal}` }];
}

interface Permissions {
  readonly isUsual: boolean;
  readonly canWrite: boolean;
  readonly canRun: boolean;
}

/**
 * Usual permissions: of others, the group and the owner each has all that the former has; nothing is writable or
 * executable without being readable; and who reads can execute if the owner can.
 */
function permissionsOf(mode: number): Permissions {
  let seen = 0;
  let isUsual = true;
  for (const shift of [0, 3, 6]) {
    const own = (mode >> shift) & 7;
    const gainsRun = (own & 1) !== 0 && (seen & 4) !== 0 && (seen & 1) === 0;
    if ((seen & ~own) !== 0 || gainsRun || ((own & 3) !== 0 && (own & 4) === 0)) isUsual = false;
    seen |= own;
  }
  return { isUsual: isUsual && (seen & 4) !== 0, canWrite: (seen & 2) !== 0, canRun: (seen & 1) !== 0 };
}

function isTypicalFolderMode(mode: number): boolean {
  if (mode === 0) return true;
  const { canRun, canWrite, isUsual } = permissionsOf(mode);
  return isUsual && canRun && (mode & 0o4000) === 0 && ((mode & 0o3000) === 0 || canWrite);
}

function isTypicalFileMode(mode: number): boolean {
  if (mode === 0) return true;
  const { canRun, isUsual } = permissionsOf(mode);
  const isSetId = (mode & 0o6000) !== 0;
  return isUsual && (mode & 0o1000) === 0 && (!isSetId || (canRun && (mode & 2) === 0));
}

/** Numbers of the partitions of a CoreOS image, by label. */
const imagePartitions: Readonly<Record<string, number>> = {
  'BIOS-BOOT': 1,
  'PowerPC-PReP-boot': 1,
  'EFI-SYSTEM': 2,
  boot: 3,
  root: 4,
};

/** Warnings about partitions that replace those of the image, also of disks that boot_device adds. */
export function checkPartitions(
  { config, locate }: Generated,
  { features }: ButaneRules,
): readonly ButaneFinding[] {
  const issues: ButaneFinding[] = [];
  for (const [index, disk] of (config.storage?.disks ?? []).entries()) {
    for (const [number, partition] of (disk.partitions ?? []).entries()) {
      const path = ['storage', 'disks', index, 'partitions', number];
      const label = locate([...path, 'label']);
      if (partition.label === 'root' && features.has('root-size')) {
        const isSized = (partition.sizeMiB ?? 0) !== 0;
        // Butane reports the path in the config, also of a disk that boot_device moves.
        if (isSized && partition.sizeMiB !== undefined && partition.sizeMiB < 8192)
          issues.push(butaneIssue(problems.rootSmall, [...path, 'size_mib']));
        if (
          !isSized &&
          (disk.partitions ?? []).some(({ startMiB = 0 }, other) => other !== number && startMiB === 0)
        )
          issues.push(butaneIssue(problems.rootConstrained, label));
      }
      if (disk.wipeTable !== true && hasOtherNumber(partition)) {
        issues.push(butaneIssue(problems.partitionNumber, label));
      }
    }
  }
  return issues;
}

function hasOtherNumber({ label = '', number = 0 }: Partition): boolean {
  return Object.hasOwn(imagePartitions, label) && imagePartitions[label] !== number;
}
