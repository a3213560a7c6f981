/** Causes in the way back, from Ironic to the agent. */

import type { CallbackReason } from '../events.ts';
import type { Cause, Proof } from './cause.ts';

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
    after: [],
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
    after: [],
    proof: callbackProof('other-address'),
  },
  {
    id: 'callback-unreachable',
    short: 'the way back to the agent',
    text: 'The agent is not reached at its callback URL: usually a firewall before its port, address translation, or an address of another network.',
    check: '`curl -k CALLBACK-URL/v1/status` on the machine of Ironic; `ss -ltn` on the machine of the agent',
    fix: 'open the port of the callback URL (9999 unless the conf names another) for Ironic; `render --option "advertise_host = ADDRESS"` with the right one of several addresses',
    after: [],
    proof: callbackProof('unreachable'),
  },
  {
    id: 'callback-tls',
    short: 'TLS at the callback URL',
    text: 'What is reached at the callback URL does not complete a TLS handshake.',
    check:
      '`openssl s_client -connect AGENT:9999`; `grep -i tls /etc/ironic-python-agent.conf` on the machine',
    fix: 'leave TLS of the agent as it is by default (`--option`, `--conf`); nothing else on its port',
    after: [],
    proof: callbackProof('tls'),
  },
  {
    id: 'callback-clock',
    short: 'the clock of the machine, or of this one',
    text: 'The certificate that the heartbeat named is not valid at this time by the clock of Ironic: the clocks of the two machines differ, or the agent has been running for longer than its certificate is valid.',
    check: `\`date\` on both machines; ${certificateCheck}`,
    fix: '`render --ntp-server`, and the clock in the firmware; or the clock of the machine of Ironic',
    after: [],
    proof: callbackProof('certificate-time'),
  },
  {
    id: 'callback-name',
    short: "the address in the agent's certificate",
    text: 'The certificate that the heartbeat named is for another address than its callback URL.',
    check: certificateCheck,
    fix: '`render --option "advertise_host = ADDRESS"` with the address by which Ironic reaches it',
    after: [],
    proof: callbackProof('certificate-name'),
  },
  {
    id: 'callback-other-certificate',
    short: 'something else at the callback URL',
    text: 'What answers at the callback URL has another certificate than the heartbeat named: a proxy, address translation to another machine, another program on that port, or an agent that was started again.',
    check: `${certificateCheck} from the machine of Ironic and on the machine itself: they have to be the same`,
    fix: 'no proxy and no address translation between Ironic and its machines; one machine for each address',
    after: [],
    proof: callbackProof('certificate-other'),
  },
  {
    id: 'callback-untrusted',
    short: "a certificate of the agent's own that Ironic does not trust",
    text: 'The heartbeat names no certificate, and this machine does not trust the one at the callback URL.',
    check: `${certificateCheck}; \`grep tls_cert_file /etc/ironic-python-agent.conf\` on the machine`,
    fix: 'leave `tls_cert_file` out, so that the agent makes a certificate and names it; or make Ironic trust its authority (`agent_verify_ca` of the node)',
    after: [],
    proof: callbackProof('certificate-untrusted'),
  },
  {
    id: 'callback-answer',
    short: 'the answer at the callback URL',
    text: 'What answers at the callback URL does not answer as the agent of this node: another program on that port, a proxy, or an agent that has another token.',
    check: '`curl -k CALLBACK-URL/v1/status` on the machine of Ironic; `sudo podman logs ironic-agent`',
    fix: 'nothing else on the port of the agent, and no proxy in between; restart the machine',
    after: [],
    proof: callbackProof('answer'),
  },
];
