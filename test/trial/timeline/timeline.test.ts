import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline, type HostTimeline } from '../../../src/trial/timeline/timeline.ts';
import {
  address,
  anyEvent,
  asked,
  askedBack,
  at,
  fetched,
  heartbeat,
  inspected,
  lookedUp,
  mac,
  machine,
  node,
  otherMac,
  refused,
  sharedFetch,
} from '../../support/trialEvents.ts';

const expected = [
  { name: 'worker-0', macs: [mac] },
  { name: 'worker-1', macs: [otherMac] },
  { name: 'worker-2', macs: [] },
];

function hostsOf(events: readonly TrialEvent[]): readonly HostTimeline[] {
  const machines = createMachines(expected);
  [...machines.all][0]?.nodes.add(node); // the mock Ironic creates the nodes of expected hosts
  const timeline = createTimeline(machines);
  for (const event of events) timeline.add(event);
  return timeline.hosts();
}

/** Those of which something was seen, with the stage that each reached and how much was seen. */
function seen(events: readonly TrialEvent[]): string[] {
  return hostsOf(events)
    .filter(({ entries }) => entries.length > 0)
    .map(({ label, stage, entries }) => `${label}: ${stage}, ${entries.length}`);
}

const bmc = '10.0.0.8';
const stranger = '52:54:00:99:99:99';
const unlisted = { macs: [stranger], node: 'node-9' };

describe('who is who', () => {
  it.each<readonly [string, readonly TrialEvent[], readonly string[]]>([
    ['nobody', [], []],
    ['a fetch of the host', [fetched(1)], ['worker-0: config, 1']],
    ['a host that is not expected', [fetched(1, { host: 'other' })], ['other: config, 1']],
    ['by a MAC address of the inventory', [lookedUp(1)], ['worker-0: lookup, 1']],
    ['one of many MAC addresses', [lookedUp(1, { macs: [stranger, otherMac] })], ['worker-1: lookup, 1']],
    ['a MAC address of none', [lookedUp(1, unlisted)], [`${stranger}: lookup, 1`]],
    ['shared files, by the address', [sharedFetch(1), fetched(2)], ['worker-0: config, 2']],
    ['shared files of an address that is not known', [sharedFetch(1)], [`${address}: kernel, 1`]],
    [
      'shared files of an address that two came from',
      [fetched(1), fetched(2, { host: 'worker-1' }), sharedFetch(3)],
      ['worker-0: config, 1', 'worker-1: config, 1', `${address}: kernel, 1`],
    ],
    [
      'an ISO fetched by the BMC',
      [fetched(1, { artifact: 'iso', client: bmc }), lookedUp(2)],
      ['worker-0: lookup, 2'],
    ],
    ['what it asked before it said who it is', [asked(1), lookedUp(2)], ['worker-0: lookup, 2']],
    ['what was refused before', [refused(1, { kind: 'plain-http' }), lookedUp(2)], ['worker-0: lookup, 2']],
    [
      'a heartbeat, by the node',
      [lookedUp(1), heartbeat(2, { client: '192.0.2.99' })],
      ['worker-0: heartbeat, 2'],
    ],
    [
      'a refused heartbeat of an unknown node',
      [heartbeat(1, { node: 'node-7', problem: 'no' })],
      [`${address}: none, 1`],
    ],
    ['an emulated machine', [machine(1)], ['worker-0: power, 1']],
    [
      'not a host that has another MAC address by the inventory',
      [fetched(1), lookedUp(2, unlisted)],
      ['worker-0: config, 1', `${stranger}: lookup, 1`],
    ],
    [
      'a config by name, and another host at its address',
      [fetched(1), lookedUp(2, { macs: [otherMac] })],
      ['worker-0: config, 1', 'worker-1: lookup, 1'],
    ],
    [
      'two strangers at the address of a host',
      [fetched(1), lookedUp(2, unlisted), lookedUp(3, { macs: ['52:54:00:99:99:98'], node: 'node-8' })],
      ['worker-0: config, 1', `${stranger}: lookup, 1`, '52:54:00:99:99:98: lookup, 1'],
    ],
    [
      'a host that has said who it is, and a stranger at its address',
      [fetched(1), lookedUp(2), lookedUp(3, unlisted)],
      ['worker-0: lookup, 2', `${stranger}: lookup, 1`],
    ],
    [
      'MAC addresses of two hosts',
      [lookedUp(1, { macs: [mac, otherMac, stranger], node: undefined, problem: 'several nodes' })],
      ['worker-0: none, 1'],
    ],
    [
      'machines that no inventory lists share a name',
      [
        fetched(1, { host: '*', client: '192.0.2.1' }),
        fetched(2, { host: '*', client: '192.0.2.2' }),
        lookedUp(3, { ...unlisted, client: '192.0.2.2' }),
      ],
      ['192.0.2.1: config, 1', `${stranger}: lookup, 2`],
    ],
  ])('%s', (_title, events, hosts) => {
    expect(seen(events)).toEqual(hosts);
    expect(seen(events.toReversed()).toSorted()).toEqual(hosts.toSorted());
  });

  it.each<readonly [string, readonly TrialEvent[], readonly string[]]>([
    [
      'a refused heartbeat of a known node',
      [lookedUp(1), heartbeat(2, { client: bmc, problem: 'no' })],
      ['worker-0: lookup, 2'],
    ],
    [
      'a config by name, then a lookup from its address without a known MAC address',
      [fetched(1, { host: 'worker-2' }), lookedUp(2, unlisted)],
      ['worker-2: lookup, 2'],
    ],
  ])('in this order: %s', (_title, events, hosts) => expect(seen(events)).toEqual(hosts));

  it('a host that was home stays it when another machine comes from its address', () => {
    const timeline = createTimeline(createMachines(expected));
    for (const event of [
      fetched(1, { host: 'worker-2' }),
      lookedUp(2, unlisted),
      heartbeat(3, { node: 'node-9' }),
    ]) {
      timeline.add(event);
    }
    expect(timeline.hosts()[2]).toMatchObject({ name: 'worker-2', stage: 'heartbeat' });
    timeline.add(lookedUp(4, { macs: ['52:54:00:99:99:98'], node: 'node-8' }));
    expect(timeline.hosts()[2]).toMatchObject({ name: 'worker-2', stage: 'heartbeat' });
  });
});

