/**
 * Butane's own rules, with Butane's messages. A rule has several problems where they have the same cause; each has a hint.
 * Source: `butane/config/common/errors.go` of Ignition.
 */

import { quoteText } from '../core/foreignText.ts';
import type { Finding } from '../core/finding.ts';
import { errorRules, type Rule, ruleTable, type RuleTexts, warningRules } from '../core/rule.ts';
import { nameVersions } from '../ignition/versions.ts';
import { butaneVersions } from './versions.ts';

/** The path is that of the YAML. */
export interface ButaneFinding extends Finding {
  /** In the text; default: that of the deepest node on the path. */
  readonly offset?: number;
}

export const butaneRules = {
  ...errorRules({
    'butane-variant': [
      'this variant of Butane is not supported',
      'write "variant: fcos"; for another variant, translate the config with butane',
    ],
    'butane-version': [
      'no translator exists for this version',
      `use a version from ${nameVersions(butaneVersions)}`,
    ],
    'butane-yaml': ['the YAML cannot be read as a Butane config', 'write each key once, and simple values'],
    'butane-type': ['cannot unmarshal', 'use a value of the type of the field'],
    'butane-sources': ['only one of these can be set', 'keep one of inline, local and source'],
    'butane-files-dir': [
      'local file paths are relative to a files directory that must be specified with -d/--files-dir',
      'pass --files-dir FOLDER; in an inventory, set ignition.filesDir, and filesDir for the config of deploy',
    ],
    'butane-local': [
      'the local file cannot be used',
      'use a path below --files-dir, or below ignition.filesDir of the inventory',
    ],
    'butane-node-exists': [
      'matching filesystem node has existing contents or different type',
      'use another path in storage or systemd.quadlets',
    ],
    'butane-quadlet': ['invalid quadlet', 'use a name such as web.container'],
    'butane-mount-unit': [
      'the mount unit cannot be generated',
      'set path and format, or remove with_mount_unit',
    ],
    'butane-boot-device': ['invalid boot_device', 'use a supported layout and its devices'],
    'butane-grub': ['a GRUB user needs a name and a password', 'set name and password_hash'],
  }),
  ...warningRules({
    'butane-mirror-layout': [
      'boot_device.layout should be specified when boot_device.mirror is specified',
      'set boot_device.layout, for example to x86_64',
    ],
    'butane-decimal-mode': [
      'unreasonable mode would be reasonable if specified in octal; remember to add a leading zero',
      'write the mode in octal: 0644',
    ],
    'butane-partition': ['unsuitable partition of a boot disk', 'set number, size_mib and start_mib'],
  }),
};

const LAYOUTS = 'aarch64, ppc64le';

/** Problems of one rule by their own names. */
function problemsOf<Name extends string>(rule: keyof typeof butaneRules, texts: RuleTexts<Name>) {
  return ruleTable((_name, message, hint) => ({ ...butaneRules[rule], message, hint }), texts);
}

