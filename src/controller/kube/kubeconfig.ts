/**
 * Kubeconfig files: which cluster the current context means, and how to be known to it. Refused rather than passed over,
 * as the connection would be another one than was asked for: programs that fetch credentials (`exec`, `auth-provider`),
 * acting as somebody else (`as`), passwords, which Kubernetes no longer takes, and TLS that is not verified.
 * Source: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */

import { isMapping } from '../../formats/mapping.ts';
import { CliError } from '../../core/errors.ts';
import { parseYaml } from '../../formats/yaml.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One file, of which only names are read so far. */
export interface Kubeconfig {
  /** As it is called in messages. */
  readonly path: string;
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Fields>;
  readonly clusters: ReadonlyMap<string, Fields>;
  readonly users: ReadonlyMap<string, Fields>;
}

/** What the current context means. Paths are as they are written. */
export interface ClusterAccess {
  /** The name of the context, for messages. */
  readonly context: string;
  readonly server: string;
  readonly authority: Material | undefined;
  /** The name in the certificate of the server, where that is not the one in its URL. */
  readonly serverName: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly namespace: string | undefined;
  readonly certificate: Material | undefined;
  readonly key: Material | undefined;
  readonly token: Material | undefined;
}

/** What stands in the kubeconfig itself, or in a file; `from` is the kubeconfig that says so. */
export type Material =
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly path: string; readonly from: string };

/** @throws CliError for what is no kubeconfig; never with a piece of its text, which has secrets */
export function parseKubeconfig(text: string, path: string): Kubeconfig {
  const value = parse(text, path);
  if (value === null) return emptyKubeconfig(path);
  if (!isMapping(value)) throw problemIn(path, 'it is no mapping');
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
    // The message may quote a piece of the text; what stands behind it is the place.
    const place = error instanceof Error ? (/ at line \d+, column \d+$/.exec(error.message)?.[0] ?? '') : '';
    throw problemIn(path, `it is no YAML${place}`);
  }
}

function problemIn(path: string, problem: string): CliError {
  return new CliError(`The kubeconfig ${path} cannot be used: ${problem}`, {
    code: 'ERR_KUBERNETES',
    hint: 'try it with: kubectl config view --minify',
  });
}

function emptyKubeconfig(path: string): Kubeconfig {
  return { path, currentContext: undefined, contexts: new Map(), clusters: new Map(), users: new Map() };
}

/** `[{name: NAME, [field]: {…}}]`; of the same name the first counts, as for kubectl. */
function readNamed(list: unknown, field: string, path: string): ReadonlyMap<string, Fields> {
  const found = new Map<string, Fields>();
  if (list === undefined || list === null) return found;
  if (!Array.isArray(list)) throw problemIn(path, `${field}s is no list`);
  for (const entry of list) {
    const name: unknown = isMapping(entry) ? entry['name'] : undefined;
    const fields: unknown = isMapping(entry) ? (entry[field] ?? {}) : undefined;
    if (typeof name !== 'string' || !isMapping(fields))
      throw problemIn(path, `an entry of ${field}s has no name, or no ${field}`);
    if (!found.has(name)) found.set(name, fields);
  }
  return found;
}

/**
 * The current context of several files, which count as one: of what is named twice the first counts.
 * @throws CliError
 */
export function selectAccess(files: readonly Kubeconfig[]): ClusterAccess {
  const first = files.find(({ currentContext }) => currentContext !== undefined);
  const name = first?.currentContext;
  const paths = files.map(({ path }) => path).join(', ');
  if (name === undefined) throw problemIn(paths, 'it has no current-context');
  const context = findNamed(files, 'contexts', name);
  if (context === undefined) throw problemIn(paths, `there is no context ${JSON.stringify(name)}`);
  const cluster = readReference(files, context, 'cluster');
  const user = readReference(files, context, 'user');
  refuseForeign(cluster, user);
  return {
    context: name,
    ...readCluster(cluster),
    ...readUser(user),
    namespace: context.text('namespace'),
  };
}

