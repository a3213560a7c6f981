/**
 * Requests and answers of Ironic's API: which part of it a request is for, what its query and its body contain, versions,
 * and errors in the two forms that a current Ironic (39.0) has. Left out is all that ramdisks do not ask for.
 */

import { parseRequestPath } from '../../formats/http/requestPath.ts';
import { isWithinBounds } from '../../formats/json/tokens.ts';

export type InspectionService = 'ironic' | 'inspector';

export type Route =
  /** Ironic answers this whatever the method is. */
  | { readonly kind: 'root' }
  | { readonly kind: 'v1' }
  | { readonly kind: 'lookup' }
  /** Undefined where the path ends before the node. */
  | { readonly kind: 'heartbeat'; readonly node: string | undefined }
  | { readonly kind: 'inspection'; readonly service: InspectionService }
  | { readonly kind: 'wrong-method'; readonly allowed: string }
  | { readonly kind: 'unknown' };

/**
 * As Ironic does, `/v1` may be missing, and slashes at the end count for nothing.
 * @param target of the request, with its query
 */
export function routeOf(method: string, target: string): Route {
  const path = parseRequestPath(withoutEnd(target));
  if (path === undefined) return { kind: 'unknown' };
  if (path === '') return { kind: 'root' };
  const [first = '', ...others] = path.split('/');
  const [name, ...rest] = first === 'v1' ? others : [first, ...others];
  if (name === undefined) return isFetch(method) ? { kind: 'v1' } : { kind: 'wrong-method', allowed: 'GET' };
  return ramdiskRoute(method, name, rest);
}

function ramdiskRoute(method: string, name: string, [node, ...rest]: readonly string[]): Route {
  switch (name) {
    case 'lookup':
      return isFetch(method) && node === undefined
        ? { kind: 'lookup' }
        : { kind: 'wrong-method', allowed: 'GET' };
    case 'heartbeat':
      return method === 'POST' && rest.length === 0
        ? { kind: 'heartbeat', node }
        : { kind: 'wrong-method', allowed: 'POST' };
    case 'continue_inspection':
      return inspectionRoute(method, 'ironic', node);
    case 'continue':
      return inspectionRoute(method, 'inspector', node);
    default:
      return { kind: 'unknown' };
  }
}

function inspectionRoute(method: string, service: InspectionService, rest: string | undefined): Route {
  return method === 'POST' && rest === undefined
    ? { kind: 'inspection', service }
    : { kind: 'wrong-method', allowed: 'POST' };
}

function isFetch(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Without the query, which may be longer than a path, and without slashes at the end. */
function withoutEnd(target: string): string {
  const mark = target.indexOf('?');
  let end = mark < 0 ? target.length : mark;
  while (end > 0 && target[end - 1] === '/') end -= 1;
  return target.slice(0, end) || '/';
}

/** What comes after the path. */
export function queryOf(target: string): URLSearchParams {
  const mark = target.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
}

/** Undefined where all names are expected ones. */
export function unexpectedArguments(
  names: Iterable<string>,
  expected: readonly string[],
): string | undefined {
  const unexpected = [...names].filter((name) => !expected.includes(name));
  if (unexpected.length === 0) return undefined;
  return `Unexpected arguments: ${unexpected.join(', ').slice(0, MAX_SHOWN)}`;
}

/** Characters. */
const MAX_SHOWN = 200;

/** Agents of large machines send some ten thousand. */
const bodyBounds = { depth: 64, values: 500_000 };

export type ParsedBody =
  | { readonly kind: 'value'; readonly value: unknown }
  /** `problem` is a clause. */
  | { readonly kind: 'none'; readonly problem: string };

/** The JSON of a body; none at all counts as an object without anything. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  if (bytes.length === 0) return { kind: 'value', value: {} };
  if (!isWithinBounds(bytes, bodyBounds)) {
    return { kind: 'none', problem: 'its body has too many or too deep values' };
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return { kind: 'value', value };
  } catch {
    return { kind: 'none', problem: 'its body is no JSON' };
  }
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** To be sent as JSON; undefined where there is no body. */
  readonly body: unknown;
}

export function answerWith(status: number, body: unknown): ApiAnswer {
  return { status, headers: {}, body };
}

/** An error of the one who asked, or of the service. JSON within JSON: that is what Ironic sends. */
export function fault(status: number, faultstring: string): ApiAnswer {
  const faultcode = status >= 500 ? 'Server' : 'Client';
  return errorMessage(status, { faultcode, faultstring, debuginfo: null });
}

/** For a path or a method that the API does not have. */
export function notRouted(status: 404 | 405, headers: ApiAnswer['headers'] = {}): ApiAnswer {
  const title = status === 404 ? 'Not Found' : 'Method Not Allowed';
  return { ...errorMessage(status, { code: status, title, description: '' }), headers };
}

/** In the way of the inspector, a service of its own until 2024. */
export function inspectorFault(status: number, message: string): ApiAnswer {
  return answerWith(status, { error: { message } });
}

function errorMessage(status: number, error: object): ApiAnswer {
  return answerWith(status, { error_message: JSON.stringify(error) });
}

/** Why Ironic refuses a request of a ramdisk: what a cause that is called proven rests on, so each says one thing. */

