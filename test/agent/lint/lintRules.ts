/** All rules of the agent lint. */

import { addressRules } from '../../../src/agent/machineAddress.ts';
import { lintRules as ownRules } from '../../../src/agent/lint/lintConfig.ts';
import type { LintRule } from '../../../src/agent/lint/lintRule.ts';
import type { Rule } from '../../../src/core/rule.ts';
import { networkRules } from '../../../src/network/networkRules.ts';
import { exceptionRule } from '../../../src/network/noProxy.ts';

/** Those of the lint alone, and those that settings or images have, too. */
export const lintRules: readonly (LintRule | Rule)[] = [
  ...ownRules,
  ...Object.values<Rule>(addressRules),
  ...Object.values<Rule>(networkRules),
  exceptionRule,
];
