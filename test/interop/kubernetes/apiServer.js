// @ts-check
/**
 * A real Kubernetes for tests, as far as an API server goes: kube-apiserver and etcd on ports of this machine, in a folder
 * that goes with them. Nobody runs anything in it. It checks tokens and roles as any cluster does, and logs each request.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { writeCredentials } from './credentials.js';
import { programFile } from './programs.js';

/** @typedef {import('./apiServer.d.ts').ApiServer} ApiServer */
/** @typedef {import('./apiServer.d.ts').LoggedRequest} LoggedRequest */
/** @typedef {{ readonly end: (signal: NodeJS.Signals) => Promise<void> }} Program */
/** @typedef {{ readonly method: string, readonly path: string, readonly body?: unknown }} Call */

/** Until it is ready; it takes some seconds, on a machine with much else to do far more. */
const SECONDS = 90;

/** @type {typeof import('./apiServer.d.ts').startApiServer} */
export async function startApiServer() {
  const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const credentials = writeCredentials(folder);
  const [etcdPort = 0, port = 0] = await freePorts(2);
  const log = join(folder, 'requests.log');
  const cluster = { folder, credentials, etcdPort, port, log };
  const ask = (/** @type {Call} */ call) => send({ ...cluster, ...call });
  const etcd = startEtcd(cluster);
  /** @type {Program} */
  let server = startServer(cluster);
  const stop = async () => {
    await server.end('SIGKILL');
    await etcd.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(ask, folder);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `https://127.0.0.1:${port}`,
    authority: readFileSync(credentials.authority, 'utf8'),
    adminToken: credentials.adminToken,
    adminFiles: credentials.adminFiles,
    ask: async (method, path, body) => ask({ method, path, body }),
    createToken: async (account, seconds = 3600) => createToken(ask, account, seconds),
    writeKubeconfig: (name, token) => writeKubeconfig(cluster, name, token),
    requests: () => readLog(log),
    down: async (signal = 'SIGKILL') => server.end(signal),
    up: async () => {
      server = startServer(cluster);
      await untilReady(ask, folder);
    },
    stop,
  };
}

/** @param {number} count @returns {Promise<number[]>} that nobody listens on just now */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** @typedef {{ readonly folder: string, readonly credentials: ReturnType<typeof writeCredentials>, readonly etcdPort: number, readonly port: number, readonly log: string }} Cluster */

/** @param {Cluster} cluster */
function startEtcd({ folder, etcdPort }) {
  const url = `http://127.0.0.1:${etcdPort}`;
  return start('etcd', folder, [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    '--unsafe-no-fsync',
    '--log-level=error',
  ]);
}

/** @param {Cluster} cluster */
function startServer({ folder, credentials, etcdPort, port, log }) {
  const policy = join(folder, 'policy.json');
  const rules = [{ level: 'Metadata', omitStages: ['RequestReceived'] }];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  mkdirSync(join(folder, 'own'), { recursive: true });
  return start('kube-apiserver', folder, [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'own')}`,
    `--tls-cert-file=${credentials.certificate}`,
    `--tls-private-key-file=${credentials.key}`,
    `--client-ca-file=${credentials.authority}`,
    `--token-auth-file=${credentials.tokens}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${credentials.accountKey}`,
    `--service-account-signing-key-file=${credentials.accountKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    // Pods would need it, and there are none.
    '--disable-admission-plugins=ServiceAccount',
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${log}`,
    '--shutdown-delay-duration=0',
  ]);
}

/** @param {'etcd' | 'kube-apiserver'} name @param {string} folder @param {readonly string[]} args @returns {Program} */
function start(name, folder, args) {
  const child = spawn(programFile(name), args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close').catch(() => undefined);
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    words = (words + chunk).slice(-8000);
    writeFileSync(join(folder, `${name}.log`), words);
  });
  const kill = () => void child.kill('SIGKILL');
  process.on('exit', kill);
  return {
    end: async (signal) => {
      child.kill(signal);
      const late = setTimeout(kill, 10_000);
      await ended;
      clearTimeout(late);
      process.off('exit', kill);
    },
  };
}

/** @param {(call: Call) => Promise<unknown>} ask @param {string} folder */
async function untilReady(ask, folder) {
  const deadline = Date.now() + SECONDS * 1000;
  for (;;) {
    try {
      await ask({ method: 'GET', path: '/readyz' });
      await ask({ method: 'GET', path: '/api/v1/namespaces/default' });
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`no API server: ${said(folder)}`, { cause: error });
      await wait(100);
    }
  }
}

/** @param {string} folder */
function said(folder) {
  try {
    return readFileSync(join(folder, 'kube-apiserver.log'), 'utf8').slice(-3000);
  } catch {
    return 'it said nothing';
  }
}

/** As the admin. @param {Cluster & Call} options @returns {Promise<any>} the answer; throws for what is no success */
async function send({ port, credentials, method, path, body }) {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    ca: readFileSync(credentials.authority),
    agent: false,
    timeout: 10_000,
    headers: {
      authorization: `Bearer ${credentials.adminToken}`,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    },
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  const answer = await text(response);
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${answer}`);
  return answer.startsWith('{') ? JSON.parse(answer) : answer;
}

/**
 * @param {(call: Call) => Promise<any>} ask
 * @param {{ readonly namespace: string, readonly name: string }} account
 * @param {number} seconds
 */
async function createToken(ask, { namespace, name }, seconds) {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await ask({ method: 'GET', path: `${accounts}/${name}` }).catch(() =>
    ask({ method: 'POST', path: accounts, body: { metadata: { name } } }),
  );
  const answer = await ask({
    method: 'POST',
    path: `${accounts}/${name}/token`,
    body: { spec: { expirationSeconds: seconds } },
  });
  return answer.status.token;
}

/** @param {Cluster} cluster @param {string} name @param {string} token @returns {string} its path */
function writeKubeconfig({ folder, port, credentials }, name, token) {
  const file = join(folder, `${name}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: 'test', user: name } }],
    clusters: [
      {
        name: 'test',
        cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': credentials.authority },
      },
    ],
    users: [{ name, user: { token } }],
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** @param {string} file @returns {LoggedRequest[]} */
function readLog(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line.endsWith('}'))
    .map((line) => {
      const { verb, user, objectRef = {}, responseStatus = {}, userAgent = '', stage } = JSON.parse(line);
      return {
        user: user.username,
        verb,
        group: objectRef.apiGroup ?? '',
        resource: objectRef.resource ?? '',
        subresource: objectRef.subresource ?? '',
        namespace: objectRef.namespace ?? '',
        name: objectRef.name ?? '',
        status: responseStatus.code ?? 0,
        stage,
        userAgent,
      };
    });
}
