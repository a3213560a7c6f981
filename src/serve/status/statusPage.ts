/** What is answered under `/`: the state of the service, as a page for a person or as JSON for a program. */

import { createHash } from 'node:crypto';
import { renderStatusPage, statusStyle } from './page.ts';
import { parseStatusQuery, selectHosts, type Selection } from './select.ts';
import type { Status, HostStatus } from './status.ts';
import { formatPath } from '../../core/finding.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { ImageProgress } from '../answer/imageFetches.ts';
import type { TransferEvent } from '../answer/transfers.ts';

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

/** One JSON object with the selected hosts. */
function formatStatusDocument(status: Status, selection: Selection): string {
  const { matching, page, pages } = selection;
  const document = {
    service: status.service, // JSON.stringify writes a Date as RFC 3339 has it
    bases: status.bases,
    total: status.hosts.length,
    matching,
    page,
    pages,
    hosts: selection.hosts.map(hostObject),
    shared: status.shared.map((image) => ({ path: image.path, size: image.size, ...progressObject(image) })),
    transfers: status.recent.map(transferObject),
  };
  return `${JSON.stringify(document)}\n`;
}

function hostObject({ name, macs, architecture, findings, progress, images }: HostStatus): object {
  const fetched = new Map(progress().map((image) => [image.path, image]));
  return {
    name,
    macs,
    architecture,
    findings: findings.map(findingObject),
    images: images().map(({ path, artifact, size, url }) => {
      const image = fetched.get(path);
      return { path, artifact, size: size ?? image?.size, url, ...(image && progressObject(image)) };
    }),
  };
}

function findingObject({ severity, rule, code, at, path, message, hint }: Diagnostic): object {
  return { severity, rule, code, ...at, path: path && formatPath(path), message, hint };
}

function progressObject({ bytes, lastFetch, completed, running, clients }: ImageProgress): object {
  return { fetched: bytes, lastFetch, completed, running, clients };
}

function transferObject(event: TransferEvent): object {
  const { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome } = event;
  return { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome };
}
