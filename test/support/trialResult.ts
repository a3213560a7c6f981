/** The result of a trial with given events. */

import { judge, type TrialResult } from '../../src/trial/timeline/result.ts';
import { createMachines } from '../../src/trial/timeline/machines.ts';
import { createTimeline } from '../../src/trial/timeline/timeline.ts';
import type { TrialEvent } from '../../src/trial/timeline/events.ts';
import { at, mac, otherMac } from './trialEvents.ts';

export const expectedHosts = [
  { name: 'worker-0', macs: [mac] },
  { name: 'worker-1', macs: [otherMac] },
];

/** Of a trial of ten minutes. */
export function resultOf(events: readonly TrialEvent[], given: Partial<TrialResult> = {}): TrialResult {
  const machines = createMachines(expectedHosts);
  const timeline = createTimeline(machines);
  for (const event of events) timeline.add(event);
  const awaited = { kind: 'hosts', names: expectedHosts.map(({ name }) => name) } as const;
  const { successStage = 'heartbeat' } = given;
  const verdict = judge(machines.all, awaited, successStage);
  const coverage = 'boot';
  return {
    timeline,
    verdict,
    successStage,
    coverage,
    started: at(0),
    ended: at(600),
    ...given,
  };
}
