/** The machines of the status page as HTML: a row for each, and what unfolds in it. */

import { formatCount, formatSize } from '../../formats/messageText.ts';
import type { MarkState, StageMark } from './bootStages.ts';
import type { DocumentMessage, ImageFacts, StatusDocument } from './document.ts';
import { formatPercent } from './figures.ts';
import { html, type Html } from './html.ts';
import { age, factList, messageText, progressBar, tableParts } from './pieces.ts';
import { formatStatusQuery, type StatusQuery } from './select.ts';

type Host = StatusDocument['hosts'][number];

/** Messages that a row has outside of its details. */
const MAX_SHOWN = 2;

export function machineTable(document: StatusDocument, query: StatusQuery): Html {
  const { hosts, matching, page, pages, service, states } = document;
  if (hosts.length === 0) return html`<p>No machine matches.</p>`;
  const names = new Map(states.map(({ state, name }) => [state, name]));
  const rows = hosts.map((host) => machineRow(host, names.get(host.state), service.now));
  const link = (to: number, text: string): Html | false =>
    to >= 1 && to <= pages && html`<a href="${formatStatusQuery({ ...query, page: to })}">${text}</a>`;
  const links = html`<nav aria-label="Pages of machines">
    ${link(page - 1, 'Previous page')} Page ${page} of ${pages} ${link(page + 1, 'Next page')}
  </nav>`;
  return html`<table class="machines">
      <caption>
        ${formatCount(hosts.length, 'machine')} of ${matching}
      </caption>
      ${tableParts(['Machine', 'State', 'Since', 'Message'], rows)}
    </table>
    ${pages > 1 && links}`;
}

function machineRow(host: Host, stateName: string | undefined, now: Date): Html {
  const { messages, name, since, stage, state, transfer } = host;
  const own = messages.filter(({ problem }) => problem === undefined);
  const shared = messages.filter(({ problem }) => problem !== undefined);
  const left = own.slice(MAX_SHOWN);
  return html`<tr class="${state}" data-key="${name}">
    <th class="name" scope="row">${name}</th>
    <td>
      <strong class="state">${stateName}</strong> ${stage}
      ${transfer && progressBar(transfer.path, transfer.fetched, transfer.size)}
    </td>
    <td>${since && age(since, now)}</td>
    <td class="messages">
      ${own.slice(0, MAX_SHOWN).map((one) => html`<p>${messageText(one)}</p>`)}
      ${shared.map(({ message, problem }) => html`<p><a href="#problem-${problem}">${message}</a></p>`)}
      ${left.length > 0 && html`<p>and ${formatCount(left.length, 'more message')}</p>`}
      ${machineDetails(host, left, now)}
    </td>
  </tr>`;
}

/** @param left messages that are not in the row */
function machineDetails(host: Host, left: readonly DocumentMessage[], now: Date): Html {
  const { architecture, console = [], events = [], images, macs, name, stages, stream, usualCause } = host;
  const messages = usualCause === undefined ? left : [...left, usualCause];
  const facts = factList([
    ...macs.map((mac) => ['MAC address', html`<span class="mac">${mac}</span>`] as const),
    ['Architecture', stream === undefined ? architecture : `${stream}/${architecture}`],
    ...events.map(({ name: event, text, time }) => {
      const said = text === undefined ? '' : `${text}, `;
      return [event, html`${said}${age(time, now)}`] as const;
    }),
  ]);
  const lines = html`<p>Last lines on the console:</p>
    <pre>${console.join('\n')}</pre>`;
  return html`<details>
    <summary>Details<span class="hidden"> of ${name}</span></summary>
    ${stages.length > 0 && stageBar(stages)} ${facts}
    ${messages.map((one) => html`<p>${messageText(one)}</p>`)}
    <ul>
      ${images.map((image) => imageItem(image, now))}
    </ul>
    ${console.length > 0 && lines}
  </details>`;
}

const stageTexts: Readonly<Record<MarkState, string>> = {
  reached: 'reached',
  passed: 'passed, not observed',
  running: 'in progress',
  paused: 'no transfer is running',
  stopped: 'stopped here',
  waiting: 'not reached',
};

function stageBar(stages: readonly StageMark[]): Html {
  const marks = stages.map(({ note, stage, state }) => {
    const text = stageTexts[state];
    const noted = note && html` <small>${note}</small>`;
    return html`<li class="${state}" title="${text}">
      ${stage}${noted}<span class="hidden">: ${text}</span>
    </li>`;
  });
  return html`<ol class="stages" aria-label="Stages of the boot">
    ${marks}
  </ol>`;
}

function imageItem(image: ImageFacts, now: Date): Html {
  const { clients = [], completed, fetched = 0, lastFetch, path, running = 0, size = 0, url } = image;
  const link = html`<a class="name" href="${url}">${path}</a>`;
  if (lastFetch === undefined) return html`<li>${link}</li>`;
  const stopped = completed === undefined ? `stopped at ${formatPercent(fetched, size)}` : 'complete';
  const going = html`${progressBar(path, fetched, size)}, ${formatCount(running, 'connection')}`;
  return html`<li>
    ${link}, ${formatSize(size)}, ${running > 0 ? going : stopped}, ${clients.at(-1)}, ${age(lastFetch, now)}
  </li>`;
}