export type RefusalReason =
  /** The version of the API that the request names does not have what it asks for, or does not exist. */
  | 'api-version'
  /** The request names no version of the API, and the oldest one, which counts then, does not have what it asks for. */
  | 'no-api-version'
  /** A query or a body that is not as the API defines it. */
  | 'arguments'
  | 'body-too-large'
  /** The body did not arrive as a whole. */
  | 'body-cut'
  | 'not-json'
  /** There is a list of MAC addresses or interfaces, and no usable MAC address in it. */
  | 'no-macs'
  /** Its MAC addresses are those of several nodes. */
  | 'several-nodes'
  /** It names a node that does not exist. */
  | 'unknown-node'
  | 'token-missing'
  | 'token-wrong'
  | 'no-callback-url'
  /** The node has sent another callback URL since it was booted. */
  | 'callback-changed'
  /** The callback URL is plain HTTP. */
  | 'callback-without-tls'
  /** Neither the version of the agent nor its status is in the heartbeat. */
  | 'no-agent-version'
  /** Too much is known or on its way: nothing is wrong with the request. */
  | 'busy';

/** Which version of the API a request is answered in. */
export interface ApiVersion {
  readonly minor: number;
  /** Whether the request names it; else it is the oldest one. */
  readonly isNamed: boolean;
}

/** Why a request is refused whose version does not have what it asks for. */
export function versionReason({ isNamed }: ApiVersion): 'api-version' | 'no-api-version' {
  return isNamed ? 'api-version' : 'no-api-version';
}

/** The clause for it: `it names version 1.21 of the API, which has no lookup`. */
export function versionProblem({ isNamed, minor }: ApiVersion, missing: string): string {
  return isNamed
    ? `it names version 1.${minor} of the API, which has no ${missing}`
    : `it names no version of the API (X-OpenStack-Ironic-API-Version), and version 1.${minor} has no ${missing}`;
}

/** The newest one of Ironic 39.0; agents ask for the newest that both sides know. */
const latestMinor = 115;
/** What is spoken with clients that name none. */
const leastMinor = 1;

const leastVersion = `1.${leastMinor}`;
const latestVersion = `1.${latestMinor}`;

const versionHeader = 'X-OpenStack-Ironic-API-Version';

const rangeHeaders = {
  'X-OpenStack-Ironic-API-Minimum-Version': leastVersion,
  'X-OpenStack-Ironic-API-Maximum-Version': latestVersion,
};

export type Negotiation =
  | { readonly kind: 'agreed'; readonly version: ApiVersion }
  /** `named` is what the request asks for. */
  | { readonly kind: 'refused'; readonly named: string; readonly answer: ApiAnswer };

/** Headers by names in small letters. */
type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Which version a request wants to be answered in. */
export function negotiateVersion(headers: RequestHeaders): Negotiation {
  const named = wantedVersion(headers);
  const wanted = named ?? leastVersion;
  const text = wanted.toLowerCase() === 'latest' ? latestVersion : wanted;
  const [, major, minor] = /^([1-9][0-9]{0,4})\.([0-9]{1,5})$/.exec(text) ?? [];
  if (minor === undefined) {
    return { kind: 'refused', named: text, answer: fault(406, `Invalid value for ${versionHeader} header`) };
  }
  const range = `The supported version range is: [${leastVersion}, ${latestVersion}].`;
  if (major !== '1') {
    return outOfRange(
      text,
      `Mutually exclusive versions requested. Version ${text} requested but not supported by this service. ${range}`,
    );
  }
  if (Number(minor) < leastMinor || Number(minor) > latestMinor) {
    return outOfRange(
      text,
      `Version ${text} was requested but the minor version is not supported by this service. ${range}`,
    );
  }
  return { kind: 'agreed', version: { minor: Number(minor), isNamed: named !== undefined } };
}

/** The header that all services of OpenStack share comes before Ironic's own. */
function wantedVersion(headers: RequestHeaders): string | undefined {
  const shared = [headers['openstack-api-version'] ?? []].flat().flatMap((value) => value.split(','));
  const ironics = shared.map((value) => /^\s*baremetal\s+(\S+)\s*$/.exec(value)?.[1]);
  return ironics.findLast((value) => value !== undefined) ?? [headers[versionHeader.toLowerCase()]].flat()[0];
}

function outOfRange(named: string, message: string): Negotiation {
  return { kind: 'refused', named, answer: { ...fault(406, message), headers: rangeHeaders } };
}

/** The answer, with the headers that say which version it is in. */
export function inVersion(minor: number, answer: ApiAnswer): ApiAnswer {
  return { ...answer, headers: { ...rangeHeaders, [versionHeader]: `1.${minor}`, ...answer.headers } };
}

/** For `/`. `url` is that of the service as the client names it, without a slash at its end. */
export function rootAnswer(url: string): ApiAnswer {
  const version = versionDocument(url);
  return answerWith(200, {
    name: 'OpenStack Ironic API',
    description:
      'Ironic is an OpenStack project which enables the provision and management of baremetal machines.',
    default_version: version,
    versions: [version],
  });
}

/** For `/v1`, of whose many collections only those of ramdisks are there. */
export function v1Answer(url: string, minor: number): ApiAnswer {
  const collections = ramdiskCollections.filter(({ since }) => minor >= since);
  return answerWith(200, {
    id: 'v1',
    links: [{ href: `${url}/v1/`, rel: 'self' }],
    media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
    version: versionDocument(url),
    ...Object.fromEntries(collections.map(({ name }) => [name, collectionLinks(url, name)])),
  });
}

const ramdiskCollections = [
  { name: 'lookup', since: 22 },
  { name: 'heartbeat', since: 22 },
  { name: 'continue_inspection', since: 84 },
];

function collectionLinks(url: string, name: string): object[] {
  return [
    { href: `${url}/v1/${name}/`, rel: 'self' },
    { href: `${url}/${name}/`, rel: 'bookmark' },
  ];
}

function versionDocument(url: string): object {
  return {
    id: 'v1',
    links: [{ href: `${url}/v1/`, rel: 'self' }],
    status: 'CURRENT',
    min_version: leastVersion,
    version: latestVersion,
  };
}
