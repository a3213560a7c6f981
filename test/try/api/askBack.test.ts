/** Whom `try` asks back, and how often. */

import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AskBack,
  type CallbackChecker,
  createCallbackChecker,
} from '../../../src/try/api/callbackChecker.ts';
import type { Agent } from '../../../src/try/ironic/heartbeat.ts';
import { createNodeStore } from '../../../src/try/ironic/nodes.ts';
import type { CallbackEvent } from '../../../src/try/timeline/events.ts';
import { listenLocally } from '../../support/listening.ts';
import { until } from '../../support/serveFixtures.ts';

interface Fixture {
  readonly asking: CallbackChecker;
  readonly events: CallbackEvent[];
  readonly requests: string[];
  readonly url: string;
  readonly answers: { status: number };
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

async function start(askBack: AskBack): Promise<Fixture> {
  const requests: string[] = [];
  const answers = { status: 200 };
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.statusCode = answers.status;
    response.end(request.url === '/v1/status' ? '{"version": "13.0.0\\u001b"}' : '{"commands": []}');
  });
  const port = await listenLocally(server);
  const events: CallbackEvent[] = [];
  const asking = createCallbackChecker({ askBack, observe: (event) => void events.push(event) });
  ends.push(async () => {
    await asking.stop();
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return { asking, events, requests, url: `http://127.0.0.1:${port}`, answers };
}

function agentAt(callbackUrl: string): Agent {
  const found = createNodeStore([]).byMacs(['52:54:00:00:00:01']);
  if (found.kind !== 'node') throw new Error(found.problem);
  return { node: found.node, callbackUrl, verifyCa: undefined };
}

describe('asking back', () => {
  it('an agent at the address of its heartbeat, until it has answered', async () => {
    const { asking, events, requests, url, answers } = await start('own address');
    const agent = agentAt(url);
    const token = agent.node.token.issue();
    answers.status = 500;
    asking.onHeartbeat(agent, '127.0.0.1');
    asking.onHeartbeat(agent, '127.0.0.1'); // while it is asked
    await until(() => events.length === 1);
    answers.status = 200;
    asking.onHeartbeat(agent, '127.0.0.1');
    await until(() => events.length === 2);
    asking.onHeartbeat(agent, '127.0.0.1'); // it has answered
    await asking.stop();
    expect(events.map(({ problem, summary }) => problem ?? summary)).toEqual([
      'it responds to /v1/status with HTTP status 500',
      'agent 13.0.0?, no commands yet',
    ]);
    expect(requests).toEqual(['/v1/status', '/v1/status', `/v1/commands/?agent_token=${token}`]);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  it.each([
    [
      'http://192.0.2.1:9999',
      '127.0.0.1',
      'not contacted: the URL contains 192.0.2.1, but the heartbeat came from 127.0.0.1',
    ],
    [
      'http://localhost:1',
      '127.0.0.1',
      'not contacted: the URL contains localhost, but the heartbeat came from 127.0.0.1',
    ],
    ['http://127.0.0.1.example', '127.0.0.1', /^not contacted: the URL contains 127\.0\.0\.1\.example/],
    ['http://169.254.169.254/latest', '192.0.2.7', /^not contacted/],
    ['http://a\u001b@[::1]:1', '::2', /^not contacted: the URL contains \[::1\]/],
  ])('not %s from %s', async (url, client, problem) => {
    const { asking, events } = await start('own address');
    const agent = agentAt(url);
    asking.onHeartbeat(agent, client);
    asking.onHeartbeat(agent, client);
    await asking.stop();
    expect(events).toHaveLength(1);
    expect(events[0]?.problem).toMatch(problem);
  });

  it.each([
    ['http://[::1]:1', '::1'],
    ['http://[0:0::1]:1', '::1'],
    ['http://0x7f.1:1', '127.0.0.1'],
  ])('%s is the address %s', async (url, client) => {
    const { asking, events } = await start('own address');
    asking.onHeartbeat(agentAt(url), client);
    await until(() => events.length === 1);
    expect(events[0]?.problem).not.toMatch(/^not contacted/);
  });

  it('anywhere, where that is allowed', async () => {
    const { asking, events, url } = await start('anywhere');
    asking.onHeartbeat(agentAt(url), '192.0.2.7');
    await until(() => events.length === 1);
    expect(events[0]?.problem).toBeUndefined();
  });

  it('nobody, where that is wanted, or where there is no URL', async () => {
    const never = await start('never');
    never.asking.onHeartbeat(agentAt(never.url), '127.0.0.1');
    const own = await start('own address');
    own.asking.onHeartbeat(agentAt(''), '127.0.0.1');
    await Promise.all([never.asking.stop(), own.asking.stop()]);
    expect([never.requests, never.events, own.events]).toEqual([[], [], []]);
  });
});
