/** Causes that show in the calls to Ironic: TLS, paths, inspection, lookup, heartbeat, the way back to the agent. */

import type { TimelineEntry } from '../entries.ts';
import type { HeartbeatEvent, RefusalEvent } from '../events.ts';
import type { Stage } from '../stages.ts';
import type { HostTimeline } from '../timeline.ts';
import { type Cause, entriesOf, isUnsolved, signIf } from './cause.ts';

/** In the alerts of TLS (RFC 8446, section 6.2) as OpenSSL names them, and in its errors. */
const tlsReasons = {
  authority: /unknown[ _]ca|self.?signed|unable to get .{0,40}issuer/i,
  expired: /certificate[ _](?:has[ _])?expired/i,
  // What is not valid yet and what has another name are the same alert.
  certificate: /bad[ _]certificate|certificate[ _]unknown|not[ _]yet[ _]valid/i,
  version: /protocol[ _]version|unsupported[ _]protocol|no[ _]shared[ _]cipher|handshake[ _]failure/i,
};

const calls: readonly Stage[] = ['inspection', 'api', 'lookup', 'heartbeat'];

export const ironicCauses: readonly Cause[] = [
  {
    id: 'tls-unknown-ca',
    short: "the authority of Ironic's certificate",
    text: "The agent does not trust the authority of Ironic's certificate.",
    check:
      '`openssl s_client -connect IRONIC:6385 -showcerts`; `ironic-coreos inspect IMAGE` says which authorities the config brings',
    fix: '`render --ca-file` with the certificate of the authority (a self-signed certificate itself), or `--insecure`',
    after: [],
    sign: (host) => tlsSign(host, tlsReasons.authority),
  },
  {
    id: 'tls-expired',
    short: "the dates of Ironic's certificate",
    text: "Ironic's certificate has expired, by the clock of the machine.",
    check: '`date` on the machine; `openssl s_client -connect IRONIC:6385 | openssl x509 -noout -dates`',
    fix: 'a new certificate; or `render --ntp-server`, and the clock in the firmware',
    after: [],
    sign: (host) => tlsSign(host, tlsReasons.expired),
  },
  {
    id: 'tls-name-or-clock',
    short: "the name in Ironic's certificate, or the clock",
    text: "Ironic's certificate is for other names or addresses than the URL has, or is not valid yet by the clock of the machine.",
    check:
      '`openssl s_client -connect IRONIC:6385 | openssl x509 -noout -dates -ext subjectAltName`; `date` on the machine',
    fix: 'a URL with a name or address of the certificate in `render --api-url`; or `--ntp-server`, and the clock in the firmware',
    after: [],
    sign: (host) => tlsSign(host, tlsReasons.certificate),
  },
  {
    id: 'tls-version',
    short: 'the TLS version',
    text: 'The agent and Ironic have no version of TLS or no cipher in common.',
    check: '`openssl s_client -connect IRONIC:6385 -tls1_2`',
    fix: 'a current server in front of Ironic; `tls_min_version` in the conf, if it is there (`render --option`)',
    after: [],
    sign: (host) => tlsSign(host, tlsReasons.version),
  },
  {
    id: 'tls-failed',
    short: 'the TLS handshake',
    text: 'TLS handshakes with Ironic fail, for a reason that the agent does not send.',
    check:
      'what the report says of them; `openssl s_client -connect IRONIC:6385` on the machine; `sudo podman logs ironic-agent`',
    fix: 'what these say; nothing in between that looks into TLS',
    after: [],
    sign: (host) => {
      const others = refusals(host).filter(
        ({ event: { problem } }) =>
          problem.kind === 'tls' && !Object.values(tlsReasons).some((reason) => reason.test(problem.reason)),
      );
      return signIf(others.length > 0, 'likely');
    },
  },
  {
    id: 'http-to-tls',
    short: 'http instead of https',
    text: 'The agent speaks plain HTTP to a port that speaks TLS.',
    check: '`grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: '`https://` in `render --api-url`, and in `--inspection-callback-url` where that is given',
    after: [],
    sign: (host) => refusalSign(host, 'plain-http'),
  },
  {
    id: 'tls-to-http',
    short: 'https instead of http',
    text: 'The agent speaks TLS to a port that speaks plain HTTP.',
    check: '`grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: '`http://` in `render --api-url`, or a certificate for Ironic',
    after: [],
    sign: (host) => refusalSign(host, 'tls-to-http'),
  },
  {
    id: 'inspection-path',
    short: 'the path of the inspection',
    text: 'The inventory is sent to a path that Ironic does not have.',
    check: '`grep inspection_callback_url /etc/ironic-python-agent.conf` on the machine',
    fix: 'leave `--inspection-callback-url` out, since the agent knows the path from `--api-url`; `--inspector-url` is for ironic-inspector alone',
    after: [],
    sign: (host) => pathSign(host, (path, method) => method === 'POST' && !path.includes('/heartbeat')),
  },
  {
    id: 'api-path',
    short: 'the path in the Ironic address',
    text: 'The agent asks for paths that Ironic does not have: `--api-url` has a path of its own, or it is another service.',
    check: 'the path in the report; `grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: '`render --api-url` without `/v1`: the agent adds it',
    after: [],
    sign: (host) => pathSign(host, (path, method) => method !== 'POST' || path.includes('/heartbeat')),
  },
  {
    id: 'inspection-refused',
    short: 'a refused inventory',
    text: 'Ironic refuses the inventory: it knows no such node, the node is not being inspected, or the body is too large or broken.',
    check: 'what the report says of the request; `baremetal node show NODE` (provision_state, last_error)',
    fix: 'enroll the node with its MAC addresses (`deploy node`); fewer collectors: `render --option "inspection_collectors = default"`',
    after: [],
    sign: (host) => {
      const inspections = entriesOf(host, 'inspection').filter(({ event }) => event.node === undefined);
      const isRefused = inspections.some((entry) => isUnsolved(host, entry, ['inspection', 'lookup']));
      return signIf(isRefused, 'proven');
    },
  },
  {
    id: 'request-refused',
    short: 'a refused request',
    text: 'A request was refused that is not as Ironic wants it: too large, no JSON, or of a version that it does not have.',
    check: 'what the report says of the request; `sudo podman logs ironic-agent`',
    fix: 'a version of the agent that fits this Ironic (`render --agent-image`); nothing in between that changes requests',
    after: [],
    sign: (host) => refusalSign(host, 'request'),
  },
  {
    id: 'inspection-incomplete',
    short: 'collectors of the inspection',
    text: 'Collectors of the agent failed, and the inventory has gaps.',
    check: 'what the report says of the inspection; `sudo podman logs ironic-agent`',
    fix: 'leave out the collector: `render --option "inspection_collectors = default"`; or an agent image that has its tools',
    after: [],
    sign: (host) => {
      const isIncomplete = entriesOf(host, 'inspection').some(
        ({ event }) => event.node !== undefined && event.problem !== undefined,
      );
      return signIf(isIncomplete && !host.milestones.has('lookup'), 'likely');
    },
  },
  {
    id: 'not-the-agent',
    short: 'another program that asked',
    text: 'The versions of the API were asked for by something else than the agent: a health check, a browser, `curl`.',
    check: 'its user agent in the report; the agent is `python-requests`',
    fix: 'nothing; look at the causes before the first call',
    after: ['api'],
    sign: (host) => {
      const asked = entriesOf(host, 'api');
      const isOther =
        asked.length > 0 && asked.every(({ event }) => !event.userAgent?.includes('python-requests'));
      return signIf(isOther && host.stage === 'api', 'likely');
    },
  },
  {
    id: 'no-mac-addresses',
    short: 'no network interfaces',
    text: 'The agent finds no network interface with a MAC address, so Ironic cannot know which node it is.',
    check: '`ip link` on the machine; `sudo podman logs ironic-agent`',
    fix: 'an agent image and a live system with the drivers for its interfaces; the container needs the network of the host',
    after: [],
    sign: (host) => {
      const lookups = entriesOf(host, 'lookup').filter(({ event }) => event.macs.length === 0);
      return signIf(
        lookups.some((entry) => isUnsolved(host, entry, ['lookup'])),
        'proven',
      );
    },
  },
  {
    id: 'lookup-refused',
    short: 'MAC addresses that Ironic does not know',
    text: 'Ironic has no node with one of these MAC addresses, has several, or the node is in a state in which it answers no lookup.',
    check:
      '`baremetal port list` beside the MAC addresses of the report; `baremetal node show NODE` (provision_state)',
    fix: 'the right MAC address in the inventory and a port in Ironic (`deploy node`); delete the port of the wrong node',
    after: [],
    sign: (host) => {
      const refused = entriesOf(host, 'lookup').filter(
        ({ event }) => event.node === undefined && event.macs.length > 0,
      );
      return signIf(
        refused.some((entry) => isUnsolved(host, entry, ['lookup'])),
        'proven',
      );
    },
  },
  {
    id: 'other-mac-addresses',
    short: 'a MAC address in the inventory',
    text: 'The machine has none of the MAC addresses that the inventory lists for this host: a slip in the inventory, or another machine.',
    check: 'the MAC addresses in the report beside those of the inventory',
    fix: 'the right `mac` in the inventory, and in Ironic',
    after: [],
    sign: ({ listedMacs, seenMacs }) => {
      const isOther = seenMacs.length > 0 && !listedMacs.some((mac) => seenMacs.includes(mac));
      return signIf(listedMacs.length > 0 && isOther, 'proven');
    },
  },
  {
    id: 'token-lost',
    short: 'an agent that was started twice',
    text: 'The agent was started again after lookup had given it its token: Ironic gives it once, and an agent without it stops and takes its network down.',
    check: '`sudo podman logs ironic-agent` (`The agent token has already been retrieved`)',
    fix: 'restart the machine, not the service; and find out why the agent ended the first time',
    after: ['lookup'],
    sign: (host) => {
      if (host.stage !== 'lookup') return undefined;
      const answered = entriesOf(host, 'lookup').filter(({ event }) => event.node !== undefined);
      if (answered.some(({ event }) => event.token === 'masked')) return 'proven';
      return signIf(answered.reduce((sum, { count }) => sum + count, 0) > 1, 'likely');
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
    text: 'The heartbeat brings a wrong agent token or none: the agent has one from an earlier boot, or from another Ironic.',
    check:
      '`grep agent_token /etc/ironic-python-agent.conf` and `cat /proc/cmdline` on the machine; the log of Ironic',
    fix: 'restart the machine; no `agent_token` in `--option` or in kernel arguments, unless Ironic put it there',
    after: [],
    sign: (host) => heartbeatSign(host, ({ token }) => token === 'wrong' || token === 'missing'),
  },
  {
    id: 'node-unknown',
    short: 'an agent of another Ironic',
    text: 'The agent sends heartbeats for a node that this Ironic does not have: it has looked it up before, in another Ironic or an earlier trial, or the node was deleted.',
    check:
      'the UUID in the report beside those of `baremetal node list`; `sudo podman logs ironic-agent` says since when it runs',
    fix: 'restart the machine: a running agent does not ask again which node it is',
    after: [],
    sign: (host) =>
      heartbeatSign(host, ({ token, problem = '' }) => token === 'unknown' && nodeUnknown.test(problem)),
  },
  {
    id: 'callback-without-tls',
    short: 'an agent without TLS',
    text: 'The agent takes commands over plain HTTP, and Ironic refuses its heartbeats for that (`require_tls` in `[agent]` of its configuration).',
    check:
      'the callback URL in the report begins with `http:`; `grep enable_auto_tls /etc/ironic-python-agent.conf` on the machine',
    fix: 'leave out `enable_auto_tls = False` (`--option`, `--conf`), or give the agent a certificate of its own (`listen_tls`, `tls_cert_file`, `tls_key_file`)',
    after: [],
    sign: (host) => heartbeatSign(host, isRefusedWithoutTls),
  },
  {
    id: 'heartbeat-refused',
    short: 'a refused heartbeat',
    text: 'Ironic refuses the heartbeat: the node is locked, or the agent too old for it.',
    check:
      'what the report says of the heartbeat; `baremetal node show NODE` (reservation, provision_state, last_error)',
    fix: 'wait until the node is not locked; an agent of about the age of Ironic (`render --agent-image`)',
    after: [],
    sign: (host) =>
      heartbeatSign(
        host,
        (event) =>
          (event.token === 'right' || event.token === 'unknown') &&
          !isRefusedWithoutTls(event) &&
          !nodeUnknown.test(event.problem ?? ''),
      ),
  },
  {
    id: 'no-callback-url',
    short: 'no callback URL',
    text: 'The heartbeat names no URL at which the agent could be asked back.',
    check: '`sudo podman logs ironic-agent`',
    fix: 'a current agent: `render --agent-image`',
    after: [],
    sign: (host) => {
      const beats = entriesOf(host, 'heartbeat');
      const isMissing = beats.length > 0 && beats.every(({ event }) => event.callbackUrl === undefined);
      return signIf(isMissing && !host.milestones.has('callback'), 'proven');
    },
  },
  {
    id: 'callback-tls',
    short: "the agent's own certificate",
    text: 'The certificate that the agent made for itself is not taken: its clock is ahead or behind, or its address is not in it.',
    check:
      '`date` on both machines; `openssl s_client -connect AGENT:9999 | openssl x509 -noout -dates -ext subjectAltName`',
    fix: '`render --ntp-server`, and the clock in the firmware; `render --option "advertise_host = ADDRESS"` with the address by which Ironic reaches it',
    after: [],
    sign: (host) => callbackSign(host, (problem) => tlsWords.test(problem)),
  },
  {
    id: 'callback-unreachable',
    short: 'the way back to the agent',
    text: 'Ironic does not reach the agent at its callback URL: a firewall before port 9999, address translation, or an address of another network.',
    check: '`curl -k CALLBACK-URL/v1/status` on the machine of Ironic; `ss -ltn` on the machine of the agent',
    fix: 'open port 9999 of machines for Ironic; `render --option "advertise_host = ADDRESS"` with the right one of several addresses',
    after: [],
    sign: (host) => callbackSign(host, (problem) => !tlsWords.test(problem)),
  },
];

/** In Ironic's words. */
const nodeUnknown = /could not be found/;

function isRefusedWithoutTls({ callbackUrl = '', problem = '', token }: HeartbeatEvent): boolean {
  return token === 'right' && /^http:/i.test(callbackUrl) && /\bTLS\b/.test(problem);
}

const tlsWords = /certificate|\btls\b|\bssl\b|handshake/i;

type Refusal = TimelineEntry & { readonly event: RefusalEvent };

/** Refusals after which no call came through. */
function refusals(host: HostTimeline): readonly Refusal[] {
  return entriesOf(host, 'refusal').filter((entry) => isUnsolved(host, entry, calls));
}

function refusalSign(host: HostTimeline, kind: RefusalEvent['problem']['kind']): 'proven' | undefined {
  return signIf(
    refusals(host).some(({ event }) => event.problem.kind === kind),
    'proven',
  );
}

function tlsSign(host: HostTimeline, reason: RegExp): 'proven' | undefined {
  return signIf(
    refusals(host).some(({ event: { problem } }) => problem.kind === 'tls' && reason.test(problem.reason)),
    'proven',
  );
}

/** The agent goes on with other requests where the path of one is wrong. */
function pathSign(
  host: HostTimeline,
  isMeant: (path: string, method: string) => boolean,
): 'proven' | 'likely' | undefined {
  const isWrong = entriesOf(host, 'refusal').some(
    ({ event: { problem } }) => problem.kind === 'path' && isMeant(problem.path, problem.method),
  );
  if (!isWrong || host.milestones.has('inspection')) return undefined;
  return host.milestones.has('lookup') ? 'likely' : 'proven';
}

function heartbeatSign(
  host: HostTimeline,
  isMeant: (event: HeartbeatEvent) => boolean,
): 'proven' | undefined {
  const refused = entriesOf(host, 'heartbeat').filter(
    ({ event }) => event.problem !== undefined && isMeant(event),
  );
  return signIf(
    refused.some((entry) => isUnsolved(host, entry, ['heartbeat'])),
    'proven',
  );
}

function callbackSign(host: HostTimeline, isMeant: (problem: string) => boolean): 'proven' | undefined {
  const failed = entriesOf(host, 'callback').filter(
    ({ event }) => event.problem !== undefined && isMeant(event.problem),
  );
  return signIf(
    failed.some((entry) => isUnsolved(host, entry, ['callback'])),
    'proven',
  );
}
