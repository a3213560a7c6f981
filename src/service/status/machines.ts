/**
 * The machines of a status page, of `serve`, `controller`, `try` and `boot` alike: a tile with the count of each state, a form
 * that selects machines, and one row for each machine, problems first. Details unfold.
 */

import { formatCount } from '../../formats/messageText.ts';
import { formatPercent } from './figures.ts';
import { html, type Html } from './html.ts';
import type { MachineCause, MachineRow, StateNames } from './machineRow.ts';
import {
  formatStatusQuery,
  type MachineState,
  machineStates,
  type Selection,
  type StatusQuery,
} from './select.ts';
import type { SharedCauses } from './sharedCauses.ts';
import { timeOf } from './tables.ts';

/** A machine with what unfolds below its row. */
export interface PageRow extends MachineRow {
  /** Called only for the rows of the page. */
  readonly details: () => Html;
}

/** What varies between the pages. */
export interface MachineList {
  readonly query: StatusQuery;
  readonly selection: Selection<PageRow>;
  /** What several of all machines have. */
  readonly shared: SharedCauses;
  readonly counts: Readonly<Record<MachineState, number>>;
  readonly names: StateNames;
  /** Seconds after which the page refreshes; 0 for never. */
  readonly refresh: number;
  readonly now: Date;
}

/** The tiles, the form and the rows. */
export function machineList(list: MachineList): Html {
  return html`${tiles(list)}${sharedCauseList(list.shared)}${filterForm(list)}${machineTable(list)}${pageLinks(list)}`;
}

/** Links that select a state; again, they select all machines. */
function tiles({ query, counts, names }: MachineList): Html {
  return html`<ul class="tiles">
    ${machineStates.map((state) => {
      const isChosen = query.state === state;
      const to = formatStatusQuery({ ...query, state: isChosen ? undefined : state, page: 1 });
      return html`<li class="${state}">
        <a href="${to}" ${isChosen ? html`aria-current="true"` : undefined}
          ><strong>${counts[state]}</strong> ${names[state]}</a
        >
      </li>`;
    })}
  </ul>`;
}

/** The problems of several machines, each once. */
function sharedCauseList(shared: SharedCauses): Html | undefined {
  if (shared.size === 0) return undefined;
  const causes = new Map(Array.from(shared.values(), (one) => [one.id, one]));
  return html`<section>
    <h2>Problems of several machines</h2>
    <ul class="problems">
      ${Array.from(
        causes.values(),
        ({ cause, id, machines }) =>
          html`<li id="${id}">${causeItem(cause)} <span class="muted">${machines}</span></li>`,
      )}
    </ul>
  </section>`;
}

function filterForm({ query, refresh }: MachineList): Html {
  const kept = [
    ['show', query.state],
    ['refresh', query.refresh],
  ] as const;
  return html`<form method="get" role="search" aria-label="Machines">
    <label
      >Name, MAC address or architecture <input type="search" name="q" value="${query.text}" maxlength="100"
    /></label>
    ${kept.map(([name, value]) =>
      value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}" />`,
    )}<button>Filter</button>
    ${refreshLink(query, refresh)}
  </form>`;
}

/** The refresh interval of the link on the page, in seconds. */
const DEFAULT_REFRESH = 10;

function refreshLink(query: StatusQuery, refresh: number): Html {
  const to = formatStatusQuery({ ...query, refresh: refresh === 0 ? DEFAULT_REFRESH : 0 });
  return html`<a href="${to}"
    >${refresh === 0 ? `Refresh every ${DEFAULT_REFRESH} s` : `Stop refreshing every ${refresh} s`}</a
  >`;
}

function machineTable({ selection: { rows, first, matching }, names, now, shared }: MachineList): Html {
  if (rows.length === 0) return html`<p>No machine matches.</p>`;
  const last = first + rows.length;
  const shown = rows.length === 1 ? `Machine ${last}` : `Machines ${first + 1} to ${last}`;
  return html`<table class="machines">
    <caption>
      ${shown} of ${matching}
    </caption>
    <thead>
      <tr>
        <th scope="col">Machine</th>
        <th scope="col">State</th>
        <th scope="col">Since</th>
        <th scope="col">Message</th>
      </tr>
    </thead>
    <tbody class="rows">
      ${rows.map((row) => machineRow(row, shared, names, now))}
    </tbody>
  </table>`;
}

/** Messages that a row has outside of its details. */
const MAX_SHOWN = 2;

function machineRow(row: PageRow, shared: SharedCauses, names: StateNames, now: Date): Html {
  const { name, state, since, causes, others, details } = row;
  const all = [...causes, ...others];
  const own = all.filter((cause) => !shared.has(cause));
  const left = own.length - MAX_SHOWN;
  const more = left <= 0 ? undefined : html` <span class="muted">${formatCount(left, 'more message')}</span>`;
  return html`<tr class="${state}">
    <th scope="row" class="name">${name}</th>
    <td><strong class="state">${names[state]}</strong>${stageOf(row)}</td>
    <td>${since === undefined ? undefined : timeOf(since, now)}</td>
    <td class="messages">
      ${own.slice(0, MAX_SHOWN).map((cause) => html`${causeItem(cause)} `)}${all.flatMap((cause) => {
        const { id } = shared.get(cause) ?? {};
        return id === undefined ? [] : html`<a class="shared" href="#${id}">${cause.text}</a> `;
      })}${more}
      <details>
        <summary>Details<span class="hidden"> of ${name}</span></summary>
        ${details()}
      </details>
    </td>
  </tr> `;
}

function stageOf({ stage, transfer }: MachineRow): Html | undefined {
  if (stage === undefined) return undefined;
  if (transfer === undefined) return html` ${stage}`;
  const { bytes, path, size } = transfer;
  const percent = formatPercent(bytes, size);
  return html` ${stage}
    <progress max="${size}" value="${bytes}" aria-label="${path}">${percent}</progress>
    ${percent}`;
}

function pageLinks({ query, selection: { page, pages } }: MachineList): Html | undefined {
  if (pages === 1) return undefined;
  const link = (to: number, text: string, rel: string): Html | undefined =>
    to < 1 || to > pages
      ? undefined
      : html`<a href="${formatStatusQuery({ ...query, page: to })}" rel="${rel}">${text}</a>`;
  return html`<nav aria-label="Pages of machines">
    ${link(page - 1, 'Previous page', 'prev')}
    <span>Page ${page} of ${pages}</span>
    ${link(page + 1, 'Next page', 'next')}
  </nav>`;
}

/** A cause with its place, and with its hint or fix. */
export function causeItem({ evidence, severity, label, text, place, hint, fix }: MachineCause): Html {
  const advice = hint ?? (fix && `Fix: ${fix}`);
  const placed = place === undefined ? undefined : html` <span class="muted">${place}</span>`;
  return html`${label && html`<strong class="${severity}">${label}:</strong> `}${text}${placed}
  ${evidence && html`<code>${evidence}</code>`}
  ${advice === undefined ? undefined : html`<span class="hint">${advice}</span>`}`;
}
