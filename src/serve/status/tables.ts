/** The tables of the status page. */

import type { Diagnostic } from '../../core/diagnostic.ts';
import { formatPlace } from '../../core/errors.ts';
import { formatPath } from '../../core/finding.ts';
import { formatCount, formatSize } from '../../formats/messageText.ts';
import type { ImageProgress, TransferEvent } from '../answer/transfers.ts';
import { fetchMarks } from './fetchMarks.ts';
import { formatAgo, formatDuration, formatPercent, formatTime } from './figures.ts';
import { html, type Html } from './html.ts';
import type { Selection } from './select.ts';
import { stageBar } from './stageBar.ts';
import type { BaseStatus, HostStatus, ImageStatus } from './status.ts';

/** Each host is a group of rows, with one row per image. */
export function hostTable({ hosts, matching, first }: Selection, now: Date): Html {
  if (hosts.length === 0) return html`<p>No host matches.</p>`;
  const last = first + hosts.length;
  const shown = hosts.length === 1 ? `Host ${last}` : `Hosts ${first + 1} to ${last}`;
  const caption = `${shown} of ${matching}`;
  const heads = [
    'Host',
    'MAC addresses',
    'Architecture',
    'Image',
    'Size',
    'Last fetch',
    'Progress',
    'Messages',
  ];
  return table({ caption, heads }, html`${hosts.map((host) => hostRows(host, now))}`);
}

export function baseImageTable(baseImages: readonly BaseStatus[]): Html {
  if (baseImages.length === 0) return html`<p>No base images: only configs are served.</p>`;
  const rows = baseImages.map(
    ({ name, architecture, stream, build, size, digest }) =>
      html`<tr>
        <th scope="row" class="name">${name}</th>
        <td>${architectureOf(architecture, stream)}</td>
        <td>${build ?? 'unknown'}</td>
        <td class="number">${formatSize(size)}</td>
        <td class="digest" title="${digest}">${digest.slice(0, 12)}</td>
      </tr> `,
  );
  return rowTable(['Image', 'Architecture', 'Build', 'Size', 'SHA-256'], rows);
}

/** The shared files that were fetched so far, such as kernels. */
export function sharedTable(images: readonly ImageProgress[], now: Date): Html {
  if (images.length === 0) return html`<p class="muted">No shared files were fetched yet.</p>`;
  const rows = images.map(
    (image) =>
      html`<tr>
        <th scope="row" class="name">${image.path}</th>
        <td class="number">${formatSize(image.size)}</td>
        <td>${timeOf(image.lastFetch, now)}</td>
        <td>${progressOf(image)}</td>
      </tr> `,
  );
  return rowTable(['File', 'Size', 'Last fetch', 'Progress of the last client'], rows);
}

/** Transfers that have ended. */
export function transferTable(events: readonly TransferEvent[], now: Date): Html {
  if (events.length === 0) return html`<p class="muted">No transfers yet.</p>`;
  const rows = events.map(
    (event) =>
      html`<tr>
        <td>${timeOf(event.ended, now)}</td>
        <th scope="row" class="name">${event.path}</th>
        <td class="name">${event.client}</td>
        <td class="number">${formatSize(event.bytes)}</td>
        <td class="number">${formatDuration(event.seconds)}</td>
        <td class="${event.outcome === 'complete' ? 'good' : 'warning'}">${event.outcome}</td>
        <td class="muted">${event.userAgent ?? ''}</td>
      </tr> `,
  );
  return rowTable(['Ended', 'File', 'Client', 'Sent', 'Duration', 'Outcome', 'User agent'], rows);
}

/** The age of a time; the tooltip shows the time itself. */
export function timeOf(time: Date, now: Date): Html {
  return html`<time datetime="${time.toISOString()}" title="${formatTime(time)}"
    >${formatAgo(time, now)}</time
  >`;
}

