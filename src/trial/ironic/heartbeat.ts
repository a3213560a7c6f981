/** `POST /v1/heartbeat/NODE`: the agent is running, and sends its callback URL. */

import type { FactsOf, HeartbeatEvent } from '../timeline/events.ts';
import { isMapping, type Mapping } from '../../formats/mapping.ts';
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

interface Heartbeat extends FactsOf<HeartbeatEvent> {
  readonly answer: ApiAnswer;
  /** Undefined if the heartbeat was refused. */
  readonly agent: Agent | undefined;
}

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
 */
export function answerHeartbeat(
  { now, version }: RamdiskRequest,
  name: string | undefined,
  body: Uint8Array,
  nodes: NodeStore,
): Heartbeat {
  const parsed = parseBody(body);
  // A body that is not an object has no fields.
  const sent = parsed.kind === 'value' && isMapping(parsed.value) ? parsed.value : {};
  const node = nodes.byUuid(name ?? '') ?? nodes.byName(name ?? '');
  const callbackUrl = textOf(sent['callback_url']) ?? '';
  const token: HeartbeatEvent['token'] = node?.token.check(textOf(sent['agent_token'])) ?? 'unknown';
  const beat = {
    node: node?.uuid ?? name ?? '',
    callbackUrl: textOf(sent['callback_url']),
    agentVersion: textOf(sent['agent_version']),
    token,
  };
  const refusal =
    argumentRefusal(name, sent, parsed.kind === 'value') ??
    versionRefusal(version, 'heartbeat') ??
    (node && (urlRefusal(callbackUrl, node) ?? agentRefusal(sent, token)));
  if (refusal !== undefined || node === undefined) {
    const unknown = `Node ${name ?? ''} could not be found.`;
    return { ...beat, ...(refusal ?? refuseRequest(404, unknown, 'unknown-node')), agent: undefined };
  }
  node.calledAt = now;
  node.callbackUrl = callbackUrl;
  const agent = { node, callbackUrl, verifyCa: textOf(sent['agent_verify_ca']) };
  return { ...beat, answer: answerWith(202, undefined), problem: undefined, reason: undefined, agent };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
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

function agentRefusal(sent: Mapping, token: Heartbeat['token']): RefusedRequest | undefined {
  const status = textOf(sent['agent_status']);
  if (!given(sent['agent_token']))
    return refuseRequest(400, 'Agent token is required for heartbeat processing.', 'token-missing');
  if (status !== undefined && !states.includes(status))
    return refuseRequest(400, `Agent status is invalid. Valid states are ${states.join(',')}.`, 'arguments');
  if (!given(sent['agent_version']) && status === undefined)
    return refuseRequest(400, NO_VERSION, 'no-agent-version');
  if (token === 'valid') return /^http:/i.test(textOf(sent['callback_url']) ?? '') ? withoutTls : undefined;
  const reason = token === 'missing' ? 'token-missing' : 'token-invalid';
  return refuseRequest(400, 'Invalid or missing agent token received.', reason);
}

const NO_VERSION =
  'Agent did not transmit a version, and a version is required. Please update the agent being used.';