describe('what is told of a host', () => {
  it('all of it', () => {
    const host = hostsOf([
      sharedFetch(1, { artifact: 'script', path: 'boot.ipxe' }),
      fetched(2),
      inspected(3),
      asked(4),
      lookedUp(5),
      heartbeat(6),
      askedBack(7),
    ])[0];
    expect(host).toMatchObject({
      name: 'worker-0',
      label: 'worker-0',
      isExpected: true,
      macs: [mac],
      clients: [address],
      nodes: [node],
      boot: 'network',
      stage: 'callback',
      dropped: 0,
      agentVersion: '13.0.0',
      callback: { url: `https://${address}:9999`, hasAnswered: true, problem: undefined },
      inventory: 'QEMU Standard PC, 2 CPUs, 4.0 GiB memory, 1 disk',
    });
    expect([...(host?.milestones.keys() ?? [])].toSorted()).toEqual(
      ['api', 'callback', 'config', 'heartbeat', 'inspection', 'lookup', 'script'].toSorted(),
    );
  });

  it.each<readonly [string, readonly TrialEvent[], object]>([
    ['not asked yet', [], { hasAnswered: undefined, problem: undefined }],
    ['not reached', [askedBack(9, { problem: 'timed out' })], { hasAnswered: false, problem: 'timed out' }],
    [
      'at another address',
      [askedBack(9, { problem: 'not contacted', reason: 'callback-address' })],
      { hasAnswered: undefined, problem: 'not contacted' },
    ],
    ['reached later', [askedBack(9, { problem: 'timed out' }), askedBack(10)], { hasAnswered: true }],
  ])('the callback: %s', (_title, events, state) => {
    const [host] = hostsOf([lookedUp(1), heartbeat(2), ...events]);
    expect(host?.callback).toMatchObject({ url: `https://${address}:9999`, ...state });
  });

  it.each<readonly [string, TrialEvent, string]>([
    ['a user name in a callback URL', heartbeat(2, { callbackUrl: 'http://user:secret@h:1/p' }), 'secret'],
    ['a query', refused(2, { kind: 'path', method: 'GET', path: '/v1/x?agent_token=secret' }), 'secret'],
  ])('not %s', (_title, event, secret) => {
    expect(JSON.stringify(hostsOf([lookedUp(1), event]))).not.toContain(secret);
  });
});

describe('what is one entry', () => {
  it.each<readonly [string, readonly TrialEvent[], readonly (readonly [number, number])[]]>([
    ['heartbeats', [heartbeat(1), heartbeat(2), heartbeat(3)], [[3, 0]]],
    [
      'heartbeats with another token',
      [heartbeat(1), heartbeat(2, { token: 'invalid', problem: 'x' })],
      [
        [1, 0],
        [1, 0],
      ],
    ],
    [
      'ranges of an ISO',
      [10, 20, 30].map((bytes) => fetched(bytes, { artifact: 'iso', bytes, size: 100 })),
      [[3, 0]],
    ],
    [
      'a file that is fetched again',
      [fetched(1), fetched(2, { bytes: 0, outcome: 'began' }), fetched(3)],
      [[3, 1]],
    ],
    [
      'another image',
      [fetched(1), fetched(2, { artifact: 'rootfs' })],
      [
        [1, 0],
        [1, 0],
      ],
    ],
    [
      'another client',
      [fetched(1), fetched(2, { client: bmc })],
      [
        [1, 0],
        [1, 0],
      ],
    ],
  ])('%s', (_title, events, entries) => {
    const [host] = hostsOf([lookedUp(0), ...events]);
    expect(host?.entries.slice(1).map(({ count, repeats }) => [count, repeats])).toEqual(entries);
  });

  it('a step has the entry before the event', () => {
    const timeline = createTimeline(createMachines(expected));
    expect(timeline.add(heartbeat(1))).toMatchObject({ label: node, previous: undefined });
    expect(timeline.add(heartbeat(5))).toMatchObject({ previous: { count: 1, last: at(1) } });
    const previous = { count: 2, first: at(1), last: at(5) };
    expect(timeline.add(heartbeat(9))).toMatchObject({ previous });
  });
});

