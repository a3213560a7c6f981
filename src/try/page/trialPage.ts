/**
 * The page of a trial: one row for each machine, with a bar over the stages of its boot, the last event, and the cause if it
 * stopped. It has no scripts and no secrets, and refreshes itself. Its path contains a random token, so only those who have the
 * URL see it.
 */

import { randomBytes } from 'node:crypto';
import { formatCount } from '../../formats/messageText.ts';
import type { Answerer } from '../../serve/http/exchanges.ts';
import { formatPercent, formatTime } from '../../serve/status/figures.ts';
import { html, type Html } from '../../serve/status/html.ts';
import { fillPage, htmlHeaders } from '../../serve/status/page.ts';
import { type BootStage, bootStages, stageBar, type StageMark } from '../../serve/status/stageBar.ts';
import { factList, timeOf } from '../../serve/status/tables.ts';
import { elapsed, eventPhrase, originPhrase } from '../report/phrases.ts';
import type { LikelyCause } from '../timeline/causes.ts';
import { entriesOf, plainCauseText } from '../timeline/causes/cause.ts';
import { type HostResult, resultsOf, type TrialResult } from '../timeline/result.ts';
import { byLastEvent, type Stage, stages } from '../timeline/stages.ts';
import type { HostTimeline } from '../timeline/timeline.ts';

/** Seconds. */
const REFRESH = 5;
/** More machines would make the page slow. */
const MAX_ROWS = 500;
const TOKEN_BYTES = 16;

export interface TrialPage {
  /** `/status/TOKEN` */
  readonly path: string;
  /** Answers requests for the page; all others go to `next`. */
  answerer(next: Answerer): Answerer;
}

