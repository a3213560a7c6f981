/** The status page as HTML: one document without scripts and without external resources. */

import { createHash } from 'node:crypto';
import { formatCount } from '../../formats/messageText.ts';
import { readAsset } from '../../assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import { formatTime } from './figures.ts';
import { html, type Html } from './html.ts';
import { baseImageTable, factList, hostTable, sharedTable, timeOf, transferTable } from './tables.ts';
import { formatStatusQuery, type Selection, type StatusQuery, type View, views } from './select.ts';
import type { ServiceStatus, Status } from './status.ts';

/** Renders the document. */
export function renderStatusPage(status: Status, query: StatusQuery, selection: Selection): string {
  const { hosts, service } = status;
  // For the browser tab.
  const title = `${formatCount(service.transfers, 'transfer')}, ${formatCount(hosts.length, 'host')}: ironic-coreos serve`;
  const parts: Record<string, Html> = {
    refresh:
      query.refresh === undefined ? html`` : html`<meta http-equiv="refresh" content="${query.refresh}" />`,
    title: html`${title}`,
    service: serviceFacts(service, hosts.length),
    filter: filterForm(query),
    hosts: html`${hostTable(selection, service.now)}${pageLinks(query, selection)}`,
    baseImages: baseImageTable(status.baseImages),
    shared: sharedTable(status.shared, service.now),
    recent: transferTable(status.recent, service.now),
  };
  return fillPage('serve/status.html', parts);
}

/** Fills a template, which also gets the style sheet. */
export function fillPage(template: string, parts: Readonly<Record<string, Html>>): string {
  const texts = Object.entries(parts).map(([name, { markup }]) => [name, markup] as const);
  return fillTemplate(readTemplate(template), {
    ...Object.fromEntries(texts),
    style: `<style>${readTemplate(STYLE)}</style>`,
  });
}

/** Keeps signed URLs out of caches and out of `Referer` headers. */
export const secretHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept',
};

/** For a page of `fillPage`. */
export function htmlHeaders(): Readonly<Record<string, string>> {
  return {
    ...secretHeaders,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(),
  };
}

/** Allows only the style sheet. The icon is empty: without one, browsers request `/favicon.ico`. */
function pagePolicy(): string {
  const digest = createHash('sha256').update(readTemplate(STYLE)).digest('base64');
  return [
    `default-src 'none'`,
    `style-src 'sha256-${digest}'`,
    'img-src data:',
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** The content of the only `style` element. */
const STYLE = 'serve/status.css';

const templates = new Map<string, string>();

function readTemplate(name: string): string {
  const text = templates.get(name) ?? readAsset(`templates/${name}`);
  templates.set(name, text);
  return text;
}

function serviceFacts(service: ServiceStatus, hosts: number): Html {
  const { now, started, loaded, loadError } = service;
  const error =
    loadError === undefined
      ? undefined
      : html`<p class="error" role="alert">
          <strong>Failed to reload the inventory:</strong> ${loadError}. Still serving the previous inventory.
        </p>`;
  const facts = factList([
    ['Version', service.version],
    ['Started', timeOf(started, now)],
    ['Inventory loaded', timeOf(loaded, now)],
    ['Hosts', hosts],
    ['Connections', service.connections],
    ['Running transfers', service.transfers],
    ['Page generated', formatTime(now)],
  ]);
  return html`${facts}${error}`;
}

const viewNames: Readonly<Record<View, string>> = {
  all: 'all',
  problems: 'with warnings or errors',
  stale: 'stale',
  fetching: 'fetching now',
  fetched: 'fetched',
  unfetched: 'not fetched yet',
};

function filterForm(query: StatusQuery): Html {
  const options = views.map((view) => {
    const selected = view === query.view ? html` selected` : undefined;
    return html`<option value="${view}" ${selected}>${viewNames[view]}</option>`;
  });
  const refresh =
    query.refresh === undefined
      ? undefined
      : html`<input type="hidden" name="refresh" value="${query.refresh}" />`;
  return html`<form method="get" role="search" aria-label="Hosts">
    <label
      >Name, MAC address or architecture <input type="search" name="q" value="${query.text}" maxlength="100"
    /></label>
    <label
      >Show
      <select name="show">
        ${options}
      </select></label
    >
    ${refresh}<button>Filter</button>
    ${refreshLink(query)}
  </form>`;
}

/** The refresh interval of the link on the page, in seconds. */
const defaultRefresh = 10;

function refreshLink({ refresh, ...query }: StatusQuery): Html {
  return refresh === undefined
    ? html`<a href="${formatStatusQuery({ ...query, refresh: defaultRefresh })}"
        >Refresh every ${defaultRefresh} s</a
      >`
    : html`<a href="${formatStatusQuery({ ...query, refresh: undefined })}"
        >Stop refreshing every ${refresh} s</a
      >`;
}

function pageLinks(query: StatusQuery, { page, pages }: Selection): Html | undefined {
  if (pages === 1) return undefined;
  const link = (to: number, text: string, rel: string): Html | undefined =>
    to < 1 || to > pages
      ? undefined
      : html`<a href="${formatStatusQuery({ ...query, page: to })}" rel="${rel}">${text}</a>`;
  return html`<nav aria-label="Pages of hosts">
    ${link(page - 1, 'Previous page', 'prev')}
    <span>Page ${page} of ${pages}</span>
    ${link(page + 1, 'Next page', 'next')}
  </nav>`;
}
