/**
 * The check of each type, and the order in which Ignition visits a config. Types have the names from the Go code of
 * Ignition.
 */

import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import type { Members } from './decode.ts';
import type { Check } from './rule.ts';
import { checkDisk, checkPartition, checkRaid } from './rules/disk.ts';
import { checkFilesystem } from './rules/filesystem.ts';
import { checkClevisCustom, checkLuks, checkTang } from './rules/luks.ts';
import { checkDevice, checkDirectory, checkFile, checkLink, checkNodeOwner } from './rules/node.ts';
import {
  checkCaReference,
  checkConfigReference,
  checkHttpHeader,
  checkIgnitionConfig,
  checkProxy,
  checkResource,
  checkTls,
  checkVerification,
} from './rules/resource.ts';
import { checkStorage } from './rules/storage.ts';
import { checkDropin, checkSystemd, checkUnit, checkUnitPaths } from './rules/unit.ts';
import type { StructType } from './schema.ts';

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

/** An object of a config, or a string in a list with a named Go type, such as `Device`. */
export interface Visited {
  readonly type: StructType | string;
  readonly value: unknown;
  /** Only valid during the visit. */
  readonly path: readonly (string | number)[];
}

/** Visits all values in `config` that rules apply to, depth first. Absent objects are skipped. */
export function walkConfig(config: Config, type: StructType, visit: (visited: Visited) => void): void {
  if (isMapping(config)) walkStruct({ path: [], visit }, type, config);
}

interface Walk {
  readonly path: (string | number)[];
  readonly visit: (visited: Visited) => void;
}

function walkStruct(walk: Walk, type: StructType, value: Members): void {
  walk.visit({ type, value, path: walk.path });
  for (const field of type.fields) {
    const member = value[field.name];
    if (member === undefined || (field.kind !== 'struct' && field.kind !== 'list')) continue;
    walk.path.push(field.name);
    if (field.kind === 'struct' && isMapping(member)) walkStruct(walk, field.struct, member);
    if (field.kind === 'list' && Array.isArray(member)) walkList(walk, field.element, member);
    walk.path.pop();
  }
}

function walkList(walk: Walk, element: StructType | string, items: readonly unknown[]): void {
  const { path } = walk;
  for (const [index, value] of items.entries()) {
    path.push(index);
    if (typeof element === 'string') walk.visit({ type: element, value, path });
    else if (isMapping(value)) walkStruct(walk, element, value);
    path.pop();
  }
}
