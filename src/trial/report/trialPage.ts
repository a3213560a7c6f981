/**
 * The page of a trial: one row for each machine, with the stage of its boot and the cause if it stopped. It has no secrets, and
 * updates itself. Its path contains a random token, so only those who have the URL see it.
 */

import { randomBytes } from 'node:crypto';
import type { Answerer } from '../../http/server/exchanges.ts';
import { sendText } from '../../http/server/textResponse.ts';
import { type BootStage, bootStages, type StageMark } from '../../service/status/bootStages.ts';
import type { MachineDetails, PageRow, StatusPage } from '../../service/status/document.ts';
import { formatPercent } from '../../service/status/figures.ts';
import { type MachineCause, type RunningTransfer, stateNames } from '../../service/status/machineRow.ts';
import { pageAnswer } from '../../service/status/page.ts';
import { elapsed, eventPhrase, originPhrase } from './phrases.ts';
import { lastLinesOf, type LikelyCause } from '../timeline/likelyCauses.ts';
import { type HostResult, shownResults, type TrialResult } from '../timeline/result.ts';
import { signOf } from '../timeline/consoleSigns.ts';
import type { TimelineEntry } from '../timeline/stages.ts';
import { partOfStage, stages } from '../timeline/stage.ts';
import { entriesOf, type HostTimeline } from '../timeline/timeline.ts';

const TOKEN_BYTES = 16;

export type TrialPage = Readonly<ReturnType<typeof createTrialPage>>;

