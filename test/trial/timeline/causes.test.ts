import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { likelyCauses, type ObservedPart } from '../../../src/trial/timeline/likelyCauses.ts';
import type { RefusalReason } from '../../../src/trial/ironic/messages.ts';
import { causeBook } from '../../../src/trial/timeline/causeBook.ts';
import { commonCauses, conditions, provenBy, results } from '../../../src/trial/timeline/causes.ts';
import { consoleSigns } from '../../../src/trial/timeline/consoleSigns.ts';
import { byKind, type RefusalEvent, type TrialEvent } from '../../../src/trial/timeline/events.ts';
import { stages } from '../../../src/trial/timeline/stage.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createTimeline, type HostTimeline } from '../../../src/trial/timeline/timeline.ts';
import {
  anyEvent,
  asked,
  askedBack,
  fetched,
  hardwareManagers,
  heartbeat,
  inspected,
  listedSteps,
  lookedUp,
  mac,
  machine,
  node,
  refused,
  sharedFetch,
} from '../../support/trialEvents.ts';

/** The expected host, after these events. */
function hostAfter(events: readonly TrialEvent[]): HostTimeline {
  const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [mac] }]));
  for (const event of events) timeline.add(event);
  const [host] = timeline.hosts();
  if (host === undefined) throw new Error('the host is always there');
  return host;
}

function idsAfter(events: readonly TrialEvent[], certainty: string): string[] {
  return likelyCauses(hostAfter(events), 'boot')
    .filter((one) => one.certainty === certainty)
    .map(({ id }) => id);
}

/** A fetch first: so the host is known by its address. */
const problem = (one: RefusalEvent['problem']): readonly TrialEvent[] => [fetched(1), refused(9, one)];
const tls = (reason: string): readonly TrialEvent[] => problem({ kind: 'tls', reason });
const path = (method: string, place: string): readonly TrialEvent[] =>
  problem({ kind: 'path', method, path: place });

const inventoryAt = (place: string): readonly TrialEvent[] =>
  problem({ kind: 'path', method: 'POST', path: place, hasInventory: true });
const refusedInventory = (reason: RefusalReason | undefined, macs = [mac]): TrialEvent =>
  inspected(2, { macs, node: undefined, problem: 'no', reason });
const refusedLookup = (reason: RefusalReason | undefined, macs = [mac]): TrialEvent =>
  lookedUp(2, { macs, node: undefined, token: 'none', problem: 'no', reason });
const refusedBeat = (reason: RefusalReason, of = node): TrialEvent =>
  heartbeat(2, { node: of, problem: 'no', reason });

const lacking = (step: string, managers = hardwareManagers): TrialEvent =>
  listedSteps(4, { managers, missing: [step], problem: `missing: ${step}`, reason: 'step-missing' });

