/** TLS in both directions, names of certificates, and proxies. */

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterConfig } from '../../src/kube/clusterConfig.ts';
import { ApiError } from '../../src/kube/apiError.ts';
import { ApiClient } from '../../src/kube/kubernetesClient.ts';
import { secrets } from '../../src/kube/objects.ts';
import { parseProxies } from '../../src/http/client/httpUrl.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connectProxy.ts';
import { listOf } from '../support/fakeApiServer.ts';
import { listenLocally } from '../support/listening.ts';

const pem = (name: string): Buffer => readFileSync(new URL(`../support/tls/${name}.pem`, import.meta.url));

let server: Server;
let origin: string;
let proxy: ConnectProxy;

beforeEach(async () => {
  const tls = { cert: pem('server'), key: pem('server-key'), ca: pem('ca'), requestCert: true };
  server = createServer({ ...tls, rejectUnauthorized: true }, (_request, response) =>
    listOf(5, [])(response),
  );
  origin = `https://127.0.0.1:${await listenLocally(server)}`;
  proxy = await startConnectProxy({ origin });
});
afterEach(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

const none = { http: '', https: '', except: '' };

async function list(config: Partial<ClusterConfig>): Promise<string> {
  const client = new ApiClient({
    description: 'test',
    server: origin,
    tls: { ca: pem('ca'), cert: pem('client'), key: pem('client-key') },
    serverName: undefined,
    proxies: none,
    namespace: 'metal3',
    readToken: async () => undefined,
    ...config,
  });
  try {
    for await (const { resourceVersion } of client.list(secrets, undefined)) return resourceVersion;
    return 'nothing';
  } catch (error) {
    return error instanceof ApiError ? (error.hint ?? error.message) : String(error);
  } finally {
    await client.close();
  }
}

describe('the connection to an API server', () => {
  it('shows the client certificate', async () => {
    expect(await list({})).toBe('5');
    expect(await list({ tls: { ca: pem('ca') } })).not.toBe('5');
  });

  it('trusts the authority that is named, and nobody else', async () => {
    const { ca: _ca, ...tls } = { ca: pem('ca'), cert: pem('client'), key: pem('client-key') };
    expect(await list({ tls })).toContain('certificate-authority');
    expect(await list({ tls: { ...tls, ca: pem('other-ca') } })).toContain('certificate-authority');
  });

  it('wants the name of the server in its certificate', async () => {
    expect(await list({ serverName: 'localhost' })).toBe('5');
    expect(await list({ serverName: 'another.test' })).toContain('certificate-authority');
  });

  it.each(['0', undefined])('verifies where NODE_TLS_REJECT_UNAUTHORIZED is %s', async (value) => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    if (value !== undefined) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = value;
    try {
      expect(await list({ tls: { ca: pem('other-ca') } })).toContain('certificate-authority');
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      if (before !== undefined) process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('goes through a proxy, verified as ever', async () => {
    const config = { server: 'https://api.test:6443', proxies: { ...none, https: proxy.url } };
    expect(await list({ ...config, serverName: 'localhost' })).toBe('5');
    expect(proxy.targets).toEqual(['api.test:6443']);
    expect(await list(config)).toContain('certificate-authority');
  });

  it('goes past the proxy to those that the environment excepts', async () => {
    const proxies = parseProxies({ https_proxy: proxy.url, no_proxy: '127.0.0.1' });
    expect(await list({ proxies })).toBe('5');
    expect(proxy.targets).toEqual([]);
  });

  it('says what the proxy refuses, without its password', async () => {
    const https = proxy.url.replace('hunter2', 'hunter3');
    expect(await list({ proxies: { ...none, https } })).toContain('https_proxy');
  });
});
