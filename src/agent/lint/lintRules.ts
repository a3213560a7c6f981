/** All rules of the agent lint. */

import type { Rule } from '../../ignition/rule.ts';
import { certificateRules } from './certificates.ts';
import { configConfRules, convergedFlowRules } from './conf.ts';
import { hostFileRules } from './hostFiles.ts';
import { pulledImageRules } from './image.ts';
import { mountRules } from './mounts.ts';
import { podmanArgumentRules } from './podmanArguments.ts';
import { unitProxyRules } from './proxy.ts';
import { pullSecretRules } from './pullSecret.ts';
import { sizeRules } from './size.ts';
import { sourceRules } from './sources.ts';
import { sshKeyRules } from './sshKeys.ts';
import { registriesRules } from './registries.ts';
import { addressRules } from './addresses.ts';
import { agentUnitRules } from './unit.ts';
import { unitKeyRules } from './unitKeys.ts';
import { unitTextRules } from './unitText.ts';

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
    hostFileRules,
    sizeRules,
  ].flatMap((rules) => Object.values<Rule>(rules)),
];