describe('what events prove', () => {
  it.each<readonly [string, readonly TrialEvent[], readonly string[]]>([
    ['nothing', [], []],
    ['a boot', [sharedFetch(1), fetched(2), sharedFetch(3, { artifact: 'rootfs' })], []],
    ['an unknown authority', tls('tlsv1 alert unknown ca'), ['tls-unknown-ca']],
    ['the same in the words of newer OpenSSL', tls('ssl/tls alert unknown CA'), ['tls-unknown-ca']],
    ['expired', tls('ssl/tls alert certificate expired'), ['tls-expired']],
    ['a wrong name', tls('sslv3 alert bad certificate'), ['tls-name-or-clock']],
    ['an old TLS', tls('tlsv1 alert protocol version'), ['tls-version']],
    ['no cipher', tls('no shared cipher'), ['tls-version']],
    ['another reason of TLS', tls('read ECONNRESET'), ['tls-failed']],
    ['HTTP to TLS', problem({ kind: 'plain-http' }), ['http-to-tls']],
    ['TLS to HTTP', problem({ kind: 'tls-to-http' }), ['tls-to-http']],
    ['an inventory on a wrong path', inventoryAt('/v1/continue/v1/continue'), ['inspection-path']],
    ['something else on a wrong path', path('POST', '/v1/nodes'), []],
    ['a path twice', path('GET', '/v1/v1/lookup'), ['api-path']],
    ['a path before', path('GET', '/baremetal/v1/lookup'), ['api-path']],
    ['a path of another program', path('GET', '/healthcheck'), []],
    ['a heartbeat below a path', path('POST', '/v1/v1/heartbeat/x'), ['api-path']],
    [
      'a body that is too large',
      problem({ kind: 'request', status: 413, message: 'too large' }),
      ['request-refused'],
    ],
    ['an inventory that is none', [refusedInventory('inspection-refused')], ['inspection-refused']],
    [
      'an inventory without interfaces',
      [fetched(1), refusedInventory('no-mac-addresses', [])],
      ['no-mac-addresses'],
    ],
    ['an inventory of several hosts', [refusedInventory('several-nodes')], ['several-nodes']],
    [
      'a lookup without MAC addresses',
      [fetched(1), refusedLookup('no-mac-addresses', [])],
      ['no-mac-addresses'],
    ],
    [
      'the same at the address of a machine that has one',
      [lookedUp(1), refusedLookup('no-mac-addresses', [])],
      [],
    ],
    ['a lookup of nothing', [fetched(1), refusedLookup('request-refused', [])], ['request-refused']],
    ['a lookup of several hosts', [refusedLookup('several-nodes')], ['several-nodes']],
    ['a lookup of a node that is not there', [refusedLookup('node-unknown')], ['node-unknown']],
    ['a lookup that there was no room for', [refusedLookup(undefined)], []],
    ['other MAC addresses', [fetched(1), lookedUp(2, { macs: ['52:54:00:99:99:99'], node: 'node-9' })], []],
    ['a wrong token', [lookedUp(1), refusedBeat('token-refused')], ['token-refused']],
    [
      'a token that is masked in the second lookup',
      [lookedUp(1, { token: 'sent' }), lookedUp(2, { token: 'masked' })],
      ['token-lost'],
    ],
    ['one that the agent has', [lookedUp(1, { token: 'masked' }), heartbeat(2)], []],
    ['an agent of another Ironic', [fetched(1), refusedBeat('node-unknown', 'node-9')], ['node-unknown']],
    ['commands without TLS', [lookedUp(1), refusedBeat('callback-without-tls')], ['callback-without-tls']],
    ['another URL than before', [lookedUp(1), refusedBeat('callback-changed')], ['callback-changed']],
    ['a heartbeat without a URL', [lookedUp(1), refusedBeat('heartbeat-refused')], ['heartbeat-refused']],
    ['an empty callback URL', [lookedUp(1), heartbeat(2, { callbackUrl: '' })], ['no-callback-url']],
    [
      'an agent that is not reached',
      [lookedUp(1), heartbeat(2), askedBack(3, { problem: 'x', reason: 'callback-unreachable' })],
      ['callback-unreachable'],
    ],
    [
      'steps that are not reported',
      [
        lookedUp(1),
        heartbeat(2),
        askedBack(3),
        listedSteps(4, { managers: [], problem: 'x', reason: 'steps-busy' }),
      ],
      ['steps-busy'],
    ],
    [
      'a missing step that no installed hardware manager has',
      [lookedUp(1), heartbeat(2), askedBack(3), lacking('install_coreos', [])],
      ['no-coreos-install'],
    ],
    [
      'a missing step of the hardware manager that installs CoreOS',
      [lookedUp(1), heartbeat(2), askedBack(3), lacking('start_assisted_install')],
      ['step-missing'],
    ],
    [
      'another missing step',
      [lookedUp(1), heartbeat(2), askedBack(3), lacking('flash_bios', [])],
      ['step-missing'],
    ],
    ['a step that is there later', [lookedUp(1), lacking('install_coreos', []), listedSteps(9)], []],
    ['a machine that failed', [machine(1), machine(2, { state: 'failed', problem: 'x' })], ['machine-ended']],
    [
      'a machine that was switched off',
      [machine(1), machine(2, { state: 'powered off' })],
      ['machine-ended'],
    ],
    [
      'a machine that was started again',
      [machine(2, { state: 'powered off' }), machine(3, { state: 'rebooted' })],
      [],
    ],
  ])('%s', (_title, events, ids) => expect(idsAfter(events, 'proven')).toEqual(ids));

  it.each<readonly [string, readonly TrialEvent[], TrialEvent]>([
    ['an unknown authority', tls('unknown ca'), lookedUp(20)],
    ['plain HTTP', problem({ kind: 'plain-http' }), inspected(20)],
    ['a refused lookup', [refusedLookup('request-refused')], lookedUp(20)],
    ['a refused inventory', [refusedInventory('inspection-refused')], inspected(20)],
    ['a wrong token', [lookedUp(1), refusedBeat('token-refused')], heartbeat(20)],
    [
      'no way back',
      [lookedUp(1), heartbeat(2), askedBack(3, { problem: 'x', reason: 'callback-unreachable' })],
      askedBack(20),
    ],
  ])('not what worked later: %s', (_title, events, later) => {
    expect(idsAfter(events, 'proven')).toHaveLength(1);
    expect(idsAfter([...events, later], 'proven')).toEqual([]);
  });
});

const iso = (bytes: number, outcome: 'complete' | 'client disconnected' | 'aborted'): TrialEvent =>
  fetched(1, { artifact: 'iso', bytes, size: 1_000_000_000, outcome });