const hexOf = (number: number): string => number.toString(16).padStart(2, '0');
const macOf = (number: number): string => `52:54:01:00:${hexOf(number >> 8)}:${hexOf(number & 255)}`;
const addressOf = (number: number): string => `10.0.${number >> 8}.${number & 255}`;
const wrongPath = (number: number): TrialEvent =>
  refused(number, { kind: 'path', method: 'GET', path: `/${number}` });

describe('bounds', () => {
  it('a thousand machines that nobody expects: later ones are counted, and those that are expected have room', () => {
    const timeline = createTimeline(createMachines(expected));
    for (let number = 0; number < 1500; number++) {
      const given = { macs: [macOf(number)], node: `node-${number}`, client: addressOf(number) };
      const { isFull, label } = timeline.add(lookedUp(number, given));
      expect([isFull, label]).toEqual(number < 1000 ? [false, macOf(number)] : [true, addressOf(number)]);
      timeline.add(lookedUp(number, given)); // it comes back
    }
    timeline.add(fetched(2000, { host: 'other' }));
    timeline.add(lookedUp(2000));
    const hosts = timeline.hosts();
    expect(hosts.slice(0, 4).map(({ label }) => label)).toEqual([
      'worker-0',
      'worker-1',
      'worker-2',
      macOf(0),
    ]);
    expect(hosts).toHaveLength(1003);
    expect(hosts[0]?.stage).toBe('lookup');
    expect(timeline.droppedEvents()).toBe(1001);
  });

  it('addresses that only ask leave room for machines', () => {
    const timeline = createTimeline(createMachines([]));
    for (let number = 0; number < 1500; number++) timeline.add(asked(number, { client: addressOf(number) }));
    timeline.add(lookedUp(1501, unlisted));
    expect(timeline.hosts()).toHaveLength(1001);
    expect(timeline.hosts().at(-1)?.label).toBe(stranger);
    expect(timeline.droppedEvents()).toBe(500);
  });

  it('one that is known is tracked when there is no more room', () => {
    const timeline = createTimeline(createMachines([]));
    for (let number = 0; number < 1500; number++) timeline.add(asked(number, { client: addressOf(number) }));
    expect(timeline.add(asked(1500, { client: addressOf(7) }))).toMatchObject({ previous: { count: 1 } });
    expect(timeline.droppedEvents()).toBe(500);
  });

  it('MAC addresses: the last ones', () => {
    const macs = Array.from({ length: 100 }, (_, number) => macOf(number));
    const [host] = hostsOf([lookedUp(1, { macs: [...macs, mac] })]);
    expect(host?.seenMacs).toEqual([...macs.slice(-63), mac]);
    expect(JSON.stringify(host)).not.toContain(macOf(1));
  });

  it('entries: the last ones, and the stages of all', () => {
    const paths = Array.from({ length: 200 }, (_, number) => wrongPath(number + 2));
    const [host] = hostsOf([fetched(0), lookedUp(1), ...paths]);
    expect(host?.entries).toHaveLength(50);
    expect(host?.entries.at(-1)?.last).toEqual(at(201));
    expect(host?.dropped).toBe(152);
    expect([...(host?.milestones.keys() ?? [])].toSorted()).toEqual(['config', 'lookup']);
  });

  it('texts', () => {
    const long = 'x'.repeat(100_000);
    const [host] = hostsOf([lookedUp(1, { node: undefined, problem: long }), asked(2, { userAgent: long })]);
    expect(JSON.stringify(host).length).toBeLessThan(5000);
  });

  it('hold whatever comes', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        const timeline = createTimeline(createMachines(expected));
        for (const event of events) timeline.add(event);
        const hosts = timeline.hosts();
        expect(hosts.slice(0, 3).map(({ name }) => name)).toEqual(['worker-0', 'worker-1', 'worker-2']);
        for (const { entries, seenMacs } of hosts) {
          expect(entries.length).toBeLessThanOrEqual(50);
          expect(seenMacs.length).toBeLessThanOrEqual(64);
        }
      }),
    );
  });
});

it('the order of events makes no difference to who is home', () => {
  const story = [fetched(1), sharedFetch(2), inspected(3), asked(4), lookedUp(5), heartbeat(6), askedBack(7)];
  fc.assert(
    fc.property(fc.shuffledSubarray(story, { minLength: story.length }), (events) => {
      const [host] = hostsOf(events);
      expect(host).toMatchObject({ stage: 'callback', nodes: [node], clients: [address] });
      expect(host?.entries.map(({ first }) => first)).toEqual(story.map((event) => event.at));
    }),
  );
});
