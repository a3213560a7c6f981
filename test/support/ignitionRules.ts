/** All rules that are about the values in a config. */

import { referenceRules } from '../../src/ignition/inlinedConfig.ts';
import { contentsRules } from '../../src/ignition/contents.ts';
import type { Rule } from '../../src/core/rule.ts';
import { diskRules } from '../../src/ignition/rules/disk.ts';
import { raidRules } from '../../src/ignition/rules/raid.ts';
import { partitionRules } from '../../src/ignition/rules/partition.ts';
import { filesystemRules } from '../../src/ignition/rules/filesystem.ts';
import { luksRules } from '../../src/ignition/rules/luks.ts';
import { clevisRules } from '../../src/ignition/rules/clevis.ts';
import { fileRules, nodeRules } from '../../src/ignition/rules/node.ts';
import { pathRules } from '../../src/ignition/rules/path.ts';
import { resourceRules, verificationRules } from '../../src/ignition/rules/resource.ts';
import { ignitionRules, proxyRules } from '../../src/ignition/rules/ignition.ts';
import { storageRules } from '../../src/ignition/rules/storage.ts';
import { unitRules } from '../../src/ignition/rules/unit.ts';
import { configRules } from '../../src/ignition/rules/config.ts';
import { urlRules } from '../../src/ignition/rules/url.ts';

/** In the order of the sections of a config. */
export const allRules: readonly Rule[] = [
  configRules,
  ignitionRules,
  referenceRules,
  contentsRules,
  proxyRules,
  resourceRules,
  urlRules,
  verificationRules,
  storageRules,
  pathRules,
  diskRules,
  partitionRules,
  raidRules,
  filesystemRules,
  nodeRules,
  fileRules,
  luksRules,
  clevisRules,
  unitRules,
].flatMap((rules) => Object.values<Rule>(rules));
