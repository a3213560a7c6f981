/**
 * Status pages as HTML: one document without external resources. Its script loads the page again in place; without scripts, the
 * browser loads the whole page again.
 */

import { createHash } from 'node:crypto';
import { readAsset } from '../../core/assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Html } from './html.ts';

/** The parts of the document; each is HTML. */
export interface PageParts {
  /** For the browser tab. */
  readonly title: Html;
  readonly heading: Html;
  readonly facts: Html;
  readonly machines: Html;
  /** What follows below the machines. */
  readonly more: Html;
}

/**
 * Renders the document.
 * @param refresh seconds after which the browser loads it again; 0 for never
 */
export function renderPage(refresh: number, parts: PageParts): string {
  const texts = Object.entries(parts).map(([name, { markup }]: [string, Html]) => [name, markup] as const);
  return fillTemplate(readTemplate('status/status.html'), {
    ...Object.fromEntries(texts),
    refresh: refresh === 0 ? '' : `<noscript><meta http-equiv="refresh" content="${refresh}" /></noscript>`,
    script: `<script data-refresh="${refresh}">${readTemplate(SCRIPT)}</script>`,
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

/** For a document of `renderPage`. */
export function htmlHeaders(): Readonly<Record<string, string>> {
  return {
    ...secretHeaders,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(),
  };
}

/** Allows only the style sheet and the script. The icon is empty: without one, browsers request `/favicon.ico`. */
function pagePolicy(): string {
  const [style, script] = [STYLE, SCRIPT].map((name) =>
    createHash('sha256').update(readTemplate(name)).digest('base64'),
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

/** The content of the only `style` element, and of the only `script` element. */
const STYLE = 'status/status.css';
const SCRIPT = 'status/status.js';

const templates = new Map<string, string>();

function readTemplate(name: string): string {
  const text = templates.get(name) ?? readAsset(`templates/${name}`);
  templates.set(name, text);
  return text;
}
