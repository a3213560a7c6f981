/** Causes that show in the calls to Ironic: paths, versions, inspection, lookup, heartbeat. */

import type { RefusalReason } from '../../ironic/messages.ts';
import type { RefusalEvent, TrialEvent } from '../events.ts';
import type { Stage } from '../stages.ts';
import type { HostTimeline } from '../timeline.ts';
import { type Cause, entriesOf, isUnsolved, type Proof } from './cause.ts';

type Call = 'inspection' | 'lookup' | 'heartbeat';

/** A refused call is over when the machine has come to one of these. */
const solvedBy: Readonly<Record<Call, readonly Stage[]>> = {
  inspection: ['inspection', 'lookup', 'heartbeat'],
  lookup: ['lookup', 'heartbeat'],
  heartbeat: ['heartbeat'],
};

export const ironicCauses: readonly Cause[] = [
  {
    id: 'inspection-path',
    short: 'the path of the inspection',
    text: 'The inventory is sent to a path that Ironic does not have.',
    check: '`grep inspection_callback_url /etc/ironic-python-agent.conf` on the machine',
    fix: 'leave `--inspection-callback-url` out, since the agent knows the path from `--api-url`; `--inspector-url` is for ironic-inspector alone',
    proof: {
      isSaidBy: (event) => pathOf(event)?.hasInventory === true,
      solvedBy: solvedBy.inspection,
    },
    // The agent goes on with its lookup.
    evidenceIf: (host) =>
      !host.milestones.has('inspection') &&
      host.entries.some(({ event }) => pathOf(event)?.hasInventory === true),
  },
  {
    id: 'api-path',
    short: 'the path in the Ironic address',
    text: 'The machine looks for the API of Ironic below a path that Ironic does not have: the URL that it has for Ironic has a path of its own.',
    check: 'the path in the report; `grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: '`render --api-url` without `/v1`: the agent adds it',
    proof: { isSaidBy: isBelowOtherPath, solvedBy: solvedBy.lookup },
    evidenceIf: (host) =>
      !host.milestones.has('lookup') &&
      host.entries.some(({ event }) => pathOf(event)?.userAgent?.includes(agentClient) === true),
  },
  {
    id: 'inspection-refused',
    short: 'a refused inventory',
    text: 'Ironic refuses the inventory: it is too large, cut off, or not as Ironic wants it. A real Ironic also refuses that of a node which is not being inspected.',
    check: 'what the report says of the request; `baremetal node show NODE` (provision_state, last_error)',
    fix: 'enroll the node with its MAC addresses (`deploy node`); fewer collectors: `render --option "inspection_collectors = default"`',
    proof: refusalProof(['inspection'], ['body-too-large', 'body-cut', 'not-json', 'arguments']),
    evidenceIf: (host) => isTurnedAway(host, 'inspection'),
  },
  {
    id: 'api-version',
    short: 'the version of the API',
    text: 'A request names a version of the API of Ironic which does not exist, or does not have what the request asks for.',
    check: 'the version in the report; `curl IRONIC:6385` shows which versions Ironic has',
    fix: 'an agent of about the age of Ironic (`render --agent-image`)',
    proof: {
      isSaidBy: (event) => reasonOf(event) === 'api-version',
      solvedBy: solvedBy.lookup,
    },
  },
  {
    id: 'no-api-version',
    short: 'a request without a version of the API',
    text: 'A request names no version of the API of Ironic, and the oldest version, which Ironic takes then, does not have what the request asks for.',
    check:
      'the header `X-OpenStack-Ironic-API-Version`, which agents send with each lookup and heartbeat, on both sides of what is in between',
    fix: 'let proxies in front of Ironic pass the header; for calls by hand `curl -H "X-OpenStack-Ironic-API-Version: 1.68"`',
    proof: {
      isSaidBy: (event) => reasonOf(event) === 'no-api-version',
      solvedBy: solvedBy.lookup,
    },
  },
  {
    id: 'request-refused',
    short: 'a refused request',
    text: 'Ironic refuses a request that is not as it has to be: the report says what is wrong with it.',
    check: 'what the report says of the request; `sudo podman logs ironic-agent`',
    fix: 'an agent of about the age of Ironic (`render --agent-image`); nothing in between that changes requests',
    proof: {
      isSaidBy: (event) =>
        (event.kind === 'refusal' &&
          event.problem.kind === 'request' &&
          event.problem.reason === undefined) ||
        (event.kind === 'lookup' && event.reason === 'arguments'),
      solvedBy: ['inspection', 'api', ...solvedBy.lookup],
    },
  },
  {
    id: 'inspection-incomplete',
    short: 'collectors of the inspection',
    text: 'Collectors of the agent failed, and the inventory has gaps.',
    check: 'what the report says of the inspection; `sudo podman logs ironic-agent`',
    fix: 'leave out the collector: `render --option "inspection_collectors = default"`; or an agent image that has its tools',
    evidenceIf: (host) =>
      !host.milestones.has('lookup') && entriesOf(host, 'inspection').some(({ event }) => event.hasGaps),
  },
  {
    id: 'not-the-agent',
    short: 'another program that asked',
    text: 'The requests come from another program than the agent: a health check, a browser, `curl`.',
    check: 'its user agent in the report; the agent is `python-requests`',
    fix: 'nothing; look at the causes before the first call',
    after: ['api'],
    evidenceIf: (host) => {
      const userAgents = host.entries.flatMap(({ event }) => {
        if (event.kind === 'api') return [event.userAgent ?? ''];
        const path = pathOf(event);
        const isAgents = path === undefined || path.hasInventory === true || isBelowOtherPath(event);
        return isAgents ? [] : [path.userAgent ?? ''];
      });
      const isOther = userAgents.length > 0 && !userAgents.some((name) => name.includes(agentClient));
      return isOther && !solvedBy.inspection.some((stage) => host.milestones.has(stage));
    },
  },
  {
    id: 'no-mac-addresses',
    short: 'no network interfaces',
    text: 'The agent names no MAC address, so Ironic cannot know which node it is: it finds no network interface, or only interfaces with addresses of another kind (InfiniBand).',
    check: '`ip link` on the machine; `sudo podman logs ironic-agent`',
    fix: 'an agent image and a live system with the drivers for its interfaces; the container needs the network of the host',
    isRefuted: ({ seenMacs }) => seenMacs.length > 0,
    proof: refusalProof(['inspection', 'lookup'], ['no-macs']),
  },
  {
    id: 'several-nodes',
    short: 'MAC addresses of several nodes',
    text: 'The MAC addresses of the machine are those of several hosts of the inventory, or of several nodes of Ironic.',
    check:
      'the names in the report; `baremetal port list` beside the MAC addresses of the report shows the nodes',
    fix: 'give each machine its own MAC addresses in the inventory; in Ironic, delete the port of the other node',
    proof: refusalProof(['inspection', 'lookup'], ['several-nodes']),
  },
  {
    id: 'lookup-refused',
    short: 'MAC addresses that Ironic does not know',
    text: 'Ironic has no node with one of these MAC addresses, or the node is in a state in which it answers no lookup.',
    check:
      '`baremetal port list` beside the MAC addresses of the report; `baremetal node show NODE` (provision_state)',
    fix: 'the right MAC address in the inventory and a port in Ironic (`deploy node`); delete the port of the wrong node',
    evidenceIf: (host) => isTurnedAway(host, 'lookup'),
  },
  {
    id: 'other-mac-addresses',
    short: 'a MAC address in the inventory',
    text: 'The machine has none of the MAC addresses that the inventory lists for this host: a slip in the inventory, or another machine behind the same address.',
    check: 'the MAC addresses of the other machines in the report beside those of the inventory',
    fix: 'the right `mac` in the inventory, and in Ironic',
    evidenceIf: ({ listedMacs, seenMacs, strangerMacs }) => {
      if (listedMacs.length === 0) return false;
      if (seenMacs.length === 0) return strangerMacs.length > 0;
      return !listedMacs.some((mac) => seenMacs.includes(mac));
    },
  },
  {
    id: 'token-lost',
    short: 'an agent token that was given before',
    text: 'The lookup got no agent token, since Ironic gives it once and had given it before: usually the agent was started again. An agent without its token stops and takes its network down.',
    check: '`sudo podman logs ironic-agent` (`The agent token has already been retrieved`)',
    fix: 'restart the machine, not the service; and find out why the agent ended the first time',
    after: ['lookup'],
    proof: {
      isSaidBy: (event) => event.kind === 'lookup' && event.token === 'masked' && !event.hasOwnToken,
      solvedBy: ['heartbeat'],
    },
    evidenceIf: (host) => {
      const answered = entriesOf(host, 'lookup').filter(({ event }) => event.node !== undefined);
      return host.stage === 'lookup' && answered.reduce((sum, { count }) => sum + count, 0) > 1;
    },
  },
  {
    id: 'no-own-address',
    short: 'an address of its own to tell Ironic',
    text: 'The agent cannot tell by which address Ironic reaches it: it has no route to Ironic, or by link-local addresses only.',
    check:
      '`sudo podman logs ironic-agent` (`Agent could not find a valid IP address`); `ip route get IRONIC` on the machine',
    fix: 'a default route by DHCP or in `--nmstate`; or `render --option "advertise_host = ADDRESS"`',
    after: ['lookup'],
    usual: 'often',
  },
  {
    id: 'token-refused',
    short: 'the agent token',
    text: 'The heartbeat brings a wrong agent token or none: usually the agent has one from an earlier boot, or from another Ironic.',
    check:
      '`grep agent_token /etc/ironic-python-agent.conf` and `cat /proc/cmdline` on the machine; the log of Ironic',
    fix: 'restart the machine; no `agent_token` in `--option` or in kernel arguments, unless Ironic put it there',
    proof: refusalProof(['heartbeat'], ['token-missing', 'token-wrong']),
  },
  {
    id: 'node-unknown',
    short: 'a node that Ironic does not have',
    text: 'The agent names a node that this Ironic does not have: usually it has looked it up before, in another Ironic or an earlier trial, or the node was deleted.',
    check:
      'the UUID in the report beside those of `baremetal node list`; `sudo podman logs ironic-agent` says since when it runs',
    fix: 'restart the machine: a running agent does not ask again which node it is',
    proof: refusalProof(['inspection', 'lookup', 'heartbeat'], ['unknown-node']),
  },
  {
    id: 'callback-without-tls',
    short: 'an agent without TLS',
    text: 'The agent takes commands over plain HTTP, and Ironic refuses its heartbeats for that (`require_tls` in `[agent]` of its configuration).',
    check:
      'the callback URL in the report begins with `http:`; `grep enable_auto_tls /etc/ironic-python-agent.conf` on the machine',
    fix: 'leave out `enable_auto_tls = False` (`--option`, `--conf`), or give the agent a certificate of its own (`listen_tls`, `tls_cert_file`, `tls_key_file`)',
    proof: refusalProof(['heartbeat'], ['callback-without-tls']),
  },
  {
    id: 'callback-changed',
    short: 'another callback URL than before',
    text: 'Ironic refuses the heartbeat since its callback URL is another one than before: the address of the machine has changed, or two agents call for one node.',
    check: 'the callback URLs in the report; `ip address` on the machine',
    fix: 'a lease that stays the same, or `render --option "advertise_host = ADDRESS"`; then restart the machine',
    proof: refusalProof(['heartbeat'], ['callback-changed']),
  },
  {
    id: 'heartbeat-refused',
    short: 'a refused heartbeat',
    text: 'Ironic refuses the heartbeat: it is incomplete, or not as Ironic wants it. A real Ironic also refuses that of a locked node.',
    check:
      'what the report says of the heartbeat; `baremetal node show NODE` (reservation, provision_state, last_error)',
    fix: 'wait until the node is not locked; an agent of about the age of Ironic (`render --agent-image`)',
    proof: refusalProof(
      ['heartbeat'],
      ['arguments', 'body-too-large', 'body-cut', 'not-json', 'no-agent-version'],
    ),
    evidenceIf: (host) => isTurnedAway(host, 'heartbeat'),
  },
];

