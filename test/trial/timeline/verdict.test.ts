import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { createRunningTrial } from '../../../src/trial/trial.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline } from '../../../src/trial/timeline/timeline.ts';
import { type AwaitedMachines, judge, type SuccessStage } from '../../../src/trial/timeline/result.ts';
import {
  anyEvent,
  askedBack,
  listedSteps,
  fetched,
  heartbeat,
  lookedUp,
  mac,
  otherMac,
} from '../../support/trialEvents.ts';

const expected = [
  { name: 'worker-0', macs: [mac] },
  { name: 'worker-1', macs: [otherMac] },
];
const both: AwaitedMachines = { kind: 'hosts', names: ['worker-0', 'worker-1'] };
const any = (count: number): AwaitedMachines => ({ kind: 'any', count });

const first = [fetched(1), lookedUp(2), heartbeat(3)];
const second = [
  lookedUp(4, { macs: [otherMac], node: 'node-1', client: '192.0.2.8' }),
  heartbeat(5, { node: 'node-1', client: '192.0.2.8' }),
];
const stranger = [
  lookedUp(6, { macs: ['52:54:00:99:99:99'], node: 'node-9', client: '192.0.2.9' }),
  heartbeat(7, { node: 'node-9', client: '192.0.2.9' }),
];

interface VerdictOptions {
  readonly awaited: AwaitedMachines;
  readonly successStage: SuccessStage;
}

describe('who is home', () => {
  it.each<readonly [string, readonly TrialEvent[], VerdictOptions, readonly [readonly string[], number]]>([
    ['nobody', [], { awaited: both, successStage: 'heartbeat' }, [[], 2]],
    ['a lookup is not enough', first.slice(0, 2), { awaited: both, successStage: 'heartbeat' }, [[], 2]],
    [
      'a refused heartbeat neither',
      [lookedUp(1), heartbeat(2, { problem: 'no' })],
      { awaited: both, successStage: 'heartbeat' },
      [[], 2],
    ],
    ['one of two', first, { awaited: both, successStage: 'heartbeat' }, [['worker-0'], 1]],
    [
      'both',
      [...second, ...first],
      { awaited: both, successStage: 'heartbeat' },
      [['worker-0', 'worker-1'], 0],
    ],
    [
      'a stranger does not count',
      [...first, ...stranger],
      { awaited: both, successStage: 'heartbeat' },
      [['worker-0'], 1],
    ],
    ['any one', stranger, { awaited: any(1), successStage: 'heartbeat' }, [['52:54:00:99:99:99'], 0]],
    [
      'any two',
      [...first, ...stranger],
      { awaited: any(2), successStage: 'heartbeat' },
      [['worker-0', '52:54:00:99:99:99'], 0],
    ],
    [
      'any three',
      [...first, ...stranger],
      { awaited: any(3), successStage: 'heartbeat' },
      [['worker-0', '52:54:00:99:99:99'], 1],
    ],
    ['not asked back yet', first, { awaited: both, successStage: 'callback' }, [[], 2]],
    [
      'not reached',
      [...first, askedBack(9, { problem: 'timed out' })],
      { awaited: both, successStage: 'callback' },
      [[], 2],
    ],
    ['steps not reported yet', [...first, askedBack(9)], { awaited: both, successStage: 'steps' }, [[], 2]],
    [
      'a required step is missing',
      [...first, askedBack(9), listedSteps(10, { problem: 'missing', reason: 'step-missing' })],
      { awaited: both, successStage: 'steps' },
      [[], 2],
    ],
    [
      'all required steps',
      [...first, askedBack(9), listedSteps(10)],
      { awaited: both, successStage: 'steps' },
      [['worker-0'], 1],
    ],
    ['asked back', [...first, askedBack(9)], { awaited: both, successStage: 'callback' }, [['worker-0'], 1]],
  ])('%s', (_title, events, options, [arrived, missingCount]) => {
    const machines = createMachines(expected);
    const timeline = createTimeline(machines);
    for (const event of events) timeline.add(event);
    const verdict = judge(machines.all, options.awaited, options.successStage);
    expect(verdict).toMatchObject({ calledHome: arrived, missingCount, isPassed: missingCount === 0 });
    const names = options.awaited.kind === 'hosts' ? options.awaited.names : [];
    expect(verdict.missing).toEqual(names.filter((name) => !arrived.includes(name)));
  });

  it('who is home stays home, whatever comes', () => {
    const awaited = fc.oneof(fc.constant(both), fc.nat(4).map(any));
    const home = fc.constantFrom<SuccessStage>('heartbeat', 'callback');
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), awaited, home, (events, who, stage) => {
        const machines = createMachines(expected);
        const timeline = createTimeline(machines);
        let before = judge(machines.all, who, stage);
        for (const event of events) {
          timeline.add(event);
          const now = judge(machines.all, who, stage);
          expect(now.calledHome.length).toBeGreaterThanOrEqual(before.calledHome.length);
          expect(now.isPassed || !before.isPassed).toBe(true);
          before = now;
        }
      }),
    );
  });
});

const lacking = (node: string, client: string): TrialEvent =>
  listedSteps(10, { node, client, problem: 'missing', reason: 'step-missing' });

describe('a trial', () => {
  const rebooted = [lookedUp(11, { macs: [otherMac, mac], node: 'node-0' }), lacking('node-0', '192.0.2.7')];

  it.each<readonly [string, number, readonly TrialEvent[], boolean]>([
    ['waits for the second of two machines', 2, [], false],
    ['counts a machine that lacks a step once, also if it restarts', 2, rebooted, false],
    ['ends if all machines lack a step', 2, [...second, lacking('node-1', '192.0.2.8')], true],
    ['ends if the only machine lacks a step', 1, [], true],
  ])('%s', async (_title, count, later, isEnded) => {
    const trial = createRunningTrial({ known: [], awaited: any(count) }, 'steps', () => undefined);
    let hasEnded = false;
    void trial.decided.then(() => {
      hasEnded = true;
    });
    const lookup = lookedUp(1, { macs: [mac, otherMac], node: 'node-0' });
    for (const event of [lookup, lacking('node-0', '192.0.2.7'), ...later]) trial.observe(event);
    await Promise.resolve();
    expect(hasEnded).toBe(isEnded);
  });
});