describe('what events make likely', () => {
  it.each<readonly [string, readonly TrialEvent[], readonly string[]]>([
    ['nothing', [], []],
    ['an ISO that was only looked at', [iso(100_000, 'complete')], ['boot-order']],
    ['an ISO that is read in parts', [iso(500_000_000, 'client disconnected')], []],
    ['an ISO that was cut off', [iso(500_000_000, 'aborted')], ['transfer-broken']],
    [
      'a root filesystem that broke off',
      [fetched(1), sharedFetch(2, { artifact: 'rootfs', bytes: 5, size: 9, outcome: 'client disconnected' })],
      ['transfer-broken'],
    ],
    [
      'a file that is fetched again',
      [fetched(1), fetched(2, { bytes: 0, outcome: 'began' }), fetched(3)],
      ['boot-loop'],
    ],
    ['another program', [fetched(1), asked(2, { userAgent: 'curl/8.14.1' })], ['not-the-agent']],
    ['the agent', [fetched(1), asked(2)], []],
    ['collectors that failed', [inspected(1, { isIncomplete: true })], ['inspection-incomplete']],
    ['an inventory that was not saved', [inspected(1, { problem: 'disk full' })], []],
    ['an agent that was started twice', [lookedUp(1), lookedUp(2)], ['token-lost']],
    [
      'a wrong path of the inspection, and a lookup',
      [...inventoryAt('/x'), lookedUp(20)],
      ['inspection-path'],
    ],
    [
      'a stranger at the address of a host',
      [fetched(1), lookedUp(2, { macs: ['52:54:00:99:99:99'], node: 'node-9' })],
      ['other-mac-addresses'],
    ],
    [
      'what another machine behind the same address may have done',
      [
        fetched(1),
        refused(2, { kind: 'plain-http' }),
        lookedUp(3, { macs: ['52:54:00:99:99:99'], node: 'n' }),
      ],
      ['other-mac-addresses'],
    ],
    ['another path of another program', path('GET', '/healthcheck'), ['not-the-agent']],
  ])('%s', (_title, events, ids) => expect(idsAfter(events, 'likely')).toEqual(ids));
});

describe('the first causes', () => {
  const network = [
    fetched(0, { artifact: 'script' }),
    sharedFetch(1),
    sharedFetch(2, { artifact: 'initramfs', path: 'i' }),
  ];
  const config = fetched(3);
  const rootfs = sharedFetch(4, { artifact: 'rootfs', path: 'r' });

  it.each<readonly [string, readonly TrialEvent[], ObservedPart, readonly string[]]>([
    ['nothing seen', [], 'boot', ['power-off', 'boot-order', 'medium-not-attached', 'dhcp-no-boot-file']],
    ['nothing served', [], 'calls', ['power-off', 'boot-order', 'ignition-failed', 'container-pull']],
    [
      'a boot script',
      [fetched(1, { artifact: 'script' })],
      'boot',
      ['kernel-url', 'secure-boot', 'architecture-mismatch'],
    ],
    [
      'kernel and initramfs',
      network,
      'boot',
      ['kernel-arguments', 'initramfs-network', 'rootfs-not-fetched', 'no-config'],
    ],
    [
      'and the config',
      [...network, config],
      'boot',
      ['rootfs-not-fetched', 'ignition-failed', 'container-pull', 'ironic-address'],
    ],
    [
      'and the root filesystem alone',
      [...network, rootfs],
      'boot',
      ['config-not-fetched', 'kernel-arguments', 'no-config', 'no-memory'],
    ],
    [
      'and both',
      [...network, config, rootfs],
      'boot',
      ['ignition-failed', 'container-pull', 'ironic-address', 'host-network'],
    ],
    [
      'an ISO that is read',
      [fetched(1, { artifact: 'iso', size: 1e9 })],
      'boot',
      ['ignition-failed', 'container-pull', 'ironic-address', 'host-network'],
    ],
    [
      'an emulated machine',
      [machine(1)],
      'calls',
      ['ignition-failed', 'container-pull', 'ironic-address', 'kernel-arguments'],
    ],
    ['an inspection', [inspected(1)], 'boot', ['container-ends']],
    ['a lookup', [lookedUp(1)], 'boot', ['no-own-address', 'token-lost']],
    ['a call says that it has booted', problem({ kind: 'plain-http' }), 'boot', []],
  ])('%s', (_title, events, coverage, first) => {
    const causes = likelyCauses(hostAfter(events), coverage).filter(
      ({ certainty }) => certainty !== 'proven',
    );
    expect(causes.slice(0, 4).map(({ id }) => id)).toEqual(first.slice(0, 4));
  });

  it('what is proven comes first, and what is likely second', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent, { maxLength: 30 }),
        fc.constantFrom<ObservedPart>('boot', 'calls'),
        (events, coverage) => {
          const timeline = createTimeline(createMachines([{ name: 'worker-0', macs: [mac] }]));
          for (const event of events) timeline.add(event);
          for (const host of timeline.hosts()) {
            const order = likelyCauses(host, coverage).map(({ certainty }) =>
              ['proven', 'likely', 'possible'].indexOf(certainty),
            );
            expect(order).toEqual(order.toSorted((a, b) => a - b));
          }
        },
      ),
    );
  });
});

