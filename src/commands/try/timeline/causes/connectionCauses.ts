/**
 * Causes in the connections between the agent and Ironic: TLS alerts and invalid handshakes of clients, and problems at the
 * callback URL.
 */

import type { CallbackReason, RefusalEvent } from '../events.ts';
import type { Stage } from '../stage.ts';
import { causesOf, entriesOf, isUnsolved, type Proof, proofBy } from './cause.ts';

/**
 * TLS alerts (RFC 8446, section 6.2) with the names of OpenSSL; for the version, also the errors of a server. Clients other
 * than OpenSSL send `bad certificate` for any problem with a certificate.
 */
const tlsReasons = {
  authority: /unknown[ _]ca\b/i,
  time: /certificate[ _](?:has[ _])?expired/i,
  certificate:
    /bad[ _]certificate\b|certificate[ _]unknown|unsupported[ _]certificate|certificate[ _]revoked/i,
  version:
    /protocol[ _]version|unsupported[ _]protocol|no[ _]shared[ _]cipher|handshake[ _]failure|no[ _]suitable[ _](?:key[ _]share|signature[ _]algorithm)/i,
} as const;

/** Stages that require a working TLS connection. */
const calls: readonly Stage[] = ['inspection', 'api', 'lookup', 'heartbeat'];

function tlsProof(name: keyof typeof tlsReasons): Proof {
  return proofBy(
    'refusal',
    calls,
    ({ problem }) => problem.kind === 'tls' && tlsReasons[name].test(problem.reason),
  );
}

function refusalProof(kind: RefusalEvent['problem']['kind']): Proof {
  return proofBy('refusal', calls, ({ problem }) => problem.kind === kind);
}

export const tlsCauses = causesOf({
  'tls-unknown-ca': {
    short: 'the certificate authority of Ironic',
    text: 'The machine does not trust the certificate authority of Ironic.',
    check:
      'run `openssl s_client -connect IRONIC:6385 -showcerts`; run `ironic-coreos inspect IMAGE` to list the certificate authorities in the config',
    fix: 'pass the certificate authority with `render --ca-file` (for a self-signed certificate, the certificate itself), or use `--insecure`',
    proof: tlsProof('authority'),
  },
  'tls-expired': {
    short: "the expiry date of Ironic's certificate",
    text: "The machine reports that Ironic's certificate has expired: the certificate is too old, or the clock of the machine is ahead.",
    check:
      'run `date` on the machine; run `openssl s_client -connect IRONIC:6385 | openssl x509 -noout -dates`',
    fix: 'replace the certificate; or set a time server with `render --ntp-server`, and set the clock in the firmware',
    proof: tlsProof('time'),
  },
  'tls-name-or-clock': {
    short: "the name or the dates in Ironic's certificate",
    text: "The machine rejects Ironic's certificate without a reason: usually the certificate does not contain the host of the URL, or is not yet valid by the clock of the machine.",
    check:
      'run `openssl s_client -connect IRONIC:6385 | openssl x509 -noout -dates -ext subjectAltName`; run `date` on the machine',
    fix: 'in `render --api-url`, use a name or address that the certificate contains; or set a time server with `--ntp-server`, and set the clock in the firmware',
    proof: tlsProof('certificate'),
  },
  'tls-version': {
    short: 'the TLS version',
    text: 'The machine and Ironic have no TLS version, cipher or other TLS parameter in common.',
    check: 'run `openssl s_client -connect IRONIC:6385 -tls1_2`',
    fix: 'use a current TLS server for Ironic; remove `tls_min_version` from the agent configuration if you set it (`render --option`)',
    proof: tlsProof('version'),
  },
  'tls-failed': {
    short: 'the TLS handshake',
    text: 'TLS handshakes with Ironic fail, and the machine does not send the reason.',
    check:
      'read the TLS errors in the events; run `openssl s_client -connect IRONIC:6385` and `sudo podman logs ironic-agent` on the machine',
    fix: 'fix the error that these commands report; remove proxies that inspect TLS between the machine and Ironic',
    evidenceIf: (host) =>
      entriesOf(host, 'refusal').some((entry) => {
        const { problem } = entry.event;
        if (problem.kind !== 'tls' || !isUnsolved(host, entry, calls)) return false;
        return !Object.values(tlsReasons).some((known) => known.test(problem.reason));
      }),
  },
  'http-to-tls': {
    short: 'http instead of https',
    text: 'The machine sends plain HTTP to a TLS port.',
    check: 'run `grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: 'use `https://` in `render --api-url`, and in `--inspection-callback-url` if you set it',
    proof: refusalProof('plain-http'),
  },
  'tls-to-http': {
    short: 'https instead of http',
    text: 'The machine sends a TLS handshake to a plain-HTTP port.',
    check: 'run `grep api_url /etc/ironic-python-agent.conf` on the machine',
    fix: 'use `http://` in `render --api-url`, or configure TLS for Ironic',
    proof: refusalProof('tls-to-http'),
  },
});

