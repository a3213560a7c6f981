import { describe, expect, it } from 'vitest';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { silenceOf } from '../../../src/trial/timeline/result.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline } from '../../../src/trial/timeline/timeline.ts';
import { at, fetched, heartbeat, lookedUp, mac } from '../../support/trialEvents.ts';

/** Of a trial of ten minutes: since when, and after which kind of event. */
function silence(events: readonly TrialEvent[]): unknown {
  const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [mac] }]));
  for (const event of events) timeline.add(event);
  const found = silenceOf(timeline.hosts()[0]?.entries ?? [], { started: at(0), ended: at(600) });
  return found && [(found.from.getTime() - at(0).getTime()) / 1000, found.last?.event.kind];
}

function unrecognized(seconds: number): TrialEvent {
  const line = 'usb 1-1: new device';
  const facts = { sign: undefined, stage: undefined, line, lastLines: [line] };
  return { kind: 'console', at: at(seconds), client: undefined, host: 'worker-0', ...facts };
}

describe('the time without activity at the end', () => {
  it.each<readonly [string, readonly TrialEvent[], unknown]>([
    ['is all of it', [], [0, undefined]],
    ['begins with the last event', [fetched(100)], [100, 'fetch']],
    ['is at least a minute', [fetched(500), lookedUp(550), heartbeat(559)], undefined],
    ['heartbeats go on meanwhile', [lookedUp(300), heartbeat(301), heartbeat(590)], undefined],
    ['ranges go on while something else comes', [fetched(100), lookedUp(120), fetched(500)], [500, 'fetch']],
    ['lines of a machine that waits are none', [fetched(100), unrecognized(400)], [100, 'fetch']],
  ])('%s', (_title, events, expected) => expect(silence(events)).toEqual(expected));
});
