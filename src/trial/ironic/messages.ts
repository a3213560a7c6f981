/**
 * Requests and responses of Ironic's API: routes, queries, bodies, versions, and errors in the two formats of a current
 * Ironic (39.0). Contains only what ramdisks use.
 */

import { isUuid } from '../../core/objectName.ts';
import { parseRequestPath } from '../../http/server/answer/requestPath.ts';
import { trimEndOf } from '../../core/trimming.ts';
import { cutText } from '../../formats/goText.ts';
import { parseIfJson } from '../../formats/mapping.ts';
import { FormatError } from '../../core/errors.ts';
import { JsonLimitError, readJsonTree } from '../../formats/json/tree.ts';

export type InspectionService = 'ironic' | 'inspector';

export type Route =
  /** Ironic accepts any method. */
  | { readonly kind: 'root' }
  | { readonly kind: 'v1' }
  | { readonly kind: 'lookup' }
  /** `node` is undefined if the path contains none. */
  | { readonly kind: 'heartbeat'; readonly node: string | undefined }
  | { readonly kind: 'inspection'; readonly service: InspectionService }
  | { readonly kind: 'refused'; readonly answer: ApiAnswer };

/**
 * Like in Ironic, `/v1` is optional, and trailing slashes are ignored.
 * @param target path and query of the request
 */
export function routeOf(method: string, target: string): Route {
  const [withoutQuery] = cutText(target, '?'); // which may be longer than a path
  const path = parseRequestPath(trimEndOf(withoutQuery, '/') || '/');
  if (path === undefined) return { kind: 'refused', answer: notRouted(404) };
  if (path === '') return { kind: 'root' };
  const [first = '', ...others] = path.split('/');
  const [name, ...rest] = first === 'v1' ? others : [first, ...others];
  if (name === undefined) return isFetch(method) ? { kind: 'v1' } : notAllowed('GET');
  return ramdiskRoute(method, name, rest);
}

function ramdiskRoute(method: string, name: string, [node, ...rest]: readonly string[]): Route {
  switch (name) {
    case 'lookup':
      return isFetch(method) && node === undefined ? { kind: 'lookup' } : notAllowed('GET');
    case 'heartbeat':
      return method === 'POST' && rest.length === 0 ? { kind: 'heartbeat', node } : notAllowed('POST');
    case 'continue_inspection':
    case 'continue': {
      const service = name === 'continue' ? 'inspector' : 'ironic';
      return method === 'POST' && node === undefined ? { kind: 'inspection', service } : notAllowed('POST');
    }
    default:
      return { kind: 'refused', answer: notRouted(404) };
  }
}

function notAllowed(Allow: 'GET' | 'POST'): Route {
  return { kind: 'refused', answer: { ...notRouted(405), headers: { Allow } } };
}

function isFetch(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(cutText(target, '?')[1]);
}

/** Undefined for a valid UUID, and without one. */
export function uuidProblem(query: URLSearchParams): string | undefined {
  const uuid = query.get('node_uuid');
  return uuid === null || isUuid(uuid) ? undefined : `Expected UUID for node_uuid: ${uuid}`;
}

/** Undefined if all names are expected. */
export function unexpectedArguments(
  names: Iterable<string>,
  expected: readonly string[],
): string | undefined {
  const unexpected = [...names].filter((name) => !expected.includes(name));
  if (unexpected.length === 0) return undefined;
  return `Unexpected arguments: ${unexpected.join(', ')}`;
}

/** Agents of large machines send about 10,000 values. */
const bodyLimits = { depth: 64, values: 500_000 };

export type ParsedBody =
  | { readonly kind: 'value'; readonly value: unknown }
  /** `problem` is a clause. */
  | { readonly kind: 'none'; readonly problem: string };

/** Parses a JSON body; an empty body is an empty object. */
export function parseBody(bytes: Uint8Array): ParsedBody {
  if (bytes.length === 0) return { kind: 'value', value: {} };
  try {
    readJsonTree(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), bodyLimits);
  } catch (error) {
    const isLarge = error instanceof JsonLimitError;
    if (isLarge)
      return { kind: 'none', problem: 'its body contains too many values, or is nested too deeply' };
    if (!(error instanceof FormatError)) throw error;
  }
  const value = parseIfJson(new TextDecoder().decode(bytes));
  return value === undefined
    ? { kind: 'none', problem: 'its body is not valid JSON' }
    : { kind: 'value', value };
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined for no body. */
  readonly body: unknown;
}

export function answerWith(status: number, body: unknown): ApiAnswer {
  return { status, headers: {}, body };
}

/** An error of the client or of the server. Like Ironic, it sends JSON in a JSON string. */
export function fault(status: number, faultstring: string): ApiAnswer {
  const faultcode = status >= 500 ? 'Server' : 'Client';
  return errorMessage(status, { faultcode, faultstring, debuginfo: null });
}

/** For an unknown path or an unsupported method. */
function notRouted(status: 404 | 405): ApiAnswer {
  const title = status === 404 ? 'Not Found' : 'Method Not Allowed';
  return errorMessage(status, { code: status, title, description: '' });
}

/** In the format of ironic-inspector, which was a separate service until 2024. */
export function inspectorFault(status: number, message: string): ApiAnswer {
  return answerWith(status, { error: { message } });
}

function errorMessage(status: number, error: object): ApiAnswer {
  return answerWith(status, { error_message: JSON.stringify(error) });
}

