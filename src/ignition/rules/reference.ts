/** Configs that `ignition.config` refers to: what Ignition finds out about them only when it fetches them on boot. */

import type { Rule } from '../rule.ts';
import { refusal, remark } from './declare.ts';

export const referenceRules = {
  remote: {
    id: 'config-remote',
    severity: 'info',
    message: 'the config at this URL is not looked into: Ignition fetches it on boot',
    hint: 'validate that config on its own',
  },
  unreadable: refusal(
    'config-undecodable',
    'the inlined config cannot be decoded',
    'compress the config with gzip and encode the result as data:;base64,DATA, or remove "compression"',
  ),
  hashMismatch: refusal(
    'config-hash-mismatch',
    'the inlined config does not match verification.hash',
    'replace the hash, or remove "verification": a data URL cannot change on the way',
  ),
  replaced: remark(
    'config-replaced',
    'Ignition ignores everything else in this config',
    'remove "replace", or move the rest into the config that it refers to',
  ),
} satisfies Record<string, Rule>;
