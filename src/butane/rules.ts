/**
 * Butane's own rules, with Butane's messages. A rule has several problems where they have the same cause; each has a hint.
 * Source: `butane/config/common/errors.go` of Ignition.
 */

import { quoteText } from '../core/foreignText.ts';
import type { Finding } from '../core/finding.ts';
import { errorRule, type Rule, warningRule } from '../core/rule.ts';
import { nameVersions } from '../ignition/versions.ts';
import { butaneVersions } from './versions.ts';

/** The path is that of the YAML. */
export interface ButaneFinding extends Finding {
  /** In the text; default: that of the deepest node on the path. */
  readonly offset?: number;
}

export const butaneRules = {
  variant: errorRule(
    'butane-variant',
    'this variant of Butane is not supported',
    'write "variant: fcos"; for another variant, translate the config with butane',
  ),
  version: errorRule(
    'butane-version',
    'no translator exists for this version',
    `use a version from ${nameVersions(butaneVersions)}`,
  ),
  yaml: errorRule(
    'butane-yaml',
    'the YAML cannot be read as a Butane config',
    'write each key once, and simple values',
  ),
  type: errorRule('butane-type', 'cannot unmarshal', 'use a value of the type of the field'),
  sources: errorRule(
    'butane-sources',
    'only one of these can be set',
    'keep one of inline, local and source',
  ),
  filesDir: errorRule(
    'butane-files-dir',
    'local file paths are relative to a files directory that must be specified with -d/--files-dir',
    'pass --files-dir FOLDER; in an inventory, set ignition.filesDir, and filesDir for the config of deploy',
  ),
  local: errorRule(
    'butane-local',
    'the local file cannot be used',
    'use a path below --files-dir, or below ignition.filesDir of the inventory',
  ),
  nodeExists: errorRule(
    'butane-node-exists',
    'matching filesystem node has existing contents or different type',
    'use another path in storage or systemd.quadlets',
  ),
  quadlet: errorRule('butane-quadlet', 'invalid quadlet', 'use a name such as web.container'),
  mountUnit: errorRule(
    'butane-mount-unit',
    'the mount unit cannot be generated',
    'set path and format, or remove with_mount_unit',
  ),
  bootDevice: errorRule(
    'butane-boot-device',
    'invalid boot_device',
    'use a supported layout and its devices',
  ),
  grub: errorRule('butane-grub', 'a GRUB user needs a name and a password', 'set name and password_hash'),
  mirrorLayout: warningRule(
    'butane-mirror-layout',
    'boot_device.layout should be specified when boot_device.mirror is specified',
    'set boot_device.layout, for example to x86_64',
  ),
  decimalMode: warningRule(
    'butane-decimal-mode',
    'unreasonable mode would be reasonable if specified in octal; remember to add a leading zero',
    'write the mode in octal: 0644',
  ),
  partition: warningRule(
    'butane-partition',
    'unsuitable partition of a boot disk',
    'set number, size_mib and start_mib',
  ),
};

const LAYOUTS = 'aarch64, ppc64le';

