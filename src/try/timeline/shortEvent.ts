/** Events with bounded texts and lists: what others send is remembered in part only. */

import type { PreflightEvent, RefusalEvent, TrialEvent } from './events.ts';

/** Characters of a path, a URL or a problem. */
const longestText = 300;
/** Characters of an address, a UUID or a name. */
const longestName = 128;

/** @param mostMacs the last ones stay */
export function shortEvent(event: TrialEvent, mostMacs: number): TrialEvent {
  switch (event.kind) {
    case 'machine':
      return { ...event, mac: name(event.mac), problem: text(event.problem) };
    case 'preflight':
      return { ...event, mac: name(event.mac), problem: shortPreflight(event.problem) };
    case 'fetch':
      return { ...event, client: name(event.client), host: name(event.host), path: text(event.path) };
    case 'api':
      return { ...event, client: name(event.client), userAgent: text(event.userAgent) };
    case 'refusal':
      return { ...event, client: name(event.client), problem: shortProblem(event.problem) };
    case 'lookup':
      return {
        ...event,
        client: name(event.client),
        macs: event.macs.slice(-mostMacs).map(name),
        node: name(event.node),
        problem: text(event.problem),
      };
    case 'inspection':
      return {
        ...event,
        client: name(event.client),
        macs: event.macs.slice(-mostMacs).map(name),
        node: name(event.node),
        summary: text(event.summary),
        problem: text(event.problem),
      };
    case 'heartbeat':
      return {
        ...event,
        client: name(event.client),
        node: name(event.node),
        callbackUrl: text(withoutUserInfo(event.callbackUrl)),
        agentVersion: name(event.agentVersion),
        problem: text(event.problem),
      };
    case 'callback':
    default:
      return {
        ...event,
        client: name(event.client),
        node: name(event.node),
        url: text(withoutUserInfo(event.url)),
        problem: text(event.problem),
        summary: text(event.summary),
      };
  }
}

function shortProblem(problem: RefusalEvent['problem']): RefusalEvent['problem'] {
  switch (problem.kind) {
    case 'tls':
      return { ...problem, reason: text(problem.reason) };
    case 'path':
      return {
        ...problem,
        method: name(problem.method),
        path: text(withoutQuery(problem.path)),
        userAgent: text(problem.userAgent),
      };
    case 'request':
      return { ...problem, message: text(problem.message) };
    case 'plain-http':
    case 'tls-to-http':
    default:
      return problem;
  }
}

/** URLs that are kept: the agent tries them all, and some are enough to see what is wrong. */
const mostUrls = 8;

function shortPreflight(problem: PreflightEvent['problem']): PreflightEvent['problem'] {
  if (problem.kind === 'no-config') return { ...problem, message: text(problem.message) };
  const urls = problem.urls.slice(0, mostUrls).map((url) => text(withoutUserInfo(url)));
  return { ...problem, urls, fix: text(problem.fix) };
}

/** A query may hold anything, tokens included. */
function withoutQuery(path: string): string {
  return path.split(/[?#]/, 1)[0] ?? '';
}

function withoutUserInfo<T extends string | undefined>(url: T): T | string {
  return url?.replace(/^([^/]*\/\/)[^/]*@/, '$1') ?? url;
}

function text<T extends string | undefined>(value: T): T | string {
  return cut(value, longestText);
}

function name<T extends string | undefined>(value: T): T | string {
  return cut(value, longestName);
}

function cut<T extends string | undefined>(value: T, most: number): T | string {
  if (value === undefined || value.length <= most) return value;
  return `${value.slice(0, most)}…`;
}
