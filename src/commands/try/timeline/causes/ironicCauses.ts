/** Causes in the requests to Ironic: paths, API versions, inspection, lookup, heartbeat. */

import type { RefusalReason } from '../../ironic/messages.ts';
import type { RefusalEvent, TrialEvent } from '../events.ts';
import type { Stage } from '../stage.ts';
import type { HostTimeline } from '../timeline.ts';
import { causesOf, entriesOf, isUnsolved, type Proof, proofBy } from './cause.ts';

type Call = 'inspection' | 'lookup' | 'heartbeat';

/** A later event of these stages solves a refused request. */
const solvedBy: Readonly<Record<Call, readonly Stage[]>> = {
  inspection: ['inspection', 'lookup', 'heartbeat'],
  lookup: ['lookup', 'heartbeat'],
  heartbeat: ['heartbeat'],
};

export const ironicCauses = causesOf({
  'inspection-path': {
    short: 'the inspection URL',
    text: 'The agent sends the inventory to a path that Ironic does not have.',
    check: 'run `grep inspection_callback_url /etc/ironic-python-agent.conf` on the machine',
    fix: 'remove `--inspection-callback-url`: the agent derives the URL from `--api-url`; use `--inspector-url` only for ironic-inspector',
    proof: {
      matches: (event) => pathOf(event)?.hasInventory === true,
      solvedBy: solvedBy.inspection,
    },
    // The agent continues with its lookup.
    evidenceIf: (host) =>
      !host.milestones.has('inspection') &&
      host.entries.some(({ event }) => pathOf(event)?.hasInventory === true),
  },
  'api-path': {
    short: 'the path in the Ironic URL',
    text: 'The agent sends its requests to a path that Ironic does not have, because the Ironic URL in its configuration contains a path.',
    check:
      'read the requested path in the events; run `grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: 'remove `/v1` from `render --api-url`: the agent adds it',
    proof: { matches: isBelowOtherPath, solvedBy: solvedBy.lookup },
    evidenceIf: (host) =>
      !host.milestones.has('lookup') &&
      host.entries.some(({ event }) => pathOf(event)?.userAgent?.includes(AGENT_CLIENT) === true),
  },
  'inspection-refused': {
    short: 'a refused inventory',
    text: 'Ironic refuses the inventory: it is too large, incomplete or invalid. A real Ironic also refuses the inventory of a node that is not in inspection.',
    check:
      'read the error of the request in the events; run `baremetal node show NODE` (provision_state, last_error)',
    fix: 'enroll the node with its MAC addresses (`deploy node`); use fewer collectors: `render --option "inspection_collectors = default"`',
    proof: refusalProof(['inspection'], ['body-too-large', 'body-incomplete', 'not-json', 'arguments']),
    evidenceIf: (host) => isRefused(host, 'inspection'),
  },
  'api-version': {
    short: 'the API version',
    text: 'A request uses a version of the Ironic API that does not exist or does not support the request.',
    check: 'read the version in the events; run `curl IRONIC:6385` to list the versions that Ironic supports',
    fix: 'use an agent of about the same release as Ironic (`render --agent-image`)',
    proof: {
      matches: (event) => reasonOf(event) === 'api-version',
      solvedBy: solvedBy.lookup,
    },
  },
  'no-api-version': {
    short: 'a request without an API version',
    text: 'A request contains no version of the Ironic API. Ironic then uses the oldest version, which does not support the request.',
    check:
      'check whether the header `X-OpenStack-Ironic-API-Version`, which agents send with each lookup and heartbeat, arrives at Ironic',
    fix: 'make proxies in front of Ironic pass the header; for manual requests, use `curl -H "X-OpenStack-Ironic-API-Version: 1.68"`',
    proof: {
      matches: (event) => reasonOf(event) === 'no-api-version',
      solvedBy: solvedBy.lookup,
    },
  },
  'request-refused': {
    short: 'a refused request',
    text: 'Ironic refuses an invalid request: the event contains the error.',
    check: 'read the error of the request in the events; run `sudo podman logs ironic-agent` on the machine',
    fix: 'use an agent of about the same release as Ironic (`render --agent-image`); remove proxies that change requests',
    proof: {
      matches: (event) =>
        (event.kind === 'refusal' &&
          event.problem.kind === 'request' &&
          event.problem.reason === undefined) ||
        (event.kind === 'lookup' && event.reason === 'arguments'),
      solvedBy: ['inspection', 'api', ...solvedBy.lookup],
    },
  },
  'inspection-incomplete': {
    short: 'failed inspection collectors',
    text: 'Collectors of the agent failed, and the inventory is incomplete.',
    check:
      'read the error of the inspection in the events; run `sudo podman logs ironic-agent` on the machine',
    fix: 'remove the failed collector: `render --option "inspection_collectors = default"`; or use an agent image that contains its tools',
    evidenceIf: (host) =>
      !host.milestones.has('lookup') && entriesOf(host, 'inspection').some(({ event }) => event.isIncomplete),
  },
  'not-the-agent': {
    short: 'another HTTP client',
    text: 'The requests do not come from the agent, but from another program: a health check, a browser or `curl`.',
    check: 'compare its user agent in the events with the one of the agent, `python-requests`',
    fix: 'ignore these requests, and check the causes before the first request',
    after: ['api'],
    evidenceIf: (host) => {
      const userAgents = host.entries.flatMap(({ event }) => {
        if (event.kind === 'api') return [event.userAgent ?? ''];
        const path = pathOf(event);
        const isAgents = path === undefined || path.hasInventory === true || isBelowOtherPath(event);
        return isAgents ? [] : [path.userAgent ?? ''];
      });
      const isOther = userAgents.length > 0 && !userAgents.some((name) => name.includes(AGENT_CLIENT));
      return isOther && !solvedBy.inspection.some((stage) => host.milestones.has(stage));
    },
  },
  'no-mac-addresses': {
    short: 'missing network interfaces',
    text: 'The agent sends no MAC address, so Ironic cannot identify the node: the agent finds no network interface, or only interfaces of another type (InfiniBand).',
    check: 'run `ip link` and `sudo podman logs ironic-agent` on the machine',
    fix: 'use an agent image and a live system that contain the drivers for the interfaces; run the container in the network of the host',
    isRefuted: ({ seenMacs }) => seenMacs.length > 0,
    proof: refusalProof(['inspection', 'lookup'], ['no-macs']),
  },
  'several-nodes': {
    short: 'MAC addresses of several nodes',
    text: 'The MAC addresses of the machine belong to several hosts of the inventory, or to several nodes of Ironic.',
    check:
      'read the host names in the events; compare `baremetal port list` with the MAC addresses in the events',
    fix: 'give each machine its own MAC addresses in the inventory; in Ironic, delete the port of the other node',
    proof: refusalProof(['inspection', 'lookup'], ['several-nodes']),
  },
  'lookup-refused': {
    short: 'MAC addresses that are unknown to Ironic',
    text: 'Ironic has no node with one of these MAC addresses, or the state of the node does not allow a lookup.',
    check:
      'compare `baremetal port list` with the MAC addresses in the events; run `baremetal node show NODE` (provision_state)',
    fix: 'fix the MAC address in the inventory, and create a port in Ironic (`deploy node`); delete the port if it belongs to another node',
    evidenceIf: (host) => isRefused(host, 'lookup'),
  },
  'other-mac-addresses': {
    short: 'a MAC address in the inventory',
    text: 'The machine has none of the MAC addresses that the inventory contains for this host: a typing error in the inventory, or another machine at the same address.',
    check: 'compare the MAC addresses of the other machines in the events with those in the inventory',
    fix: 'fix `mac` in the inventory, and the port in Ironic',
    evidenceIf: ({ listedMacs, seenMacs, unknownMacs }) => {
      if (listedMacs.length === 0) return false;
      if (seenMacs.length === 0) return unknownMacs.length > 0;
      return !listedMacs.some((mac) => seenMacs.includes(mac));
    },
  },
  'token-lost': {
    short: 'an agent token that Ironic sends only once',
    text: 'The lookup returned no agent token, because Ironic sends the token only once: usually the agent was restarted. An agent without its token stops and takes its network down.',
    check: 'look for `The agent token has already been retrieved` in `sudo podman logs ironic-agent`',
    fix: 'restart the machine, not the service; find out why the agent exited the first time',
    after: ['lookup'],
    proof: proofBy('lookup', ['heartbeat'], (event) => event.token === 'masked' && !event.hasBootToken),
    evidenceIf: (host) => {
      const answered = entriesOf(host, 'lookup').filter(({ event }) => event.node !== undefined);
      return host.stage === 'lookup' && answered.reduce((sum, { count }) => sum + count, 0) > 1;
    },
  },
  'no-own-address': {
    short: 'the callback address of the agent',
    text: 'The agent cannot determine its own address for the callback URL: it has no route to Ironic, or only a route with link-local addresses.',
    check:
      'look for `Agent could not find a valid IP address` in `journalctl -b -u ironic-agent`; run `ip route get IRONIC` on the machine',
    fix: 'set a default route by DHCP or in `--nmstate`; or use `render --option "advertise_host = ADDRESS"`',
    after: ['lookup'],
    frequency: 'common',
  },
  'token-refused': {
    short: 'the agent token',
    text: 'The heartbeat contains no agent token or an invalid one: usually the agent has the token of an earlier boot or of another Ironic.',
    check:
      'run `grep agent_token /etc/ironic-python-agent.conf` and `cat /proc/cmdline` on the machine; read the log of Ironic',
    fix: 'restart the machine; remove `agent_token` from `--option` and from the kernel arguments, unless Ironic set it',
    proof: refusalProof(['heartbeat'], ['token-missing', 'token-invalid']),
  },
  'node-unknown': {
    short: 'a node that Ironic does not have',
    text: 'The agent sends the UUID of a node that this Ironic does not have: usually the agent got it from another Ironic or from an earlier run of `try`, or the node was deleted.',
    check:
      'compare the UUID in the events with `baremetal node list`; run `sudo podman logs ironic-agent` on the machine to see when the agent started',
    fix: 'restart the machine: a running agent does not repeat its lookup',
    proof: refusalProof(['inspection', 'lookup', 'heartbeat'], ['unknown-node']),
  },
  'callback-without-tls': {
    short: 'an agent without TLS',
    text: 'The callback URL of the agent is plain HTTP, so Ironic refuses its heartbeats (`require_tls` in the `[agent]` section of the Ironic configuration).',
    check:
      'check whether the callback URL in the events starts with `http:`; run `grep enable_auto_tls /etc/ironic-python-agent.conf` on the machine',
    fix: 'remove `enable_auto_tls = False` (`--option`, `--conf`), or give the agent a certificate (`listen_tls`, `tls_cert_file`, `tls_key_file`)',
    proof: refusalProof(['heartbeat'], ['callback-without-tls']),
  },
  'callback-changed': {
    short: 'a changed callback URL',
    text: 'Ironic refuses the heartbeat because its callback URL has changed: the machine got another address, or two agents use the same node.',
    check: 'compare the callback URLs in the events; run `ip address` on the machine',
    fix: 'use a fixed DHCP lease, or `render --option "advertise_host = ADDRESS"`; then restart the machine',
    proof: refusalProof(['heartbeat'], ['callback-changed']),
  },
  'heartbeat-refused': {
    short: 'a refused heartbeat',
    text: 'Ironic refuses the heartbeat: it is incomplete or invalid. A real Ironic also refuses the first heartbeat of a locked node.',
    check:
      'read the error of the heartbeat in the events; run `baremetal node show NODE` (reservation, provision_state, last_error)',
    fix: 'wait until the node is unlocked; use an agent of about the same release as Ironic (`render --agent-image`)',
    proof: refusalProof(
      ['heartbeat'],
      ['arguments', 'body-too-large', 'body-incomplete', 'not-json', 'no-agent-version'],
    ),
    evidenceIf: (host) => isRefused(host, 'heartbeat'),
  },
});

