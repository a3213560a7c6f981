/** The check of each type. Types have the names from the Go code of Ignition. */

import type { Check } from './check.ts';
import { checkClevisCustom, checkTang } from './rules/clevis.ts';
import { checkUnitPaths } from './rules/config.ts';
import { checkDisk } from './rules/disk.ts';
import { checkFilesystem } from './rules/filesystem.ts';
import { checkIgnitionConfig, checkProxy, checkTls } from './rules/ignition.ts';
import { checkLuks } from './rules/luks.ts';
import { checkDirectory, checkFile, checkLink, checkNodeOwner } from './rules/node.ts';
import { checkPartition } from './rules/partition.ts';
import { checkDevice } from './rules/path.ts';
import { checkRaid } from './rules/raid.ts';
import {
  checkCaReference,
  checkConfigReference,
  checkHttpHeader,
  checkResource,
  checkVerification,
} from './rules/resource.ts';
import { checkStorage } from './rules/storage.ts';
import { checkDropin, checkSystemd, checkUnit } from './rules/unit.ts';

/**
 * The check of each type that has rules, by Go name. `Device` is a string in a list, all other types are objects. A type
 * that was renamed in a version has two entries. A check must receive a value of its type.
 */
export const checks: Readonly<Record<string, Check<never>>> = {
  CaReference: checkCaReference,
  ClevisCustom: checkClevisCustom,
  Config: checkUnitPaths,
  ConfigReference: checkConfigReference,
  Custom: checkClevisCustom,
  Device: checkDevice,
  Directory: checkDirectory,
  Disk: checkDisk,
  Dropin: checkDropin,
  File: checkFile,
  FileContents: checkResource,
  Filesystem: checkFilesystem,
  HTTPHeader: checkHttpHeader,
  IgnitionConfig: checkIgnitionConfig,
  Link: checkLink,
  Luks: checkLuks,
  NodeGroup: checkNodeOwner,
  NodeUser: checkNodeOwner,
  Partition: checkPartition,
  Proxy: checkProxy,
  Raid: checkRaid,
  Resource: checkResource,
  Storage: checkStorage,
  Systemd: checkSystemd,
  TLS: checkTls,
  Tang: checkTang,
  Unit: checkUnit,
  Verification: checkVerification,
};
