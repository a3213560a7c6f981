/**
 * The status page of `serve`, `controller`, `try` and `boot`: one static document. Its script reads the same path as JSON, shows it,
 * and updates it in place. Without scripts, the document has the machines as a plain table.
 */

import { createHash } from 'node:crypto';
import { readAsset } from '../../core/assets.ts';
import { formatCount } from '../../formats/messageText.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { PageAnswer } from '../../http/server/pages.ts';
import { documentOf, type PageRow, type StatusPage, titleOf } from './document.ts';
import { formatPercent, formatTime } from './figures.ts';
import { html, type Html } from './html.ts';
import { formatCausePlace, type MachineCause } from './machineRow.ts';
import {
  formatStatusQuery,
  parseStatusQuery,
  problemsFirst,
  selectMachines,
  type Selection,
  type StatusQuery,
} from './select.ts';

/**
 * The page, or its data as JSON.
 * @param accept the `Accept` header, or an empty string
 */
export function pageAnswer(page: StatusPage, query: URLSearchParams, accept: string): PageAnswer {
  const parsed = parseStatusQuery(query);
  // Programs that read page by page get each machine once, as the order of the inventory stays.
  const isSorted = !wantsJson(query, accept) || query.get('order') === 'problems';
  const selection = selectMachines(isSorted ? problemsFirst(page.rows) : page.rows, parsed);
  return wantsJson(query, accept)
    ? {
        status: 200,
        headers: { ...secretHeaders, 'Content-Type': 'application/json' },
        body: `${JSON.stringify(documentOf(page, selection))}\n`,
      }
    : { status: 200, headers: htmlHeaders(), body: renderPage(page, selection, parsed) };
}

/** Browsers accept everything and name HTML; `curl` names no type. */
function wantsJson(query: URLSearchParams, accept: string): boolean {
  const format = query.get('format');
  if (format !== null) return format === 'json';
  return accept.includes('application/json') && !accept.includes('text/html');
}

/** Keeps signed URLs out of caches and out of `Referer` headers. */
const secretHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept',
};

const TEMPLATE = 'templates/status/status.html';
const STYLE = 'templates/status/status.css';
const SCRIPT = 'templates/status/status.js';

function renderPage(page: StatusPage, selection: Selection<PageRow>, query: StatusQuery): string {
  const parts = {
    title: html`${titleOf(page)}`,
    heading: html`${page.heading}`,
    text: html`${query.text}`,
    table: plainTable(page, selection, query),
  };
  return fillTemplate(readAsset(TEMPLATE), {
    ...Object.fromEntries(Object.entries(parts).map(([name, { markup }]) => [name, markup])),
    style: `<style>${readAsset(STYLE)}</style>`,
    script: `<script>${readAsset(SCRIPT)}</script>`,
  });
}

/** For browsers without scripts. */
function plainTable(
  { loadError, names, service }: StatusPage,
  selection: Selection<PageRow>,
  query: StatusQuery,
): Html {
  const { first, matching, page, pages, rows } = selection;
  const link = (to: number, text: string): Html | undefined =>
    to < 1 || to > pages
      ? undefined
      : html`<a href="${formatStatusQuery({ ...query, page: to })}">${text}</a> `;
  return html`${loadError && html`<p class="error">Failed to reload: ${formatCause(loadError)}</p>`}
    <table>
      <caption>
        ${formatCount(matching, 'machine')} at ${formatTime(service.now)}, from number ${first + 1}
      </caption>
      <tr>
        <th scope="col">Machine</th>
        <th scope="col">State</th>
        <th scope="col">Since</th>
        <th scope="col">Message</th>
      </tr>
      ${rows.map(
        ({ causes, name, others, since, stage, state, transfer }) =>
          html`<tr>
            <th scope="row">${name}</th>
            <td>
              ${[names[state], stage, transfer && formatPercent(transfer.bytes, transfer.size)].filter(Boolean).join(', ')}
            </td>
            <td>${since && formatTime(since)}</td>
            <td>${[...causes, ...others].map((cause) => html`<p>${formatCause(cause)}</p>`)}</td>
          </tr> `,
      )}
    </table>
    <p>${link(page - 1, 'Previous page')}${link(page + 1, 'Next page')}</p>`;
}

function formatCause(cause: MachineCause): string {
  const { evidence, hint, label = cause.severity, message } = cause;
  const hinted = hint === undefined ? undefined : `hint: ${hint}`;
  return [`${label}: ${message}`, formatCausePlace(cause), evidence, hinted].filter(Boolean).join('; ');
}

function htmlHeaders(): Readonly<Record<string, string>> {
  return {
    ...secretHeaders,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(),
  };
}

/** Allows only the style sheet and the script. The icon is empty: without one, browsers request `/favicon.ico`. */
function pagePolicy(): string {
  const [style, script] = [STYLE, SCRIPT].map((path) =>
    createHash('sha256').update(readAsset(path)).digest('base64'),
  );
  return [
    `default-src 'none'`,
    `style-src 'sha256-${style}'`,
    `script-src 'sha256-${script}'`,
    `connect-src 'self'`,
    'img-src data:',
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