/** @param result the trial as it is now */
export function createTrialPage(result: () => TrialResult) {
  const path = `/status/${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  return {
    /** `/status/TOKEN` */
    path,
    /** Answers requests for the page; all others go to `next`. */
    answerer:
      (next: Answerer): Answerer =>
      async (request, response, context) => {
        // No URL below this path reaches the API, because the event log shows the paths of refused requests.
        const [asked] = request.url?.split(/[?#]/) ?? [];
        if (!`${asked}/`.startsWith(`${path}/`)) return next(request, response, context);
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          response.writeHead(405, { Allow: 'GET, HEAD' }).end();
          return;
        }
        const { searchParams } = new URL(request.url ?? '', 'http://localhost');
        const page = pageAnswer(describeTrial(result()), searchParams, request.headers.accept ?? '');
        sendText(request, response, page);
      },
  };
}

/** What the page and the terminal show: the machines that the trial waits for, and all others that were active. */
export function describeTrial(result: TrialResult): StatusPage {
  const { ended, started, verdict } = result;
  const { calledHome, missingCount } = verdict;
  return {
    heading: 'Boot of machines',
    summary: `${calledHome.length} of ${calledHome.length + missingCount} called home`,
    names: stateNames('called home'),
    rows: shownResults(result).map(machineRow),
    service: { now: ended, started },
  };
}

function machineRow(one: HostResult): PageRow {
  const { homeAt, host, state } = one;
  const mark = stageMarks(one).findLast((stage) => stage.state !== 'waiting');
  // Of a machine that has not been seen, nothing is known; what usually is the reason is among the details.
  const cause = state === 'idle' ? undefined : causeOf(one);
  const event = host.last?.event;
  const transfer = event?.kind === 'fetch' && event.outcome === 'began' ? event : undefined;
  return {
    name: host.label,
    macs: host.macs,
    texts: host.macs,
    state,
    stage: state === 'home' ? undefined : stageText(host, mark, transfer),
    transfer: state === 'home' ? undefined : transfer,
    since: homeAt ?? host.last?.last,
    causes: cause === undefined ? [] : [cause],
    others: [],
    details: () => detailsOf(one),
  };
}

/** A BMC reads the ISO after the power-on. A running transfer itself says which part it has. */
function stageText(
  host: HostTimeline,
  mark: StageMark | undefined,
  transfer: RunningTransfer | undefined,
): string | undefined {
  if (host.stage !== 'image') return mark?.stage;
  const part = transfer === undefined ? fetchedPart(host) : undefined;
  return part === undefined ? 'media' : `media, ${part}`;
}

function detailsOf(one: HostResult): MachineDetails {
  const { causes, host, state } = one;
  const { last } = host;
  const [first] = host.entries;
  const evidence = causes[0]?.evidence;
  return {
    stages: stageMarks(one),
    images: [],
    events: [
      ...(first === undefined ? [] : [{ name: 'First event', time: first.first }]),
      ...(evidence === undefined ? [] : [{ name: 'Evidence', ...entryOf(evidence) }]),
      ...(last === undefined ? [] : [{ name: 'Last event', ...entryOf(last) }]),
    ],
    console: lastLinesOf(host),
    usualCause: state === 'idle' ? causeOf(one) : undefined,
  };
}

function entryOf({ event, last }: TimelineEntry): { readonly text: string; readonly time: Date } {
  return { text: `${eventPhrase(event)}${originPhrase(event)}`, time: last };
}

/** The first cause, if it is proven or if the machine has been inactive for a minute. */
function causeOf({ causes, silence }: HostResult): MachineCause | undefined {
  const [first] = causes;
  if (first === undefined || (first.certainty !== 'proven' && silence === undefined)) return undefined;
  const { certainty, check, evidence, fix, text } = first;
  const isPossible = certainty === 'possible'; // so it is to be verified first
  const shown = evidence?.event.kind === 'console' ? evidence.event.line : undefined;
  return {
    severity: certainty === 'proven' ? 'error' : 'warning',
    label: certainties[certainty],
    message: text,
    evidence: shown,
    hint: isPossible ? check : fix,
  };
}

const certainties: Readonly<Record<LikelyCause['certainty'], string>> = {
  proven: 'Proven',
  likely: 'Likely',
  possible: 'The cause is not known; possible',
};

/**
 * The marks of one machine. The note of a reached stage is the time since the first event of the machine; that of the ISO is
 * the fetched part.
 */
export function stageMarks({ host, state: machine }: HostResult): StageMark[] {
  const started = host.entries[0]?.first;
  const reached = bootStages.map((part) => firstOf(host, part));
  const last = reached.findLastIndex((at) => at !== undefined);
  const current = host.stage === 'image' ? bootStages.indexOf('media') : last;
  const lastState = machine === 'under-way' ? 'running' : 'stopped';
  return bootStages.map((stage, index) => {
    const at = reached[index];
    if (at === undefined) return { stage, state: index < last ? 'passed' : 'waiting' };
    const note = stage === 'media' ? fetchedPart(host) : undefined;
    const state = index !== current || machine === 'home' ? 'reached' : lastState;
    return { stage, state, note: note ?? (started && started < at ? elapsed(started, at) : undefined) };
  });
}

/** The part of the boot in which a program prints its lines; undefined for programs of several parts. */
const partOfPrinter: Readonly<Record<string, BootStage>> = {
  kernel: 'kernel',
  'coreos-livepxe-rootfs': 'root filesystem',
  ignition: 'Ignition',
  sha512sum: 'image',
  podman: 'image',
  agent: 'agent',
};

/** The part that an entry shows without a stage. */
function partShownBy({ event }: TimelineEntry): BootStage | undefined {
  if (event.kind === 'bmc') return event.step === 'media' ? 'media' : undefined;
  if (event.kind !== 'console') return undefined;
  // The live system pulls the image as its first task.
  return event.stage === 'live system' ? 'image' : partOfPrinter[signOf(event)?.printer ?? ''];
}

function firstOf({ entries, milestones }: HostTimeline, part: BootStage): Date | undefined {
  const shown = stages.flatMap((stage) => (partOfStage(stage) === part ? (milestones.get(stage) ?? []) : []));
  const observed = entries.filter((entry) => partShownBy(entry) === part);
  const times = [...observed, ...shown].map(({ first }) => first);
  return times.toSorted((one, other) => one.getTime() - other.getTime())[0];
}

function fetchedPart(host: HostTimeline): string | undefined {
  const last = entriesOf(host, 'fetch').findLast(({ event }) => event.artifact.endsWith('iso'))?.event;
  return last && formatPercent(last.bytes, last.size);
}