/** @param result the trial as it is now */
export function createTrialPage(result: () => TrialResult): TrialPage {
  const path = `/status/${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  return {
    path,
    answerer: (next) => async (request, response, situation) => {
      // A URL of this path never reaches the API, because the event log shows the paths of refused requests.
      if (request.url?.replace(/\/?(?:[?#].*)?$/s, '') !== path) return next(request, response, situation);
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { Allow: 'GET, HEAD' }).end();
        return;
      }
      const body = Buffer.from(renderTrialPage(result()));
      response.writeHead(200, { ...htmlHeaders(), 'Content-Length': body.length }).end(body);
    },
  };
}

/** The HTML document. */
export function renderTrialPage(result: TrialResult): string {
  const results = resultsOf(result);
  const { calledHome, missingCount } = result.verdict;
  const title = `${calledHome.length} of ${calledHome.length + missingCount} called home`;
  return fillPage('try/status.html', {
    refresh: html`${REFRESH}`,
    title: html`${title}`,
    facts: factList([
      ['Machines', title],
      ['Started', timeOf(result.started, result.ended)],
      ['Page generated', formatTime(result.ended)],
    ]),
    machines: machineTable(results, result),
  });
}

function machineTable(results: readonly HostResult[], result: TrialResult): Html {
  if (results.length === 0) return html`<p>No machine has been active yet.</p>`;
  const rows = results.slice(0, MAX_ROWS).map((one) => machineRow(one, result));
  const more = results.length - rows.length;
  return html`<table class="machines">
      <thead>
        <tr>
          <th scope="col">Machine</th>
          <th scope="col">Stages</th>
          <th scope="col">Time</th>
          <th scope="col">Last event</th>
        </tr>
      </thead>
      <tbody class="rows">
        ${rows}
      </tbody>
    </table>
    ${more > 0 ? html`<p>${formatCount(more, 'more machine')}</p>` : undefined}`;
}

function machineRow(one: HostResult, result: TrialResult): Html {
  const { hasCalledHome, host } = one;
  const started = host.entries[0]?.first;
  const last = host.entries.toSorted(byLastEvent).at(-1);
  const end = hasCalledHome ? homeOf(one, result) : result.ended;
  return html`<tr>
    <th scope="row" class="name">${host.label}</th>
    <td class="boot">${stageBar(stageMarks(one))}</td>
    <td class="number">${started === undefined ? '' : elapsed(started, end)}</td>
    <td class="messages">
      ${hasCalledHome ? html`<strong class="good">called home</strong> ` : undefined}${
        last === undefined
          ? html`<span class="muted">no activity</span>`
          : html`${eventPhrase(last.event)}${originPhrase(last.event)}, ${timeOf(last.last, result.ended)}`
      }
      ${causeOf(one, result)}
    </td>
  </tr> `;
}

function homeOf({ host }: HostResult, { ended, successStage }: TrialResult): Date {
  const { milestones } = host;
  return (
    (milestones.get(successStage) ?? milestones.get('callback') ?? milestones.get('heartbeat'))?.first ??
    ended
  );
}

/** The first cause, if it is proven or if the machine has been inactive for a minute. */
function causeOf({ causes, gaps }: HostResult, { ports }: TrialResult): Html | undefined {
  const [first] = causes;
  if (first === undefined) return undefined;
  if (first.certainty !== 'proven' && !gaps.some(({ isOpen }) => isOpen)) return undefined;
  return html`<span class="hint"
    ><strong class="${first.certainty === 'proven' ? 'error' : 'warning'}"
      >${certainties[first.certainty]}:</strong
    >
    ${plainCauseText(first.cause.text, ports)} Fix: ${plainCauseText(first.cause.fix, ports)}</span
  >`;
}

const certainties: Readonly<Record<LikelyCause['certainty'], string>> = {
  proven: 'Proven',
  likely: 'Likely',
  possible: 'The cause is not known; possible',
};

const partOf: Readonly<Record<Exclude<Stage, 'none'>, BootStage>> = {
  'boot device': 'media',
  power: 'power',
  script: 'loader',
  image: 'media',
  kernel: 'kernel',
  initramfs: 'kernel',
  config: 'Ignition',
  rootfs: 'root filesystem',
  'agent archive': 'image',
  'live system': 'Ignition',
  'agent container': 'image',
  inspection: 'agent',
  api: 'agent',
  lookup: 'agent',
  heartbeat: 'agent',
  callback: 'agent',
  steps: 'agent',
};

/**
 * The marks of one machine. The note of a reached stage is the time since the first event of the machine; that of the ISO is
 * the fetched part.
 */
export function stageMarks({ causes, gaps, hasCalledHome, host }: HostResult): StageMark[] {
  const started = host.entries[0]?.first;
  const reached = bootStages.map((part) => firstOf(host, part));
  const last = reached.findLastIndex((at) => at !== undefined);
  const hasStopped =
    gaps.some(({ isOpen }) => isOpen) || causes.some(({ certainty }) => certainty === 'proven');
  const lastState = hasStopped ? 'stopped' : 'running';
  return bootStages.map((stage, index) => {
    const at = reached[index];
    if (at === undefined) return { stage, state: index < last ? 'passed' : 'waiting' };
    const note = stage === 'media' ? fetchedPart(host) : undefined;
    const state = index < last || hasCalledHome ? 'reached' : lastState;
    return { stage, state, note: note ?? (started && started < at ? elapsed(started, at) : undefined) };
  });
}

function firstOf({ entries, milestones }: HostTimeline, part: BootStage): Date | undefined {
  const inserted = entries.filter(({ event }) => event.kind === 'bmc' && event.step === 'media');
  const shown = stages.flatMap((stage) =>
    stage !== 'none' && partOf[stage] === part ? (milestones.get(stage) ?? []) : [],
  );
  const times = [...(part === 'media' ? inserted : []), ...shown].map(({ first }) => first.getTime());
  return times.length === 0 ? undefined : new Date(Math.min(...times));
}

function fetchedPart(host: HostTimeline): string | undefined {
  const last = entriesOf(host, 'fetch').findLast(({ event }) => event.artifact.endsWith('iso'))?.event;
  return last && formatPercent(last.bytes, last.size);
}
