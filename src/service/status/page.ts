/**
 * The status page of `serve`, `controller`, `try` and `boot`. It is complete without its script, which only requests the same path
 * again and changes what differs.
 */

import { createHash } from 'node:crypto';
import { readAsset } from '../../core/assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { TextAnswer } from '../../http/server/textResponse.ts';
import { documentOf, type StatusDocument, type StatusPage } from './document.ts';
import { html } from './html.ts';
import { machineTable } from './machineTable.ts';
import { moreTables } from './moreTables.ts';
import { overview } from './overview.ts';
import { parseStatusQuery, problemsFirst, selectMachines, type StatusQuery } from './select.ts';

/**
 * The page, or its data as JSON.
 * @param accept the `Accept` header, or an empty string
 */
export function pageAnswer(page: StatusPage, query: URLSearchParams, accept: string): TextAnswer {
  const parsed = parseStatusQuery(query);
  if (wantsJson(query, accept)) {
    // Programs that read page by page get each machine once, as the order of the inventory stays.
    const body = `${JSON.stringify(documentOf(page, selectMachines(page.rows, parsed)))}\n`;
    return { status: 200, headers: { ...secretHeaders, 'Content-Type': 'application/json' }, body };
  }
  const document = documentOf(page, selectMachines(problemsFirst(page.rows), parsed));
  return { status: 200, headers: htmlHeaders(), body: renderPage(document, parsed) };
}

/** Browsers accept everything and name HTML; `curl` names no type. */
function wantsJson(query: URLSearchParams, accept: string): boolean {
  const format = query.get('format');
  if (format !== null) return format === 'json';
  return accept.includes('application/json') && !accept.includes('text/html');
}

/** Keeps signed URLs out of `Referer` headers. */
const secretHeaders = { 'Referrer-Policy': 'no-referrer', Vary: 'Accept' };

const TEMPLATE = 'templates/status/status.html';
const STYLE = 'templates/status/status.css';
const SCRIPT = 'templates/status/status.js';

function renderPage(document: StatusDocument, query: StatusQuery): string {
  const parts = {
    title: html`${document.title}`,
    heading: html`${document.heading}`,
    text: html`${query.text}`,
    above: overview(document, query),
    below: html`${machineTable(document, query)} ${moreTables(document)}`,
  };
  return fillTemplate(readAsset(TEMPLATE), {
    ...Object.fromEntries(Object.entries(parts).map(([name, { markup }]) => [name, markup])),
    style: `<style>${readAsset(STYLE)}</style>`,
    script: `<script>${readAsset(SCRIPT)}</script>`,
  });
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
