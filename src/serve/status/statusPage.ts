/** What is answered under `/`: the state of the service, as a page for a person or as JSON for a program. */

import { createHash } from 'node:crypto';
import { formatStatusDocument } from './document.ts';
import { renderStatusPage, statusStyle } from './page.ts';
import { parseStatusQuery, selectHosts } from './select.ts';
import type { Status } from './status.ts';

export interface StatusRequest {
  /** `q`, `show`, `page`, `refresh`, `format`. */
  readonly query: URLSearchParams;
  /** The header of this name, or nothing. */
  readonly accept: string;
}

export interface StatusAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The answer, to be sent with status 200. It holds URLs that let fetch images: only for who may fetch all of them.
 */
export function statusAnswer(status: Status, { query, accept }: StatusRequest): StatusAnswer {
  const parsed = parseStatusQuery(query);
  const selection = selectHosts(status.hosts, parsed);
  return wantsJson(query.get('format'), accept)
    ? {
        headers: { ...secretHeaders, 'Content-Type': 'application/json' },
        body: formatStatusDocument(status, selection),
      }
    : {
        headers: {
          ...secretHeaders,
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': pagePolicy(),
        },
        body: renderStatusPage(status, parsed, selection),
      };
}

/** The signed URLs are neither to be kept nor to be told to whom a link leads to. */
const secretHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept',
};

/** Browsers accept anything, but name HTML; `curl` names nothing. */
function wantsJson(format: string | null, accept: string): boolean {
  if (format !== null) return format === 'json';
  return accept.includes('application/json') && !accept.includes('text/html');
}

/** Nothing but the page's own style. The icon is an empty one, or browsers would ask for `/favicon.ico`. */
function pagePolicy(): string {
  const digest = createHash('sha256').update(statusStyle()).digest('base64');
  return [
    `default-src 'none'`,
    `style-src 'sha256-${digest}'`,
    'img-src data:',
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
