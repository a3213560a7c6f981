/** All rules that are about the values in a config. */

import type { Rule } from '../rule.ts';
import { clevisRules, luksRules } from './luks.ts';
import { configRules } from './config.ts';
import { diskRules, partitionRules } from './disk.ts';
import { fileRules, nodeRules } from './node.ts';
import { filesystemRules } from './filesystem.ts';
import { ignitionRules, proxyRules } from './ignitionSection.ts';
import { pathRules } from './path.ts';
import { raidRules } from './raid.ts';
import { referenceRules } from '../inlinedConfig.ts';
import { resourceRules, verificationRules } from './resource.ts';
import { storageRules } from './storage.ts';
import { unitRules } from './unit.ts';
import { urlRules } from './url.ts';

/** In the order of the sections of a config. */
export const allRules: readonly Rule[] = [
  configRules,
  ignitionRules,
  referenceRules,
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