const contacted: Proof['solvedBy'] = ['callback'];

function callbackProof(reason: CallbackReason): Proof {
  return proofBy('callback', contacted, (event) => event.reason === reason);
}

const CERTIFICATE_CHECK =
  '`openssl s_client -connect AGENT:9999 | openssl x509 -noout -dates -ext subjectAltName -fingerprint`';

export const callbackCauses = causesOf({
  'no-callback-url': {
    short: 'a missing callback URL',
    text: 'The heartbeat contains no callback URL.',
    check: 'run `sudo podman logs ironic-agent` on the machine',
    fix: 'use a current agent: `render --agent-image`',
    proof: proofBy(
      'heartbeat',
      contacted,
      ({ callbackUrl, problem, reason }) =>
        reason === 'no-callback-url' || (problem === undefined && !callbackUrl),
    ),
  },
  'callback-address': {
    short: 'the address in the callback URL',
    text: 'The address in the callback URL is not the address that sent the heartbeat, so `try` did not contact it: address translation, a proxy, or a machine with several addresses.',
    check:
      'compare the callback URL in the events with the client address of the heartbeat; run `ip address` on the machine',
    fix: 'use `try --ask-back anywhere`; or set the address that Ironic can reach with `render --option "advertise_host = ADDRESS"`',
    proof: callbackProof('other-address'),
  },
  'callback-unreachable': {
    short: 'the connection from Ironic to the agent',
    text: 'The callback URL is unreachable: usually a firewall, address translation, or an address in another network.',
    check:
      'run `curl -k CALLBACK-URL/v1/status` on the Ironic server; run `ss -ltn` on the machine of the agent',
    fix: 'open the port of the callback URL (9999 by default) for Ironic; if the machine has several addresses, set the one that Ironic can reach with `render --option "advertise_host = ADDRESS"`',
    proof: callbackProof('unreachable'),
  },
  'callback-tls': {
    short: 'TLS at the callback URL',
    text: 'The server at the callback URL does not complete a TLS handshake.',
    check:
      'run `openssl s_client -connect AGENT:9999`; run `grep -i tls /etc/ironic-python-agent.conf` on the machine',
    fix: 'remove TLS options of the agent from `--option` and `--conf`; make sure that no other program uses the port of the agent',
    proof: callbackProof('tls'),
  },
  'callback-clock': {
    short: 'the clock of the machine or of the Ironic server',
    text: 'The certificate in the heartbeat is not valid at the current time of Ironic: the clocks of the two machines differ, or the agent has run longer than its certificate is valid.',
    check: `run \`date\` on both machines; run ${CERTIFICATE_CHECK}`,
    fix: 'set a time server with `render --ntp-server`, and set the clock in the firmware; or set the clock of the Ironic server',
    proof: callbackProof('certificate-time'),
  },
  'callback-name': {
    short: "the address in the agent's certificate",
    text: 'The certificate in the heartbeat does not contain the address of the callback URL.',
    check: `run ${CERTIFICATE_CHECK}`,
    fix: 'set the address that Ironic can reach with `render --option "advertise_host = ADDRESS"`',
    proof: callbackProof('certificate-name'),
  },
  'callback-other-certificate': {
    short: 'another server at the callback URL',
    text: 'The certificate of the server at the callback URL is not the one in the heartbeat: a proxy, address translation to another machine, another program on that port, or an agent that has restarted.',
    check: `run ${CERTIFICATE_CHECK} on the Ironic server and on the machine; the fingerprints must be the same`,
    fix: 'remove proxies and address translation between Ironic and its machines; give each machine its own address',
    proof: callbackProof('certificate-other'),
  },
  'callback-untrusted': {
    short: 'a custom agent certificate that Ironic does not trust',
    text: 'The heartbeat contains no certificate, and this system does not trust the certificate at the callback URL.',
    check: `run ${CERTIFICATE_CHECK}; run \`grep tls_cert_file /etc/ironic-python-agent.conf\` on the machine`,
    fix: 'remove `tls_cert_file`, so that the agent creates a certificate and sends it with the heartbeat; or make Ironic trust its certificate authority (`agent_verify_ca` of the node)',
    proof: callbackProof('certificate-untrusted'),
  },
  'callback-answer': {
    short: 'the response at the callback URL',
    text: 'The server at the callback URL does not respond like the agent of this node: another program on that port, a proxy, or an agent with another token.',
    check:
      'run `curl -k CALLBACK-URL/v1/status` on the Ironic server; run `sudo podman logs ironic-agent` on the machine',
    fix: 'make sure that no other program uses the port of the agent, and that no proxy is in between; restart the machine',
    proof: callbackProof('answer'),
  },
});
