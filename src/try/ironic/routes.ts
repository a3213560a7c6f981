/** Which part of Ironic's API a request is for. Left out is all that ramdisks do not ask for. */

import { parseRequestPath } from '../../formats/http/requestPath.ts';

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
