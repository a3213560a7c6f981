/** Agents that answer, and what else may be found at a callback URL. */

import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CliError } from '../../src/errors.ts';
import { askAgent } from '../../src/io/askAgent.ts';
import { listenLocally } from '../support/listening.ts';
import { tlsText } from '../support/serveFixtures.ts';

const started = new Set<Server | TcpServer>();

afterEach(() => {
  for (const server of started) {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  }
  started.clear();
});

async function listen(server: Server | TcpServer, scheme = 'http'): Promise<string> {
  started.add(server);
  return `${scheme}://127.0.0.1:${await listenLocally(server)}`;
}

const token = 'agent-token-0123456789';

/** As ironic-python-agent answers. */
const agent: RequestListener = (request, response) => {
  const url = new URL(request.url ?? '', 'http://a');
  const isKnown = url.searchParams.get('agent_token') === token;
  response.setHeader('Content-Type', 'application/json');
  if (url.pathname === '/v1/status') {
    response.end(JSON.stringify({ started_at: 1_795_000_000.1, version: '13.0.0' }));
  } else if (url.pathname === '/v1/commands/' && isKnown) {
    const commands = [
      { id: '1', command_name: 'get_clean_steps', command_status: 'SUCCEEDED', command_params: {} },
    ];
    response.end(JSON.stringify({ commands }));
  } else {
    response.statusCode = isKnown ? 404 : 401;
    response.end('{"faultcode": "Client", "faultstring": "Token invalid."}');
  }
};

const ask = (callbackUrl: string, others = {}): ReturnType<typeof askAgent> =>
  askAgent({ callbackUrl, verifyCa: undefined, token, ...others });

const answerOf = { version: '13.0.0', commands: ['get_clean_steps: SUCCEEDED'] };

const big: RequestListener = (_request, response) => {
  response.end(Buffer.alloc(3 * 1024 * 1024, ' '));
};
const redirect: RequestListener = (_request, response) => {
  response.writeHead(302, { Location: 'http://192.0.2.1/' }).end();
};
const text =
  (body: string): RequestListener =>
  (_request, response) =>
    void response.end(body);

describe('askAgent', () => {
  it('hears of an agent', async () => {
    expect(await ask(await listen(createServer(agent)))).toEqual(answerOf);
  });

  it('verifies its certificate by the one that the agent has named', async () => {
    const material = { cert: tlsText('server'), key: tlsText('server-key') };
    const url = await listen(createHttpsServer(material, agent), 'https');
    expect(await ask(url, { verifyCa: tlsText('ca') })).toEqual(answerOf);
    const untrusted = 'its certificate is not the one that its heartbeat named';
    await expect(ask(url, { verifyCa: tlsText('other-ca') })).rejects.toThrow(untrusted);
    await expect(ask(url)).rejects.toThrow(untrusted);
    await expect(ask(url, { verifyCa: 'nonsense' })).rejects.toThrow(CliError);
    await expect(ask(url.replace('https:', 'http:'))).rejects.toThrow(CliError);
  });

  it.each([
    [
      'an agent that knows another token',
      agent,
      'it does not take the token that it was given at its lookup',
    ],
    ['no JSON', text('hello'), 'it answers with something else than JSON'],
    ['too much', big, 'it answers with more than 1 MiB'],
    ['a redirect', redirect, 'it answers /v1/status with 302'],
  ])('finds %s', async (_title, listener, problem) => {
    const asked = ask(await listen(createServer(listener)), { token: 'another' });
    await expect(asked).rejects.toThrow(problem);
  });

  it.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['other types', '{"version": 1, "commands": {"a": 1}}'],
  ])('makes nothing of %s', async (_title, body) => {
    expect(await ask(await listen(createServer(text(body))))).toEqual({ version: undefined, commands: [] });
  });

  it('finds what does not speak HTTP, or breaks off', async () => {
    const other = createTcpServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n'));
    await expect(ask(await listen(other))).rejects.toThrow('it does not speak HTTP');
    const gone = createTcpServer((socket) => void socket.resetAndDestroy());
    await expect(ask(await listen(gone))).rejects.toThrow('it broke the connection off');
  });

  it('finds nobody', async () => {
    const server = createServer(agent);
    const url = await listen(server);
    await new Promise((resolve) => void server.close(resolve));
    await expect(ask(url)).rejects.toThrow('nothing listens there');
  });

  it('can be given up', async () => {
    const end = new AbortController();
    const silent = createServer(() => end.abort());
    await expect(ask(await listen(silent), { signal: end.signal })).rejects.toThrow(CliError);
  });

  it.each(['', 'file:///etc/passwd', 'ftp://127.0.0.1', '127.0.0.1:9999', 'https://[', 'javascript:1'])(
    'asks nobody at %j',
    async (url) => {
      await expect(ask(url)).rejects.toThrow('its callback URL is none');
    },
  );

  it('tells neither the token nor the URL', async () => {
    const error: unknown = await ask(`${await listen(createServer(redirect))}/x`).catch(
      (found: unknown) => found,
    );
    expect(String(error)).not.toContain(token);
    expect(String(error)).not.toContain('127.0.0.1');
  });
});
