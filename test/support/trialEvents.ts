/** Events of a trial with what a test does not care about filled in, and arbitrary ones. */

import * as fc from 'fast-check';
import {
  type ApiEvent,
  type CallbackEvent,
  type CallbackReason,
  type FetchEvent,
  type HeartbeatEvent,
  type InspectionEvent,
  type LookupEvent,
  type MachineEvent,
  type RefusalEvent,
  type StepsEvent,
  type TrialEvent,
} from '../../src/trial/timeline/events.ts';
import type { RefusalReason } from '../../src/trial/ironic/messages.ts';
import type { Stage } from '../../src/trial/timeline/stage.ts';
import { consoleSigns } from '../../src/trial/timeline/consoleSigns.ts';
import { codePoint } from './arbitraryText.ts';

export const mac = '52:54:00:12:34:56';
export const otherMac = '52:54:00:12:34:57';
export const node = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
export const address = '192.0.2.7';

/** So many seconds after noon. */
export function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 10, 21, 12, 0, seconds));
}

type Given<T> = Partial<Omit<T, 'kind' | 'at'>>;

/** A file of 3,100 bytes that was fetched as a whole, unless something else is said. */
export function fetched(seconds: number, given: Given<FetchEvent> = {}): FetchEvent {
  const size = given.size ?? 3100;
  return {
    kind: 'fetch',
    at: at(seconds),
    client: address,
    artifact: 'ign',
    host: 'worker-0',
    path: `${given.host ?? 'worker-0'}.${given.artifact ?? 'ign'}`,
    outcome: 'complete',
    bytes: size,
    size,
    ...given,
  };
}

/** A BMC has read a part of the ISO, which has 1 GiB. */
export function readIso(seconds: number, share: number, given: Given<FetchEvent> = {}): FetchEvent {
  const size = 1024 ** 3;
  return fetched(seconds, { artifact: 'iso', client: '10.0.0.8', bytes: share * size, size, ...given });
}

/** What all hosts share. */
export function sharedFetch(seconds: number, given: Given<FetchEvent> = {}): FetchEvent {
  return fetched(seconds, { artifact: 'kernel', host: undefined, path: 'images/x/kernel', ...given });
}

export function refused(
  seconds: number,
  problem: RefusalEvent['problem'],
  given: Given<RefusalEvent> = {},
): RefusalEvent {
  return { kind: 'refusal', at: at(seconds), client: address, problem, ...given };
}

export function asked(seconds: number, given: Given<ApiEvent> = {}): ApiEvent {
  return { kind: 'api', at: at(seconds), client: address, userAgent: 'python-requests/2.32', ...given };
}

export function inspected(seconds: number, given: Given<InspectionEvent> = {}): InspectionEvent {
  return {
    kind: 'inspection',
    at: at(seconds),
    client: address,
    macs: [mac],
    node,
    summary: 'QEMU Standard PC, 2 CPUs, 4.0 GiB memory, 1 disk',
    problem: undefined,
    reason: undefined,
    differences: [],
    isIncomplete: false,
    ...given,
  };
}

export function lookedUp(seconds: number, given: Given<LookupEvent> = {}): LookupEvent {
  return {
    kind: 'lookup',
    at: at(seconds),
    client: address,
    macs: [mac],
    node,
    token: 'sent',
    problem: undefined,
    reason: undefined,
    ...given,
  };
}

export function heartbeat(seconds: number, given: Given<HeartbeatEvent> = {}): HeartbeatEvent {
  return {
    kind: 'heartbeat',
    at: at(seconds),
    client: address,
    node,
    callbackUrl: `https://${address}:9999`,
    agentVersion: '13.0.0',
    token: 'valid',
    problem: undefined,
    reason: undefined,
    ...given,
  };
}

