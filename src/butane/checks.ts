/** Checks of a Butane document and of its disks, in addition to the rules of Ignition. */

import type { Finding } from '../core/finding.ts';
import { found, issue } from '../core/rule.ts';
import { pathExtension } from '../formats/goPath.ts';
import { asList, asMappings, isMapping, type Mapping, mappingAt } from '../formats/mapping.ts';
import type { Config } from '../ignition/config.ts';
import { asString } from '../ignition/decode.ts';
import { templateOf } from './quadlets.ts';
import { butaneRules, problems } from './rules.ts';
import { quadletExtensions } from '../ignition/rules/unit.ts';
import type { StructType } from '../ignition/schema.ts';
import { walkConfig } from '../ignition/walkConfig.ts';
import { pathInYaml } from './sources.ts';
import type { ButaneRules } from './versions.ts';

type Check = (value: Mapping, rules: ButaneRules) => readonly Finding[];

/** By object; paths are relative to it. */
const checks: Readonly<Record<string, Check>> = {
  BootDevice: checkBootDevice,
  BootDeviceLuks: checkBootDeviceLuks,
  Config: checkDisksAndMountPoints,
  Directory: ({ mode }) => checkMode(mode, isTypicalFolderMode),
  Dropin: checkUnitSources,
  File: ({ mode }) => checkMode(mode, isTypicalFileMode),
  FileContents: ({ inline, source }) =>
    found(inline !== undefined && source !== undefined && issue(problems.resourceSources, ['inline'])),
  Filesystem: checkMountUnit,
  GrubUser: ({ name, password_hash: hash }) =>
    found(
      asString(name) === '' && issue(problems.grubName, ['name']),
      asString(hash) === '' && issue(problems.grubPassword, ['password_hash']),
    ),
  Quadlet: checkQuadlet,
  Resource: checkResource,
  Tree: ({ local }) => found(asString(local) === '' && issue(problems.treeNoLocal, [])),
  Unit: checkUnitSources,
};

export function* checkButane(root: StructType, document: Mapping, rules: ButaneRules): Generator<Finding> {
  for (const { path, type, value } of walkConfig(root, document)) {
    if (typeof type === 'string' || !isMapping(value)) continue;
    for (const finding of checks[type.name]?.(value, rules) ?? []) {
      yield { ...finding, path: [...path, ...finding.path] };
    }
  }
}

function checkResource({ inline, local, source }: Mapping): readonly Finding[] {
  const given = Object.entries({ local, inline, source }).filter(([, value]) => value !== undefined);
  const name = given.at(-1)?.[0] ?? '';
  return found(given.length > 1 && issue(problems.resourceSources, [name]));
}

function checkUnitSources({ contents, contents_local: local }: Mapping): readonly Finding[] {
  const hasBoth = contents !== undefined && local !== undefined;
  return found(hasBoth && issue(problems.unitSources, ['contents_local']));
}

function checkQuadlet(quadlet: Mapping): readonly Finding[] {
  const { contents, contents_local: local } = quadlet;
  const name = asString(quadlet['name']);
  if (!quadletExtensions.has(pathExtension(name))) {
    return [issue(problems.quadletExtension, ['name'])];
  }
  if (templateOf(name) === undefined) return checkUnitSources(quadlet);
  return found(
    contents !== undefined && issue(problems.quadletInstance, ['contents']),
    local !== undefined && issue(problems.quadletInstance, ['contents_local']),
  );
}

function checkMountUnit(filesystem: Mapping, { features }: ButaneRules): readonly Finding[] {
  if (filesystem['with_mount_unit'] !== true) return [];
  const format = asString(filesystem['format']);
  const needsPath = features.has('swap-units') ? format !== '' && format !== 'swap' : true;
  return found(
    format === '' && issue(problems.mountNoFormat, ['format']),
    needsPath && asString(filesystem['path']) === '' && issue(problems.mountNoPath, ['path']),
  );
}

function* disksWithoutNumber(config: Mapping): Generator<Finding> {
  const mirror = new Set(asList(mappingAt(config, ['boot_device', 'mirror'])['devices']));
  for (const [index, disk] of asMappings(mappingAt(config, ['storage'])['disks']).entries()) {
    if (disk['wipe_table'] === true) continue;
    const device = asString(disk['device']);
    if (device === '/dev/disk/by-id/coreos-boot-disk' || mirror.has(device)) continue;
    for (const [number, partition] of asMappings(disk['partitions']).entries()) {
      if ((partition['number'] ?? 0) !== 0 || partition['label'] === undefined) continue;
      yield issue(problems.reuseByLabel, ['storage', 'disks', index, 'partitions', number, 'number']);
    }
  }
}

function checkDisksAndMountPoints(config: Mapping, { features }: ButaneRules): readonly Finding[] {
  if (!features.has('s390x')) return [];
  const issues = [...disksWithoutNumber(config)];
  for (const [index, filesystem] of asMappings(mappingAt(config, ['storage'])['filesystems']).entries()) {
    if (filesystem['with_mount_unit'] !== true) continue;
    const { path } = filesystem;
    if (path === undefined || /^\/(?:etc|var)(?:\/|$)/.test(asString(path))) continue;
    issues.push(issue(problems.mountPoint, ['storage', 'filesystems', index, 'path']));
  }
  return issues;
}

