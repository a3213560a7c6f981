/** All rules of the agent lint. */

import type { Rule } from '../../../src/core/rule.ts';
import {
  certificateRules,
  hostFileRules,
  passwordRules,
  sizeRules,
  sshKeyRules,
} from '../../../src/agent/lint/hostFiles.ts';
import { liveSystemRules } from '../../../src/agent/lint/liveSystem.ts';
import { convergedFlowRules, trustRules } from '../../../src/agent/lint/lintConfig.ts';
import { mountRules } from '../../../src/agent/lint/mounts.ts';
import { pulledImageRules, registriesRules } from '../../../src/agent/lint/image.ts';
import { exceptionRules } from '../../../src/network/noProxy.ts';
import { networkRules } from '../../../src/network/networkRules.ts';
import { accountRules } from '../../../src/agent/lint/accounts.ts';
import { sourceRules, unitProxyRules } from '../../../src/agent/lint/addresses.ts';
import { addressRules } from '../../../src/agent/machineAddress.ts';
import { imageSourceRules } from '../../../src/agent/imageSource.ts';
import { credentialRules } from '../../../src/agent/pullSecret.ts';
import { pullSecretRules } from '../../../src/agent/lint/pullSecret.ts';
import { agentUnitRules } from '../../../src/agent/lint/unit.ts';

/** In the order in which `lintConfig` checks them. */
export const lintRules: readonly Rule[] = [
  trustRules,
  mountRules,
  agentUnitRules,
  accountRules,
  pulledImageRules,
  imageSourceRules,
  convergedFlowRules,
  unitProxyRules,
  exceptionRules,
  registriesRules,
  pullSecretRules,
  credentialRules,
  certificateRules,
  sshKeyRules,
  passwordRules,
  sourceRules,
  addressRules,
  networkRules,
  hostFileRules,
  liveSystemRules,
  sizeRules,
].flatMap((rules) => Object.values<Rule>(rules));
