/** Agents that answer, and what else may be found at a callback URL. */

import { listenLocally } from '../../support/listening.ts';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { AgentError } from '../../../src/trial/api/agentConnection.ts';
import { askAgent } from '../../../src/trial/api/askAgent.ts';
import { type CreatedCertificates, createCertificates } from '../../../src/trial/api/createdCertificates.ts';
import { tlsText } from '../../support/serveFixtures.ts';

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

  it.each([
    ['objects', '{"commands": [{"command_name": {"toString": 1}, "command_status": [[]]}, 1]}'],
    ['nested lists', `{"commands": [{"command_name": ${'['.repeat(5000)}${']'.repeat(5000)}}]}`],
  ])('hears of commands whose names are %s', async (_title, body) => {
    const { commands } = await ask(await listen(createServer(text(body))));
    expect(commands[0]).toBe('(unknown): (unknown)');
  });

  it('verifies its certificate by the one that the agent has named', async () => {
    const material = { cert: tlsText('server'), key: tlsText('server-key') };
    const url = await listen(createHttpsServer(material, agent), 'https');
    expect(await ask(url, { verifyCa: tlsText('ca') })).toEqual(answerOf);
    const other = { reason: 'callback-other-certificate' };
    await expect(ask(url, { verifyCa: tlsText('other-ca') })).rejects.toMatchObject(other);
    await expect(ask(url, { verifyCa: 'nonsense' })).rejects.toMatchObject(other);
    await expect(ask(url)).rejects.toMatchObject({ reason: 'callback-untrusted' });
    await expect(ask(url.replace('https:', 'http:'))).rejects.toThrow(CliError);
  });

  const day = 24 * 60 * 60 * 1000;
  const otherClock = (days: number): Promise<CreatedCertificates> =>
    createCertificates(['127.0.0.1'], new Date(Date.now() + days * day));

  it.each([
    ['ahead', 2, /^its certificate is valid from .+; the current time is /],
    ['behind', -100, /^its certificate expired at .+; the current time is /],
  ])('sees that its clock is %s, by the certificate that it has named', async (_title, days, problem) => {
    const { ca, tls } = await otherClock(days);
    const url = await listen(createHttpsServer(tls.context, agent), 'https');
    const found = { reason: 'callback-clock', message: expect.stringMatching(problem) };
    await expect(ask(url, { verifyCa: ca })).rejects.toMatchObject(found);
  });

  it.each([-100, 0, 2])(
    'does not blame the clock for the certificate of another machine, %i days from now',
    async (days) => {
      const { tls } = await otherClock(days);
      const url = await listen(createHttpsServer(tls.context, agent), 'https');
      const found = { reason: 'callback-other-certificate' };
      await expect(ask(url, { verifyCa: tlsText('ca') })).rejects.toMatchObject(found);
    },
  );

  it('sees a certificate that is for another address', async () => {
    const { ca, tls } = await createCertificates(['192.0.2.1']);
    const url = await listen(createHttpsServer(tls.context, agent), 'https');
    await expect(ask(url, { verifyCa: ca })).rejects.toMatchObject({ reason: 'callback-name' });
  });

  it('sends nothing to what has another certificate', async () => {
    let requests = 0;
    const { tls } = await createCertificates(['127.0.0.1']);
    const server = createHttpsServer(tls.context, () => requests++);
    await expect(ask(await listen(server, 'https'), { verifyCa: tlsText('ca') })).rejects.toBeInstanceOf(
      AgentError,
    );
    expect(requests).toBe(0);
  });

  it('tells what is reached from what is not', async () => {
    const closed = createServer(agent);
    const nowhere = await listen(closed);
    await new Promise((resolve) => void closed.close(resolve));
    const plain = (await listen(createServer(agent))).replace('http:', 'https:');
    const silent = await listen(
      createTcpServer(() => undefined),
      'https',
    );
    const ssh = await listen(createTcpServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n')));
    const reasons = [nowhere, plain, silent, ssh].map((url) =>
      ask(url).catch((error: unknown) => (error instanceof AgentError ? error.reason : error)),
    );
    expect(await Promise.all(reasons)).toEqual([
      'callback-unreachable',
      'callback-tls',
      'callback-tls',
      'callback-answer',
    ]);
  });

  it.each([
    ['an agent that knows another token', agent, 'it does not accept the token of its lookup'],
    ['no JSON', text('hello'), 'its response is not JSON'],
    ['too much', big, 'its response is larger than 1 MiB'],
    ['a redirect', redirect, 'it responds to /v1/status with HTTP status 302'],
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
    await expect(ask(await listen(other))).rejects.toThrow('the response is not valid HTTP');
    const gone = createTcpServer((socket) => void socket.resetAndDestroy());
    await expect(ask(await listen(gone))).rejects.toThrow('the connection was interrupted');
  });

  it('finds nobody', async () => {
    const server = createServer(agent);
    const url = await listen(server);
    await new Promise((resolve) => void server.close(resolve));
    await expect(ask(url)).rejects.toThrow('connection refused');
  });

  it('can be given up', async () => {
    const end = new AbortController();
    const silent = createServer(() => end.abort());
    await expect(ask(await listen(silent), { signal: end.signal })).rejects.toThrow(CliError);
  });

  it.each([
    ['', 'it is not an HTTP URL'],
    ['file:///etc/passwd', 'it is not an HTTP URL'],
    ['ftp://127.0.0.1', 'it is not an HTTP URL'],
    ['127.0.0.1:9999', 'it is not an HTTP URL'],
    ['javascript:1', 'it is not an HTTP URL'],
    ['https://', 'it has no host'],
    ['https://[', 'its host [ is invalid'],
    ['https://a:b@ho st:9999/', 'its host ho st is invalid'],
    ['https://192.0.2.1:99999', 'its port 99999 is invalid'],
    [
      'https://[fe80::1%25eth0]:9999',
      'its address [fe80::1%25eth0] has a zone, which other machines cannot use',
    ],
  ])('sends no request to %j: %s', async (url, problem) => {
    await expect(ask(url)).rejects.toThrow(`its callback URL is invalid: ${problem}`);
  });

  it('tells neither the token nor the URL', async () => {
    const error: unknown = await ask(`${await listen(createServer(redirect))}/x`).catch(
      (found: unknown) => found,
    );
    expect(String(error)).not.toContain(token);
    expect(String(error)).not.toContain('127.0.0.1');
  });
});