/** The HTTP client of the agent, in its user agent. */
const agentClient = 'python-requests';

type Path = Extract<RefusalEvent['problem'], { kind: 'path' }>;

function pathOf(event: TrialEvent): Path | undefined {
  return event.kind === 'refusal' && event.problem.kind === 'path' ? event.problem : undefined;
}

/** What an agent asks for below the URL that it has for Ironic, where that URL has a path. */
function isBelowOtherPath(event: TrialEvent): boolean {
  const { path = '' } = pathOf(event) ?? {};
  return /^\/.+\/v1\/(?:lookup|heartbeat\/[^/]+|continue_inspection)\/?$/.test(path);
}

function refusalProof(calls: readonly Call[], reasons: readonly RefusalReason[]): Proof {
  const [only, ...others] = calls;
  return {
    isSaidBy: (event) => {
      const reason = reasonOf(event);
      return calls.some((call) => call === event.kind) && reason !== undefined && reasons.includes(reason);
    },
    // A lookup that is answered tells the agent anew which node it is.
    solvedBy: solvedBy[only === undefined || others.length > 0 ? 'lookup' : only],
  };
}

/** Why Ironic has refused it, by its own word. */
function reasonOf(event: TrialEvent): RefusalReason | undefined {
  if (event.kind === 'refusal') return event.problem.kind === 'request' ? event.problem.reason : undefined;
  const isCall = event.kind === 'inspection' || event.kind === 'lookup' || event.kind === 'heartbeat';
  return isCall ? event.reason : undefined;
}

/** Whether a call was refused for something that is not the fault of the request. */
function isTurnedAway(host: HostTimeline, call: Call): boolean {
  return entriesOf(host, call).some(
    (entry) => entry.event.reason === 'busy' && isUnsolved(host, entry, solvedBy[call]),
  );
}