export function askedBack(seconds: number, given: Given<CallbackEvent> = {}): CallbackEvent {
  return {
    kind: 'callback',
    at: at(seconds),
    client: address,
    node,
    url: `https://${address}:9999`,
    problem: undefined,
    reason: undefined,
    summary: undefined,
    ...given,
  };
}

/** Of an agent with two hardware managers, unless something else is said. */
export function listedSteps(seconds: number, given: Given<StepsEvent> = {}): StepsEvent {
  return {
    kind: 'steps',
    at: at(seconds),
    client: address,
    node,
    url: `https://${address}:9999`,
    managers: hardwareManagers,
    missing: [],
    problem: undefined,
    reason: undefined,
    ...given,
  };
}

export const hardwareManagers: StepsEvent['managers'] = [
  {
    name: 'GenericHardwareManager',
    version: '1.2',
    steps: [
      { type: 'clean', step: 'erase_devices', interface: 'deploy', priority: 10 },
      { type: 'clean', step: 'erase_devices_metadata', interface: 'deploy', priority: 99 },
      ...['delete_configuration', 'create_configuration', 'burnin_cpu', 'burnin_disk'].map(
        (step) => ({ type: 'clean', step, interface: 'raid', priority: 0 }) as const,
      ),
      { type: 'deploy', step: 'write_image', interface: 'deploy', priority: 0 },
    ],
  },
  {
    name: 'CoreOSInstallHardwareManager',
    version: '1',
    steps: [
      { type: 'deploy', step: 'install_coreos', interface: 'deploy', priority: 0 },
      { type: 'deploy', step: 'start_assisted_install', interface: 'deploy', priority: 0 },
    ],
  },
];

export function machine(seconds: number, given: Given<MachineEvent> = {}): MachineEvent {
  return {
    kind: 'machine',
    at: at(seconds),
    client: undefined,
    mac,
    state: 'started',
    problem: undefined,
    ...given,
  };
}

const few = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const text = fc.string({ unit: codePoint, maxLength: 40 });
const maybe = (value: fc.Arbitrary<string>): fc.Arbitrary<string | undefined> =>
  fc.option(value, { nil: undefined });
const anyMac = fc.oneof(
  fc.nat(20).map((last) => `52:54:00:00:00:${last.toString(16).padStart(2, '0')}`),
  text,
);
const anyMacs = fc.array(anyMac, { maxLength: 8 });
const anyNode = fc.oneof(few('node-a', 'node-b', 'node-c'), text);
const anyClient = fc.oneof(few('192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1'), text);
const refusalReasons: readonly RefusalReason[] = [
  'request-refused',
  'inspection-refused',
  'heartbeat-refused',
  'no-mac-addresses',
  'several-nodes',
  'node-unknown',
  'token-refused',
  'callback-changed',
  'callback-without-tls',
];
const callbackReasons: readonly CallbackReason[] = [
  'callback-address',
  'callback-unreachable',
  'callback-tls',
  'callback-clock',
  'callback-name',
  'callback-other-certificate',
  'callback-untrusted',
  'callback-answer',
  'steps-busy',
  'steps-unsupported',
  'steps-failed',
  'steps-answer',
  'step-missing',
];
const anyReason = few(...refusalReasons, undefined);
const anyCallbackReason = few(...callbackReasons, undefined);
const time = fc.nat(5000).map(at);
const seen = { at: time, client: anyClient };

const anyProblem: fc.Arbitrary<RefusalEvent['problem']> = fc.oneof(
  fc.record({
    kind: few('tls' as const),
    reason: fc.oneof(
      text,
      few('tlsv1 alert unknown ca', 'certificate expired', 'bad certificate', 'no shared cipher'),
    ),
  }),
  fc.record({ kind: few('plain-http' as const) }),
  fc.record({ kind: few('file' as const), message: text, hint: text }),
  fc.record({ kind: few('tls-to-http' as const) }),
  fc.record({
    kind: few('path' as const),
    method: text,
    path: fc.oneof(text, few('/x/v1/lookup')),
    hasInventory: fc.boolean(),
    userAgent: maybe(text),
  }),
  fc.record({ kind: few('request' as const), status: fc.integer(), message: text }),
);

