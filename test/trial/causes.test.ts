import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causeTable, likelyCauses, type Sight } from '../../src/trial/causes.ts';
import type { RefusalEvent, TrialEvent } from '../../src/trial/events.ts';
import { stages } from '../../src/trial/stages.ts';
import { createTimeline, type HostTimeline } from '../../src/trial/timeline.ts';
import {
  anyEvent,
  asked,
  askedBack,
  fetched,
  heartbeat,
  inspected,
  lookedUp,
  mac,
  machine,
  refused,
  sharedFetch,
} from '../support/trialEvents.ts';

const all = causeTable.flatMap(({ causes }) => causes);

/** The expected host, after these events. */
function hostAfter(events: readonly TrialEvent[]): HostTimeline {
  const timeline = createTimeline([{ name: 'worker-0', macs: [mac] }]);
  for (const event of events) timeline.add(event);
  const [host] = timeline.hosts();
  if (host === undefined) throw new Error('the host is always there');
  return host;
}

function idsAfter(events: readonly TrialEvent[], certainty: string): string[] {
  return likelyCauses(hostAfter(events), 'boot')
    .filter((one) => one.certainty === certainty)
    .map(({ cause }) => cause.id);
}

/** A fetch first: so the host is known by its address. */
const problem = (one: RefusalEvent['problem']): readonly TrialEvent[] => [fetched(1), refused(9, one)];
const tls = (reason: string): readonly TrialEvent[] => problem({ kind: 'tls', reason });
const path = (method: string, place: string): readonly TrialEvent[] =>
  problem({ kind: 'path', method, path: place });

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
    ['HTTP to TLS', problem({ kind: 'plain-http' }), ['http-to-tls']],
    ['TLS to HTTP', problem({ kind: 'tls-to-http' }), ['tls-to-http']],
    ['a path of the inspector', path('POST', '/v1/continue/v1/continue'), ['inspection-path']],
    ['a path twice', path('GET', '/v1/v1/lookup'), ['api-path']],
    ['a heartbeat below a path', path('POST', '/v1/v1/heartbeat/x'), ['api-path']],
    [
      'a body that is too large',
      problem({ kind: 'request', status: 413, message: 'too large' }),
      ['request-refused'],
    ],
    ['a refused inventory', [inspected(1, { node: undefined, problem: 'no' })], ['inspection-refused']],
    ['a refused lookup', [lookedUp(1, { node: undefined, problem: 'no' })], ['lookup-refused']],
    [
      'a lookup without MAC addresses',
      [fetched(1), lookedUp(2, { macs: [], node: undefined })],
      ['no-mac-addresses'],
    ],
    [
      'other MAC addresses',
      [fetched(1), lookedUp(2, { macs: ['52:54:00:99:99:99'], node: 'node-9' })],
      ['other-mac-addresses'],
    ],
    ['a wrong token', [lookedUp(1), heartbeat(2, { token: 'wrong', problem: 'no' })], ['token-refused']],
    [
      'a token that is not told again',
      [lookedUp(1, { token: 'told' }), lookedUp(2, { token: 'masked' })],
      ['token-lost'],
    ],
    ['one that the agent has', [lookedUp(1, { token: 'masked' }), heartbeat(2)], []],
    ['no token', [lookedUp(1), heartbeat(2, { token: 'missing', problem: 'no' })], ['token-refused']],
    [
      'an agent of another Ironic',
      [
        fetched(1),
        heartbeat(2, { node: 'node-9', token: 'unknown', problem: 'Node node-9 could not be found.' }),
      ],
      ['node-unknown'],
    ],
    [
      'commands without TLS',
      [lookedUp(1), heartbeat(2, { callbackUrl: 'http://192.0.2.7:9999', problem: 'it is without TLS' })],
      ['callback-without-tls'],
    ],
    [
      'commands without TLS, and a locked node',
      [lookedUp(1), heartbeat(2, { callbackUrl: 'http://192.0.2.7:9999', problem: 'locked' })],
      ['heartbeat-refused'],
    ],
    ['a locked node', [lookedUp(1), heartbeat(2, { problem: 'locked' })], ['heartbeat-refused']],
    ['no callback URL', [lookedUp(1), heartbeat(2, { callbackUrl: undefined })], ['no-callback-url']],
    [
      'no way back',
      [lookedUp(1), heartbeat(2), askedBack(3, { problem: 'timed out' })],
      ['callback-unreachable'],
    ],
    [
      'a certificate of the agent',
      [lookedUp(1), heartbeat(2), askedBack(3, { problem: 'certificate is not yet valid' })],
      ['callback-tls'],
    ],
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
    ['a refused lookup', [lookedUp(1, { node: undefined })], lookedUp(20)],
    ['a refused inventory', [inspected(1, { node: undefined })], inspected(20)],
    ['a wrong token', [lookedUp(1), heartbeat(2, { token: 'wrong', problem: 'no' })], heartbeat(20)],
    ['no way back', [lookedUp(1), heartbeat(2), askedBack(3, { problem: 'x' })], askedBack(20)],
  ])('not what worked later: %s', (_title, events, later) => {
    expect(idsAfter(events, 'proven')).toHaveLength(1);
    expect(idsAfter([...events, later], 'proven')).toEqual([]);
  });
});