/** Why Ironic refuses a request of a ramdisk. Each reason can prove a cause, so each has exactly one meaning, in docs/reasons.md. */
export const refusalReasons = [
  'api-version',
  'no-api-version',
  'arguments',
  'body-too-large',
  'body-incomplete',
  'not-json',
  'no-macs',
  'several-nodes',
  'unknown-node',
  'token-missing',
  'token-invalid',
  'no-callback-url',
  'callback-changed',
  'callback-without-tls',
  'no-agent-version',
  'busy',
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

/** API version of the response to a request. */
export interface ApiVersion {
  readonly minor: number;
  /** Whether the request contains it; otherwise it is the oldest version. */
  readonly isRequested: boolean;
}

export function versionReason({ isRequested }: ApiVersion): 'api-version' | 'no-api-version' {
  return isRequested ? 'api-version' : 'no-api-version';
}

/** A request to one of the paths for ramdisks, without its body, at the time at which it was read. */
export interface RamdiskRequest {
  readonly query: URLSearchParams;
  readonly version: ApiVersion;
  readonly client: string;
  /** Base URL of the service, for links. */
  readonly url: string;
  readonly now: Date;
}

export interface Refusal {
  readonly problem: string;
  readonly reason: RefusalReason;
}

export interface RefusedRequest extends Refusal {
  readonly answer: ApiAnswer;
}

export function refuseRequest(status: number, problem: string, reason: RefusalReason): RefusedRequest {
  return { answer: fault(status, problem), problem, reason };
}

/** Ironic's message, which contains no reason. */
export const NOT_FOUND = 'Resource could not be found.';

const RAMDISKS_SINCE = 22;

/** Undefined if the API version supports requests of ramdisks: `API version 1.21 does not support lookup`. */
export function versionRefusal(
  version: ApiVersion,
  request: 'heartbeat' | 'lookup',
): RefusedRequest | undefined {
  const { isRequested, minor } = version;
  if (minor >= RAMDISKS_SINCE) return undefined;
  const problem = isRequested
    ? `API version 1.${minor} does not support ${request}`
    : `the request contains no API version (X-OpenStack-Ironic-API-Version), and version 1.${minor} does not support ${request}`;
  return { answer: fault(404, NOT_FOUND), problem, reason: versionReason(version) };
}

/** The latest version of Ironic 39.0; agents request the latest version that both sides support. */
const MAX_MINOR = 115;
/** The version for clients that request none. */
const MIN_MINOR = 1;

const MIN_VERSION = `1.${MIN_MINOR}`;
const MAX_VERSION = `1.${MAX_MINOR}`;

const VERSION_HEADER = 'X-OpenStack-Ironic-API-Version';

const rangeHeaders = {
  'X-OpenStack-Ironic-API-Minimum-Version': MIN_VERSION,
  'X-OpenStack-Ironic-API-Maximum-Version': MAX_VERSION,
};

export type Negotiation =
  | { readonly kind: 'agreed'; readonly version: ApiVersion }
  /** `requested` is the version in the request. */
  | { readonly kind: 'refused'; readonly requested: string; readonly answer: ApiAnswer };

/** Headers by their names in lower case. */
type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export function negotiateVersion(headers: RequestHeaders): Negotiation {
  const [requested] = [headers[VERSION_HEADER.toLowerCase()]].flat();
  const wanted = requested ?? MIN_VERSION;
  const text = wanted.toLowerCase() === 'latest' ? MAX_VERSION : wanted;
  const [, major, minor] = /^([1-9][0-9]{0,4})\.([0-9]{1,5})$/.exec(text) ?? [];
  if (minor === undefined) {
    const answer = fault(406, `Invalid value for ${VERSION_HEADER} header`);
    return { kind: 'refused', requested: text, answer };
  }
  if (major === '1' && Number(minor) >= MIN_MINOR && Number(minor) <= MAX_MINOR) {
    return { kind: 'agreed', version: { minor: Number(minor), isRequested: requested !== undefined } };
  }
  const problem =
    major === '1'
      ? `Version ${text} was requested but the minor version is not supported by this service.`
      : `Mutually exclusive versions requested. Version ${text} requested but not supported by this service.`;
  const range = `The supported version range is: [${MIN_VERSION}, ${MAX_VERSION}].`;
  const answer = { ...fault(406, `${problem} ${range}`), headers: rangeHeaders };
  return { kind: 'refused', requested: text, answer };
}

export function inVersion(minor: number, answer: ApiAnswer): ApiAnswer {
  return { ...answer, headers: { ...rangeHeaders, [VERSION_HEADER]: `1.${minor}`, ...answer.headers } };
}

/** For `/`. `url` is the base URL of the service as the client uses it, without a trailing slash. */
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

/** For `/v1`, without the collections of resources, which agents do not read. */
export function v1Answer(url: string): ApiAnswer {
  return answerWith(200, {
    id: 'v1',
    links: [{ href: `${url}/v1/`, rel: 'self' }],
    media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
    version: versionDocument(url),
  });
}

/** @param path of the resource below `/v1/` */
export function resourceLinks(url: string, path: string): object[] {
  return [
    { href: `${url}/v1/${path}`, rel: 'self' },
    { href: `${url}/${path}`, rel: 'bookmark' },
  ];
}

function versionDocument(url: string): object {
  return {
    id: 'v1',
    links: [{ href: `${url}/v1/`, rel: 'self' }],
    status: 'CURRENT',
    min_version: MIN_VERSION,
    version: MAX_VERSION,
  };
}
