/** All rules of the agent lint. */

import type { Rule } from '../../../src/ignition/rule.ts';
import {
  certificateRules,
  hostFileRules,
  sizeRules,
  sshKeyRules,
} from '../../../src/agent/lint/hostFiles.ts';
import { configConfRules, convergedFlowRules, mountRules } from '../../../src/agent/lint/conf.ts';
import { pulledImageRules, registriesRules } from '../../../src/agent/lint/image.ts';
import { networkRules } from '../../../src/agent/lint/network.ts';
import { podmanArgumentRules } from '../../../src/agent/lint/podmanArguments.ts';
import { addressRules, sourceRules, unitProxyRules } from '../../../src/agent/lint/addresses.ts';
import { pullSecretRules } from '../../../src/agent/lint/pullSecret.ts';
import { agentUnitRules, unitEnvironmentRules, unitTextRules } from '../../../src/agent/lint/unit.ts';
import { unitKeyRules } from '../../../src/agent/lint/unitKeys.ts';
import { unitValueRules } from '../../../src/agent/lint/unitValues.ts';

/** In the order in which `lintConfig` checks them. */
export const lintRules: readonly Rule[] = [
  ...configConfRules,
  ...[
    mountRules,
    agentUnitRules,
    unitTextRules,
    unitKeyRules,
    unitValueRules,
    unitEnvironmentRules,
    podmanArgumentRules,
    pulledImageRules,
    convergedFlowRules,
    unitProxyRules,
    registriesRules,
    pullSecretRules,
    certificateRules,
    sshKeyRules,
    sourceRules,
    addressRules,
    networkRules,
    hostFileRules,
    sizeRules,
  ].flatMap((rules) => Object.values<Rule>(rules)),
];
