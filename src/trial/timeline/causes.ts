/**
 * The conditions of causes of a failed boot: the stages after which a cause is possible, what makes it likely or excludes it, and the
 * events that prove it. The words of each cause are in docs/troubleshooting.md, the lines on the console that prove it in
 * `console-lines.yaml`.
 */

import { installManager, stepNames } from '../../core/installSteps.ts';
import type { BootWay } from '../../core/artifacts.ts';
import { signOf } from './consoleSigns.ts';
import type { ByKind, RefusalEvent } from './events.ts';
import type { Stage } from './stage.ts';
import { byLastEvent, isFullyFetched, isInterrupted } from './stages.ts';
import { entriesOf, hasCalledIronic, type HostTimeline } from './timeline.ts';

/** A fact about a machine, from those events that are certainly its own. */
type Condition = (host: HostTimeline) => boolean;

interface Conditions {
  /** Each of them, as the last stage of the machine, makes the cause possible. */
  readonly possibleAfter?: readonly Stage[];
  readonly likelyIf?: Condition;
  /** Each of these boot methods excludes the cause. */
  readonly notBootedBy?: readonly BootWay[];
  /** Each of them excludes the cause, but for a line on the console that proves it. */
  readonly unless?: readonly Condition[];
}

const fromMedium: readonly BootWay[] = ['iso', 'minimal-iso'];
/** Between these stages and the start of the agent container, there are no events except lines on the console. */
const beforeContainer: readonly Stage[] = [
  'image',
  'initramfs',
  'config',
  'rootfs',
  'agent archive',
  'live system',
];
const beforeFirstCall: readonly Stage[] = [...beforeContainer, 'agent container'];
const ofPull: Conditions = { possibleAfter: beforeContainer, unless: [lacksConfig] };
const ofAgent: Conditions = { possibleAfter: beforeFirstCall, unless: [lacksConfig] };

