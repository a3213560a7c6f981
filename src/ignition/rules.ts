/** Which check belongs to which type. The types carry the names that they have in Ignition's Go code. */

import type { Check } from './rule.ts';
import { checkClevisCustom, checkTang } from './rules/clevis.ts';
import { checkConfig } from './rules/config.ts';
import { checkDisk } from './rules/disk.ts';
import { checkDirectory, checkFile } from './rules/file.ts';
import { checkFilesystem } from './rules/filesystem.ts';
import { checkIgnitionConfig, checkTls } from './rules/ignitionSection.ts';
import { checkLink } from './rules/link.ts';
import { checkLuks } from './rules/luks.ts';
import { checkNodeOwner } from './rules/node.ts';
import { checkPartition } from './rules/partition.ts';
import { checkDevice } from './rules/path.ts';
import { checkProxy } from './rules/proxy.ts';
import { checkRaid } from './rules/raid.ts';
import { checkCaReference, checkConfigReference, checkHttpHeader, checkResource } from './rules/resource.ts';
import { checkStorage } from './rules/storage.ts';
import { checkDropin, checkSystemd, checkUnit } from './rules/unit.ts';
import { checkVerification } from './rules/verification.ts';

/**
 * The check of each type that has rules, by Go name; `Device` is a string in a list, all others are objects. A type that
 * changed its name with a version is here under both. A check must be given a value of its type.
 */
export const checks: Readonly<Record<string, Check<unknown>>> = {
  CaReference: listed(checkCaReference),
  ClevisCustom: listed(checkClevisCustom),
  Config: listed(checkConfig),
  ConfigReference: listed(checkConfigReference),
  Custom: listed(checkClevisCustom),
  Device: listed(checkDevice),
  Directory: listed(checkDirectory),
  Disk: listed(checkDisk),
  Dropin: listed(checkDropin),
  File: listed(checkFile),
  FileContents: listed(checkResource),
  Filesystem: listed(checkFilesystem),
  HTTPHeader: listed(checkHttpHeader),
  IgnitionConfig: listed(checkIgnitionConfig),
  Link: listed(checkLink),
  Luks: listed(checkLuks),
  NodeGroup: listed(checkNodeOwner),
  NodeUser: listed(checkNodeOwner),
  Partition: listed(checkPartition),
  Proxy: listed(checkProxy),
  Raid: listed(checkRaid),
  Resource: listed(checkResource),
  Storage: listed(checkStorage),
  Systemd: listed(checkSystemd),
  TLS: listed(checkTls),
  Tang: listed(checkTang),
  Unit: listed(checkUnit),
  Verification: listed(checkVerification),
};

function listed<T>(check: Check<T>): Check<unknown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- decoding has given the value the type it is listed by
  return (value, version) => check(value as T, version);
}
