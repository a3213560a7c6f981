/** The tables of the status page. */

import { formatCount, formatSize } from '../../formats/messageText.ts';
import type { ImageProgress, TransferEvent } from '../../http/server/answer/transfers.ts';
import { formatAgo, formatDuration, formatPercent, formatTime } from './figures.ts';
import { html, type Html } from './html.ts';
import type { BaseStatus } from './status.ts';

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

/** Columns of numbers. */
const numberColumns = new Set(['Size', 'Sent', 'Duration']);

/** A wide table can be scrolled sideways, also with the keyboard. */
function rowTable(heads: readonly string[], rows: readonly Html[]): Html {
  const cells = heads.map((head) =>
    numberColumns.has(head)
      ? html`<th scope="col" class="number">${head}</th>`
      : html`<th scope="col">${head}</th>`,
  );
  return html`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          ${cells}
        </tr>
      </thead>
      <tbody class="rows">
        ${rows}
      </tbody>
    </table>
  </div> `;
}

/** With its stream as in the image options: `rhel-10/x86_64`. */
export function architectureOf(architecture = 'unknown', stream?: string): string {
  return stream === undefined ? architecture : `${stream}/${architecture}`;
}

/** How much of a file the last client has. */
export function progressOf({ path, size, bytes, completed, running, clients }: ImageProgress): Html {
  const percent = formatPercent(bytes, size);
  const client = clients.at(-1) ?? '';
  if (running > 0) {
    return html`<progress max="${size}" value="${bytes}" aria-label="${path}">${percent}</progress>
      ${percent}, ${formatCount(running, 'connection')}, ${client}`;
  }
  if (completed !== undefined) return html`<span class="good">complete</span>, ${client}`;
  return html`<span class="warning">stopped at ${percent}</span>, ${client}`;
}