/** By the ids of causes. Those that only an event or a line shows have no row. */
export const conditions: Readonly<Record<string, Conditions>> = {
  'power-off': {
    possibleAfter: ['none'],
    unless: [reached('power'), (host) => entriesOf(host, 'console').length > 0],
  },
  'boot-order': {
    possibleAfter: ['none', 'image'],
    likelyIf: ({ stage }) => stage === 'image',
    unless: [hasReadImage, reached('power')],
  },
  'medium-not-attached': {
    possibleAfter: ['none', 'loader'],
    notBootedBy: ['network'],
    unless: [hasReadImage],
  },
  'bmc-not-fetched': {
    possibleAfter: ['boot device', 'power', 'loader'],
    unless: [(host) => !host.milestones.has('boot device') && entriesOf(host, 'bmc').length === 0],
  },
  'bmc-boot-device': {
    possibleAfter: ['power', 'loader', 'image'],
    unless: [hasReadImage, ({ milestones }) => !milestones.has('boot device')],
  },
  'medium-not-bootable': { possibleAfter: ['loader'] },
  'medium-unreadable': { notBootedBy: ['network'] },
  'medium-truncated': { notBootedBy: ['network'] },
  'link-down': { notBootedBy: fromMedium },
  'dhcp-no-offer': { possibleAfter: ['loader'], notBootedBy: fromMedium },
  'dhcp-no-boot-file': { possibleAfter: ['none', 'loader'], notBootedBy: fromMedium },
  'loader-no-http': { possibleAfter: ['none', 'loader'], notBootedBy: fromMedium },
  'loader-timeout': { possibleAfter: ['loader'] },
  'loader-not-found': { possibleAfter: ['loader'] },
  'loader-format': { possibleAfter: ['loader'] },
  'secure-boot': { possibleAfter: ['none', 'loader', 'image', 'script', 'kernel'] },
  'architecture-mismatch': { possibleAfter: ['loader', 'image', 'script', 'kernel', 'initramfs'] },
  'boot-loop': { likelyIf: hasFetchedAgain, unless: [hasCalledIronic] },
  'transfer-broken': { likelyIf: hasBrokenOff, unless: [hasCalledIronic] },
  'kernel-url': { possibleAfter: ['script'] },

  'no-memory': { possibleAfter: ['kernel', ...beforeFirstCall] },
  'medium-missing': { notBootedBy: ['network'] },
  'kernel-arguments': {
    possibleAfter: ['kernel', 'initramfs', 'rootfs'],
    notBootedBy: fromMedium,
    unless: [(host) => host.milestones.has('rootfs') && hasFetchedConfig(host)],
  },
  'initramfs-network': { possibleAfter: ['kernel', 'initramfs', 'image'], notBootedBy: ['iso'] },
  'rootfs-not-fetched': {
    possibleAfter: ['initramfs', 'config', 'image'],
    likelyIf: (host) => host.milestones.has('script') && hasFetchedConfig(host),
    notBootedBy: ['iso'],
    unless: [reached('rootfs'), hasCalledIronic],
  },
  'rootfs-mismatch': { possibleAfter: ['rootfs'] },
  'no-config': { possibleAfter: ['rootfs', 'initramfs', 'live system'], unless: [hasFetchedConfig] },
  'config-not-fetched': {
    possibleAfter: ['rootfs', 'initramfs'],
    likelyIf: (host) => host.milestones.has('script') && host.milestones.has('rootfs') && lacksConfig(host),
    unless: [hasFetchedConfig, hasCalledIronic],
  },
  'ignition-failed': {
    possibleAfter: ['config', 'rootfs', 'image', 'agent archive'],
    unless: [lacksConfig],
  },
  'agent-archive': {
    possibleAfter: ['config', 'rootfs', 'image', 'agent archive', 'live system'],
    unless: [lacksConfig],
  },
  'console-silent': { possibleAfter: ['loader', 'kernel', 'initramfs', 'config', 'rootfs'] },

  'container-pull': ofPull,
  'pull-proxy': ofPull,
  'pull-secret': ofPull,
  'registry-ca': ofPull,
  'registry-plain-http': ofPull,
  'container-image': ofPull,
  'ironic-address': ofAgent,
  'host-network': ofAgent,
  proxy: ofAgent,
  clock: ofAgent,
  dns: ofAgent,
  'ip-family': ofAgent,
  'conf-refused': ofAgent,
  'dhcp-wait': ofAgent,
  'container-ends': { possibleAfter: [...beforeFirstCall, 'inspection', 'api'], unless: [lacksConfig] },

  // The agent continues with its lookup.
  'inspection-path': {
    likelyIf: (host) => pathsOf(host).some(({ hasInventory }) => hasInventory === true),
    unless: [reached('inspection')],
  },
  'api-path': {
    likelyIf: (host) => pathsOf(host).some(({ userAgent }) => isAgent(userAgent)),
    unless: [reached('lookup')],
  },
  'inspection-incomplete': {
    likelyIf: (host) => entriesOf(host, 'inspection').some(({ event }) => event.isIncomplete),
    unless: [reached('lookup')],
  },
  'not-the-agent': {
    possibleAfter: ['api'],
    likelyIf: isOtherClient,
    unless: [reached('inspection', 'lookup', 'heartbeat')],
  },
  'no-mac-addresses': { unless: [({ seenMacs }) => seenMacs.length > 0] },
  'other-mac-addresses': {
    likelyIf: ({ isNearUnknown, listedMacs, seenMacs }) =>
      listedMacs.length > 0 &&
      (seenMacs.length === 0 ? isNearUnknown : !listedMacs.some((mac) => seenMacs.includes(mac))),
  },
  'token-lost': {
    possibleAfter: ['lookup'],
    likelyIf: (host) =>
      host.stage === 'lookup' &&
      entriesOf(host, 'lookup').reduce(
        (sum, { count, event }) => (event.node === undefined ? sum : sum + count),
        0,
      ) > 1,
  },
  'no-own-address': { possibleAfter: ['lookup'] },
};

/** The first one is the most common one. */
export const commonCauses = [
  'power-off',
  'boot-order',
  'bmc-not-fetched',
  'ignition-failed',
  'container-pull',
  'ironic-address',
  'medium-not-attached',
  'bmc-boot-device',
  'dhcp-no-boot-file',
  'kernel-url',
  'kernel-arguments',
  'initramfs-network',
  'rootfs-not-fetched',
  'no-config',
  'config-not-fetched',
  'host-network',
  'no-own-address',
];

/** What other causes end in: reported if none of these is known. */
export const results: ReadonlySet<string> = new Set([
  'no-boot-device',
  'pxe-error',
  'no-initramfs',
  'rootfs-damaged',
  'kernel-panic',
  'ignition-failed',
  'container-ends',
  'agent-unit-failed',
  'inspection-url',
]);

