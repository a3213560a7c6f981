/**
 * The report at the end: the machines that called home, the last step of all other machines, and the likely causes. It is
 * text for users, and JSON for programs (`schemas/try-report.json`).
 */

import { formatCount } from '../../formats/messageText.ts';
import { printable } from '../../core/foreignText.ts';
import { formatNames, withoutValues } from '../../io/report/problemGroups.ts';
import { wrapText } from '../../io/report/terminalText.ts';
import { lastLinesOf, type LikelyCause } from '../timeline/likelyCauses.ts';
import type { TimelineEntry } from '../timeline/stages.ts';
import { stagePhrase, stages } from '../timeline/stage.ts';
import {
  type HostResult,
  resultsOf,
  shownResults,
  type TrialResult,
  type SuccessStage,
  inactiveOf,
  type Verdict,
} from '../timeline/result.ts';
import { hasCalledIronic, type HostTimeline } from '../timeline/timeline.ts';
import { timeOfDay } from './liveLines.ts';
import { elapsed, eventPhrase, originPhrase } from './phrases.ts';

/** Of one host in the text. */
const MAX_ENTRIES = 6;
const MAX_CAUSES = 2;

/** With more hosts, those that called home are only counted, and those without activity are one paragraph. */
const MAX_DETAILED = 20;
const MAX_UNKNOWN = 20;

