/** Whom `try` asks back, and how often. */

import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AskBack,
  type CallbackChecker,
  createCallbackChecker,
} from '../../../src/trial/api/callbackChecker.ts';
import type { Agent } from '../../../src/trial/ironic/heartbeat.ts';
import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createNodeStore } from '../../../src/trial/ironic/nodes.ts';
import type { CallbackEvent, StepsEvent } from '../../../src/trial/timeline/events.ts';
import { listenLocally } from '../../support/listening.ts';
import { type AgentCommand, agentListener, genericAgent } from '../../support/scriptedAgent.ts';
import { WAIT_LIMIT } from '../../support/patience.ts';
import { until } from '../../support/serveFixtures.ts';

interface Fixture {
  readonly asking: CallbackChecker;
  readonly events: (CallbackEvent | StepsEvent)[];
  readonly requests: string[];
  readonly url: string;
  readonly answers: { status: number; command: AgentCommand };
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

async function start(askBack: AskBack, requiredSteps: readonly string[] = []): Promise<Fixture> {
  const requests: string[] = [];
  const answers = { status: 200, command: genericAgent };
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (answers.status === 200) agentListener((...sent) => answers.command(...sent))(request, response);
    else response.writeHead(answers.status).end();
  });
  const port = await listenLocally(server);
  const events: Fixture['events'] = [];
  const asking = createCallbackChecker({
    askBack,
    requiredSteps,
    statusTime: WAIT_LIMIT,
    observe: (event) => void events.push(event),
  });
  ends.push(async () => {
    await asking.stop();
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  return { asking, events, requests, url: `http://127.0.0.1:${port}`, answers };
}

function agentAt(callbackUrl: string): Agent {
  const node = createNodeStore(createMachines([])).byMacs(['52:54:00:00:00:01'], '127.0.0.1');
  if ('problem' in node) throw new Error(node.problem);
  return { node, callbackUrl, verifyCa: undefined };
}

describe('asking back', () => {
  it('an agent at the address of its heartbeat, until it has answered', async () => {
    const { asking, events, requests, url, answers } = await start('own');
    const agent = agentAt(url);
    const token = agent.node.token.issue();
    answers.status = 500;
    asking.onHeartbeat(agent, '127.0.0.1');
    asking.onHeartbeat(agent, '127.0.0.1'); // while it is asked
    await until(() => events.length === 1);
    answers.status = 200;
    asking.onHeartbeat(agent, '127.0.0.1');
    await until(() => events.length === 3);
    asking.onHeartbeat(agent, '127.0.0.1'); // it has answered
    await asking.stop();
    expect(events).toMatchObject([
      { kind: 'callback', problem: 'it responds to /v1/status with HTTP status 500' },
      { kind: 'callback', summary: 'agent 11.0.0, no commands yet' },
      {
        kind: 'steps',
        managers: [{ name: 'GenericHardwareManager' }, { name: 'ContainerHardwareManager' }],
        missing: [],
        problem: undefined,
      },
    ]);
    const command = `POST /v1/commands/?wait=true&agent_token=${token}`;
    expect(requests).toEqual([
      'GET /v1/status',
      'GET /v1/status',
      `GET /v1/commands/?agent_token=${token}`,
      command,
      command,
    ]);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  it('an agent that is busy, again after its next heartbeat', async () => {
    const { asking, events, url, answers } = await start('own');
    const agent = agentAt(url);
    answers.command = () => ({ status: 409, body: { faultstring: 'Agent is busy: executing command x' } });
    asking.onHeartbeat(agent, '127.0.0.1');
    await until(() => events.length === 2);
    answers.command = genericAgent;
    await until(() => {
      asking.onHeartbeat(agent, '127.0.0.1');
      return events.length === 4;
    });
    const steps = events.filter(({ kind }) => kind === 'steps');
    expect(steps.map(({ reason }) => reason)).toEqual(['steps-busy', undefined]);
  });

  it('a hundred agents at the same time', async () => {
    const { asking, events, url } = await start('own');
    for (let count = 0; count < 100; count++) asking.onHeartbeat(agentAt(url), '127.0.0.1');
    await asking.idle();
    expect(events.filter(({ kind, problem }) => kind === 'steps' && problem === undefined)).toHaveLength(100);
  });

  it('an agent without a required step', async () => {
    const { asking, events, url } = await start('own', ['install_coreos', 'write_image']);
    asking.onHeartbeat(agentAt(url), '127.0.0.1');
    await until(() => events.length === 2);
    expect(events[1]).toMatchObject({
      missing: ['install_coreos'],
      problem: 'a required step is missing: install_coreos',
      reason: 'step-missing',
    });
  });

  it('an agent that sends its token back, without reporting it', async () => {
    const { asking, events, url, answers } = await start('own');
    const agent = agentAt(url);
    const token = agent.node.token.issue();
    const steps = { A: [{ step: `a\u001b${token}` }] };
    answers.command = () => ({
      status: 200,
      body: {
        command_result: { clean_steps: steps, deploy_steps: {}, hardware_manager_version: { A: token } },
      },
    });
    asking.onHeartbeat(agent, '127.0.0.1');
    await until(() => events.length === 2);
    expect(events[1]).toMatchObject({
      managers: [{ version: '(agent token)', steps: [{ step: 'a\u001b(agent token)' }] }],
    });
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
    const { asking, events } = await start('own');
    const agent = agentAt(url);
    asking.onHeartbeat(agent, client);
    asking.onHeartbeat(agent, client);
    await asking.stop();
    expect(events).toHaveLength(1);
    expect(events[0]?.problem).toMatch(problem);
  });

  it.each<AskBack>(['own', 'anywhere'])('says what is wrong with an invalid URL (%s)', async (askBack) => {
    const { asking, events } = await start(askBack);
    asking.onHeartbeat(agentAt('https://[fe80::1%25eth0]:9999'), '127.0.0.1');
    await asking.idle();
    expect(events).toMatchObject([
      {
        kind: 'callback',
        reason: 'callback-unreachable',
        problem: expect.stringMatching(/is invalid: .* has a zone/),
      },
    ]);
  });

  it.each([
    ['http://[::1]:1', '::1'],
    ['http://[0:0::1]:1', '::1'],
    ['http://0x7f.1:1', '127.0.0.1'],
  ])('%s is the address %s', async (url, client) => {
    const { asking, events } = await start('own');
    asking.onHeartbeat(agentAt(url), client);
    await until(() => events.length === 1);
    expect(events[0]?.problem).not.toMatch(/^not contacted/);
  });

  it('anywhere, where that is allowed', async () => {
    const { asking, events, url } = await start('anywhere');
    asking.onHeartbeat(agentAt(url), '192.0.2.7');
    await until(() => events.length === 2);
    expect(events[0]?.problem).toBeUndefined();
  });

  it('nobody, where that is wanted, or where there is no URL', async () => {
    const never = await start('never');
    never.asking.onHeartbeat(agentAt(never.url), '127.0.0.1');
    const own = await start('own');
    own.asking.onHeartbeat(agentAt(''), '127.0.0.1');
    await Promise.all([never.asking.stop(), own.asking.stop()]);
    expect([never.requests, never.events, own.events]).toEqual([[], [], []]);
  });
});