/** The cause that an event proves. Its first clause contains only facts of the event. */
export const provenBy: ByKind<string | undefined> = {
  fetch: () => undefined,
  api: () => undefined,
  console: (event) => signOf(event)?.proves,
  bmc: ({ reason }) => reason,
  machine: ({ state }) => (state === 'failed' || state === 'powered off' ? 'machine-ended' : undefined),
  refusal: ({ problem }) => {
    switch (problem.kind) {
      case 'tls':
        return tlsCauses.find(([, reason]) => reason.test(problem.reason))?.[0] ?? 'tls-failed';
      case 'plain-http':
        return 'http-to-tls';
      case 'tls-to-http':
        return problem.kind;
      case 'path':
        return isBelowOtherPath(problem) ? 'api-path' : problem.hasInventory ? 'inspection-path' : undefined;
      case 'file':
        return 'file-refused';
      case 'request':
      default:
        return 'request-refused';
    }
  },
  inspection: ({ reason }) => reason,
  lookup: ({ reason, token }) => (token === 'masked' ? 'token-lost' : reason),
  heartbeat: ({ callbackUrl, problem, reason }) =>
    problem === undefined && !callbackUrl ? 'no-callback-url' : reason,
  callback: ({ reason }) => reason,
  steps: ({ managers, missing, reason }) => {
    const lacksManager =
      missing.some((step) => stepNames.some((name) => name === step)) &&
      !managers.some(({ name }) => name === installManager.className);
    return lacksManager ? 'no-coreos-install' : reason;
  },
};

/**
 * TLS alerts (RFC 8446, section 6.2) with the names of OpenSSL; for the version, also the errors of a server. Clients other
 * than OpenSSL send `bad certificate` for any problem with a certificate.
 */
const tlsCauses: readonly (readonly [cause: string, reason: RegExp])[] = [
  ['tls-unknown-ca', /unknown[ _]ca\b/i],
  ['tls-expired', /certificate[ _](?:has[ _])?expired/i],
  [
    'tls-name-or-clock',
    /bad[ _]certificate\b|certificate[ _]unknown|unsupported[ _]certificate|certificate[ _]revoked/i,
  ],
  [
    'tls-version',
    /protocol[ _]version|unsupported[ _]protocol|no[ _]shared[ _]cipher|handshake[ _]failure|no[ _]suitable[ _](?:key[ _]share|signature[ _]algorithm)/i,
  ],
];

function reached(...stages: readonly Stage[]): Condition {
  return ({ milestones }) => stages.some((stage) => milestones.has(stage));
}

/** Whether the machine fetched its config: as a file, or in the initramfs or the ISO of the host. */
function hasFetchedConfig(host: HostTimeline): boolean {
  return (
    host.milestones.has('config') ||
    entriesOf(host, 'fetch').some(
      ({ event }) =>
        event.host !== undefined && (event.artifact === 'initramfs' || event.artifact.endsWith('iso')),
    )
  );
}

/** Whether the agent cannot have started: the machine boots from the network and did not fetch its config. */
function lacksConfig(host: HostTimeline): boolean {
  return host.boot === 'network' && !hasFetchedConfig(host);
}

/** Bytes that a BMC, or firmware in search of a boot device, reads from an ISO. */
const PROBE_SIZE = 4 * 1024 * 1024;

/** Whether the machine has read more of the ISO than a probe does. */
function hasReadImage(host: HostTimeline): boolean {
  return entriesOf(host, 'fetch').some(
    ({ event }) => event.artifact.endsWith('iso') && (event.bytes > PROBE_SIZE || isFullyFetched(event)),
  );
}

function hasFetchedAgain(host: HostTimeline): boolean {
  return entriesOf(host, 'fetch').some(
    ({ event, repeats }) => repeats > 0 && !event.artifact.endsWith('iso'),
  );
}

function hasBrokenOff(host: HostTimeline): boolean {
  const last = entriesOf(host, 'fetch').toSorted(byLastEvent).at(-1);
  return last !== undefined && isInterrupted(last.event);
}

type RefusedPath = Extract<RefusalEvent['problem'], { kind: 'path' }>;

function pathsOf(host: HostTimeline): readonly RefusedPath[] {
  return entriesOf(host, 'refusal').flatMap(({ event: { problem } }) =>
    problem.kind === 'path' ? [problem] : [],
  );
}

/** Whether the path is one of an agent whose Ironic URL contains a path. */
function isBelowOtherPath({ path }: RefusedPath): boolean {
  return /^\/.+\/v1\/(?:lookup|heartbeat\/[^/]+|continue_inspection)\/?$/.test(path);
}

/** Whether the requests without an identifier are of another HTTP client. */
function isOtherClient(host: HostTimeline): boolean {
  const paths = pathsOf(host).filter((path) => path.hasInventory !== true && !isBelowOtherPath(path));
  const requests = [...entriesOf(host, 'api').map(({ event }) => event), ...paths];
  return requests.length > 0 && !requests.some(({ userAgent }) => isAgent(userAgent));
}

/** Whether the user agent is that of the HTTP client library of the agent. */
function isAgent(userAgent: string | undefined): boolean {
  return userAgent?.includes('python-requests') === true;
}
