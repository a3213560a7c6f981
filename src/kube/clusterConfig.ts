/**
 * The cluster and its credentials: from a kubeconfig, or from the service account of the pod. Token files are read for each
 * request, as tokens are replaced before they expire.
 */

import { statsOf } from '../io/files/fileStates.ts';
import { trimEndOf } from '../core/trimming.ts';
import { X509Certificate } from 'node:crypto';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { CliError } from '../core/errors.ts';
import { isLoopbackHost } from '../formats/hostName.ts';
import { parseUrl, withBrackets } from '../formats/url.ts';
import { readUserFile } from '../io/files/files.ts';
import { type HttpProxies, parseProxies } from '../http/client/httpUrl.ts';
import type { Io } from '../io/io.ts';
import { parseKubeconfig, selectAccess, type Material } from './kubeconfig.ts';

export interface ClusterConfig {
  /** The source of the config, for messages: `context kind of ~/.kube/config`. */
  readonly description: string;
  /** Without a trailing slash. */
  readonly server: string;
  /** CA certificates, client certificate and its key; secret. */
  readonly tls: ClusterTls;
  /** The name in the server certificate, if it differs from the URL. */
  readonly serverName: string | undefined;
  readonly proxies: HttpProxies;
  /** The namespace of the pod or of the context. */
  readonly namespace: string;
  /** Returns the current token; undefined without a token. */
  readonly readToken: () => Promise<string | undefined>;
}

/** PEM. */
interface ClusterTls {
  /** Undefined for the default CA certificates. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** The mount path of the service account in a pod. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Bytes. A kubeconfig may contain hundreds of clusters with their CA certificates. */
const MAX_KUBECONFIG = 8 * 1024 * 1024;
const MAX_PEM = 1024 * 1024;
const MAX_TOKEN = 64 * 1024;

/** Reads the given kubeconfig, otherwise KUBECONFIG, otherwise the service account of the pod, otherwise `~/.kube/config`. */
export async function findClusterConfig(
  kubeconfig: string | undefined,
  io: Io,
  serviceAccount = SERVICE_ACCOUNT,
): Promise<ClusterConfig> {
  const { KUBECONFIG: listed = '', KUBERNETES_SERVICE_HOST: host } = io.env;
  const paths = kubeconfig === undefined ? listed.split(delimiter).filter((it) => it !== '') : [kubeconfig];
  if (paths.length > 0) return readKubeconfigs(paths, io);
  if (host !== undefined && host !== '') return readServiceAccount(host, serviceAccount, io);
  return readKubeconfigs([join(io.env['HOME'] ?? homedir(), '.kube', 'config')], io).catch(
    (error: unknown) => {
      if (!(error instanceof CliError) || error.code !== 'ERR_FILE_MISSING') throw error;
      throw new CliError(error.message, {
        code: error.code,
        hint: 'pass --kubeconfig FILE, or set KUBECONFIG',
      });
    },
  );
}

async function readKubeconfigs(paths: readonly string[], io: Io): Promise<ClusterConfig> {
  const files = [];
  for (const path of await existingOf(paths, io)) {
    const bytes = await readUserFile(path, io, { what: 'Kubeconfig', maxBytes: MAX_KUBECONFIG });
    files.push(parseKubeconfig(new TextDecoder().decode(bytes), path));
  }
  const access = selectAccess(files);
  const { proxyUrl } = access;
  return {
    description: `context ${access.context} of ${paths.join(', ')}`,
    server: checkServer(access.server),
    tls: await readTls(access, io),
    serverName: access.serverName,
    proxies: parseProxies(proxyUrl === undefined ? io.env : { http_proxy: proxyUrl, https_proxy: proxyUrl }),
    namespace: access.namespace ?? 'default',
    readToken: tokenReader(access.token, io),
  };
}

/** Like kubectl, ignores missing files of a list. If all are missing, reading the first one is the error. */
async function existingOf(paths: readonly string[], { cwd }: Io): Promise<readonly string[]> {
  const states = await Promise.all(paths.map((path) => statsOf(resolve(cwd, path))));
  const existing = paths.filter((_, index) => states[index] !== undefined);
  return existing.length === 0 ? paths.slice(0, 1) : existing;
}

/** @throws CliError for other URLs than https:, or http: on loopback, where `kubectl proxy` listens */
function checkServer(server: string): string {
  const url = parseUrl(server);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    return trimEndOf(`${url.origin}${url.pathname}`, '/');
  }
  throw new CliError('Invalid address of the API server', {
    code: 'ERR_KUBERNETES',
    hint: 'use a URL such as https://api.example.com:6443; http:// is valid for loopback only',
  });
}

async function readTls(access: ReturnType<typeof selectAccess>, io: Io): Promise<ClusterTls> {
  const [ca, cert, key] = await Promise.all(
    [access.authority, access.certificate, access.key].map(async (it) => {
      if (it === undefined) return undefined;
      if (it.kind === 'data') return Buffer.from(it.bytes);
      const expected = { what: 'File of the kubeconfig', maxBytes: MAX_PEM };
      return Buffer.from(await readUserFile(it.path, io, expected));
    }),
  );
  return checkTls({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
}

/** Checks the certificates. The errors of OpenSSL name neither file nor field, so they are only the cause. */
function checkTls(tls: ClusterTls): ClusterTls {
  try {
    createSecureContext(tls);
    // OpenSSL accepts any data for a CA certificate.
    if (tls.ca !== undefined) void new X509Certificate(tls.ca).fingerprint256;
    return tls;
  } catch (error) {
    throw new CliError('Invalid certificate or key of the cluster', {
      code: 'ERR_KUBERNETES',
      hint: 'use PEM files, and an unencrypted key that belongs to the client certificate',
      cause: error,
    });
  }
}

function tokenReader(token: Material | undefined, io: Io): ClusterConfig['readToken'] {
  if (token === undefined) return async () => undefined;
  if (token.kind === 'data') {
    const text = checkToken(token.bytes, 'the kubeconfig');
    return async () => text;
  }
  return async () => readTokenFile(token.path, io);
}

async function readTokenFile(path: string, { cwd }: Io): Promise<string> {
  const bytes = await readUserFile(path, { cwd }, { what: 'Token', maxBytes: MAX_TOKEN });
  return checkToken(bytes, path);
}

function checkToken(bytes: Uint8Array, where: string): string {
  const text = Buffer.from(bytes).toString('latin1').trim();
  if (/^[!-~]+$/.test(text)) return text;
  throw new CliError(`The token of ${where} is empty or contains invalid characters`, {
    code: 'ERR_KUBERNETES',
    hint: 'create a token with: kubectl create token SERVICEACCOUNT',
  });
}

/** Does not use a proxy: no_proxy usually does not contain the addresses of the cluster. */
async function readServiceAccount(host: string, folder: string, io: Io): Promise<ClusterConfig> {
  const port = io.env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const authority = { what: 'Certificate of the cluster', maxBytes: MAX_PEM };
  const ca = Buffer.from(await readUserFile(join(folder, 'ca.crt'), io, authority));
  const name = { what: 'Namespace of the pod', maxBytes: MAX_TOKEN };
  const namespace = Buffer.from(await readUserFile(join(folder, 'namespace'), io, name))
    .toString()
    .trim();
  return {
    description: 'the service account of this pod',
    server: checkServer(`https://${withBrackets(host)}:${port}`),
    tls: checkTls({ ca }),
    serverName: undefined,
    proxies: parseProxies({}),
    namespace,
    readToken: async () => readTokenFile(join(folder, 'token'), io),
  };
}
