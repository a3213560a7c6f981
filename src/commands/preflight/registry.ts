/**
 * Asks a registry whether podman could pull an image (OCI Distribution Specification 1.1; for tokens docs/spec/auth of distribution).
 * Only the manifest is read, and of an image without an index its config, which contains the architecture.
 */

import { machineName } from '../../core/architecture.ts';
import type { RegistrySource } from '../../agent/contacts.ts';
import { asList, asMapping, type Mapping, parseIfJson, valueAt } from '../../formats/mapping.ts';
import { parseUrl } from '../../formats/url.ts';
import { TransferError } from '../../http/client/httpErrors.ts';
import { type ReadAnswer, type Limits, request } from './request.ts';

type Headers = Readonly<Record<string, string>>;

const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Bytes; the limit of podman for manifests. */
const MAX_DOCUMENT = 4 * 1024 * 1024;

/**
 * The architectures of the image. Without a response over TLS, podman asks an insecure registry without TLS.
 * @throws TransferError if podman cannot pull it from the source
 */
export async function readArchitectures(source: RegistrySource, limits: Limits): Promise<readonly string[]> {
  const host = source.registry === 'docker.io' ? 'registry-1.docker.io' : source.registry;
  return readImage(`https://${host}`, source, limits).catch((error: unknown) => {
    const isSilent = error instanceof TransferError && error.status === undefined;
    if (!source.insecure || !isSilent) throw error;
    return readImage(`http://${host}`, source, limits);
  });
}

async function readImage(origin: string, source: RegistrySource, limits: Limits): Promise<readonly string[]> {
  const { access, name, reference, registry } = source;
  const base = `${origin}/v2/${name.slice(registry.length + 1)}`;
  let headers: Headers = {};
  const read = async (path: string, accept: string): Promise<Mapping> => {
    const send = async (): Promise<ReadAnswer> =>
      request(new URL(`${base}/${path}`), access, limits, { ...headers, accept }, MAX_DOCUMENT);
    let answer = await send();
    if (answer.status === 401) {
      headers = await logIn(String(answer.headers['www-authenticate']), source, limits);
      answer = await send();
    }
    if (answer.status !== 200) throw refused(answer.status, source);
    return asMapping(parseIfJson(answer.body.toString('utf8')));
  };
  const manifest = await read(`manifests/${reference.slice(name.length + 1)}`, MANIFESTS);
  const config = valueAt(manifest, ['config', 'digest']);
  const platforms = asList(manifest['manifests']).map((one) => valueAt(one, ['platform']));
  if (typeof config === 'string') platforms.push(await read(`blobs/${config}`, '*/*'));
  const found = platforms.map(asMapping).flatMap(({ architecture, os }) => {
    return os === 'linux' && typeof architecture === 'string' ? [machineName(architecture)] : [];
  });
  if (found.length > 0) return [...new Set(found)];
  throw new TransferError(`${reference}: the response contains no image for Linux`, {
    status: 200,
    hint: 'fix agent.image; another web server may answer at the address of the registry',
  });
}

/** The headers that the registry asks for. The login goes only to the registry, or to the token server that it names. */
async function logIn(challenge: string, source: RegistrySource, limits: Limits): Promise<Headers> {
  const { access, login, name, registry } = source;
  const own: Headers = login === undefined ? {} : { authorization: login.authorization };
  if (/^basic\b/i.test(challenge)) return own;
  const [, realm = ''] = /\brealm="([^"]*)"/.exec(challenge) ?? [];
  const url = parseUrl(realm);
  if (url === undefined || !(access.isVerified ? /^https:$/ : /^https?:$/).test(url.protocol)) {
    throw new TransferError(`${name}: the registry names no server for tokens with TLS`, {
      status: 401,
      hint: 'configure an https:// URL of the token server in the registry',
    });
  }
  const [, service] = /\bservice="([^"]*)"/.exec(challenge) ?? [];
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${name.slice(registry.length + 1)}:pull`);
  const { body, status } = await request(url, access, limits, own, MAX_DOCUMENT);
  const { access_token: other, token = other } = asMapping(parseIfJson(body.toString('utf8')));
  if (status !== 200 || typeof token !== 'string') throw refused(status === 200 ? 401 : status, source);
  return { authorization: `Bearer ${token}` };
}

function refused(status: number, { login, reference }: RegistrySource): TransferError {
  let problem = `the registry returned HTTP status ${status}`;
  let hint = 'try again later, or read the log of the registry';
  if (status === 404) {
    problem = 'the registry has no such image';
    hint = 'push the image, or fix agent.image';
  } else if ((status === 401 || status === 403) && login === undefined) {
    problem = 'the registry requires a login';
    hint = 'add an entry for the registry to agent.pullSecret, or fix agent.image';
  } else if (status === 401 || status === 403) {
    problem = `the registry rejects the entry for ${login?.key} in the pull secret`;
    hint = 'log in with "podman login --authfile FILE REGISTRY", and set agent.pullSecret to that file';
  }
  return new TransferError(`${reference}: ${problem}`, { status, hint });
}
