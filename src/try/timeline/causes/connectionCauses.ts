/**
 * Causes in the connections between agent and Ironic: what clients send to Ironic to refuse TLS or in its place, and what
 * prevents Ironic from reaching the agent.
 */

import type { CallbackReason, RefusalEvent, TrialEvent } from '../events.ts';
import type { Stage } from '../stages.ts';
import { type Cause, entriesOf, isUnsolved, type Proof } from './cause.ts';

/**
 * Alerts of TLS (RFC 8446, section 6.2) as OpenSSL names them, and for the version what a server says itself. Clients other
 * than OpenSSL send `bad certificate` for whatever they do not like about a certificate.
 */
const tlsReasons = {
  authority: /unknown[ _]ca\b/i,
  time: /certificate[ _](?:has[ _])?expired/i,
  certificate:
    /bad[ _]certificate\b|certificate[ _]unknown|unsupported[ _]certificate|certificate[ _]revoked/i,
  version:
    /protocol[ _]version|unsupported[ _]protocol|no[ _]shared[ _]cipher|handshake[ _]failure|no[ _]suitable[ _](?:key[ _]share|signature[ _]algorithm)/i,
} as const;

/** After any of these, TLS works. */
const calls: readonly Stage[] = ['inspection', 'api', 'lookup', 'heartbeat'];

function tlsProof(reason: keyof typeof tlsReasons): Proof {
  return {
    isSaidBy: (event) => tlsReason(event) !== undefined && tlsReasons[reason].test(tlsReason(event) ?? ''),
    solvedBy: calls,
  };
}

function tlsReason(event: TrialEvent): string | undefined {
  return event.kind === 'refusal' && event.problem.kind === 'tls' ? event.problem.reason : undefined;
}

function refusalProof(kind: RefusalEvent['problem']['kind']): Proof {
  return {
    isSaidBy: (event) => event.kind === 'refusal' && event.problem.kind === kind,
    solvedBy: calls,
  };
}

export const tlsCauses: readonly Cause[] = [
  {
    id: 'tls-unknown-ca',
    short: "the authority of Ironic's certificate",
    text: "The machine does not trust the authority of Ironic's certificate.",
    check:
      '`openssl s_client -connect IRONIC:6385 -showcerts`; `ironic-coreos inspect IMAGE` says which authorities the config brings',
    fix: '`render --ca-file` with the certificate of the authority (a self-signed certificate itself), or `--insecure`',
    proof: tlsProof('authority'),
  },
  {
    id: 'tls-expired',
    short: "the dates of Ironic's certificate",
    text: "The machine says that Ironic's certificate has expired: it has, or the clock of the machine is ahead.",
    check: '`date` on the machine; `openssl s_client -connect IRONIC:6385 | openssl x509 -noout -dates`',
    fix: 'a new certificate; or `render --ntp-server`, and the clock in the firmware',
    proof: tlsProof('time'),
  },
  {
    id: 'tls-name-or-clock',
    short: "something in Ironic's certificate",
    text: "The machine rejects Ironic's certificate and does not say why: usually it is for other names or addresses than the URL has, or is not valid yet by the clock of the machine.",
    check:
      '`openssl s_client -connect IRONIC:6385 | openssl x509 -noout -dates -ext subjectAltName`; `date` on the machine',
    fix: 'a URL with a name or address of the certificate in `render --api-url`; or `--ntp-server`, and the clock in the firmware',
    proof: tlsProof('certificate'),
  },
  {
    id: 'tls-version',
    short: 'the TLS version',
    text: 'The machine and Ironic have no version of TLS, no cipher or no other parameter of TLS in common.',
    check: '`openssl s_client -connect IRONIC:6385 -tls1_2`',
    fix: 'a current server in front of Ironic; `tls_min_version` in the conf, if it is there (`render --option`)',
    proof: tlsProof('version'),
  },
  {
    id: 'tls-failed',
    short: 'the TLS handshake',
    text: 'TLS handshakes with Ironic fail, for a reason that the machine does not send.',
    check:
      'what the report says of them; `openssl s_client -connect IRONIC:6385` on the machine; `sudo podman logs ironic-agent`',
    fix: 'what these say; nothing in between that looks into TLS',
    evidenceIf: (host) =>
      entriesOf(host, 'refusal').some((entry) => {
        const reason = tlsReason(entry.event);
        const isOther =
          reason !== undefined && !Object.values(tlsReasons).some((known) => known.test(reason));
        return isOther && isUnsolved(host, entry, calls);
      }),
  },
  {
    id: 'http-to-tls',
    short: 'http instead of https',
    text: 'The machine sends plain HTTP to a port that expects TLS.',
    check: '`grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: '`https://` in `render --api-url`, and in `--inspection-callback-url` where that is given',
    proof: refusalProof('plain-http'),
  },
  {
    id: 'tls-to-http',
    short: 'https instead of http',
    text: 'The machine sends a TLS handshake to a port that expects plain HTTP.',
    check: '`grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: '`http://` in `render --api-url`, or a certificate for Ironic',
    proof: refusalProof('tls-to-http'),
  },
];

