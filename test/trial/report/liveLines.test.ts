import { expect, it } from 'vitest';
import { formatLiveLine } from '../../../src/trial/report/liveLines.ts';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline } from '../../../src/trial/timeline/timeline.ts';
import { mac, refused } from '../../support/trialEvents.ts';

function linesOf(events: Iterable<TrialEvent>): string[] {
  const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [mac] }]));
  return [...events].flatMap((event) => formatLiveLine(timeline.add(event)) ?? []);
}

const wrongPath = (number: number, client: string): TrialEvent =>
  refused(1, { kind: 'path', method: 'GET', path: `/${number}` }, { client });

it('one caller that does ever new things is not told any more', () => {
  const events = Array.from({ length: 1000 }, (_, number) => wrongPath(number, '192.0.2.66'));
  expect(linesOf(events)).toHaveLength(50);
});
