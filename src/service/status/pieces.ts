/** Pieces of the status page as HTML. */

import type { DocumentMessage } from './document.ts';
import { formatAgo, formatPercent, formatTime } from './figures.ts';
import { html, type Html, type Inserted } from './html.ts';

/** `5 min ago`; the tooltip has the time itself. */
export function age(time: Date, now: Date): Html {
  return html`<time datetime="${time.toISOString()}" title="${formatTime(time)}"
    >${formatAgo(time, now)}</time
  >`;
}

export function progressBar(path: string, bytes: number, size: number): Html {
  const part = formatPercent(bytes, size);
  return html`<progress max="${size}" value="${bytes}" aria-label="${path}"></progress> ${part}`;
}

/** With its place, what shows it, and its hint. */
export function messageText(given: DocumentMessage): Html {
  const { column, evidence, file, hint, line, message, path, severity } = given;
  const position = [file, line, column].filter(Boolean).join(':');
  const place = [position, path].filter(Boolean).join(' ');
  return html`<strong class="${severity}">${given.label ?? severity}:</strong> ${message}
    <span class="muted">${place}</span> ${evidence && html`<code>${evidence}</code>`}
    ${hint && html`<span class="hint">hint: ${hint}</span>`}`;
}

/** @param entries names with values; those without a value are left out */
export function factList(entries: readonly (readonly [name: string, value: Inserted])[]): Html {
  const known = entries.filter(([, value]) => value !== undefined);
  const pairs = known.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
  return html`<dl class="facts">${pairs}</dl>`;
}

export function tableParts(columns: readonly string[], rows: readonly Html[]): Html {
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`);
  return html`<thead>
      <tr>
        ${heads}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>`;
}