/** Any event at all, with names and addresses that often meet. */
export const anyEvent: fc.Arbitrary<TrialEvent> = fc.oneof(
  fc.record({
    ...seen,
    kind: few('fetch' as const),
    artifact: few(
      ...([
        'iso',
        'minimal-iso',
        'initramfs',
        'ign',
        'archive',
        'script',
        'kernel',
        'rootfs',
        'agent',
      ] as const),
    ),
    host: few(undefined, '*', 'worker-0', 'worker-1', 'unlisted'),
    path: fc.oneof(few('a', 'b'), text),
    outcome: few(...(['began', 'complete', 'client disconnected', 'aborted', 'failed'] as const)),
    bytes: fc.nat(),
    size: fc.nat(),
  }),
  fc.record({ ...seen, kind: few('refusal' as const), problem: anyProblem }),
  fc.record({ ...seen, kind: few('api' as const), userAgent: maybe(text) }),
  fc.record({
    ...seen,
    kind: few('lookup' as const),
    macs: anyMacs,
    node: maybe(anyNode),
    token: few(...(['sent', 'masked', 'none'] as const)),
    problem: maybe(text),
    reason: anyReason,
  }),
  fc.record({
    ...seen,
    kind: few('inspection' as const),
    macs: anyMacs,
    node: maybe(anyNode),
    summary: maybe(text),
    problem: maybe(text),
    reason: anyReason,
    differences: fc.array(text, { maxLength: 2 }),
    isIncomplete: fc.boolean(),
  }),
  fc.record({
    ...seen,
    kind: few('heartbeat' as const),
    node: anyNode,
    callbackUrl: maybe(text),
    agentVersion: maybe(text),
    token: few(...(['valid', 'invalid', 'missing', 'unknown'] as const)),
    problem: maybe(text),
    reason: anyReason,
  }),
  fc.record({
    ...seen,
    kind: few('callback' as const),
    node: anyNode,
    url: text,
    problem: maybe(text),
    reason: anyCallbackReason,
    summary: maybe(text),
  }),
  fc.record({
    ...seen,
    kind: few('steps' as const),
    node: anyNode,
    url: text,
    managers: fc.array(
      fc.record({
        name: text,
        version: maybe(text),
        steps: fc.array(
          fc.record({
            type: few(...(['clean', 'deploy'] as const)),
            step: text,
            interface: maybe(text),
            priority: fc.double({ noNaN: true, noDefaultInfinity: true }),
          }),
          { maxLength: 6 },
        ),
      }),
      { maxLength: 3 },
    ),
    missing: fc.array(fc.oneof(few('install_coreos'), text), { maxLength: 2 }),
    problem: maybe(text),
    reason: anyCallbackReason,
  }),
  fc.record({
    kind: few('machine' as const),
    at: time,
    client: few(undefined),
    mac: anyMac,
    state: few(...(['started', 'rebooted', 'powered off', 'failed'] as const)),
    problem: maybe(text),
  }),
  fc.record({
    kind: few('bmc' as const),
    at: time,
    client: few(undefined),
    host: few('worker-0', 'worker-1', 'unlisted'),
    step: few(...(['media', 'boot device', 'power on', 'power off', 'restored', 'failed'] as const)),
    text,
    reason: few(undefined, 'bmc-not-fetched' as const, 'bmc-refused' as const),
  }),
  fc.record({
    kind: few('console' as const),
    at: time,
    client: few(undefined),
    host: few('worker-0', 'worker-1', 'unlisted'),
    sign: few('unknown', ...consoleSigns().keys()),
    stage: few<Stage | undefined>(undefined, 'config', 'live system', 'agent container'),
    line: text,
  }),
);