/** The HTTP client library of the agent, as in its user agent header. */
const AGENT_CLIENT = 'python-requests';

type Path = Extract<RefusalEvent['problem'], { kind: 'path' }>;

function pathOf(event: TrialEvent): Path | undefined {
  return event.kind === 'refusal' && event.problem.kind === 'path' ? event.problem : undefined;
}

/** Whether the path is one of an agent whose Ironic URL contains a path. */
function isBelowOtherPath(event: TrialEvent): boolean {
  const { path = '' } = pathOf(event) ?? {};
  return /^\/.+\/v1\/(?:lookup|heartbeat\/[^/]+|continue_inspection)\/?$/.test(path);
}

function refusalProof(calls: readonly Call[], reasons: readonly RefusalReason[]): Proof {
  const [only, ...others] = calls;
  return {
    matches: (event) => {
      const reason = reasonOf(event);
      return calls.some((call) => call === event.kind) && reason !== undefined && reasons.includes(reason);
    },
    // A successful lookup returns the node to the agent again.
    solvedBy: solvedBy[only === undefined || others.length > 0 ? 'lookup' : only],
  };
}

/** The reason for which Ironic refused the request. */
function reasonOf(event: TrialEvent): RefusalReason | undefined {
  if (event.kind === 'refusal') return event.problem.kind === 'request' ? event.problem.reason : undefined;
  const isCall = event.kind === 'inspection' || event.kind === 'lookup' || event.kind === 'heartbeat';
  return isCall ? event.reason : undefined;
}

/** Whether a valid request was refused. */
function isRefused(host: HostTimeline, call: Call): boolean {
  return entriesOf(host, call).some(
    (entry) => entry.event.reason === 'busy' && isUnsolved(host, entry, solvedBy[call]),
  );
}
