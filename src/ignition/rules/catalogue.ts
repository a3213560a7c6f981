/** All rules that are about the values in a config. */

import type { Rule } from '../rule.ts';
import { clevisRules } from './clevis.ts';
import { configRules } from './config.ts';
import { diskRules } from './disk.ts';
import { fileRules } from './file.ts';
import { filesystemRules } from './filesystem.ts';
import { ignitionRules } from './ignitionSection.ts';
import { luksRules } from './luks.ts';
import { nodeRules } from './node.ts';
import { partitionRules } from './partition.ts';
import { pathRules } from './path.ts';
import { proxyRules } from './proxy.ts';
import { raidRules } from './raid.ts';
import { referenceRules } from './reference.ts';
import { resourceRules } from './resource.ts';
import { storageRules } from './storage.ts';
import { unitRules } from './unit.ts';
import { urlRules } from './url.ts';
import { verificationRules } from './verification.ts';

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