function checkBootDevice(device: Mapping, { features }: ButaneRules): readonly Finding[] {
  const layout = typeof device['layout'] === 'string' ? device['layout'] : undefined;
  const luks = mappingAt(device, ['luks']);
  const mirror = asList(mappingAt(device, ['mirror'])['devices']);
  const isStrict = features.has('strict-boot-device');
  const noLayout = isStrict ? problems.mirrorNoLayout : butaneRules['butane-mirror-layout'];
  const ofMirror = found(
    mirror.length > 0 && layout === undefined && issue(noLayout, ['mirror']),
    mirror.length === 1 && issue(problems.fewMirrorDevices, ['mirror', 'devices']),
  );
  if (!features.has('s390x')) {
    const isKnown = layout === undefined || /^(?:aarch64|ppc64le|x86_64)$/.test(layout);
    return found(ofMirror, !isKnown && issue(problems.layoutLegacy, ['layout']));
  }
  const isOfS390x = layout?.startsWith('s390x') === true;
  const wantsCex = mappingAt(luks, ['cex'])['enabled'] === true;
  const wantsClevis = asList(luks['tang']).length > 0 || luks['tpm2'] === true;
  return found(
    ofMirror,
    layout !== undefined && checkLayout(layout, asString(luks['device'])),
    isOfS390x && mirror.length > 0 && issue(problems.mirrorUnsupported, ['layout']),
    wantsCex && !isOfS390x && issue(problems.cexLayout, layout === undefined ? ['luks', 'cex'] : ['layout']),
    wantsCex && wantsClevis && issue(problems.cexClevis, ['luks']),
  );
}

function checkLayout(layout: string, device: string): readonly Finding[] {
  if (/^(?:aarch64|ppc64le|x86_64|s390x-virt)$/.test(layout)) return [];
  const devices = { 's390x-eckd': /\/dev\/dasd[a-z]$/, 's390x-zfcp': /\/dev\/sd[a-z]$/ };
  const pattern = new Map(Object.entries(devices)).get(layout);
  if (pattern === undefined) return [issue(problems.layout, ['layout'])];
  if (device === '') return [issue(problems.luksNoDevice, ['layout'])];
  return found(!pattern.test(device) && issue(problems.luksDeviceName, ['layout']));
}

function checkBootDeviceLuks(luks: Mapping, { features }: ButaneRules): readonly Finding[] {
  if (!features.has('strict-boot-device') || asString(luks['device']) === '') return [];
  // Other than the URL, an empty key counts.
  const hasTang = asMappings(luks['tang']).some((tang) =>
    Object.entries(tang).some(([name, it]) => name !== 'url' || it !== ''),
  );
  const hasMethod = hasTang || luks['tpm2'] === true || mappingAt(luks, ['cex'])['enabled'] === true;
  return found(!hasMethod && issue(problems.luksNoMethod, ['luks']));
}

/** Modes that were written in decimal: 644 instead of 0644. */
function checkMode(mode: unknown, isTypical: (mode: number) => boolean): readonly Finding[] {
  if (typeof mode !== 'number' || !/^[0-7]{1,4}$/.test(String(mode)) || isTypical(mode)) return [];
  const octal = `0${mode}`;
  if (!isTypical(Number.parseInt(String(mode), 8))) return [];
  return [issue(butaneRules['butane-decimal-mode'], ['mode'], `write ${octal}`)];
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
const imagePartitions: ReadonlyMap<string, number> = new Map([
  ['BIOS-BOOT', 1],
  ['PowerPC-PReP-boot', 1],
  ['EFI-SYSTEM', 2],
  ['boot', 3],
  ['root', 4],
]);

/** Warnings about partitions that replace those of the image, also of disks that boot_device adds. */
export function checkPartitions(config: Config, { features }: ButaneRules): readonly Finding[] {
  const issues: Finding[] = [];
  for (const [index, disk] of (config.storage?.disks ?? []).entries()) {
    for (const [number, partition] of (disk.partitions ?? []).entries()) {
      const path = ['storage', 'disks', index, 'partitions', number];
      const label = pathInYaml(config, [...path, 'label']);
      if (partition.label === 'root' && features.has('root-size')) {
        const isSized = (partition.sizeMiB ?? 0) !== 0;
        // Butane reports the path in the config, also of a disk that boot_device moves.
        if (isSized && partition.sizeMiB !== undefined && partition.sizeMiB < 8192)
          issues.push(issue(problems.rootSmall, [...path, 'size_mib']));
        if (
          !isSized &&
          (disk.partitions ?? []).some(({ startMiB = 0 }, other) => other !== number && startMiB === 0)
        )
          issues.push(issue(problems.rootConstrained, label));
      }
      const usual = imagePartitions.get(partition.label ?? '');
      if (disk.wipeTable !== true && usual !== undefined && usual !== (partition.number ?? 0)) {
        issues.push(issue(problems.partitionNumber, label));
      }
    }
  }
  return issues;
}
