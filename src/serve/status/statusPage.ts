/** The answer for `/`: the status of the service as HTML or JSON. */

import { htmlHeaders, renderStatusPage, secretHeaders } from './page.ts';
import { parseStatusQuery, selectHosts, type Selection } from './select.ts';
import type { PageAnswer, PageRequest } from '../http/pages.ts';
import type { Status, HostStatus } from './status.ts';
import { formatPath } from '../../core/finding.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { ImageProgress, TransferEvent } from '../answer/transfers.ts';

/** Returns the answer for status 200. It contains signed URLs, so only operators may see it. */
export function statusAnswer(
  status: Status,
  { query, accept }: Pick<PageRequest, 'query' | 'accept'>,
): Omit<PageAnswer, 'status'> {
  const parsed = parseStatusQuery(query);
  const selection = selectHosts(status.hosts, parsed);
  return wantsJson(query.get('format'), accept)
    ? {
        headers: { ...secretHeaders, 'Content-Type': 'application/json' },
        body: formatStatusDocument(status, selection),
      }
    : {
        headers: htmlHeaders(),
        body: renderStatusPage(status, parsed, selection),
      };
}

/** Browsers accept everything and name HTML; `curl` names no type. */
function wantsJson(format: string | null, accept: string): boolean {
  if (format !== null) return format === 'json';
  return accept.includes('application/json') && !accept.includes('text/html');
}

/** One JSON object with the selected hosts. */
function formatStatusDocument(status: Status, selection: Selection): string {
  const { matching, page, pages } = selection;
  const document = {
    service: status.service, // JSON.stringify formats a Date as in RFC 3339
    baseImages: status.baseImages,
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

function hostObject({
  name,
  macs,
  architecture,
  stream,
  staleSince,
  messages,
  progress,
  images,
}: HostStatus): object {
  const fetched = new Map(progress().map((image) => [image.path, image]));
  return {
    name,
    macs,
    architecture,
    stream,
    staleSince,
    messages: messages.map(messageObject),
    images: images().map(({ path, artifact, url }) => {
      const image = fetched.get(path);
      return { path, artifact, size: image?.size, url, ...(image && progressObject(image)) };
    }),
  };
}

function messageObject({ severity, rule, code, at, path, message, hint }: Diagnostic): object {
  return { severity, rule, code, ...at, path: path && formatPath(path), message, hint };
}

function progressObject({ bytes, lastFetch, completed, running, clients }: ImageProgress): object {
  return { fetched: bytes, lastFetch, completed, running, clients };
}

function transferObject(event: TransferEvent): object {
  const { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome } = event;
  return { id, ended, host, path, artifact, client, userAgent, bytes, seconds, outcome };
}
