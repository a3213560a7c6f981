/** `POST /v1/heartbeat/NODE`: the agent is there, and says under which URL it takes commands. */

import type { TokenState } from './agentTokens.ts';
import { type ApiAnswer, answerWith, fault } from './answers.ts';
import { notFound } from './lookup.ts';
import type { IronicNode, NodeStore } from './nodes.ts';
import { isObject, isUuid, type JsonObject, parseBody, unexpectedArguments } from './requestArguments.ts';

export interface HeartbeatRequest {
  /** Of the path; undefined where it has none. */
  readonly node: string | undefined;
  readonly body: Uint8Array;
  readonly minor: number;
  readonly now: Date;
}

export interface Heartbeat {
  readonly answer: ApiAnswer;
  /** Its UUID, or what the path has in its place. */
  readonly node: string;
  readonly callbackUrl: string | undefined;
  readonly agentVersion: string | undefined;
  /** `unknown` where there is no such node, which a token could be right for. */
  readonly token: TokenState | 'unknown';
  readonly problem: string | undefined;
  /** Where it was taken. */
  readonly agent: Agent | undefined;
}

/** How the agent of a node can be asked. */
export interface Agent {
  readonly node: IronicNode;
  readonly callbackUrl: string;
  /** PEM of the certificate that it has made for itself; undefined where it is verified by the authorities of the system. */
  readonly verifyCa: string | undefined;
}

const ramdisksSince = 22;
/** Which fields came with which version of the API. */
const fieldsSince: Readonly<Record<string, { readonly minor: number; readonly problem: string }>> = {
  agent_version: { minor: 36, problem: 'Field "agent_version" not recognised' },
  agent_status: { minor: 72, problem: 'Fields "agent_status" and "agent_status_message" not recognised.' },
  agent_status_message: {
    minor: 72,
    problem: 'Fields "agent_status" and "agent_status_message" not recognised.',
  },
  agent_verify_ca: { minor: 68, problem: 'Field "agent_verify_ca" not recognised in this version' },
};

const fields = ['callback_url', 'agent_token', ...Object.keys(fieldsSince)];
const states = ['start', 'end', 'error'];

/** Source: `ramdisk.py` of Ironic's API, and `heartbeat` of its conductor; the checks in their order. */
export function answerHeartbeat(request: HeartbeatRequest, nodes: NodeStore): Heartbeat {
  const sent = fieldsOf(request.body);
  const node = nodes.byUuid(request.node ?? '') ?? nodes.byName(request.node ?? '');
  const token = node?.token.check(textOf(sent['agent_token'])) ?? 'unknown';
  const beat: Pick<Heartbeat, 'node' | 'callbackUrl' | 'agentVersion' | 'token'> = {
    node: node?.uuid ?? request.node ?? '',
    callbackUrl: textOf(sent['callback_url']),
    agentVersion: textOf(sent['agent_version']),
    token,
  };
  const refusal = refusalOf({ request, sent, node, token });
  if (refusal !== undefined || node === undefined) {
    const { answer, problem } = refusal ?? refuse(404, notFound);
    return { ...beat, answer, problem, agent: undefined };
  }
  node.calledAt = request.now;
  const callbackUrl = beat.callbackUrl ?? '';
  node.callbackUrl = callbackUrl;
  const agent = { node, callbackUrl, verifyCa: textOf(sent['agent_verify_ca']) };
  return { ...beat, answer: answerWith(202, undefined), problem: undefined, agent };
}

/** Nothing of what is no object: Ironic then misses what it needs. */
function fieldsOf(body: Uint8Array): JsonObject {
  const parsed = parseBody(body);
  return parsed.kind === 'value' && isObject(parsed.value) ? parsed.value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

interface Refusal {
  readonly answer: ApiAnswer;
  readonly problem: string;
}

function refuse(status: number, problem: string): Refusal {
  return { answer: fault(status, problem), problem };
}

interface Checked {
  readonly request: HeartbeatRequest;
  readonly sent: JsonObject;
  readonly node: IronicNode | undefined;
  readonly token: Heartbeat['token'];
}

function refusalOf({ request, sent, node, token }: Checked): Refusal | undefined {
  const problem = argumentProblem(request.node, sent);
  if (problem !== undefined) return refuse(400, problem);
  if (request.minor < ramdisksSince) {
    return {
      answer: fault(404, notFound),
      problem: `it speaks version 1.${request.minor} of the API, which has no heartbeats`,
    };
  }
  const tooNew = Object.entries(fieldsSince).find(
    ([name, { minor }]) => given(sent[name]) && request.minor < minor,
  );
  if (tooNew !== undefined) return refuse(400, tooNew[1].problem);
  if (node === undefined) return refuse(404, `Node ${shown(request.node)} could not be found.`);
  const callbackUrl = textOf(sent['callback_url']) ?? '';
  const refused = urlProblem(callbackUrl, node) ?? agentProblem(sent, token);
  if (refused !== undefined) return refuse(400, refused);
  return /^http:/i.test(callbackUrl) ? withoutTls : undefined;
}

/** Of Ironic's setting `require_tls`, which is on unless somebody has switched it off. */
const withoutTls: Refusal = {
  answer: fault(400, 'TLS is required by configuration'),
  problem: 'its callback URL is without TLS, which Ironic refuses ([agent] require_tls)',
};

function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function shown(node = ''): string {
  return node.slice(0, 64);
}

function argumentProblem(node: string | undefined, sent: JsonObject): string | undefined {
  const unexpected = unexpectedArguments(Object.keys(sent), fields);
  if (unexpected !== undefined) return unexpected;
  if (node === undefined) return 'Missing mandatory parameter: node_ident';
  if (!isUuid(node) && !/^[A-Za-z0-9._~-]{1,255}$/.test(node))
    return `Expected UUID or name for node_ident: ${shown(node)}`;
  if (!('callback_url' in sent)) return 'Missing mandatory parameter: callback_url';
  const wrong = fields.find((name) => given(sent[name]) && typeof sent[name] !== 'string');
  return wrong === undefined ? undefined : `Expected string for ${wrong}`;
}

/** Characters. It is kept for each node; Ironic itself has no such bound. */
const LONGEST_URL = 2000;

function urlProblem(callbackUrl: string, node: IronicNode): string | undefined {
  // Agents of other kinds, that take no commands, send an empty one.
  if (callbackUrl !== '' && (!/^https?:/i.test(callbackUrl) || callbackUrl.length > LONGEST_URL))
    return 'An issue with the supplied "callback_url" has been detected.';
  return node.callbackUrl !== undefined && node.callbackUrl !== callbackUrl
    ? 'Detected change in ramdisk provided "callback_url"'
    : undefined;
}

function agentProblem(sent: JsonObject, token: Heartbeat['token']): string | undefined {
  const status = textOf(sent['agent_status']);
  if (!given(sent['agent_token'])) return 'Agent token is required for heartbeat processing.';
  if (status !== undefined && !states.includes(status))
    return `Agent status is invalid. Valid states are ${states.join(',')}.`;
  if (!given(sent['agent_version']) && status === undefined)
    return 'Agent did not transmit a version, and a version is required. Please update the agent being used.';
  return token === 'right' ? undefined : 'Invalid or missing agent token received.';
}
