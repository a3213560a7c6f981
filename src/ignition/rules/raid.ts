/** Software RAID arrays; `path.ts` checks their devices. */

import type { Finding } from '../../core/finding.ts';
import type { Raid } from '../config.ts';
import { errorRules, found, issue } from '../../core/rule.ts';
import { type Check, isNonZero } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';

export const raidRules = errorRules({
  'raid-level-required': ['raid level is required', 'set "level", e.g. to "raid1"'],
  'raid-spares': [
    'spares unsupported for linear and raid0 arrays',
    'remove spares, or use a redundant level such as "raid1"',
  ],
  'raid-level-unrecognized': [
    'unrecognized raid level',
    'use linear, raid0, raid1, raid4, raid5, raid6 or raid10',
  ],
  'raid-devices-required': ['raid devices required', 'list the paths of the devices'],
});

export const checkRaid: Check<Raid> = (raid, version) =>
  found(
    levelIssue(raid, version),
    (raid.devices ?? []).length === 0 && issue(raidRules['raid-devices-required'], ['devices']),
  );

function levelIssue({ level = '', spares }: Raid, version: SpecVersion): Finding | undefined {
  const at = ['level'];
  if (level === '' && isSince(version, '3.3.0')) return issue(raidRules['raid-level-required'], at);
  if (/^(?:mirror|(?:raid)?(?:[1456]|10))$/.test(level)) return undefined;
  if (!/^(?:linear|stripe|(?:raid)?0)$/.test(level)) return issue(raidRules['raid-level-unrecognized'], at);
  return isNonZero(spares) ? issue(raidRules['raid-spares'], at) : undefined;
}
