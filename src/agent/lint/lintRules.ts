/** All rules of the agent lint. */

import type { Rule } from '../../ignition/rule.ts';
import { certificateRules, hostFileRules, sizeRules, sshKeyRules } from './hostFiles.ts';
import { configConfRules, convergedFlowRules, mountRules } from './conf.ts';
import { pulledImageRules, registriesRules } from './image.ts';
import { networkRules } from './network.ts';
import { podmanArgumentRules } from './podmanArguments.ts';
import { addressRules, sourceRules, unitProxyRules } from './addresses.ts';
import { pullSecretRules } from './pullSecret.ts';
import { agentUnitRules, unitTextRules } from './unit.ts';
import { unitKeyRules } from './unitKeys.ts';

/** In the order in which `lintConfig` checks them. */
export const lintRules: readonly Rule[] = [
  ...configConfRules,
  ...[
    mountRules,
    agentUnitRules,
    unitTextRules,
    unitKeyRules,
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
