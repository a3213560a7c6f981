/**
 * Asks agents back that have sent a heartbeat, as Ironic does next. Their URLs come from whoever calls, so by default only
 * the caller itself is asked: nobody gets to send this machine anywhere else.
 */

import { setMaxListeners } from 'node:events';
import { parseHost } from '../../formats/hostName.ts';
import { AgentError, askAgent, type AgentReply } from '../io/askAgent.ts';
import { plainText } from '../../serve/http/plainAnswer.ts';
import type { Agent } from '../ironic/heartbeat.ts';
import type { CallbackEvent } from '../timeline/events.ts';

/** Which callback URLs are asked: those at the caller's own address, any, or none. */
export type AskBack = 'own address' | 'anywhere' | 'never';

export interface AskingBack {
  /** After a heartbeat from `client`. An agent that has answered is not asked again until it is another one. */
  heard(agent: Agent, client: string): void;
  /** Resolves when nobody is asked any more. */
  stop(): Promise<void>;
}

export interface AskBackOptions {
  readonly askBack: AskBack;
  readonly observe: (event: CallbackEvent) => void;
}

/** Agents that are asked at a time; more are asked after their next heartbeat. */
const MAX_ASKED = 32;
/** Nodes of which is known that they have answered. */
const MAX_KNOWN = 10_000;

export function createAskingBack({ askBack, observe }: AskBackOptions): AskingBack {
  const done = new Map<string, string>();
  const running = new Map<string, Promise<void>>();
  const end = new AbortController();
  setMaxListeners(0, end.signal);

  const tell = (
    agent: Agent,
    client: string,
    result: Pick<CallbackEvent, 'problem' | 'reason' | 'summary'>,
  ): void => {
    if (end.signal.aborted) return;
    const url = plainText(agent.callbackUrl, MAX_URL);
    observe({ kind: 'callback', at: new Date(), client, node: agent.node.uuid, url, ...result });
  };
  /** Until the agent is another one, nothing more is to be learnt. */
  const settle = (agent: Agent): void => {
    if (done.size >= MAX_KNOWN) done.clear();
    done.set(agent.node.uuid, identityOf(agent));
  };
  const ask = async (agent: Agent, client: string): Promise<void> => {
    const { callbackUrl, verifyCa, node } = agent;
    try {
      const reply = await askAgent({
        callbackUrl,
        verifyCa,
        token: node.token.current(),
        signal: end.signal,
      });
      settle(agent);
      tell(agent, client, { problem: undefined, reason: undefined, summary: describe(reply) });
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const { message: problem, reason } = error;
      tell(agent, client, { problem, reason, summary: undefined });
    }
  };

  return {
    heard: (agent, client) => {
      const { uuid } = agent.node;
      if (askBack === 'never' || agent.callbackUrl === '' || end.signal.aborted) return;
      if (done.get(uuid) === identityOf(agent) || running.has(uuid) || running.size >= MAX_ASKED) return;
      const problem = askBack === 'anywhere' ? undefined : foreignProblem(agent.callbackUrl, client);
      if (problem !== undefined) {
        settle(agent);
        tell(agent, client, { problem, reason: 'other-address', summary: undefined });
        return;
      }
      running.set(
        uuid,
        ask(agent, client).finally(() => void running.delete(uuid)),
      );
    },
    stop: async () => {
      end.abort();
      await Promise.all(running.values());
    },
  };
}

/** Characters. */
const MAX_URL = 300;

function identityOf({ callbackUrl, node }: Agent): string {
  return `${callbackUrl} ${node.token.current() ?? ''}`;
}

/** Why a URL is not that of the client itself; undefined where it is. */
function foreignProblem(callbackUrl: string, client: string): string | undefined {
  const host = URL.canParse(callbackUrl) ? new URL(callbackUrl).hostname : '';
  if (canonical(host) === canonical(client)) return undefined;
  const shown = plainText(host, MAX_URL);
  return `not asked: the URL names ${shown}, but the heartbeat came from ${client}`;
}

/** IPv6 addresses as URLs have them; `[::1]` and `::1` are the same. */
function canonical(address: string): string {
  const host = parseHost(address.replace(/^\[|\]$/g, ''));
  if (host.kind !== 'ipv6') return address;
  return URL.canParse(`http://[${host.address}]`) ? new URL(`http://[${host.address}]`).hostname : address;
}

function describe({ version, commands }: AgentReply): string {
  const run = commands.length === 0 ? 'no commands so far' : `commands: ${commands.join(', ')}`;
  return plainText(`agent ${version ?? 'of unknown version'}, ${run}`, MAX_URL);
}
