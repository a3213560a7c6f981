/**
 * Which part of Ironic's API a request is for, and what its query and its body contain. Left out is all that ramdisks do
 * not ask for.
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

/** A value of JSON that has names. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
