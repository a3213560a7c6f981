/** `POST /v1/heartbeat/NODE`: the agent is running, and sends its callback URL. */

import type { HeartbeatEvent } from '../timeline/events.ts';
import { isMapping, type Mapping, stringOf } from '../../formats/mapping.ts';
import type { IronicNode, NodeStore } from './nodes.ts';
import {
  answerWith,
  type ApiAnswer,
  fault,
  parseBody,
  type RamdiskRequest,
  type RefusalReason,
  type RefusedRequest,
  refuseRequest,
  unexpectedArguments,
  versionRefusal,
} from './messages.ts';
import { isUuid } from '../../core/objectName.ts';

export interface Agent {
  readonly node: IronicNode;
  readonly callbackUrl: string;
  /** PEM of the certificate that the agent created; undefined to verify with the certificate authorities of the system. */
  readonly verifyCa: string | undefined;
}

const fields = [
  'callback_url',
  'agent_token',
  'agent_version',
  'agent_status',
  'agent_status_message',
  'agent_verify_ca',
];
const states = ['start', 'end', 'error'];

/**
 * Source: `ramdisk.py` of Ironic's API, and `heartbeat` of its conductor, in the order of their checks.
 * @param name of the node, or its UUID; undefined if the path contains none
 * @param body why it could not be read, if it could not
 * @returns the agent of an accepted heartbeat
 */
export function answerHeartbeat(
  { client, now, version }: RamdiskRequest,
  name: string | undefined,
  body: Uint8Array | RefusedRequest,
  nodes: NodeStore,
): { readonly answer: ApiAnswer; readonly event: HeartbeatEvent; readonly agent?: Agent } {
  const beat = { kind: 'heartbeat', at: now, client, node: name ?? '' } as const;
  if (!(body instanceof Uint8Array)) {
    const { answer, ...why } = body;
    const unknown = { callbackUrl: undefined, agentVersion: undefined, token: 'unknown' } as const;
    return { answer, event: { ...beat, ...unknown, ...why } };
  }
  const parsed = parseBody(body);
  // A body that is not an object has no fields.
  const sent = parsed.kind === 'value' && isMapping(parsed.value) ? parsed.value : {};
  const node = nodes.byUuid(name ?? '') ?? nodes.byName(name ?? '');
  const callbackUrl = stringOf(sent['callback_url']);
  const token = node?.token.check(stringOf(sent['agent_token'])) ?? 'unknown';
  const facts = { callbackUrl, agentVersion: stringOf(sent['agent_version']), token } as const;
  const refusal =
    argumentRefusal(name, sent, parsed.kind === 'value') ??
    versionRefusal(version, 'heartbeat') ??
    (node && (urlRefusal(callbackUrl ?? '', node) ?? agentRefusal(sent, token)));
  const seen = { ...beat, ...facts, node: node?.uuid ?? beat.node };
  if (refusal !== undefined || node === undefined) {
    const unknown = refuseRequest(404, `Node ${name ?? ''} could not be found.`, 'unknown-node');
    const { answer, ...why } = refusal ?? unknown;
    return { answer, event: { ...seen, ...why } };
  }
  node.calledAt = now;
  node.callbackUrl = callbackUrl ?? '';
  return {
    answer: answerWith(202, undefined),
    event: { ...seen, problem: undefined, reason: undefined },
    agent: { node, callbackUrl: node.callbackUrl, verifyCa: stringOf(sent['agent_verify_ca']) },
  };
}

/** For Ironic's option `require_tls`, which is enabled by default. */
const withoutTls: RefusedRequest = {
  answer: fault(400, 'TLS is required by configuration'),
  problem: 'the callback URL is plain HTTP, which Ironic refuses ([agent] require_tls)',
  reason: 'callback-without-tls',
};

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Ironic handles invalid JSON as an empty object. */
function argumentRefusal(
  node: string | undefined,
  sent: Mapping,
  isJson: boolean,
): RefusedRequest | undefined {
  const refuse = (problem: string, reason: RefusalReason = 'arguments'): RefusedRequest =>
    refuseRequest(400, problem, isJson ? reason : 'not-json');
  const unexpected = unexpectedArguments(Object.keys(sent), fields);
  if (unexpected !== undefined) return refuse(unexpected);
  if (node === undefined) return refuse('Missing mandatory parameter: node_ident');
  if (!isUuid(node) && !/^[A-Za-z0-9._~-]{1,255}$/.test(node))
    return refuse(`Expected UUID or name for node_ident: ${node}`);
  if (!('callback_url' in sent))
    return refuse('Missing mandatory parameter: callback_url', 'no-callback-url');
  const invalid = fields.find((name) => given(sent[name]) && typeof sent[name] !== 'string');
  return invalid === undefined ? undefined : refuse(`Expected string for ${invalid}`);
}

/** Characters. The URL is stored for each node; Ironic itself has no such limit. */
const LONGEST_URL = 2000;

function urlRefusal(callbackUrl: string, node: IronicNode): RefusedRequest | undefined {
  // Agents without an API send an empty URL.
  if (callbackUrl !== '' && (!/^https?:/i.test(callbackUrl) || callbackUrl.length > LONGEST_URL))
    return refuseRequest(400, 'An issue with the supplied "callback_url" has been detected.', 'arguments');
  return node.callbackUrl !== undefined && node.callbackUrl !== callbackUrl
    ? refuseRequest(400, 'Detected change in ramdisk provided "callback_url"', 'callback-changed')
    : undefined;
}

function agentRefusal(sent: Mapping, token: HeartbeatEvent['token']): RefusedRequest | undefined {
  const status = stringOf(sent['agent_status']);
  if (!given(sent['agent_token']))
    return refuseRequest(400, 'Agent token is required for heartbeat processing.', 'token-missing');
  if (status !== undefined && !states.includes(status))
    return refuseRequest(400, `Agent status is invalid. Valid states are ${states.join(',')}.`, 'arguments');
  if (!given(sent['agent_version']) && status === undefined)
    return refuseRequest(400, NO_VERSION, 'no-agent-version');
  if (token === 'valid') return /^http:/i.test(stringOf(sent['callback_url']) ?? '') ? withoutTls : undefined;
  const reason = token === 'missing' ? 'token-missing' : 'token-invalid';
  return refuseRequest(400, 'Invalid or missing agent token received.', reason);
}

const NO_VERSION =
  'Agent did not transmit a version, and a version is required. Please update the agent being used.';
