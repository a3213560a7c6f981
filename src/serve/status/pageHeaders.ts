/** The headers of pages for operators. */

import { createHash } from 'node:crypto';

/** Keeps signed URLs out of caches and out of `Referer` headers. */
export const secretHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept',
};

/** For an HTML page with one `style` element and nothing else. */
export function htmlHeaders(style: string): Readonly<Record<string, string>> {
  return {
    ...secretHeaders,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(style),
  };
}

/** Allows only this style. The icon is empty: without one, browsers request `/favicon.ico`. */
function pagePolicy(style: string): string {
  const digest = createHash('sha256').update(style).digest('base64');
  return [
    `default-src 'none'`,
    `style-src 'sha256-${digest}'`,
    'img-src data:',
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
