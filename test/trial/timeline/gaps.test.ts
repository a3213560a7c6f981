import { describe, expect, it } from 'vitest';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { gapsOf } from '../../../src/trial/timeline/result.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline } from '../../../src/trial/timeline/timeline.ts';
import { at, fetched, heartbeat, lookedUp, mac } from '../../support/trialEvents.ts';

/** Of a trial of ten minutes: from, until, whether it is open, and after which kind of event. */
function gaps(events: readonly TrialEvent[]): unknown[] {
  const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [mac] }]));
  for (const event of events) timeline.add(event);
  const [host] = timeline.hosts();
  const found = host === undefined ? [] : gapsOf(host.entries, { started: at(0), ended: at(600) });
  return found.map(({ from, until, isOpen, after }) => [
    (from.getTime() - at(0).getTime()) / 1000,
    (until.getTime() - at(0).getTime()) / 1000,
    isOpen,
    after?.event.kind,
  ]);
}

function unrecognized(seconds: number): TrialEvent {
  const line = 'usb 1-1: new device';
  const facts = { sign: undefined, stage: undefined, line, lastLines: [line] };
  return { kind: 'console', at: at(seconds), client: undefined, host: 'worker-0', ...facts };
}

describe('gaps', () => {
  it.each<readonly [string, readonly TrialEvent[], readonly unknown[]]>([
    ['all of it', [], [[0, 600, true, undefined]]],
    ['at the end', [fetched(100)], [[100, 600, true, 'fetch']]],
    ['the time before the first event is none', [fetched(300), lookedUp(570)], [[300, 570, false, 'fetch']]],
    ['less than a minute is none', [fetched(500), lookedUp(550), heartbeat(599)], []],
    ['heartbeats go on meanwhile', [lookedUp(300), heartbeat(301), heartbeat(590)], []],
    [
      'ranges go on while something else comes',
      [fetched(100), lookedUp(120), fetched(500)],
      [[500, 600, true, 'fetch']],
    ],
    ['lines of a machine that waits', [fetched(100), unrecognized(400)], [[100, 600, true, 'fetch']]],
    [
      'several',
      [fetched(0), lookedUp(200), heartbeat(400)],
      [
        [0, 200, false, 'fetch'],
        [200, 400, false, 'lookup'],
        [400, 600, true, 'heartbeat'],
      ],
    ],
  ])('%s', (_title, events, expected) => expect(gaps(events)).toEqual(expected));
});
