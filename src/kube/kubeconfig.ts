/**
 * Kubeconfig files: cluster and credentials of the current context. Unsupported features are errors, as ignoring them would
 * change the connection: credential plugins (`exec`, `auth-provider`), impersonation (`as`), passwords, which Kubernetes no
 * longer supports, and unverified TLS.
 * Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */

import { quoteText } from '../core/foreignText.ts';
import { dirname, isAbsolute, join } from 'node:path';
import { isMapping, type Mapping } from '../formats/mapping.ts';
import { CliError, FormatError, type Position } from '../core/errors.ts';
import { parseYaml } from '../formats/yaml.ts';
import { isProxyUrl } from '../http/client/httpUrl.ts';

interface Kubeconfig extends Readonly<Record<Section, ReadonlyMap<string, Entry>>> {
  /** For messages. */
  readonly path: string;
  readonly currentContext: string | undefined;
}

type Section = 'contexts' | 'clusters' | 'users';

/** An entry, and the path of its kubeconfig. */
interface Entry {
  readonly path: string;
  readonly fields: Mapping;
}

/** Data in the kubeconfig itself, or in a file. Paths in a kubeconfig are relative to its folder. */
export type Material =
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly path: string };

/** @throws CliError for an invalid kubeconfig. The message never quotes its text, which contains secrets */
export function parseKubeconfig(text: string, path: string): Kubeconfig {
  const value = parse(text, path) ?? {}; // an empty file is valid
  if (!isMapping(value)) throw problemIn(path, 'not a mapping');
  const current = value['current-context'];
  return {
    path,
    currentContext: typeof current === 'string' && current !== '' ? current : undefined,
    contexts: readNamed(value['contexts'], 'context', path),
    clusters: readNamed(value['clusters'], 'cluster', path),
    users: readNamed(value['users'], 'user', path),
  };
}

function parse(text: string, path: string): unknown {
  try {
    return parseYaml(text).value;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    // The message may quote the text, so only the position is used.
    throw problemIn(path, 'it is not YAML', error.position);
  }
}

function problemIn(path: string, problem: string, position?: Position): CliError {
  return new CliError(`invalid kubeconfig: ${problem}`, {
    at: { file: path, ...position },
    code: 'ERR_KUBERNETES',
    hint: 'check it with: kubectl config view --minify',
  });
}

/** `[{name: NAME, [field]: {…}}]`; the first entry with a name counts, as in kubectl. */
function readNamed(list: unknown, field: string, path: string): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  if (list === undefined || list === null) return found;
  if (!Array.isArray(list)) throw problemIn(path, `${field}s is not a list`);
  for (const entry of list) {
    const name: unknown = isMapping(entry) ? entry['name'] : undefined;
    const fields: unknown = isMapping(entry) ? (entry[field] ?? {}) : undefined;
    if (typeof name !== 'string' || !isMapping(fields))
      throw problemIn(path, `an entry of ${field}s has no name, or no ${field}`);
    if (!found.has(name)) found.set(name, { path, fields });
  }
  return found;
}

/** Selects the current context of several merged files. The first entry with a name counts. */
export function selectAccess(files: readonly Kubeconfig[]) {
  const first = files.find(({ currentContext }) => currentContext !== undefined);
  const name = first?.currentContext;
  const paths = files.map(({ path }) => path).join(', ');
  if (name === undefined) throw problemIn(paths, 'current-context is missing');
  const context = findNamed(files, 'contexts', name);
  if (context === undefined) throw problemIn(paths, `context ${quoteText(name)} not found`);
  const cluster = readReference(files, context, 'cluster');
  const user = readReference(files, context, 'user');
  refuseUnsupported(cluster, user);
  return {
    context: name,
    ...readCluster(cluster),
    ...readUser(user),
    namespace: textOf(context, 'namespace'),
  };
}

function findNamed(files: readonly Kubeconfig[], section: Section, name: string): Entry | undefined {
  return files.map((file) => file[section].get(name)).find((entry) => entry !== undefined);
}

/** Undefined if the field is missing or empty. */
function textOf({ path, fields }: Entry, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw problemIn(path, `${field} is not a string`);
  return value;
}

/** A context without a user has no credentials. */
function readReference(files: readonly Kubeconfig[], context: Entry, kind: 'cluster' | 'user'): Entry {
  const name = textOf(context, kind);
  if (name === undefined && kind === 'user') return { path: context.path, fields: {} };
  const found = name === undefined ? undefined : findNamed(files, `${kind}s`, name);
  if (found === undefined) throw problemIn(context.path, `the ${kind} of its context was not found`);
  return found;
}

function refuseUnsupported(cluster: Entry, user: Entry): void {
  if (cluster.fields['insecure-skip-tls-verify'] === true) {
    throw new CliError(`The kubeconfig ${cluster.path} sets insecure-skip-tls-verify, which is unsupported`, {
      code: 'ERR_KUBERNETES',
      hint: 'remove it, and set certificate-authority-data to the CA of the cluster',
    });
  }
  const used = unsupported.find((field) => !isEmpty(user.fields[field]));
  if (used === undefined) return;
  throw new CliError(`The kubeconfig ${user.path} uses ${used}, which is unsupported`, {
    code: 'ERR_KUBERNETES',
    hint: 'use a kubeconfig with a client certificate, or with a token from: kubectl create token SERVICEACCOUNT',
  });
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

const unsupported = ['exec', 'auth-provider', 'username', 'password', 'as', 'as-uid', 'as-groups'];

function readCluster(cluster: Entry) {
  const server = textOf(cluster, 'server');
  if (server === undefined) throw problemIn(cluster.path, 'the server of its cluster is missing');
  const proxyUrl = textOf(cluster, 'proxy-url');
  if (proxyUrl !== undefined && !isProxyUrl(proxyUrl))
    throw problemIn(cluster.path, 'proxy-url is not a URL of a proxy, such as http://192.0.2.1:3128');
  return {
    server,
    authority: readMaterial(cluster, 'certificate-authority'),
    serverName: textOf(cluster, 'tls-server-name'),
    proxyUrl,
  };
}

function readUser(user: Entry) {
  const token = textOf(user, 'token');
  const data = token === undefined ? undefined : ({ kind: 'data', bytes: Buffer.from(token) } as const);
  const certificate = readMaterial(user, 'client-certificate');
  const key = readMaterial(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined))
    throw problemIn(user.path, 'client certificate or client key is missing; both are required');
  // A token file has priority, as its token may be replaced.
  return { certificate, key, token: readFileName(user, 'tokenFile') ?? data };
}

function readFileName(entry: Entry, field: string): Material | undefined {
  const path = textOf(entry, field);
  if (path === undefined) return undefined;
  return { kind: 'file', path: isAbsolute(path) ? path : join(dirname(entry.path), path) };
}

/** `FIELD-data` in base64, otherwise the file that `FIELD` names. */
function readMaterial(entry: Entry, field: string): Material | undefined {
  const data = textOf(entry, `${field}-data`);
  if (data === undefined) return readFileName(entry, field);
  const plain = data.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) throw problemIn(entry.path, `${field}-data is not valid base64`);
  return { kind: 'data', bytes: Buffer.from(plain, 'base64') };
}