export const problems = {
  ...problemsOf('butane-variant', {
    noVariant: ['error parsing variant; must be specified', 'add "variant: fcos"'],
  }),
  ...problemsOf('butane-version', {
    invalidVersion: ['error parsing version; must be a valid semver', 'add "version: 1.6.0"'],
  }),
  ...problemsOf('butane-yaml', {
    mergeKey: [
      'map merge requires map or sequence of maps as the value',
      'write an alias of an object after "<<:"',
    ],
  }),
  ...problemsOf('butane-sources', {
    resourceSources: [
      'only one of the following can be set: inline, local, source',
      'keep one of inline, local and source',
    ],
    unitSources: [
      'only one of the following can be set: contents, contents_local',
      'remove contents or contents_local',
    ],
  }),
  ...problemsOf('butane-local', {
    escape: [
      'local file path traverses outside the files directory',
      'move the file into the folder of --files-dir, or ignition.filesDir of the inventory; links may not leave it either',
    ],
    fileType: [
      'trees may only contain files, directories, and symlinks',
      'remove the device, socket or pipe',
    ],
    notFile: ['the local path is not a file', 'use the path of a file; "trees" adds the files of a folder'],
    notDirectory: [
      'root of tree must be a directory',
      'set local to a folder below --files-dir, or below ignition.filesDir of the inventory',
    ],
    treeNoLocal: [
      'local is required',
      'set local to a folder below --files-dir, or below ignition.filesDir of the inventory',
    ],
  }),
  ...problemsOf('butane-quadlet', {
    quadletExtension: [
      'unsupported file extension for quadlet: must be one of .container, .volume, .network, .kube, .image, .build, .pod, or .artifact',
      'use one of these extensions',
    ],
    quadletInstance: [
      'template instances cannot have contents or contents_local',
      'move the contents to the template, for example web@.container',
    ],
  }),
  ...problemsOf('butane-mount-unit', {
    mountNoPath: [
      'path is required if with_mount_unit is true and format is not swap',
      'set path to the mount point',
    ],
    mountNoFormat: ['format is required if with_mount_unit is true', 'set format, for example to xfs'],
    mountPoint: [
      'path must be under /etc or /var if with_mount_unit is true',
      'use a mount point below /var',
    ],
  }),
  ...problemsOf('butane-boot-device', {
    layout: [
      `layout must be one of: ${LAYOUTS}, s390x-eckd, s390x-virt, s390x-zfcp, x86_64`,
      'use one of these layouts',
    ],
    layoutLegacy: [
      `layout must be one of: ${LAYOUTS}, x86_64`,
      'use one of these layouts; version 1.6.0 adds those of s390x',
    ],
    fewMirrorDevices: [
      'mirroring requires at least two devices',
      'add a device to boot_device.mirror.devices',
    ],
    mirrorNoLayout: [butaneRules['butane-mirror-layout'].message, butaneRules['butane-mirror-layout'].hint],
    luksNoDevice: [
      'device is required for layouts: s390x-eckd, s390x-zfcp',
      'set boot_device.luks.device, for example to /dev/dasda',
    ],
    luksDeviceName: [
      'device name must start with /dev/dasd on s390x-eckd layout or /dev/sd on s390x-zfcp layout',
      'use a device such as /dev/dasda or /dev/sda',
    ],
    mirrorUnsupported: [
      'mirroring not supported on layouts: s390x-eckd, s390x-zfcp, s390x-virt',
      'remove mirror',
    ],
    cexLayout: [
      'when using cex the targeted architecture must match s390x',
      'use a layout of s390x, or remove cex',
    ],
    cexClevis: ['cannot use cex with clevis', 'remove cex, or tang and tpm2'],
    luksNoMethod: ['no method specified for luks', 'add tang, tpm2 or cex'],
  }),
  ...problemsOf('butane-partition', {
    reuseByLabel: [
      'partitions cannot be reused by label; number must be specified except on boot disk (/dev/disk/by-id/coreos-boot-disk) or when wipe_table is true',
      'set the number of the partition, or wipe_table to true',
    ],
    partitionNumber: [
      'incorrect partition number; a new partition will be created using reserved label',
      'use another label, or the number of the existing partition',
    ],
    rootSmall: ['root should have 8GiB of space assigned', 'set size_mib to 8192 or more'],
    rootConstrained: [
      'root partition cannot expand; it is set to fill available space but is followed by an auto-positioned partition',
      'set size_mib of the root partition, or start_mib of the other partitions',
    ],
  }),
  ...problemsOf('butane-grub', {
    grubName: ['field "name" is required', 'set name, for example to root'],
    grubPassword: [
      'field "password_hash" is required',
      'set password_hash to the output of grub2-mkpasswd-pbkdf2',
    ],
  }),
};

export function duplicateKey(key: string): Rule {
  const hint = `remove one of the two keys ${quoteText(key)}`;
  return { ...butaneRules['butane-yaml'], message: 'mapping key already defined', hint };
}

/** @param path of two nodes in the file system of the host */
export function nodeExists(path: string): Rule {
  return {
    ...butaneRules['butane-node-exists'],
    hint: `remove one of the two nodes with the path ${quoteText(path)}`,
  };
}

export function unreadable(path: string, error: unknown): Rule {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const reason =
    code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${String(code)})`;
  return { ...butaneRules['butane-local'], message: `the local file ${quoteText(path)} ${reason}` };
}

/** What to do with the configs of other variants. */
const otherVariants: ReadonlyMap<string, string> = new Map([
  ['flatcar', 'write "variant: fcos": Flatcar is not a CoreOS with live images'],
  ['openshift', 'translate it with "butane --raw", which writes the config without its MachineConfig'],
  ['r4e', 'write "variant: fcos", which has all of these keys'],
  ['fiot', 'write "variant: fcos", which has all of these keys'],
  ['rhcos', 'write "variant: fcos", or "variant: openshift" and translate it with "butane --raw"'],
]);

export function variantProblem(name: string): Rule {
  const rule = butaneRules['butane-variant'];
  const message = `the variant ${quoteText(name.slice(0, 40))} of Butane is not supported`;
  return { ...rule, message, hint: otherVariants.get(name) ?? rule.hint };
}
