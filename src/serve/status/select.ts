/** The hosts that the status page shows, selected by the query of the request. */

import type { HostStatus } from './status.ts';

export const views = ['all', 'problems', 'stale', 'fetching', 'fetched', 'unfetched'] as const;

/** `problems`: hosts with warnings or errors. `stale`: invalid hosts with their last valid image. `fetched`: a client has fetched a complete image. `unfetched`: none has. */
export type View = (typeof views)[number];

export interface StatusQuery {
  /** Text to find in names, MAC addresses and architectures, in lower case. */
  readonly text: string;
  readonly view: View;
  /** From 1. */
  readonly page: number;
  /** Seconds after which the page refreshes. */
  readonly refresh: number | undefined;
}

/** Hosts of one page. */
export interface Selection {
  readonly hosts: readonly HostStatus[];
  /** Hosts on all pages. */
  readonly matching: number;
  /** Index of the first host of this page among all matching hosts. */
  readonly first: number;
  /** The requested page, or the last one. */
  readonly page: number;
  /** At least 1. */
  readonly pages: number;
}

const perPage = 50;
const maxTextLength = 100;
/** Seconds. */
const minRefresh = 2;
const maxRefresh = 3600;

/** Ignores unknown and invalid parameters. */
export function parseStatusQuery(parameters: URLSearchParams): StatusQuery {
  const refresh = parseCount(parameters.get('refresh'));
  return {
    text: (parameters.get('q') ?? '').trim().slice(0, maxTextLength).toLowerCase(),
    view: views.find((view) => view === parameters.get('show')) ?? 'all',
    page: Math.max(1, parseCount(parameters.get('page')) ?? 1),
    refresh: refresh === undefined ? undefined : Math.min(maxRefresh, Math.max(minRefresh, refresh)),
  };
}

/** The query of a link: `?q=worker&page=2`; only `?` without parameters. */
export function formatStatusQuery({ text, view, page, refresh }: StatusQuery): string {
  const parameters = new URLSearchParams();
  if (text !== '') parameters.set('q', text);
  if (view !== 'all') parameters.set('show', view);
  if (page !== 1) parameters.set('page', String(page));
  if (refresh !== undefined) parameters.set('refresh', String(refresh));
  return `?${parameters.toString()}`;
}

export function selectHosts(hosts: readonly HostStatus[], query: StatusQuery): Selection {
  const matching = hosts.filter((host) => isFound(host, query.text) && isInView[query.view](host));
  const pages = Math.max(1, Math.ceil(matching.length / perPage));
  const page = Math.min(query.page, pages);
  const first = (page - 1) * perPage;
  return { hosts: matching.slice(first, first + perPage), matching: matching.length, first, page, pages };
}

function isFound({ name, macs, architecture }: HostStatus, text: string): boolean {
  if (text === '') return true;
  // Also the form of iPXE: 52-54-00-….
  const asMac = text.replaceAll('-', ':');
  return (
    name.toLowerCase().includes(text) ||
    macs.some((mac) => mac.toLowerCase().includes(asMac)) ||
    architecture?.toLowerCase() === text
  );
}

const isInView: Readonly<Record<View, (host: HostStatus) => boolean>> = {
  all: () => true,
  problems: ({ messages }) => messages.some(({ severity }) => severity !== 'info'),
  stale: ({ staleSince }) => staleSince !== undefined,
  fetching: ({ progress }) => progress().some(({ running }) => running > 0),
  fetched: (host) => isFetched(host),
  unfetched: (host) => !isFetched(host),
};

function isFetched({ progress }: HostStatus): boolean {
  return progress().some(({ completed }) => completed !== undefined);
}

function parseCount(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
