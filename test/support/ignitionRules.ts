/** All rules that are about the values in a config. */

import { contentsRules, referenceRules } from '../../src/ignition/inlinedConfig.ts';
import type { Rule } from '../../src/core/rule.ts';
import { diskRules, partitionRules, raidRules } from '../../src/ignition/rules/disk.ts';
import { filesystemRules } from '../../src/ignition/rules/filesystem.ts';
import { clevisRules, luksRules } from '../../src/ignition/rules/luks.ts';
import { fileRules, nodeRules, pathRules } from '../../src/ignition/rules/node.ts';
import {
  ignitionRules,
  proxyRules,
  resourceRules,
  verificationRules,
} from '../../src/ignition/rules/resource.ts';
import { storageRules } from '../../src/ignition/rules/storage.ts';
import { configRules, unitRules } from '../../src/ignition/rules/unit.ts';
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
