/**
 * The status page of `serve`, `controller`, `try` and `boot`: one document, which is the same for all. Its script reads the same path
 * as JSON, shows it, and updates it in place.
 */

import { createHash } from 'node:crypto';
import { readAsset } from '../../core/assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { PageAnswer } from '../../http/server/pages.ts';
import { documentOf, type StatusPage } from './document.ts';
import { parseStatusQuery, problemsFirst, selectMachines } from './select.ts';

/**
 * The page, or its data as JSON.
 * @param accept the `Accept` header, or an empty string
 */
export function pageAnswer(page: StatusPage, query: URLSearchParams, accept: string): PageAnswer {
  if (!wantsJson(query, accept)) return htmlAnswer();
  // Programs that read page by page get each machine once, as the order of the inventory stays.
  const rows = query.get('order') === 'problems' ? problemsFirst(page.rows) : page.rows;
  const selection = selectMachines(rows, parseStatusQuery(query));
  return {
    status: 200,
    headers: { ...secretHeaders, 'Content-Type': 'application/json' },
    body: `${JSON.stringify(documentOf(page, selection))}\n`,
  };
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

/** The policy allows only the style sheet and the script. The icon is empty: without one, browsers request `/favicon.ico`. */
function htmlAnswer(): PageAnswer {
  const style = readAsset('templates/status/status.css');
  const script = readAsset('templates/status/status.js');
  const policy = [
    `default-src 'none'`,
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(script)}`,
    `connect-src 'self'`,
    'img-src data:',
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ];
  return {
    status: 200,
    headers: {
      ...secretHeaders,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
    },
    body: fillTemplate(readAsset('templates/status/status.html'), {
      style: `<style>${style}</style>`,
      script: `<script>${script}</script>`,
    }),
  };
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
