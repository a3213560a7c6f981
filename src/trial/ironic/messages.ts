/**
 * Requests and responses of Ironic's API, as a current Ironic (39.0) has them. Contains only what agents use: any other request is
 * refused.
 */

import { parseRequestPath } from '../../http/server/answer/requestPath.ts';
import { trimEndOf } from '../../core/trimming.ts';
import { cutText } from '../../formats/goText.ts';
import { parseIfJson } from '../../formats/mapping.ts';
import { FormatError } from '../../core/errors.ts';
import { JsonLimitError, readJsonTree } from '../../formats/json/tree.ts';

export type Route =
  | { readonly kind: 'root' }
  | { readonly kind: 'lookup' }
  | { readonly kind: 'heartbeat'; readonly node: string }
  | { readonly kind: 'inspection' }
  | { readonly kind: 'refused'; readonly status: 404 | 405 };

/**
 * Like in Ironic, trailing slashes are ignored. `/v1/continue` is the path of ironic-inspector, which older configs contain.
 * @param target path and query of the request
 */
export function routeOf(method: string, target: string): Route {
  const [withoutQuery] = cutText(target, '?'); // which may be longer than a path
  const [version, name, node, ...rest] =
    parseRequestPath(trimEndOf(withoutQuery, '/') || '/')?.split('/') ?? [];
  const isFetch = method === 'GET' || method === 'HEAD';
  if (version === '' && name === undefined) return isFetch ? { kind: 'root' } : refusedMethod;
  if (version !== 'v1' || rest.length > 0) return unknownPath;
  if (name === 'heartbeat' && node !== undefined)
    return method === 'POST' ? { kind: 'heartbeat', node } : refusedMethod;
  if (node !== undefined) return unknownPath;
  if (name === 'lookup') return isFetch ? { kind: 'lookup' } : refusedMethod;
  if (name !== 'continue_inspection' && name !== 'continue') return unknownPath;
  return method === 'POST' ? { kind: 'inspection' } : refusedMethod;
}

const unknownPath: Route = { kind: 'refused', status: 404 };
const refusedMethod: Route = { kind: 'refused', status: 405 };

export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(cutText(target, '?')[1]);
}

/** Agents of large machines send about 10,000 values. */
const bodyLimits = { depth: 64, values: 500_000 };

/** Undefined for a body that is not JSON, contains too many values, or is nested too deeply. */
export function parseBody(bytes: Uint8Array): unknown {
  try {
    readJsonTree(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), bodyLimits);
  } catch (error) {
    if (error instanceof JsonLimitError) return undefined;
    if (!(error instanceof FormatError)) throw error;
  }
  return parseIfJson(new TextDecoder().decode(bytes));
}

export interface ApiAnswer {
  readonly status: number;
  /** Sent as JSON; undefined for no body. */
  readonly body: unknown;
}

/** An error. Like Ironic, it sends JSON in a JSON string. */
export function fault(status: number, faultstring: string): ApiAnswer {
  const error = { faultcode: 'Client', faultstring, debuginfo: null };
  return { status, body: { error_message: JSON.stringify(error) } };
}

/** Why Ironic refuses a request of a ramdisk: the id of a cause in docs/troubleshooting.md. */
export type RefusalReason =
  | 'request-refused'
  | 'inspection-refused'
  | 'heartbeat-refused'
  | 'no-mac-addresses'
  | 'several-nodes'
  | 'node-unknown'
  | 'token-refused'
  | 'callback-changed'
  | 'callback-without-tls';

/** A request to one of the paths for ramdisks, without its body, at the time at which it was read. */
export interface RamdiskRequest {
  readonly query: URLSearchParams;
  /** Whether its API version is one that agents use. */
  readonly hasVersion: boolean;
  readonly client: string;
  /** Base URL of the service, for links. */
  readonly url: string;
  readonly now: Date;
}

export interface RefusedRequest {
  readonly problem: string;
  /** Undefined if it is no fault of the machine. */
  readonly reason: RefusalReason | undefined;
  readonly answer: ApiAnswer;
}

export function refuseRequest(status: number, problem: string, reason?: RefusalReason): RefusedRequest {
  return { answer: fault(status, problem), problem, reason };
}

/** Agents use a token since this version; a current Ironic requires one. */
const FIRST_MINOR = 62;
/** The latest version of Ironic 39.0; agents request the latest version that both sides support. */
const LAST_MINOR = 115;

/** Whether agents use the API version of the header: `1.68`. */
export function isAgentVersion(header: string | readonly string[] | undefined): boolean {
  const [, minor] = /^1\.([0-9]{1,3})$/.exec(String(header)) ?? [];
  return Number(minor) >= FIRST_MINOR && Number(minor) <= LAST_MINOR;
}

/** For `/`. `url` is the base URL of the service as the client uses it, without a trailing slash. */
export function rootAnswer(url: string): ApiAnswer {
  const version = {
    id: 'v1',
    links: [{ href: `${url}/v1/`, rel: 'self' }],
    status: 'CURRENT',
    min_version: '1.1',
    version: `1.${LAST_MINOR}`,
  };
  const body = {
    name: 'OpenStack Ironic API',
    description:
      'Ironic is an OpenStack project which enables the provision and management of baremetal machines.',
    default_version: version,
    versions: [version],
  };
  return { status: 200, body };
}
