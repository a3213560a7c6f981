/** Agents that list their steps, and faults of agents and of other servers. */

import { createMachines } from '../../../src/trial/timeline/machines.ts';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { AgentError, askWithin } from '../../../src/trial/api/agentConnection.ts';
import { askSteps } from '../../../src/trial/api/askAgent.ts';
import { listenLocally } from '../../support/listening.ts';
import { type AgentCommand, agentListener, genericAgent } from '../../support/scriptedAgent.ts';
import { tlsText } from '../../support/serveFixtures.ts';

const started = new Set<Server>();

afterEach(() => {
  for (const server of started) {
    server.close();
    server.closeAllConnections();
  }
  started.clear();
});

async function listen(server: Server, scheme = 'http'): Promise<string> {
  started.add(server);
  return `${scheme}://127.0.0.1:${await listenLocally(server)}`;
}

const token = 'agent-token-0123456789';
const [machine = expect.fail()] = createMachines([{ name: 'worker-0', macs: ['52:54:00:00:00:01'] }]).all;
const node = { uuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123', machine };

const ask = (callbackUrl: string, others = {}): ReturnType<typeof askSteps> =>
  askSteps({ callbackUrl, verifyCa: undefined, token, node, ...others });

const askListener = async (listener: RequestListener): ReturnType<typeof askSteps> =>
  ask(await listen(createServer(listener)));

const askCommand = (command: AgentCommand): ReturnType<typeof askSteps> =>
  askListener(agentListener(command, token));

/** Of a command with this result. */
const succeed =
  (result: unknown): AgentCommand =>
  () => ({
    status: 200,
    body: { command_status: 'SUCCEEDED', command_error: null, command_result: result },
  });

const step = (name: unknown, others = {}): object => ({
  step: name,
  priority: 0,
  interface: 'deploy',
  ...others,
});

/** Clean steps, and a deploy step of the same hardware manager. */
const stepsOf = (clean: unknown, versions: unknown = {}): AgentCommand =>
  succeed({ clean_steps: clean, deploy_steps: { A: [step('d')] }, hardware_manager_version: versions });

describe('askSteps', () => {
  it('lists hardware managers with their version, their steps and their priorities', async () => {
    expect(await askCommand(genericAgent)).toEqual([
      {
        name: 'GenericHardwareManager',
        version: '1.2',
        steps: [
          { type: 'clean', step: 'erase_devices', interface: 'deploy', priority: 10 },
          { type: 'clean', step: 'erase_devices_metadata', interface: 'deploy', priority: 99 },
          { type: 'clean', step: 'delete_configuration', interface: 'raid', priority: 0 },
          { type: 'deploy', step: 'write_image', interface: 'deploy', priority: 0 },
        ],
      },
      { name: 'ContainerHardwareManager', version: '2', steps: [] },
    ]);
  });

  it('sends two commands that only list steps, with the node, its ports and the token', async () => {
    const sent: unknown[] = [];
    await askCommand((name, params) => {
      sent.push([name, params]);
      return genericAgent(name, params);
    });
    const params = {
      node: expect.objectContaining({ uuid: node.uuid, name: 'worker-0', instance_info: {}, properties: {} }),
      ports: [expect.objectContaining({ address: '52:54:00:00:00:01' })],
    };
    expect(sent).toEqual([
      ['clean.get_clean_steps', params],
      ['deploy.get_deploy_steps', params],
    ]);
    expect(JSON.stringify(sent)).not.toContain(token);
  });

  it('waits for the result, like Ironic', async () => {
    const urls: (string | undefined)[] = [];
    const url = await listen(
      createServer((request, response) => {
        urls.push(request.url);
        agentListener(genericAgent, token)(request, response);
      }),
    );
    await ask(url);
    expect(new Set(urls)).toEqual(new Set([`/v1/commands/?wait=true&agent_token=${token}`]));
  });

  it('verifies the certificate by the one of the heartbeat, and sends nothing to another server', async () => {
    let requests = 0;
    const material = { cert: tlsText('server'), key: tlsText('server-key') };
    const listener: RequestListener = (request, response) => {
      requests++;
      agentListener(genericAgent, token)(request, response);
    };
    const url = await listen(createHttpsServer(material, listener), 'https');
    const other = { reason: 'callback-other-certificate' };
    await expect(ask(url, { verifyCa: tlsText('other-ca') })).rejects.toMatchObject(other);
    expect(requests).toBe(0);
    expect(await ask(url, { verifyCa: tlsText('ca') })).toHaveLength(2);
  });

  it.each<readonly [string, number, string, Pick<AgentError, 'message' | 'reason'>]>([
    [
      'another command',
      409,
      'Agent is busy: executing command execute_clean_step',
      {
        reason: 'steps-busy',
        message: 'it is executing another command (Agent is busy: executing command execute_clean_step)',
      },
    ],
    [
      'another command, in the words of an older agent',
      500,
      'agent is busy',
      { reason: 'steps-busy', message: 'it is executing another command (agent is busy)' },
    ],
    [
      'no such extension',
      404,
      'Not found: Extension with id clean not found.',
      { reason: 'steps-unsupported', message: 'it does not have the command get_clean_steps' },
    ],
    [
      'no such command',
      400,
      'Invalid command: Unknown command: get_clean_steps',
      { reason: 'steps-unsupported', message: 'it does not have the command get_clean_steps' },
    ],
    [
      'another token',
      401,
      '401 Unauthorized: Token invalid.',
      { reason: 'callback-answer', message: 'it does not accept the token of its lookup' },
    ],
    [
      'an error of a hardware manager without a form in JSON',
      500,
      'Object of type RuntimeError is not JSON serializable',
      {
        reason: 'steps-failed',
        message: 'its command get_clean_steps failed: Object of type RuntimeError is not JSON serializable',
      },
    ],
    [
      'other errors',
      503,
      '',
      { reason: 'callback-answer', message: 'it responds to /v1/commands/ with HTTP status 503' },
    ],
  ])('reports %s', async (_title, status, faultstring, error) => {
    const asked = askCommand(() => ({ status, body: { faultcode: 'Client', faultstring } }));
    await expect(asked).rejects.toMatchObject(error);
  });

  it.each<readonly [string, unknown, string]>([
    ['its details', { type: 'CleaningError', code: 500, message: 'Failed', details: 'no disk' }, 'no disk'],
    ['its message', { type: 'CleaningError', code: 500, message: 'Failed' }, 'Failed'],
    ['no text', { message: 1 }, 'no reason given'],
  ])('reports a failed command with %s', async (_title, error, text) => {
    const body = { command_status: 'FAILED', command_error: error, command_result: null };
    const message = `its command get_clean_steps failed: ${text}`;
    await expect(askCommand(() => ({ status: 200, body }))).rejects.toMatchObject({
      reason: 'steps-failed',
      message,
    });
  });

  it.each<readonly [string, RequestListener, string]>([
    ['text', (_request, response) => void response.end('hello'), 'its response is not JSON'],
    [
      'an error page',
      (_request, response) => void response.writeHead(502).end('<html>'),
      'it responds to /v1/commands/ with HTTP status 502',
    ],
    [
      'a very large response',
      (_request, response) => void response.end(Buffer.alloc(3 * 1024 * 1024, ' ')),
      'its response is larger than 1 MiB',
    ],
    [
      'a redirect',
      (_request, response) => void response.writeHead(302, { Location: 'http://192.0.2.1/' }).end(),
      'it responds to /v1/commands/ with HTTP status 302',
    ],
    [
      'a command that runs in the background',
      agentListener(
        () => ({ status: 200, body: { command_status: 'RUNNING', command_result: null } }),
        token,
      ),
      'its response to get_clean_steps contains no result',
    ],
  ])('does not accept %s', async (_title, listener, message) => {
    await expect(askListener(listener)).rejects.toMatchObject({
      reason: expect.stringMatching(/-answer$/),
      message,
    });
  });

  const many = (count: number): object => Array.from({ length: count }, (_, index) => step(`s${index}`));
  it.each<readonly [string, AgentCommand, string]>([
    ['no lists', succeed({}), 'its response contains no clean_steps'],
    ['lists without hardware managers', stepsOf([step('a')]), 'its response contains no clean_steps'],
    ['a step without a name', stepsOf({ A: [step(1)] }), 'its response contains a clean step without a name'],
    ['a step that is a text', stepsOf({ A: ['a'] }), 'its response contains a clean step without a name'],
    ['too many steps', stepsOf({ A: many(200) }), 'it has more than 200 steps or 32 hardware managers'],
    [
      'too many hardware managers',
      stepsOf({}, Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}`, '1']))),
      'it has more than 200 steps or 32 hardware managers',
    ],
  ])('does not accept %s', async (_title, command, message) => {
    await expect(askCommand(command)).rejects.toMatchObject({ reason: 'steps-answer', message });
  });

  it('reads unusual values', async () => {
    const steps = {
      A: [step('a'.repeat(300), { priority: '10' }), step('b', { priority: null, interface: null })],
      __proto__x: 'no list',
    };
    expect(await askCommand(stepsOf(steps, { A: 1, a_: '2' }))).toEqual([
      {
        name: 'A',
        version: '2',
        steps: [
          { type: 'clean', step: 'a'.repeat(300), interface: 'deploy', priority: 0 },
          { type: 'clean', step: 'b', interface: undefined, priority: 0 },
          { type: 'deploy', step: 'd', interface: 'deploy', priority: 0 },
        ],
      },
      { name: '__proto__x', version: undefined, steps: [] },
    ]);
  });

  it.each<readonly [string, RequestListener]>([
    ['does not respond', () => undefined],
    [
      'never ends its response',
      (_request, response) => {
        const dripping = setInterval(() => response.write(' '), 5);
        response.once('close', () => clearInterval(dripping));
      },
    ],
  ])('gives up on an agent that %s', async (_title, listener) => {
    const callbackUrl = await listen(createServer(listener));
    const asked = askWithin({ callbackUrl, verifyCa: undefined, token }, 100, (request) =>
      request('/v1/commands/', {}),
    );
    await expect(asked).rejects.toThrow('no response within 0.1 seconds');
  });

  it('can be canceled while the agent does not respond', async () => {
    const end = new AbortController();
    const url = await listen(createServer(() => end.abort()));
    await expect(ask(url, { signal: end.signal })).rejects.toMatchObject({ reason: 'callback-answer' });
  });

  it('reports neither the token nor the URL', async () => {
    const error: unknown = await askListener(
      (_request, response) => void response.writeHead(500).end(),
    ).catch((found: unknown) => found);
    expect(error).toBeInstanceOf(AgentError);
    expect(String(error)).not.toContain(token);
    expect(String(error)).not.toContain('127.0.0.1');
  });
});
