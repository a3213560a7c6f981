/**
 * Contacts agents at their callback URLs after a heartbeat, as Ironic does, and asks them for their steps. A client can send
 * any URL, so by default only URLs with the address of the client are contacted.
 */

import { setImmediate } from 'node:timers/promises';
import { createMasker } from '../../core/knownSecrets.ts';
import { createConcurrencyLimit } from '../../core/parallel.ts';
import { parseUrl, withBrackets } from '../../formats/url.ts';
import type { Agent } from '../ironic/heartbeat.ts';
import { type CallbackEvent, type CallbackReason, mapTexts, type StepsEvent } from '../timeline/events.ts';
import type { IronicNode } from '../ironic/nodes.ts';
import { AgentError } from './agentConnection.ts';
import { askAgent, type AskedNode, askSteps } from './askAgent.ts';

/** Callback URLs to contact: those with the address of the client, all, or none. */
export type AskBack = 'own' | 'anywhere' | 'never';

export type CallbackChecker = Readonly<ReturnType<typeof createCallbackChecker>>;

interface CallbackOptions {
  readonly askBack: AskBack;
  readonly requiredSteps: readonly string[];
  readonly observe: (event: CallbackEvent | StepsEvent) => void;
  /** Milliseconds that an agent has to send its status and its commands. */
  readonly statusTime?: number;
}

/** Agents that are contacted at the same time; others wait, as each has a limit of time. */
const MAX_PARALLEL = 32;

export function createCallbackChecker({ askBack, observe, requiredSteps, statusTime }: CallbackOptions) {
  /** By the UUIDs of nodes. */
  const done = new Map<string, string>();
  const running = new Map<string, Promise<void>>();
  const inTurn = createConcurrencyLimit(MAX_PARALLEL);
  const end = new AbortController();
  /** Do not contact the agent again until it changes. */
  const settle = (agent: Agent): void => void done.set(agent.node.uuid, identityOf(agent));
  const ask = async (agent: Agent, client: string): Promise<void> => {
    if (end.signal.aborted) return;
    const contact = { ...agent, client, token: agent.node.token.current(), signal: end.signal };
    const callback = await contactAgent(contact, statusTime);
    if (end.signal.aborted) return;
    observe(callback);
    if (callback.problem !== undefined) return;
    const steps = await requestSteps(contact, requiredSteps);
    if (steps.managers.length > 0) settle(agent);
    if (!end.signal.aborted) observe(steps);
  };

  return {
    /**
     * Contacts the agent after a heartbeat from `client`. An agent that has reported its steps is not contacted again until it
     * changes.
     */
    onHeartbeat: (agent: Agent, client: string): void => {
      const { uuid } = agent.node;
      if (askBack === 'never' || agent.callbackUrl === '' || end.signal.aborted) return;
      if (done.get(uuid) === identityOf(agent) || running.has(uuid)) return;
      const problem = askBack === 'anywhere' ? undefined : foreignProblem(agent.callbackUrl, client);
      if (problem !== undefined) {
        settle(agent);
        const reason = 'callback-address';
        observe({ kind: 'callback', ...factsOf(agent, client), problem, reason, summary: undefined });
        return;
      }
      const asked = inTurn(() => ask(agent, client)).finally(() => running.delete(uuid));
      running.set(uuid, asked);
    },
    /** Resolves when all agents that have sent a heartbeat are contacted. */
    idle: async (): Promise<void> => {
      await setImmediate(); // an agent is contacted after the response to its heartbeat
      await Promise.all(running.values());
    },
    /** Resolves when all connections to agents are closed. */
    stop: async (): Promise<void> => {
      end.abort();
      await Promise.all(running.values());
    },
  };
}

interface Contact extends AskedNode {
  readonly node: IronicNode;
  readonly client: string;
}

function factsOf({ callbackUrl, node }: Agent, client: string) {
  return { at: new Date(), client, node: node.uuid, url: callbackUrl };
}

/** Any error is one of the agent: what it sends must not end the trial. */
function failureOf(error: unknown, contact: Contact): { problem: string; reason: CallbackReason } {
  if (!(error instanceof AgentError)) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      problem: withoutToken(`its answer cannot be read: ${message}`, contact),
      reason: 'callback-answer',
    };
  }
  return { problem: withoutToken(error.message, contact), reason: error.reason };
}

async function contactAgent(contact: Contact, time: number | undefined): Promise<CallbackEvent> {
  const facts = factsOf(contact, contact.client);
  try {
    const { version = '(unknown version)', commands } = await askAgent(contact, time);
    const run = commands.length === 0 ? 'no commands yet' : `commands: ${commands.join(', ')}`;
    const summary = withoutToken(`agent ${version}, ${run}`, contact);
    return { kind: 'callback', ...facts, problem: undefined, reason: undefined, summary };
  } catch (error) {
    return { kind: 'callback', ...facts, ...failureOf(error, contact), summary: undefined };
  }
}

async function requestSteps(contact: Contact, required: readonly string[]): Promise<StepsEvent> {
  const facts = factsOf(contact, contact.client);
  try {
    const reported = await askSteps(contact);
    const names = new Set(reported.flatMap(({ steps }) => steps.map(({ step }) => step)));
    const missing = required.filter((name) => !names.has(name));
    const managers = mapTexts(reported, (text) => withoutToken(text, contact));
    const event = { kind: 'steps', ...facts, managers, missing } as const;
    if (missing.length === 0) return { ...event, problem: undefined, reason: undefined };
    const lacks = missing.length === 1 ? 'a required step is missing' : 'required steps are missing';
    return { ...event, problem: `${lacks}: ${missing.join(', ')}`, reason: 'step-missing' };
  } catch (error) {
    const { problem, reason } = failureOf(error, contact);
    const ofSteps = reason.startsWith('steps-') ? reason : 'steps-answer';
    return { kind: 'steps', ...facts, managers: [], missing: [], problem, reason: ofSteps };
  }
}

/** Without the agent token, which an agent may send back. */
function withoutToken(text: string, { token }: Contact): string {
  return token === undefined ? text : createMasker([token], '(agent token)')(text);
}

function identityOf({ callbackUrl, node }: Agent): string {
  return `${callbackUrl} ${node.token.current() ?? ''}`;
}

/** Why a URL does not contain the address of the client; undefined if it does, and for an invalid URL, which no request can use. */
function foreignProblem(callbackUrl: string, client: string): string | undefined {
  const host = parseUrl(callbackUrl)?.hostname;
  if (host === undefined) return undefined;
  // `URL` has one form for each address, and no zones.
  if (parseUrl(`http://${withBrackets(client.replace(/%.*$/, ''))}`)?.hostname === host) return undefined;
  return `not contacted: the URL contains ${host}, but the heartbeat came from ${client}`;
}