const askedBack: Proof['solvedBy'] = ['callback'];

function callbackProof(reason: CallbackReason): Proof {
  return { isSaidBy: (event) => event.kind === 'callback' && event.reason === reason, solvedBy: askedBack };
}

const certificateCheck =
  '`openssl s_client -connect AGENT:9999 | openssl x509 -noout -dates -ext subjectAltName -fingerprint`';

export const callbackCauses: readonly Cause[] = [
  {
    id: 'no-callback-url',
    short: 'no callback URL',
    text: 'The heartbeat names no URL at which the agent could be asked back.',
    check: '`sudo podman logs ironic-agent`',
    fix: 'a current agent: `render --agent-image`',
    proof: {
      isSaidBy: (event) =>
        event.kind === 'heartbeat' &&
        (event.reason === 'no-callback-url' || (event.problem === undefined && !event.callbackUrl)),
      solvedBy: askedBack,
    },
  },
  {
    id: 'callback-address',
    short: 'the address in the callback URL',
    text: 'The callback URL names another address than the heartbeat came from, so `try` did not ask there: address translation or a proxy in between, or one of several addresses.',
    check: 'the callback URL in the report beside the address of the heartbeat; `ip address` on the machine',
    fix: '`try --ask-back anywhere`; or `render --option "advertise_host = ADDRESS"` with the address by which Ironic reaches it',
    proof: callbackProof('other-address'),
  },
  {
    id: 'callback-unreachable',
    short: 'the way back to the agent',
    text: 'The agent is not reached at its callback URL: usually a firewall before its port, address translation, or an address of another network.',
    check: '`curl -k CALLBACK-URL/v1/status` on the machine of Ironic; `ss -ltn` on the machine of the agent',
    fix: 'open the port of the callback URL (9999 unless the conf names another) for Ironic; `render --option "advertise_host = ADDRESS"` with the right one of several addresses',
    proof: callbackProof('unreachable'),
  },
  {
    id: 'callback-tls',
    short: 'TLS at the callback URL',
    text: 'What is reached at the callback URL does not complete a TLS handshake.',
    check:
      '`openssl s_client -connect AGENT:9999`; `grep -i tls /etc/ironic-python-agent.conf` on the machine',
    fix: 'leave TLS of the agent as it is by default (`--option`, `--conf`); nothing else on its port',
    proof: callbackProof('tls'),
  },
  {
    id: 'callback-clock',
    short: 'the clock of the machine, or of this one',
    text: 'The certificate that the heartbeat named is not valid at this time by the clock of Ironic: the clocks of the two machines differ, or the agent has been running for longer than its certificate is valid.',
    check: `\`date\` on both machines; ${certificateCheck}`,
    fix: '`render --ntp-server`, and the clock in the firmware; or the clock of the machine of Ironic',
    proof: callbackProof('certificate-time'),
  },
  {
    id: 'callback-name',
    short: "the address in the agent's certificate",
    text: 'The certificate that the heartbeat named is for another address than its callback URL.',
    check: certificateCheck,
    fix: '`render --option "advertise_host = ADDRESS"` with the address by which Ironic reaches it',
    proof: callbackProof('certificate-name'),
  },
  {
    id: 'callback-other-certificate',
    short: 'something else at the callback URL',
    text: 'What answers at the callback URL has another certificate than the heartbeat named: a proxy, address translation to another machine, another program on that port, or an agent that was started again.',
    check: `${certificateCheck} from the machine of Ironic and on the machine itself: they have to be the same`,
    fix: 'no proxy and no address translation between Ironic and its machines; one machine for each address',
    proof: callbackProof('certificate-other'),
  },
  {
    id: 'callback-untrusted',
    short: "a certificate of the agent's own that Ironic does not trust",
    text: 'The heartbeat names no certificate, and this machine does not trust the one at the callback URL.',
    check: `${certificateCheck}; \`grep tls_cert_file /etc/ironic-python-agent.conf\` on the machine`,
    fix: 'leave `tls_cert_file` out, so that the agent makes a certificate and names it; or make Ironic trust its authority (`agent_verify_ca` of the node)',
    proof: callbackProof('certificate-untrusted'),
  },
  {
    id: 'callback-answer',
    short: 'the answer at the callback URL',
    text: 'What answers at the callback URL does not answer as the agent of this node: another program on that port, a proxy, or an agent that has another token.',
    check: '`curl -k CALLBACK-URL/v1/status` on the machine of Ironic; `sudo podman logs ironic-agent`',
    fix: 'nothing else on the port of the agent, and no proxy in between; restart the machine',
    proof: callbackProof('answer'),
  },
];