export const problems = {
  noVariant: {
    ...butaneRules.variant,
    message: 'error parsing variant; must be specified',
    hint: 'add "variant: fcos"',
  },
  invalidVersion: {
    ...butaneRules.version,
    message: 'error parsing version; must be a valid semver',
    hint: 'add "version: 1.6.0"',
  },
  mergeKey: {
    ...butaneRules.yaml,
    message: 'map merge requires map or sequence of maps as the value',
    hint: 'write an alias of an object after "<<:"',
  },
  resourceSources: {
    ...butaneRules.sources,
    message: 'only one of the following can be set: inline, local, source',
    hint: 'keep one of inline, local and source',
  },
  unitSources: {
    ...butaneRules.sources,
    message: 'only one of the following can be set: contents, contents_local',
    hint: 'remove contents or contents_local',
  },
  escape: {
    ...butaneRules.local,
    message: 'local file path traverses outside the files directory',
    hint: 'move the file into the folder of --files-dir, or ignition.filesDir of the inventory; links may not leave it either',
  },
  fileType: {
    ...butaneRules.local,
    message: 'trees may only contain files, directories, and symlinks',
    hint: 'remove the device, socket or pipe',
  },
  notFile: {
    ...butaneRules.local,
    message: 'the local path is not a file',
    hint: 'use the path of a file; "trees" adds the files of a folder',
  },
  notDirectory: {
    ...butaneRules.local,
    message: 'root of tree must be a directory',
    hint: 'set local to a folder below --files-dir, or below ignition.filesDir of the inventory',
  },
  treeNoLocal: {
    ...butaneRules.local,
    message: 'local is required',
    hint: 'set local to a folder below --files-dir, or below ignition.filesDir of the inventory',
  },
  quadletExtension: {
    ...butaneRules.quadlet,
    message:
      'unsupported file extension for quadlet: must be one of .container, .volume, .network, .kube, .image, .build, .pod, or .artifact',
    hint: 'use one of these extensions',
  },
  quadletInstance: {
    ...butaneRules.quadlet,
    message: 'template instances cannot have contents or contents_local',
    hint: 'move the contents to the template, for example web@.container',
  },
  mountNoPath: {
    ...butaneRules.mountUnit,
    message: 'path is required if with_mount_unit is true and format is not swap',
    hint: 'set path to the mount point',
  },
  mountNoFormat: {
    ...butaneRules.mountUnit,
    message: 'format is required if with_mount_unit is true',
    hint: 'set format, for example to xfs',
  },
  mountPoint: {
    ...butaneRules.mountUnit,
    message: 'path must be under /etc or /var if with_mount_unit is true',
    hint: 'use a mount point below /var',
  },
  layout: {
    ...butaneRules.bootDevice,
    message: `layout must be one of: ${LAYOUTS}, s390x-eckd, s390x-virt, s390x-zfcp, x86_64`,
    hint: 'use one of these layouts',
  },
  layoutLegacy: {
    ...butaneRules.bootDevice,
    message: `layout must be one of: ${LAYOUTS}, x86_64`,
    hint: 'use one of these layouts; version 1.6.0 adds those of s390x',
  },
  fewMirrorDevices: {
    ...butaneRules.bootDevice,
    message: 'mirroring requires at least two devices',
    hint: 'add a device to boot_device.mirror.devices',
  },
  mirrorNoLayout: {
    ...butaneRules.bootDevice,
    message: butaneRules.mirrorLayout.message,
    hint: butaneRules.mirrorLayout.hint,
  },
  luksNoDevice: {
    ...butaneRules.bootDevice,
    message: 'device is required for layouts: s390x-eckd, s390x-zfcp',
    hint: 'set boot_device.luks.device, for example to /dev/dasda',
  },
  luksDeviceName: {
    ...butaneRules.bootDevice,
    message: 'device name must start with /dev/dasd on s390x-eckd layout or /dev/sd on s390x-zfcp layout',
    hint: 'use a device such as /dev/dasda or /dev/sda',
  },
  mirrorUnsupported: {
    ...butaneRules.bootDevice,
    message: 'mirroring not supported on layouts: s390x-eckd, s390x-zfcp, s390x-virt',
    hint: 'remove mirror',
  },
  cexLayout: {
    ...butaneRules.bootDevice,
    message: 'when using cex the targeted architecture must match s390x',
    hint: 'use a layout of s390x, or remove cex',
  },
  cexClevis: {
    ...butaneRules.bootDevice,
    message: 'cannot use cex with clevis',
    hint: 'remove cex, or tang and tpm2',
  },
  luksNoMethod: {
    ...butaneRules.bootDevice,
    message: 'no method specified for luks',
    hint: 'add tang, tpm2 or cex',
  },
  reuseByLabel: {
    ...butaneRules.partition,
    message:
      'partitions cannot be reused by label; number must be specified except on boot disk (/dev/disk/by-id/coreos-boot-disk) or when wipe_table is true',
    hint: 'set the number of the partition, or wipe_table to true',
  },
  partitionNumber: {
    ...butaneRules.partition,
    message: 'incorrect partition number; a new partition will be created using reserved label',
    hint: 'use another label, or the number of the existing partition',
  },
  rootSmall: {
    ...butaneRules.partition,
    message: 'root should have 8GiB of space assigned',
    hint: 'set size_mib to 8192 or more',
  },
  rootConstrained: {
    ...butaneRules.partition,
    message:
      'root partition cannot expand; it is set to fill available space but is followed by an auto-positioned partition',
    hint: 'set size_mib of the root partition, or start_mib of the other partitions',
  },
  grubName: {
    ...butaneRules.grub,
    message: 'field "name" is required',
    hint: 'set name, for example to root',
  },
  grubPassword: {
    ...butaneRules.grub,
    message: 'field "password_hash" is required',
    hint: 'set password_hash to the output of grub2-mkpasswd-pbkdf2',
  },
} satisfies Record<string, Rule>;

export function duplicateKey(key: string): Rule {
  const hint = `remove one of the two keys ${quoteText(key)}`;
  return { ...butaneRules.yaml, message: 'mapping key already defined', hint };
}

/** @param path of two nodes in the file system of the host */
export function nodeExists(path: string): Rule {
  return {
    ...butaneRules.nodeExists,
    hint: `remove one of the two nodes with the path ${quoteText(path)}`,
  };
}

export function unreadable(path: string, error: unknown): Rule {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const reason =
    code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${String(code)})`;
  const hint = 'use a path below --files-dir, or below ignition.filesDir of the inventory';
  return { ...butaneRules.local, message: `the local file ${quoteText(path)} ${reason}`, hint };
}

/** What to do with the configs of other variants. */
const otherVariants: Readonly<Record<string, string>> = {
  flatcar: 'write "variant: fcos": Flatcar is not a CoreOS with live images',
  openshift: 'translate it with "butane --raw", which writes the config without its MachineConfig',
  r4e: 'write "variant: fcos", which has all of these keys',
  fiot: 'write "variant: fcos", which has all of these keys',
  rhcos: 'write "variant: fcos", or "variant: openshift" and translate it with "butane --raw"',
};

export function variantProblem(name: string): Rule {
  const shown = quoteText(name.slice(0, 40));
  const hint = Object.hasOwn(otherVariants, name) ? (otherVariants[name] ?? '') : butaneRules.variant.hint;
  return { ...butaneRules.variant, message: `the variant ${shown} of Butane is not supported`, hint };
}
