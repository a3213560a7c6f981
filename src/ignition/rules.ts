/**
 * The check of each type, and the order in which Ignition visits a config. Types have the names from the Go code of
 * Ignition.
 */

import { isMapping } from '../formats/mapping.ts';
import type { Check } from './check.ts';
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
interface Visited {
  readonly type: StructType | string;
  readonly value: unknown;
  /** Only valid until the next value is requested. */
  readonly path: readonly (string | number)[];
}

/** Yields a value of a config and all values in it that rules apply to, depth first. Absent objects are skipped. */
export function* walkConfig(
  type: StructType | string,
  value: unknown,
  path: (string | number)[] = [],
): Generator<Visited, void> {
  if (typeof type === 'string') yield { type, value, path };
  if (typeof type === 'string' || !isMapping(value)) return;
  yield { type, value, path };
  for (const field of type.fields) {
    const member = value[field.name];
    path.push(field.name);
    if (field.kind === 'struct') yield* walkConfig(field.struct, member, path);
    if (field.kind === 'list' && Array.isArray(member)) {
      for (const [index, item] of member.entries()) {
        path.push(index);
        yield* walkConfig(field.element, item, path);
        path.pop();
      }
    }
    path.pop();
  }
}
