/** The hosts of `serve` and `controller` as rows of their status page. What a host fetches shows how far its boot is. */

import type { Diagnostic } from '../../core/diagnostic.ts';
import { formatCount, formatSize } from '../../formats/messageText.ts';
import type { ImageProgress } from '../answer/transfers.ts';
import { fetchMarks } from './fetchMarks.ts';
import { formatPercent } from './figures.ts';
import { html, type Html } from './html.ts';
import { type MachineRow, messageItem, type StateNames } from './machines.ts';
import { stageBar, type StageMark } from './stageBar.ts';
import type { HostStatus, ImageStatus } from './status.ts';
import { architectureOf, factList, progressOf, timeOf } from './tables.ts';

/** `serve` does not see requests to Ironic, so that a machine has fetched its files is the last thing it knows. */
export const hostStateNames: StateNames = {
  failed: 'failed',
  stuck: 'stuck',
  'under-way': 'on the way',
  idle: 'no activity',
  home: 'fetched',
};

/** A host with the row of the page. */
export interface HostRow extends MachineRow {
  readonly host: HostStatus;
}

/** Milliseconds. A client that goes on with an interrupted transfer does so within this time. */
const RESUMED = 60_000;
/** Milliseconds without a request after which a boot is no longer under way. */
const QUIET = 5 * 60_000;

export function hostRow(host: HostStatus, now: Date): HostRow {
  const { name, macs, architecture, stream } = host;
  const fetched = host.progress();
  return {
    host,
    name,
    texts: [...macs, ...[architecture, stream].filter((text) => text !== undefined)],
    ...situationOf(host, fetched, now),
    details: () => detailsOf(host, fetched, now),
  };
}

type Situation = Pick<MachineRow, 'state' | 'stage' | 'since' | 'cause'>;

function situationOf(
  { staleSince, messages }: HostStatus,
  fetched: readonly ImageProgress[],
  now: Date,
): Situation {
  const marks = fetchMarks(fetched);
  const mark = marks.findLast(({ state }) => state !== 'waiting' && state !== 'passed');
  const last = fetched.toSorted((a, b) => a.lastFetch.getTime() - b.lastFetch.getTime()).at(-1);
  const stage = mark && stageOf(mark, last);
  const error = messages.find(({ severity }) => severity === 'error');
  const cause = firstMessage(messages);
  if (error !== undefined) {
    const served = staleSince === undefined ? 'without an image' : 'with its last valid image';
    return { state: 'failed', stage: html`${served}`, since: staleSince ?? last?.lastFetch, cause };
  }
  if (last === undefined || mark === undefined)
    return { state: 'idle', stage: undefined, since: undefined, cause };
  const age = now.getTime() - last.lastFetch.getTime();
  const found = { stage, since: last.lastFetch, cause };
  if (mark.state === 'running') return { state: 'under-way', ...found };
  if (mark.state === 'stopped' && age > RESUMED) {
    const text = `The transfer of ${last.path} ended at ${formatPercent(last.bytes, last.size)}, and the machine has not resumed it.`;
    return { state: 'stuck', ...found, cause: html`${text} ${cause}` };
  }
  if (mark.state === 'reached' && isLast(mark)) return { state: 'home', ...found };
  return { state: age < QUIET ? 'under-way' : 'idle', ...found };
}

/** The stages after which a machine fetches nothing more of its own. */
function isLast({ stage }: StageMark): boolean {
  return stage === 'media' || stage === 'Ignition' || stage === 'image';
}

function stageOf({ stage, note, state }: StageMark, last: ImageProgress | undefined): Html {
  if (state !== 'running' || last === undefined)
    return html`${stage}${note === undefined ? '' : `, ${note}`}`;
  return html`${stage}
    <progress max="${last.size}" value="${last.bytes}" aria-label="${last.path}">${note ?? ''}</progress>
    ${note ?? ''}`;
}

/** The first error, or else the first warning. The others are among the details. */
function firstMessage(messages: readonly Diagnostic[]): Html | undefined {
  const first =
    messages.find(({ severity }) => severity === 'error') ??
    messages.find(({ severity }) => severity === 'warning');
  const more = messages.length - 1;
  if (first === undefined) return undefined;
  return html`${messageItem(first)}${more > 0 ? html` <span class="muted">${formatCount(more, 'more message')}</span>` : undefined}`;
}

function detailsOf(
  { macs, architecture, stream, messages, images }: HostStatus,
  fetched: readonly ImageProgress[],
  now: Date,
): Html {
  const progress = new Map(fetched.map((image) => [image.path, image]));
  const files = images();
  const facts = factList([
    ...macs.map((mac): [string, Html] => ['MAC address', html`<span class="mac">${mac}</span>`]),
    ['Architecture', architectureOf(architecture, stream)],
  ]);
  return html`${fetched.length === 0 ? undefined : stageBar(fetchMarks(fetched))}${facts}
    <ul>
      ${files.map((file) => html`<li>${fileOf(file, progress.get(file.path), now)}</li>`)}
      ${(messages.length > 1 ? messages : []).map((message) => html`<li>${messageItem(message)}</li>`)}
    </ul>`;
}

function fileOf({ path, url }: ImageStatus, progress: ImageProgress | undefined, now: Date): Html {
  const link = html`<a class="name" href="${url}">${path}</a>`;
  if (progress === undefined) return link;
  return html`${link}, ${formatSize(progress.size)}, ${progressOf(progress)},
  ${timeOf(progress.lastFetch, now)}`;
}