const iso = (bytes: number, outcome: 'complete' | 'client gone' | 'cut off'): TrialEvent =>
  fetched(1, { artifact: 'iso', bytes, size: 1_000_000_000, outcome });

describe('what events make likely', () => {
  it.each<readonly [string, readonly TrialEvent[], readonly string[]]>([
    ['nothing', [], []],
    ['an ISO that was only looked at', [iso(100_000, 'complete')], ['boot-order']],
    ['an ISO that is read in parts', [iso(500_000_000, 'client gone')], []],
    ['an ISO that was cut off', [iso(500_000_000, 'cut off')], ['transfer-broken']],
    [
      'a root filesystem that broke off',
      [fetched(1), sharedFetch(2, { artifact: 'rootfs', bytes: 5, size: 9, outcome: 'client gone' })],
      ['transfer-broken'],
    ],
    [
      'a file that is fetched again',
      [fetched(1), fetched(2, { bytes: 0, outcome: 'began' }), fetched(3)],
      ['boot-loop'],
    ],
    ['another reason of TLS', tls('read ECONNRESET'), ['tls-failed']],
    ['another program', [fetched(1), asked(2, { userAgent: 'curl/8.14.1' })], ['not-the-agent']],
    ['the agent', [fetched(1), asked(2)], []],
    ['collectors that failed', [inspected(1, { problem: 'lshw' })], ['inspection-incomplete']],
    ['an agent that was started twice', [lookedUp(1), lookedUp(2)], ['token-lost']],
    [
      'a wrong path of the inspection, and a lookup',
      [...path('POST', '/x'), lookedUp(20)],
      ['inspection-path'],
    ],
  ])('%s', (_title, events, ids) => expect(idsAfter(events, 'likely')).toEqual(ids));
});

describe('what is told first', () => {
  const network = [
    fetched(0, { artifact: 'script' }),
    sharedFetch(1),
    sharedFetch(2, { artifact: 'initramfs', path: 'i' }),
  ];
  const config = fetched(3);
  const rootfs = sharedFetch(4, { artifact: 'rootfs', path: 'r' });

  it.each<readonly [string, readonly TrialEvent[], Sight, readonly string[]]>([
    [
      'nothing seen',
      [],
      'boot',
      ['boot-order', 'medium-not-attached', 'dhcp-no-boot-file', 'loader-no-http'],
    ],
    ['nothing served', [], 'calls', ['boot-order', 'ignition-failed', 'container-pull', 'ironic-address']],
    [
      'a boot script',
      [fetched(1, { artifact: 'script' })],
      'boot',
      ['kernel-url', 'secure-boot', 'wrong-architecture'],
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
  ])('%s', (_title, events, sight, first) => {
    const told = likelyCauses(hostAfter(events), sight).filter(({ certainty }) => certainty !== 'proven');
    expect(told.slice(0, 4).map(({ cause }) => cause.id)).toEqual(first.slice(0, 4));
  });

  it('what is proven comes first, and what is likely second', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent, { maxLength: 30 }),
        fc.constantFrom<Sight>('boot', 'calls'),
        (events, sight) => {
          const timeline = createTimeline([{ name: 'worker-0', macs: [mac] }]);
          for (const event of events) timeline.add(event);
          for (const host of timeline.hosts()) {
            const order = likelyCauses(host, sight).map(({ certainty }) =>
              ['proven', 'likely', 'possible'].indexOf(certainty),
            );
            expect(order).toEqual(order.toSorted((a, b) => a - b));
          }
        },
      ),
    );
  });
});

describe('the table', () => {
  it('has every id once', () => expect(new Set(all.map(({ id }) => id)).size).toBe(all.length));

  it.each(all.map((cause) => [cause.id, cause] as const))(
    '%s can be found, and is told in whole',
    (_id, cause) => {
      expect(cause.after.length > 0 || cause.sign !== undefined).toBe(true);
      expect(cause.text).toMatch(/^[A-Z].*\.$/);
      for (const text of [cause.short, cause.check, cause.fix]) expect(text).toMatch(/^\S.*[^.\s]$/);
      const marks = [cause.text, cause.check, cause.fix].map((text) => text.split('`').length - 1);
      expect(marks.filter((count) => count % 2 === 1)).toEqual([]);
    },
  );

  it('knows something for every stage before the heartbeat', () => {
    const without = stages.filter((stage) => !all.some(({ after }) => after.includes(stage)));
    expect(without).toEqual(['power', 'heartbeat', 'callback']);
  });
});
