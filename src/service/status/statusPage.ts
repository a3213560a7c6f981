/** The answer for `/`: the status of the service as HTML or JSON. */

import { shareCauses } from './sharedCauses.ts';
import { formatProblemStates } from './terminalRows.ts';
import { formatCount } from '../../formats/messageText.ts';
import { formatTime } from './figures.ts';
import { type HostRow, hostRow, hostStateNames } from './hostRows.ts';
import { html, type Html } from './html.ts';
import { machineList } from './machines.ts';
import { htmlHeaders, renderPage, secretHeaders } from './page.ts';
import {
  countStates,
  parseStatusQuery,
  problemsFirst,
  selectMachines,
  type Selection,
  type StatusQuery,
} from './select.ts';
import { baseImageTable, factList, sharedTable, timeOf, transferTable } from './tables.ts';
import type { PageAnswer } from '../../http/server/pages.ts';
import type { Status } from './status.ts';
import { type Diagnostic, formatPath } from '../../core/finding.ts';
import type { ImageProgress, TransferEvent } from '../../http/server/answer/transfers.ts';

/**
 * The answer contains signed URLs, so only operators may see it.
 * @param accept the `Accept` header, or an empty string
 */
export function statusAnswer(status: Status, query: URLSearchParams, accept: string): PageAnswer {
  const parsed = parseStatusQuery(query);
  const rows = status.hosts.map((host) => hostRow(host, status.service.now));
  // Programs that read page by page get each host once, as the order of the inventory stays.
  return wantsJson(query.get('format'), accept)
    ? {
        status: 200,
        headers: { ...secretHeaders, 'Content-Type': 'application/json' },
        body: formatStatusDocument(status, selectMachines(rows, parsed)),
      }
    : {
        status: 200,
        headers: htmlHeaders(),
        body: renderStatusPage(status, rows, parsed),
      };
}

function renderStatusPage(status: Status, rows: readonly HostRow[], query: StatusQuery): string {
  const { baseImages, command, recent, shared } = status;
  const { now, transfers } = status.service;
  const usual = `${formatCount(transfers, 'transfer')}, ${formatCount(rows.length, 'host')}`;
  const title = `${formatProblemStates(rows, hostStateNames) || usual}: ironic-coreos ${command}`;
  const sections = [
    ['Base images', baseImageTable(baseImages)],
    ['Shared files', sharedTable(shared, now)],
    ['Recent transfers', transferTable(recent, now)],
  ] as const;
  const refresh = query.refresh ?? 0;
  return renderPage(refresh, {
    title: html`${title}`,
    heading: html`ironic-coreos ${command}`,
    facts: serviceFacts(status),
    machines: machineList({
      query,
      shared: shareCauses(rows),
      selection: selectMachines(problemsFirst(rows), query),
      counts: countStates(rows),
      names: hostStateNames,
      refresh,
      now,
    }),
    more: html`${sections.map(
      ([heading, table]) =>
        html`<section>
          <h2>${heading}</h2>
          ${table}
        </section>`,
    )}`,
  });
}

function serviceFacts({ inputs, service }: Status): Html {
  const { now, started, loaded, loadError } = service;
  const error =
    loadError === undefined
      ? undefined
      : html`<p class="error" role="alert">
          <strong>Failed to reload the ${inputs}:</strong> ${loadError}. The hosts keep the ${inputs} of
          ${formatTime(loaded)}.
        </p>`;
  const facts = factList([
    ['Version', service.version],
    ['Started', timeOf(started, now)],
    [`${inputs.charAt(0).toUpperCase()}${inputs.slice(1)} loaded`, timeOf(loaded, now)],
    ['Connections', service.connections],
    ['Running transfers', service.transfers],
    ['Page generated', formatTime(now)],
  ]);
  return html`${error}${facts}`;
}

/** Browsers accept everything and name HTML; `curl` names no type. */
function wantsJson(format: string | null, accept: string): boolean {
  if (format !== null) return format === 'json';
  return accept.includes('application/json') && !accept.includes('text/html');
}

/** One JSON object with the selected hosts. */
function formatStatusDocument(status: Status, selection: Selection<HostRow>): string {
  const { matching, page, pages } = selection;
  const document = {
    service: status.service, // JSON.stringify formats a Date as in RFC 3339
    baseImages: status.baseImages,
    total: status.hosts.length,
    matching,
    page,
    pages,
    hosts: selection.rows.map(hostObject),
    shared: status.shared.map((image) => ({ path: image.path, size: image.size, ...progressObject(image) })),
    transfers: status.recent.map(transferObject),
  };
  return `${JSON.stringify(document)}\n`;
}

function hostObject({ host, state, since }: HostRow): object {
  const { name, macs, architecture, stream, staleSince, messages, progress, images } = host;
  const fetched = new Map(progress().map((image) => [image.path, image]));
  return {
    name,
    macs,
    architecture,
    stream,
    state,
    since,
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
