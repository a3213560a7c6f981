import { expect, it } from 'vitest';
import { createLiveLines } from '../../../src/trial/report/liveLines.ts';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline } from '../../../src/trial/timeline/timeline.ts';
import { heartbeat, lookedUp, mac, refused } from '../../support/trialEvents.ts';

function linesOf(events: Iterable<TrialEvent>): string[] {
  const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [mac] }]));
  const lines: string[] = [];
  const tell = createLiveLines((line) => lines.push(line));
  for (const event of events) tell(timeline.add(event));
  return lines;
}

const wrongPath = (number: number, client: string): TrialEvent =>
  refused(1, { kind: 'path', method: 'GET', path: `/${number}` }, { client });

it('one caller that does ever new things is not told any more', () => {
  const events = Array.from({ length: 1000 }, (_, number) => wrongPath(number, '192.0.2.66'));
  expect(linesOf(events)).toHaveLength(50);
});

it('many callers are told up to a number, and those that are expected always', () => {
  const events = Array.from({ length: 20_000 }, (_, number) =>
    wrongPath(Math.floor(number / 250), `10.0.0.${number % 250}`),
  );
  const lines = linesOf([...events, lookedUp(2), heartbeat(3)]);
  expect(lines).toHaveLength(10_000 + 1 + 2);
  expect(lines.slice(-3)).toEqual([
    'further events of unexpected clients are omitted',
    expect.stringContaining('worker-0  sent a lookup for'),
    expect.stringContaining('worker-0  sent a heartbeat'),
  ]);
});
