/** Causes in the way to the port of Ironic, before the first request: what clients send to refuse TLS, or in its place. */

import type { RefusalEvent, TrialEvent } from '../events.ts';
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
    after: [],
    proof: tlsProof('authority'),
  },
  {
    id: 'tls-expired',
    short: "the dates of Ironic's certificate",
    text: "The machine says that Ironic's certificate has expired: it has, or the clock of the machine is ahead.",
    check: '`date` on the machine; `openssl s_client -connect IRONIC:6385 | openssl x509 -noout -dates`',
    fix: 'a new certificate; or `render --ntp-server`, and the clock in the firmware',
    after: [],
    proof: tlsProof('time'),
  },
  {
    id: 'tls-name-or-clock',
    short: "something in Ironic's certificate",
    text: "The machine rejects Ironic's certificate and does not say why: usually it is for other names or addresses than the URL has, or is not valid yet by the clock of the machine.",
    check:
      '`openssl s_client -connect IRONIC:6385 | openssl x509 -noout -dates -ext subjectAltName`; `date` on the machine',
    fix: 'a URL with a name or address of the certificate in `render --api-url`; or `--ntp-server`, and the clock in the firmware',
    after: [],
    proof: tlsProof('certificate'),
  },
  {
    id: 'tls-version',
    short: 'the TLS version',
    text: 'The machine and Ironic have no version of TLS, no cipher or no other parameter of TLS in common.',
    check: '`openssl s_client -connect IRONIC:6385 -tls1_2`',
    fix: 'a current server in front of Ironic; `tls_min_version` in the conf, if it is there (`render --option`)',
    after: [],
    proof: tlsProof('version'),
  },
  {
    id: 'tls-failed',
    short: 'the TLS handshake',
    text: 'TLS handshakes with Ironic fail, for a reason that the machine does not send.',
    check:
      'what the report says of them; `openssl s_client -connect IRONIC:6385` on the machine; `sudo podman logs ironic-agent`',
    fix: 'what these say; nothing in between that looks into TLS',
    after: [],
    sign: (host) =>
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
    after: [],
    proof: refusalProof('plain-http'),
  },
  {
    id: 'tls-to-http',
    short: 'https instead of http',
    text: 'The machine sends a TLS handshake to a port that expects plain HTTP.',
    check: '`grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: '`http://` in `render --api-url`, or a certificate for Ironic',
    after: [],
    proof: refusalProof('tls-to-http'),
  },
];