/** Of three hosts, one of them without a MAC address, that share addresses. */
function hostsAfter(events: readonly TrialEvent[]): readonly HostTimeline[] {
  const timeline = createTimeline(
    createMachines([
      { name: 'worker-0', macs: ['52:54:00:00:00:00'] },
      { name: 'worker-1', macs: ['52:54:00:00:00:01', '52:54:00:00:00:02'] },
      { name: 'worker-2', macs: [] },
    ]),
  );
  for (const event of events) timeline.add(event);
  return timeline.hosts();
}

describe('every cause that is proven', () => {
  it('has an event of this host that says so, and without such an event it is not proven', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        for (const host of hostsAfter(events)) {
          for (const { certainty, evidence, id } of likelyCauses(host, 'boot')) {
            if (certainty !== 'proven') continue;
            if (evidence === undefined) throw new Error(`${id} has no evidence`);
            expect(host.entries).toContain(evidence);
            expect(byKind(provenBy, evidence.event)).toBe(id);
            // What a line on the console proves has tests of its own.
            if (evidence.event.kind === 'console') continue;
            const others = events.filter((event) => byKind(provenBy, event) !== id);
            const proven = hostsAfter(others)
              .flatMap((other) => likelyCauses(other, 'boot'))
              .filter((one) => one.id === id && one.certainty === 'proven');
            expect(proven).toEqual([]);
          }
        }
      }),
      { numRuns: 600 },
    );
  });
});

describe('each event', () => {
  it('is in the report of one machine, and that is the one that the log names', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (given) => {
        // Each of them is an entry of its own.
        const events = given.map((event, index) => ({ ...event, at: new Date(index) }));
        const timeline = createTimeline(
          createMachines([
            { name: 'worker-0', macs: ['52:54:00:00:00:00'] },
            { name: 'worker-2', macs: [] },
          ]),
        );
        const steps = events.map((event) => timeline.add(event));
        const hosts = timeline.hosts();
        const count = hosts.flatMap(({ entries }) => entries).reduce((sum, entry) => sum + entry.count, 0);
        expect(count).toBe(steps.filter(({ label }) => label !== 'unknown').length);
        for (const { event, label } of steps) {
          const owners = hosts.filter(({ entries }) =>
            entries.some(
              ({ first, last, event: { kind, client } }) =>
                kind === event.kind && client === event.client && first <= event.at && event.at <= last,
            ),
          );
          if (label === 'unknown') continue;
          const known = owners.some((host) =>
            [host.label, ...host.macs, ...host.nodes, ...host.clients].includes(label),
          );
          expect(known).toBe(true);
        }
      }),
    );
  });
});

describe('the table', () => {
  const all = [...causeBook().values()];

  it('has conditions of causes that the page explains', () => {
    const ids = [...Object.keys(conditions), ...commonCauses, ...results];
    expect(ids.filter((id) => !causeBook().has(id))).toEqual([]);
  });

  it('is found in docs/troubleshooting.md, whatever an event proves', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const id = byKind(provenBy, event);
        expect(id === undefined || causeBook().has(id)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(all)('explains $id as a whole', ({ check, fix, text }) => {
    expect(text).toMatch(/^[A-Z].*\.$/);
    for (const part of [check, fix]) expect(part).toMatch(/^\S.*[^.\s]$/);
  });

  it('has a way to find each cause', () => {
    const lines = [...consoleSigns().values()].flatMap(({ proves = '', suggests }) => [proves, ...suggests]);
    const events = fc.sample(anyEvent, { numRuns: 20_000, seed: 1 }).map((event) => byKind(provenBy, event));
    const found = new Set([...lines, ...events]);
    const lost = all.filter(({ id }) => {
      const { likelyIf, possibleAfter = [] } = conditions[id] ?? {};
      return possibleAfter.length === 0 && likelyIf === undefined && !found.has(id);
    });
    expect(lost).toEqual([]);
  });

  it('knows something for every stage before the heartbeat', () => {
    const known = new Set(Object.values(conditions).flatMap(({ possibleAfter = [] }) => possibleAfter));
    expect(stages.filter((stage) => !known.has(stage))).toEqual(['heartbeat', 'callback', 'steps']);
  });
});