/** A list of names with their values. */
export function factList(facts: readonly (readonly [name: string, value: string | number | Html])[]): Html {
  const items = facts.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div> `,
  );
  return html`<dl class="facts">${items}</dl>`;
}

function rowTable(heads: readonly string[], rows: readonly Html[]): Html {
  return table(
    { heads },
    html`<tbody class="rows">
      ${rows}
    </tbody>`,
  );
}

/** Columns of numbers. */
const numberColumns = new Set(['Size', 'Sent', 'Duration']);

interface TableHead {
  readonly caption?: string;
  readonly heads: readonly string[];
}

/** A wide table can be scrolled sideways, also with the keyboard. */
function table({ caption, heads }: TableHead, body: Html): Html {
  const cells = heads.map((head) =>
    numberColumns.has(head)
      ? html`<th scope="col" class="number">${head}</th>`
      : html`<th scope="col">${head}</th>`,
  );
  return html`<div class="scroll" tabindex="0">
    <table>
      ${
        caption === undefined
          ? undefined
          : html`<caption>
              ${caption}
            </caption>`
      }
      <thead>
        <tr>
          ${cells}
        </tr>
      </thead>
      ${body}
    </table>
  </div> `;
}

function hostRows(host: HostStatus, now: Date): Html {
  const images = host.images();
  const fetched = host.progress();
  const progress = new Map(fetched.map((image) => [image.path, image]));
  const cellsOf = images.map((image) => imageCells(image, progress.get(image.path), now));
  const [firstCells = html`<td colspan="4" class="muted">not served</td>`, ...moreCells] = cellsOf;
  const span = Math.max(1, images.length);
  return html`<tbody>
    <tr>
      <th scope="rowgroup" rowspan="${span}" class="name">${host.name}${staleNote(host, now)}</th>
      <td rowspan="${span}" class="mac">${listOf(host.macs.map((mac) => html`${mac}`))}</td>
      <td rowspan="${span}">${architectureOf(host.architecture, host.stream)}</td>
      ${firstCells}
      <td rowspan="${span}" class="messages">${listOf(host.messages.map(messageItem))}</td>
    </tr>
    ${moreCells.map(
      (cells) =>
        html`<tr>
          ${cells}
        </tr> `,
    )}
    ${
      fetched.length === 0
        ? undefined
        : html`<tr>
            <td colspan="8" class="boot">${stageBar(fetchMarks(fetched))}</td>
          </tr>`
    }
  </tbody> `;
}

function staleNote({ staleSince }: HostStatus, now: Date): Html | undefined {
  if (staleSince === undefined) return undefined;
  return html` <span class="warning">stale, since ${timeOf(staleSince, now)}</span>`;
}

/** With its stream as in the image options: `rhel-10/x86_64`. */
function architectureOf(architecture = 'unknown', stream?: string): string {
  return stream === undefined ? architecture : `${stream}/${architecture}`;
}

function imageCells({ path, url }: ImageStatus, progress: ImageProgress | undefined, now: Date): Html {
  return html`<td class="name"><a href="${url}">${path}</a></td>
    <td class="number">
      ${progress === undefined ? html`<span class="muted">not built yet</span>` : formatSize(progress.size)}
    </td>
    <td>
      ${progress === undefined ? html`<span class="muted">never</span>` : timeOf(progress.lastFetch, now)}
    </td>
    <td>${progress === undefined ? undefined : progressOf(progress)}</td>`;
}

function progressOf({ path, size, bytes, completed, running, clients }: ImageProgress): Html {
  const percent = formatPercent(bytes, size);
  const client = clients.at(-1) ?? '';
  if (running > 0) {
    return html`<progress max="${size}" value="${bytes}" aria-label="${path}">${percent}</progress>
      ${percent}, ${formatCount(running, 'connection')}, ${client}`;
  }
  if (completed !== undefined) return html`<span class="good">complete</span>, ${client}`;
  return html`<span class="warning">stopped at ${percent}</span>, ${client}`;
}

function messageItem({ severity, at, path = [], message, hint }: Diagnostic): Html {
  const places = [
    ...(at === undefined ? [] : [formatPlace(at)]),
    ...(path.length === 0 ? [] : [formatPath(path)]),
  ];
  const place = places.length === 0 ? undefined : html` <span class="muted">${places.join(' ')}</span>`;
  return html`<strong class="${severity}">${severity}:</strong> ${message}${place}
    ${hint === undefined ? undefined : html`<span class="hint">${hint}</span>`}`;
}

function listOf(items: readonly Html[]): Html | undefined {
  return items.length === 0
    ? undefined
    : html`<ul>
        ${items.map((item) => html`<li>${item}</li>`)}
      </ul>`;
}
