/**
 * Which cluster to talk to, and as whom: what a kubeconfig says, or what Kubernetes gives to every pod. Tokens are read
 * again and again, since they are replaced before they end.
 */

import { X509Certificate } from 'node:crypto';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { CliError } from '../../core/errors.ts';
import { readUserFile } from '../../io/files/files.ts';
import { type HttpProxies, parseProxies } from '../../io/http/httpUrl.ts';
import type { Io } from '../../io/io.ts';
import type { ClusterAccess, Material } from './kubeconfig.ts';

export interface ClusterConfig {
  /** Where it stands, for people: `context kind of ~/.kube/config`. */
  readonly description: string;
  /** Without a slash at its end. */
  readonly server: string;
  /** Authorities, client certificate and its key; secret. */
  readonly tls: ClusterTls;
  /** The name in the certificate of the server, where that is not the one in its URL. */
  readonly serverName: string | undefined;
  readonly proxies: HttpProxies;
  /** The namespace of the pod or of the context. */
  readonly namespace: string;
  /** As it is now; undefined where none is shown. @throws CliError where its file cannot be read */
  readonly readToken: () => Promise<string | undefined>;
}

/** PEM. */
interface ClusterTls {
  /** Undefined for those that every program trusts. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

type ConfigContext = Pick<Io, 'env' | 'cwd' | 'note'>;

/** Where Kubernetes puts what a pod is known by. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Bytes. Kubeconfigs may have hundreds of clusters with their authorities. */
const MAX_KUBECONFIG = 8 * 1024 * 1024;
const MAX_PEM = 1024 * 1024;
const MAX_TOKEN = 64 * 1024;

/**
 * The kubeconfig that is given, else those of KUBECONFIG, else the service account of the pod, else `~/.kube/config`.
 * @throws CliError where there is none, or it cannot be used
 */
export async function findClusterConfig(
  kubeconfig: string | undefined,
  io: ConfigContext,
  serviceAccount = SERVICE_ACCOUNT,
): Promise<ClusterConfig> {
  const { KUBECONFIG: listed = '', KUBERNETES_SERVICE_HOST: host } = io.env;
  const paths = kubeconfig === undefined ? listed.split(delimiter).filter((it) => it !== '') : [kubeconfig];
  if (paths.length > 0) return readKubeconfigs(paths, io);
  if (host !== undefined && host !== '') return readServiceAccount(host, serviceAccount, io);
  return readKubeconfigs([join(io.env['HOME'] ?? homedir(), '.kube', 'config')], io);
}

async function readKubeconfigs(paths: readonly string[], io: ConfigContext): Promise<ClusterConfig> {
  const { parseKubeconfig, selectAccess } = await import('./kubeconfig.ts');
  const files = [];
  for (const path of paths) files.push(parseKubeconfig(await readText(path, 'Kubeconfig', io), path));
  const access = selectAccess(files);
  return {
    description: `context ${access.context} of ${paths.join(', ')}`,
    server: checkServer(access.server),
    tls: await readTls(access, io),
    serverName: access.serverName,
    proxies: proxiesOf(access, io),
    namespace: access.namespace ?? 'default',
    readToken: tokenReader(access.token, io),
  };
}

async function readText(path: string, what: 'Kubeconfig', io: ConfigContext): Promise<string> {
  return new TextDecoder().decode(await readUserFile(path, io, { what, maxBytes: MAX_KUBECONFIG }));
}

/** @throws CliError for other URLs than https:, or http: to this machine, where `kubectl proxy` listens */
function checkServer(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const isHere = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  }
  throw new CliError('The address of the API server cannot be used', {
    code: 'ERR_KUBERNETES',
    hint: 'write it like https://api.example.com:6443; http:// is for this machine only',
  });
}

async function readTls(access: ClusterAccess, io: ConfigContext): Promise<ClusterTls> {
  const [ca, cert, key] = await Promise.all(
    [access.authority, access.certificate, access.key].map(async (it) => readMaterial(it, io)),
  );
  return checkTls({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
}

/** Of what cannot be used, OpenSSL's words name no file and no field. */
function checkTls(tls: ClusterTls): ClusterTls {
  try {
    createSecureContext(tls);
    if (tls.ca !== undefined) checkCertificate(tls.ca);
    return tls;
  } catch (error) {
    throw new CliError('The certificates or the key of the cluster cannot be used', {
      code: 'ERR_KUBERNETES',
      hint: 'give PEM files, with a key that belongs to the client certificate and has no passphrase',
      cause: error,
    });
  }
}

/** As an authority OpenSSL takes anything. */
function checkCertificate(pem: Buffer): void {
  void new X509Certificate(pem).fingerprint256;
}

async function readMaterial(material: Material | undefined, io: ConfigContext): Promise<Buffer | undefined> {
  if (material === undefined) return undefined;
  if (material.kind === 'data') return Buffer.from(material.bytes);
  const expected = { what: 'File of the kubeconfig', maxBytes: MAX_PEM };
  return Buffer.from(await readUserFile(placeOf(material, io), io, expected));
}

/** A kubeconfig names files as seen from its own folder. */
function placeOf({ path, from }: Extract<Material, { kind: 'file' }>, { cwd }: ConfigContext): string {
  return resolve(cwd, dirname(from), path);
}

/** The environment's, unless the kubeconfig has its own. */
function proxiesOf({ proxyUrl }: ClusterAccess, { env }: ConfigContext): HttpProxies {
  if (proxyUrl === undefined) return parseProxies(env);
  return parseProxies({ http_proxy: proxyUrl, https_proxy: proxyUrl });
}

function tokenReader(token: Material | undefined, io: ConfigContext): ClusterConfig['readToken'] {
  if (token === undefined) return async () => undefined;
  if (token.kind === 'data') {
    const text = checkToken(token.bytes, 'the kubeconfig');
    return async () => text;
  }
  const path = placeOf(token, io);
  return async () => readTokenFile(path, io);
}

async function readTokenFile(path: string, { cwd }: ConfigContext): Promise<string> {
  const bytes = await readUserFile(path, { cwd }, { what: 'Token', maxBytes: MAX_TOKEN });
  return checkToken(bytes, path);
}

/** @throws CliError for what would not go into a header */
function checkToken(bytes: Uint8Array, where: string): string {
  const text = Buffer.from(bytes).toString('latin1').trim();
  if (/^[!-~]+$/.test(text)) return text;
  throw new CliError(`The token of ${where} is empty, or has characters that no token has`, {
    code: 'ERR_KUBERNETES',
    hint: 'make one with: kubectl create token SERVICEACCOUNT',
  });
}

/** Proxies are for the world outside: the list of exceptions would have to have the cluster's own addresses. */
async function readServiceAccount(host: string, folder: string, io: ConfigContext): Promise<ClusterConfig> {
  const port = io.env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const authority = { what: 'Certificate of the cluster', maxBytes: MAX_PEM };
  const ca = Buffer.from(await readUserFile(join(folder, 'ca.crt'), io, authority));
  const name = { what: 'Namespace of the pod', maxBytes: MAX_TOKEN };
  const namespace = Buffer.from(await readUserFile(join(folder, 'namespace'), io, name))
    .toString()
    .trim();
  return {
    description: 'the service account of this pod',
    server: checkServer(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    tls: checkTls({ ca }),
    serverName: undefined,
    proxies: parseProxies({}),
    namespace,
    readToken: async () => readTokenFile(join(folder, 'token'), io),
  };
}
