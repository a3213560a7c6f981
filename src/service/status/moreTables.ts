/** The tables of `serve` and `controller` below their hosts. */

import { formatSize } from '../../formats/messageText.ts';
import type { StatusDocument } from './document.ts';
import { html, type Html, type Inserted } from './html.ts';
import { age, tableParts } from './pieces.ts';

export function moreTables({ baseImages, service: { now }, shared, transfers }: StatusDocument): Html {
  const images = objectTable('Base images', baseImages, {
    Image: ({ name }) => name,
    Architecture: ({ architecture }) => architecture,
    Stream: ({ stream }) => stream,
    Build: ({ build }) => build,
    Size: ({ size }) => formatSize(size),
    'SHA-256': ({ digest }) => digest.slice(0, 12),
  });
  const files = objectTable('Shared files', shared, {
    File: ({ path }) => path,
    Fetched: ({ fetched }) => formatSize(fetched),
    Connections: ({ running }) => running,
    'Last fetch': ({ lastFetch }) => age(lastFetch, now),
    Size: ({ size }) => formatSize(size),
  });
  const recent = objectTable('Recent transfers', transfers, {
    File: ({ path }) => path,
    Ended: ({ ended }) => age(ended, now),
    Client: ({ client }) => client,
    Sent: ({ bytes }) => formatSize(bytes),
    Outcome: ({ outcome }) => outcome,
    Duration: ({ seconds }) => `${seconds.toFixed(1)} s`,
    'User agent': ({ userAgent }) => userAgent,
  });
  return html`${images} ${files} ${recent}`;
}

/** @param columns the cell of an object by the heading of its column; a column without any value is left out */
function objectTable<One>(
  heading: string,
  objects: readonly One[] = [],
  columns: Readonly<Record<string, (one: One) => Inserted>>,
): Html | undefined {
  if (objects.length === 0) return undefined;
  const shown = Object.entries(columns).filter(([, cellOf]) =>
    objects.some((one) => cellOf(one) !== undefined),
  );
  const rows = objects.map((one) => {
    const [first, ...cells] = shown.map(([, cellOf]) => cellOf(one));
    return html`<tr>
      <th scope="row">${first}</th>
      ${cells.map((cell) => html`<td>${cell}</td>`)}
    </tr>`;
  });
  const parts = tableParts(
    shown.map(([name]) => name),
    rows,
  );
  return html`<section data-key="${heading}">
    <h2>${heading}</h2>
    <table>
      ${parts}
    </table>
  </section>`;
}
