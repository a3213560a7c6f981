/** All rules of the agent lint. */

import type { Rule } from '../../../src/ignition/rule.ts';
import {
  certificateRules,
  hostFileRules,
  sizeRules,
  sshKeyRules,
} from '../../../src/agent/lint/hostFiles.ts';
import { convergedFlowRules, mountRules, trustRules } from '../../../src/agent/lint/conf.ts';
import { pulledImageRules, registriesRules } from '../../../src/agent/lint/image.ts';
import { networkRules } from '../../../src/agent/lint/network.ts';
import { podmanArgumentRules } from '../../../src/agent/lint/podmanArguments.ts';
import { sourceRules, unitProxyRules } from '../../../src/agent/lint/addresses.ts';
import { addressRules } from '../../../src/agent/machineAddress.ts';
import { imageSourceRules } from '../../../src/agent/imageSource.ts';
import { credentialRules } from '../../../src/agent/pullSecret.ts';
import { pullSecretRules } from '../../../src/agent/lint/pullSecret.ts';
import { agentUnitRules, unitEnvironmentRules, unitTextRules } from '../../../src/agent/lint/unit.ts';
import { unitKeyRules } from '../../../src/agent/lint/unitKeys.ts';
import { unitValueRules } from '../../../src/agent/lint/unitValues.ts';

/** In the order in which `lintConfig` checks them. */
export const lintRules: readonly Rule[] = [
  trustRules,
  mountRules,
  agentUnitRules,
  unitTextRules,
  unitKeyRules,
  unitValueRules,
  unitEnvironmentRules,
  podmanArgumentRules,
  pulledImageRules,
  imageSourceRules,
  convergedFlowRules,
  unitProxyRules,
  registriesRules,
  pullSecretRules,
  credentialRules,
  certificateRules,
  sshKeyRules,
  sourceRules,
  addressRules,
  networkRules,
  hostFileRules,
  sizeRules,
].flatMap((rules) => Object.values<Rule>(rules));