/** Lines of text; times are in UTC. Of hosts that called home only problems. */
export function formatClosingReport(result: TrialResult): string {
  const results = shownResults(result);
  const hosts = results.filter(isListed);
  const unknown = results.filter((one) => !isListed(one));
  const explained = new Map<string, string>();
  const hostsInDetail = hosts.filter(({ state }) => state !== 'home' && state !== 'idle');
  const silent = hosts.filter(({ state }) => state === 'idle');
  const context = { result, explained };
  const blocks = [
    ...(hosts.length > MAX_DETAILED ? hostsInDetail : hosts).map((one) => hostLines(one, context)),
    hosts.length > MAX_DETAILED ? silentLines(silent, context) : [],
    ...unknown.slice(0, MAX_UNKNOWN).map((one) => hostLines(one, context)),
    ...moreLines(unknown.length - MAX_UNKNOWN, result),
    inactiveLines(results, context),
    summaryLines(result),
  ].filter((lines) => lines.length > 0);
  // An empty line is between blocks, except between hosts of one line.
  const lines = blocks.flatMap((block, index) => {
    const isNext =
      index > 0 && index < blocks.length - 1 && block.length === 1 && blocks[index - 1]?.length === 1;
    return index === 0 || isNext ? block : ['', ...block];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function isListed({ host, isAwaited }: HostResult): boolean {
  return isAwaited || host.isExpected || host.name !== undefined;
}

interface Context {
  readonly result: TrialResult;
  /** The report explains causes only once: label of the host with the explanation, by the ids of the causes. */
  readonly explained: Map<string, string>;
}

function hostLines(one: HostResult, context: Context): readonly string[] {
  const { result } = context;
  return [
    ...headLines(one, result),
    ...factLines(one),
    ...(one.state === 'home' ? [] : entryLines(one)),
    ...silenceLines(one),
    ...lastLines(one),
    ...causeLines(printable(one.host.label), one.causes, context),
  ];
}

function headLines(
  { homeAt, host, state }: HostResult,
  { successStage, started, verdict }: TrialResult,
): readonly string[] {
  const label = printable(host.label);
  if (homeAt !== undefined) {
    return [`${label}: called home after ${elapsed(started, homeAt)}`, ...unknownMachineLines(host, verdict)];
  }
  if (successStage === 'steps' && host.milestones.has('heartbeat')) {
    return [`${label}: called home, but did not report all required steps`];
  }
  if (state === 'idle') return [`${label}: did not call home; no activity`];
  const isRefused = host.stage === 'none' && hasCalledIronic(host);
  const last = isRefused ? 'all its requests were refused' : `last step: ${stagePhrase(host.stage)}`;
  return [`${label}: did not call home; ${last}`];
}

/** A machine that the inventory does not contain may be one of the missing hosts. */
function unknownMachineLines({ name }: HostTimeline, { missing }: Verdict): readonly string[] {
  if (name !== undefined || missing.length === 0) return [];
  return wrapText(
    'The inventory contains none of its MAC addresses. If it is one of the missing hosts, add its MAC address to the inventory.',
    { first: '  ', rest: '  ' },
  );
}

function factLines({ host, state }: HostResult): readonly string[] {
  const { macs, nodes, agentVersion, callback, differences } = host;
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ...(state === 'home'
      ? []
      : ([
          ['MACs', macs.length === 0 ? undefined : macs.join(' ')],
          ['node', nodes.at(-1)],
          ['agent', agentVersion],
        ] as const)),
    [
      'callback',
      callback === undefined || callback.hasAnswered === true
        ? undefined
        : `${callback.url}: ${callback.problem ?? 'not contacted'}`,
    ],
    ...differences.map((text, index) => [index === 0 ? 'differs' : '', text] as const),
    ['steps', unreportedProblem(host)],
  ];
  return facts.flatMap(([name, value]) =>
    value === undefined
      ? []
      : wrapText(printable(value), { first: `  ${name.padEnd(10)}`, rest: ' '.repeat(12) }),
  );
}

/** Why the steps of the agent are unknown; undefined if they are known, or if the agent has no callback URL. */
function unreportedProblem({ callback, steps }: HostTimeline): string | undefined {
  if (callback === undefined || (steps !== undefined && steps.managers.length > 0)) return undefined;
  if (steps !== undefined) return `not reported: ${steps.problem ?? 'no hardware manager'}`;
  if (callback.hasAnswered === true) return 'not reported: no response before the end';
  return `not asked: the agent ${callback.hasAnswered === undefined ? 'was not contacted' : 'did not answer'}`;
}

function entryLines({ host }: HostResult): readonly string[] {
  const listed = host.entries.filter(({ event }) => event.kind !== 'console' || event.sign !== undefined);
  const shown = listed.slice(-MAX_ENTRIES);
  const left = host.dropped + listed.length - shown.length;
  return [
    ...(left > 0 ? [`  ${formatCount(left, 'earlier event')} omitted`] : []),
    ...shown.flatMap(entryLine),
  ];
}

function entryLine(entry: TimelineEntry): readonly string[] {
  const times =
    entry.count > 1 && entry.event.kind !== 'fetch'
      ? `, ${entry.count} times until ${timeOfDay(entry.last)}`
      : '';
  const again = entry.repeats > 0 ? `, ${entry.repeats + 1} times` : '';
  return wrapText(`${eventPhrase(entry.event)}${again}${originPhrase(entry.event)}${times}`, {
    first: `  ${timeOfDay(entry.first)}  `,
    rest: ' '.repeat(12),
  });
}

/** `Last activity 4 min before the end: fetched the kernel. The agent never called Ironic.` */
function silenceLines({ host, silence }: HostResult): readonly string[] {
  if (silence === undefined) return [];
  const { from, last, until } = silence;
  const ago = elapsed(from, until);
  const text =
    last === undefined
      ? `${host.entries.length === 0 ? 'No activity' : 'No progress'} for ${ago}.`
      : `Last activity ${ago} before the end: ${eventPhrase(last.event)}.${hasCalledIronic(host) ? '' : ' The agent never called Ironic.'}`;
  return wrapText(text, { first: '  ', rest: '  ' });
}

const causeTitles: Readonly<Record<LikelyCause['certainty'], string>> = {
  proven: 'Causes',
  likely: 'Likely causes',
  possible: 'The cause is not known; possible causes',
};

/** Those that are possible only if no other one is known. */
function causesToShow(causes: readonly LikelyCause[]): readonly LikelyCause[] {
  const proven = causes.filter(({ certainty }) => certainty === 'proven');
  const known = causes.filter(({ certainty }) => certainty !== 'possible');
  return proven.length > 0 ? proven : known.length > 0 ? known : causes;
}

/** What the console showed last, if it may say more than the possible causes. */
function lastLines({ causes, host, state }: HostResult): readonly string[] {
  const lines = lastLinesOf(host);
  if (state === 'home' || lines.length === 0 || causes.some(({ certainty }) => certainty !== 'possible'))
    return [];
  return [
    '  Last lines on the console:',
    ...lines.flatMap((line) => wrapText(printable(line), { first: '     ', rest: ' '.repeat(7) })),
  ];
}

function causeLines(
  label: string,
  causes: readonly LikelyCause[],
  { explained }: Context,
): readonly string[] {
  const [first] = causes;
  if (first === undefined) return [];
  const title = causeTitles[first.certainty];
  const shown = causesToShow(causes).slice(0, MAX_CAUSES);
  const key = shown.map(evidenceKey).join('\n');
  const before = explained.get(key);
  if (before !== undefined) return [`  ${title}: same as for ${before}`, ...shown.flatMap(evidenceLines)];
  explained.set(key, label);
  return [`  ${title}:`, ...shown.flatMap((one, index) => causeText(one, index + 1))];
}

/** Only causes with the same evidence are the same. */
function evidenceKey({ certainty, evidence, id }: LikelyCause): string {
  const event = evidence?.event;
  const shown = event?.kind === 'bmc' || event?.kind === 'console' ? eventPhrase(event) : '';
  return `${id} ${certainty} ${withoutValues(shown)}`;
}

function causeText(one: LikelyCause, number: number): readonly string[] {
  const { check, fix, text } = one;
  const sure = one.certainty === 'proven' ? 'Proven: ' : '';
  return [
    ...wrapText(`${sure}${text}`, { first: `  ${number}. `, rest: ' '.repeat(5) }),
    ...evidenceLines(one),
    ...wrapText(check, { first: '     check: ', rest: causeIndent }),
    ...wrapText(fix, { first: '     fix:   ', rest: causeIndent }),
  ];
}

const causeIndent = ' '.repeat(12);

/** The event that shows the cause. */
function evidenceLines({ evidence }: LikelyCause): readonly string[] {
  if (evidence === undefined || evidence.event.kind === 'bmc') return [];
  const { event, last } = evidence;
  const text = `${timeOfDay(last)} ${eventPhrase(event)}${originPhrase(event)}`;
  return wrapText(text, { first: '     seen:  ', rest: causeIndent });
}

/** Nothing distinguishes hosts without activity, so all have the same causes. */
function silentLines(silent: readonly HostResult[], context: Context): readonly string[] {
  const [first] = silent;
  if (first === undefined) return [];
  const names = silent.map(({ host }) => printable(host.label));
  const head = wrapText(`${names.join(', ')}: did not call home; no activity`, { first: '', rest: '' });
  return [...head, ...causeLines(names[0] ?? '', first.causes, context)];
}

function moreLines(more: number, { timeline }: TrialResult): readonly (readonly string[])[] {
  const dropped = timeline.droppedEvents();
  return [
    more > 0 ? [formatCount(more, 'more unexpected machine')] : [],
    dropped > 0 ? [`${formatCount(dropped, 'request')} omitted: too many unexpected clients`] : [],
  ];
}

function inactiveLines(results: readonly HostResult[], context: Context): readonly string[] {
  const inactive = inactiveOf(context.result, results);
  if (inactive === undefined) return [];
  const { causes, count } = inactive;
  const who = formatCount(count, 'machine');
  return [`${who}: did not call home; no activity`, ...causeLines(who, causes, context)];
}

function summaryLines({ successStage, verdict, started, ended }: TrialResult): readonly string[] {
  const { calledHome, missing, missingCount, isPassed } = verdict;
  const time = elapsed(started, ended);
  const names = missing.length === 0 ? '' : `: ${formatNames(missing)}`;
  const others = isPassed ? '' : `, ${missingCount} did not${names}`;
  const text = `${formatCount(calledHome.length, 'host')} ${successPhrases[successStage]} within ${time}${others}. Times are in UTC.`;
  return wrapText(text, { first: '', rest: '' });
}

const successPhrases: Readonly<Record<SuccessStage, string>> = {
  heartbeat: 'called home',
  callback: 'called home',
  steps: 'called home with all required steps',
};

/** One JSON object on one line, without unknown values; control characters in all texts are escaped. */
export function formatReportDocument(result: TrialResult): string {
  const { verdict, timeline, successStage, started, ended } = result;
  const results = resultsOf(result);
  const inactive = inactiveOf(result, results);
  const document = {
    started, // a Date in JSON has the format of RFC 3339
    ended,
    passed: verdict.isPassed,
    successStage,
    calledHome: verdict.calledHome,
    missing: verdict.missing,
    missingCount: verdict.missingCount,
    inactive: inactive && {
      count: inactive.count,
      causes: inactive.causes.map(causeObject),
    },
    hosts: results.map(hostObject),
    droppedEvents: timeline.droppedEvents(),
  };
  const text = JSON.stringify(document, (_name, member: unknown) =>
    typeof member === 'string' ? printable(member) : member,
  );
  return `${text}\n`;
}

function hostObject({ host, state, isAwaited, causes }: HostResult): object {
  const { callback } = host;
  return {
    name: host.name,
    label: host.label,
    expected: host.isExpected,
    awaited: isAwaited,
    calledHome: state === 'home',
    stage: host.stage,
    boot: host.boot,
    macs: host.macs,
    clients: host.clients,
    nodes: host.nodes,
    agentVersion: host.agentVersion,
    callback: callback && {
      url: callback.url,
      answered: callback.hasAnswered,
      problem: callback.problem,
    },
    steps: stepsObject(host),
    inventory: host.inventory,
    differences: host.differences,
    stages: stages.flatMap((stage) => {
      const milestone = host.milestones.get(stage);
      return milestone === undefined ? [] : [{ stage, ...milestone }];
    }),
    entries: host.entries.map(entryObject),
    droppedEntries: host.dropped,
    causes: causes.map(causeObject),
    lastLines: lastLinesOf(host),
  };
}

/** Undefined for an agent without a callback URL. */
function stepsObject(host: HostTimeline): object | undefined {
  if (host.callback === undefined) return undefined;
  const { managers = [], missing = [] } = host.steps ?? {};
  const reported = host.steps && managers.length > 0;
  return { reported, problem: unreportedProblem(host), missing, managers };
}

function entryObject({ first, last, count, event }: TimelineEntry): object {
  const { client, kind } = event;
  const progress = kind === 'fetch' ? { path: event.path, bytes: event.bytes, size: event.size } : {};
  const reason = 'reason' in event ? event.reason : undefined;
  const sign = kind === 'console' ? event.sign : undefined;
  return { kind, first, last, count, client, text: eventPhrase(event), reason, sign, ...progress };
}

function causeObject({ certainty, check, evidence, fix, id, text }: LikelyCause): object {
  return { id, certainty, text, check, fix, evidence: evidence && entryObject(evidence) };
}
