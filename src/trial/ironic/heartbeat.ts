/** `POST /v1/heartbeat/NODE`: the agent is running, and sends its callback URL. */

import type { HeartbeatEvent } from '../timeline/events.ts';
import { asMapping, type Mapping, stringOf } from '../../formats/mapping.ts';
import type { IronicNode, NodeStore } from './nodes.ts';
import {
  type ApiAnswer,
  fault,
  parseBody,
  type RamdiskRequest,
  type RefusedRequest,
  refuseRequest,
} from './messages.ts';

export interface Agent {
  readonly node: IronicNode;
  readonly callbackUrl: string;
  /** PEM of the certificate that the agent created; undefined to verify with the certificate authorities of the system. */
  readonly verifyCa: string | undefined;
}

/**
 * Source: `ramdisk.py` of Ironic's API, and `heartbeat` of its conductor.
 * @param uuid of the node
 * @param body why it could not be read, if it could not
 * @returns the agent of an accepted heartbeat
 */
export function answerHeartbeat(
  { client, hasVersion, now }: RamdiskRequest,
  uuid: string,
  body: Uint8Array | RefusedRequest,
  nodes: NodeStore,
): { readonly answer: ApiAnswer; readonly event: HeartbeatEvent; readonly agent?: Agent } {
  const beat = { kind: 'heartbeat', at: now, client, node: uuid } as const;
  if (!(body instanceof Uint8Array)) {
    const { answer, ...why } = body;
    const unknown = { callbackUrl: undefined, agentVersion: undefined, token: 'unknown' } as const;
    return { answer, event: { ...beat, ...unknown, ...why } };
  }
  const sent = asMapping(parseBody(body));
  const node = nodes.byUuid(uuid);
  const callbackUrl = stringOf(sent['callback_url']);
  const token: HeartbeatEvent['token'] = node?.token.check(stringOf(sent['agent_token'])) ?? 'unknown';
  const seen = { ...beat, callbackUrl, agentVersion: stringOf(sent['agent_version']), token };
  const invalid =
    hasVersion && isOfAgent(sent) ? undefined : refuseRequest(400, NO_HEARTBEAT, 'heartbeat-refused');
  const refusal = invalid ?? (node && refusalBy(node, callbackUrl ?? '', token));
  if (refusal !== undefined || node === undefined) {
    const unknown = refuseRequest(404, `Node ${uuid} could not be found.`, 'node-unknown');
    const { answer, ...why } = refusal ?? unknown;
    return { answer, event: { ...seen, ...why } };
  }
  node.calledAt = now;
  node.callbackUrl = callbackUrl ?? '';
  return {
    answer: { status: 202, body: undefined },
    event: { ...seen, problem: undefined, reason: undefined },
    agent: { node, callbackUrl: node.callbackUrl, verifyCa: stringOf(sent['agent_verify_ca']) },
  };
}

const NO_HEARTBEAT = 'its API version, callback_url or agent_version is not that of a current agent';

/** Characters. The URL is stored for each node; Ironic itself has no such limit. */
const LONGEST_URL = 2000;

/** Agents without an API send an empty URL. */
function isOfAgent({ agent_version: version, callback_url: url }: Mapping): boolean {
  if (typeof version !== 'string' || typeof url !== 'string') return false;
  return url === '' || (/^https?:/i.test(url) && url.length <= LONGEST_URL);
}

/** For Ironic's option `require_tls`, which is enabled by default. */
const withoutTls: RefusedRequest = {
  answer: fault(400, 'TLS is required by configuration'),
  problem: 'the callback URL is plain HTTP, which Ironic refuses ([agent] require_tls)',
  reason: 'callback-without-tls',
};

function refusalBy(
  node: IronicNode,
  callbackUrl: string,
  token: HeartbeatEvent['token'],
): RefusedRequest | undefined {
  if (node.callbackUrl !== undefined && node.callbackUrl !== callbackUrl)
    return refuseRequest(400, 'Detected change in ramdisk provided "callback_url"', 'callback-changed');
  if (token === 'valid') return /^http:/i.test(callbackUrl) ? withoutTls : undefined;
  return refuseRequest(400, 'Invalid or missing agent token received.', 'token-refused');
}