/** Typed looks at one entry. */
interface Entry {
  readonly path: string;
  readonly fields: Fields;
  /** Undefined where it is not there or empty. */
  text(field: string): string | undefined;
}

type Section = 'contexts' | 'clusters' | 'users';

function findNamed(files: readonly Kubeconfig[], section: Section, name: string): Entry | undefined {
  const file = files.find((it) => it[section].has(name));
  const fields = file?.[section].get(name);
  return file === undefined || fields === undefined ? undefined : entryOf(fields, file.path);
}

function entryOf(fields: Fields, path: string): Entry {
  const text = (field: string): string | undefined => {
    const value = fields[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw problemIn(path, `${field} is no text`);
    return value;
  };
  return { path, fields, text };
}

/** A context without a user means nobody in particular. */
function readReference(files: readonly Kubeconfig[], context: Entry, kind: 'cluster' | 'user'): Entry {
  const name = context.text(kind);
  if (name === undefined && kind === 'user') return entryOf({}, context.path);
  const found = name === undefined ? undefined : findNamed(files, `${kind}s`, name);
  if (found === undefined) throw problemIn(context.path, `its context names a ${kind} that is not there`);
  return found;
}

function refuseForeign(cluster: Entry, user: Entry): void {
  if (cluster.fields['insecure-skip-tls-verify'] === true) {
    throw new CliError(`The kubeconfig ${cluster.path} turns the verification of TLS off`, {
      code: 'ERR_KUBERNETES',
      hint: 'name the authority of the cluster instead: certificate-authority-data',
    });
  }
  for (const [field, what] of refused) {
    if (user.fields[field] === undefined || user.fields[field] === null) continue;
    throw new CliError(`The kubeconfig ${user.path} uses ${field}, ${what}`, {
      code: 'ERR_KUBERNETES',
      hint: 'give a kubeconfig with a token or a client certificate: kubectl create token SERVICEACCOUNT',
    });
  }
}

const refused: readonly (readonly [field: string, what: string])[] = [
  ['exec', 'a program that fetches credentials, which is not started'],
  ['auth-provider', 'which Kubernetes no longer has'],
  ['username', 'which Kubernetes no longer takes'],
  ['password', 'which Kubernetes no longer takes'],
  ['as', 'and acting as somebody else is not known here'],
  ['as-uid', 'and acting as somebody else is not known here'],
  ['as-groups', 'and acting as somebody else is not known here'],
];

function readCluster(
  cluster: Entry,
): Pick<ClusterAccess, 'server' | 'authority' | 'serverName' | 'proxyUrl'> {
  const server = cluster.text('server');
  if (server === undefined) throw problemIn(cluster.path, 'its cluster has no server');
  return {
    server,
    authority: readMaterial(cluster, 'certificate-authority'),
    serverName: cluster.text('tls-server-name'),
    proxyUrl: cluster.text('proxy-url'),
  };
}

function readUser(user: Entry): Pick<ClusterAccess, 'certificate' | 'key' | 'token'> {
  const token = user.text('token');
  const file = user.text('tokenFile');
  const certificate = readMaterial(user, 'client-certificate');
  const key = readMaterial(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined))
    throw problemIn(user.path, 'it has one of client certificate and client key, and not the other');
  return { certificate, key, token: readToken(token, file, user.path) };
}

/** The file may be replaced by a newer one. */
function readToken(
  token: string | undefined,
  file: string | undefined,
  from: string,
): ClusterAccess['token'] | undefined {
  if (file !== undefined) return { kind: 'file', path: file, from };
  return token === undefined ? undefined : { kind: 'data', bytes: Buffer.from(token) };
}

/** `FIELD-data`, in base64, or else the file that `FIELD` names. */
function readMaterial(entry: Entry, field: string): Material | undefined {
  const data = entry.text(`${field}-data`);
  if (data === undefined) {
    const path = entry.text(field);
    return path === undefined ? undefined : { kind: 'file', path, from: entry.path };
  }
  const plain = data.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) throw problemIn(entry.path, `${field}-data is no base64`);
  return { kind: 'data', bytes: Buffer.from(plain, 'base64') };
}
