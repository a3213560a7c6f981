/**
 * The report at the end: which machines called home, how far the others came, and why they may have come no further. For
 * people it is text, for programs JSON (`schemas/try-report.json`).
 */

import { formatCount } from '../../formats/messageText.ts';
import { printable, wrapText } from '../../io/report/terminalText.ts';
import { formatDuration } from '../../serve/status/figures.ts';
import type { LikelyCause } from '../timeline/causes.ts';
import { stages, type TimelineEntry } from '../timeline/stages.ts';
import {
  type Gap,
  type HostResult,
  resultsOf,
  type TrialResult,
  type Unseen,
  unseenOf,
  type Verdict,
} from '../timeline/result.ts';
import { hasCalled, type Ports, withPorts } from '../timeline/causes/cause.ts';
import type { HostTimeline } from '../timeline/timeline.ts';
import { timeOfDay } from './liveLines.ts';
import { eventPhrase, originPhrase, stagePhrases } from './phrases.ts';

/** Of one host; a hundred lines of one help nobody. */
const mostEntries = 30;
const mostCauses = 4;
/** Hosts whose entries are told though they are home. */
const mostAtLength = 20;
const mostStrangers = 20;

/** With line breaks; times are in UTC. */
export function formatClosingReport(result: TrialResult): string {
  const results = resultsOf(result);
  const hosts = results.filter(isKnown);
  const strangers = results.filter((one) => !isKnown(one));
  const explained = new Map<string, string>();
  const isBrief = hosts.length > mostAtLength;
  const lines = [
    ...hosts.flatMap((one) => [...hostLines(one, { result, explained, isBrief }), '']),
    ...strangers
      .slice(0, mostStrangers)
      .flatMap((one) => [...hostLines(one, { result, explained, isBrief: true }), '']),
    ...moreLines(strangers.length - mostStrangers, result),
    ...unseenLines(unseenOf(result, results), { explained, ports: result.ports }),
    ...summaryLines(result),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function isKnown({ host, isAwaited }: HostResult): boolean {
  return isAwaited || host.isExpected || host.name !== undefined;
}

/** How causes are told. */
interface Explaining {
  /** By the ids of causes: the host where they stand. */
  readonly explained: Map<string, string>;
  readonly ports: Ports;
}

interface Context {
  readonly result: TrialResult;
  /** By the ids of causes: the host where they stand. */
  readonly explained: Map<string, string>;
  /** Without the entries of hosts that are home. */
  readonly isBrief: boolean;
}

function hostLines(one: HostResult, { result, explained, isBrief }: Context): readonly string[] {
  return [
    ...headLines(one, result),
    ...factLines(one),
    ...(isBrief && one.isHome ? [] : entryLines(one)),
    ...silenceLines(one),
    ...causeLines(printable(one.host.label), one.causes, { explained, ports: result.ports }),
  ];
}

function headLines(
  { host, isHome }: HostResult,
  { successStage, started, verdict }: TrialResult,
): readonly string[] {
  const label = printable(host.label);
  if (isHome) {
    const at = host.milestones.get(successStage)?.first ?? host.milestones.get('callback')?.first;
    const after = at === undefined ? '' : ` after ${durationBetween(started, at)}`;
    return [`${label}: home${after}`, ...strangerLines(host, verdict)];
  }
  if (host.entries.length === 0) return [`${label}: not home; nothing was seen of it`];
  if (host.stage === 'expected') return [`${label}: not home; what it sent was refused`];
  return [`${label}: not home; it came as far as ${stagePhrases[host.stage]}`];
}

/** It may be one of those that are awaited. */
function strangerLines({ name }: HostTimeline, { missing }: Verdict): readonly string[] {
  if (name !== undefined || missing.length === 0) return [];
  return wrapText(
    'It is in the inventory by none of its MAC addresses: if it is one of the missing hosts, give its address there.',
    { first: '  ', rest: '  ' },
  );
}

function factLines({ host }: HostResult): readonly string[] {
  const { macs, nodes, agentVersion, callback, inventory } = host;
  const answers = callback?.isAnswering === true ? 'answers' : (callback?.problem ?? 'not asked');
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['MACs', macs.length === 0 ? undefined : macs.join(' ')],
    ['node', nodes.at(-1)],
    ['agent', agentVersion],
    ['callback', callback === undefined ? undefined : `${callback.url}: ${answers}`],
    ['inventory', inventory],
  ];
  return facts.flatMap(([name, value]) =>
    value === undefined
      ? []
      : wrapText(printable(value), { first: `  ${name.padEnd(10)}`, rest: ' '.repeat(12) }),
  );
}

function entryLines({ host, gaps }: HostResult): readonly string[] {
  const shown = host.entries.slice(-mostEntries);
  const left = host.dropped + host.entries.length - shown.length;
  return [
    ...(left > 0 ? [`  ${left} earlier entries are left out`] : []),
    ...shown.flatMap((entry) => {
      const gap = gaps.find(({ after, isOpen }) => after === entry && !isOpen);
      return [...entryLine(entry), ...(gap === undefined ? [] : [`            (${gapPhrase(gap)})`])];
    }),
  ];
}

function entryLine(entry: TimelineEntry): readonly string[] {
  const times =
    entry.count > 1 && entry.event.kind !== 'fetch'
      ? `, ${entry.count} times until ${timeOfDay(entry.last)}`
      : '';
  const again = entry.repeats > 0 ? `, ${entry.repeats + 1} times over` : '';
  return wrapText(`${eventPhrase(entry.event)}${again}${originPhrase(entry.event)}${times}`, {
    first: `  ${timeOfDay(entry.first)}  `,
    rest: ' '.repeat(12),
  });
}

function gapPhrase({ from, until }: Gap): string {
  return `nothing for ${durationBetween(from, until)}`;
}

/** `It fetched the Ignition config 4 min ago, and never called: the container pull or the Ironic address.` */
function silenceLines({ host, gaps, causes }: HostResult): readonly string[] {
  const gap = gaps.find(({ isOpen }) => isOpen);
  if (gap === undefined) return [];
  const why = whyPhrase(causes);
  const ago = durationBetween(gap.from, gap.until);
  const text =
    gap.after === undefined
      ? `Nothing was seen for ${ago}${why}.`
      : `It ${eventPhrase(gap.after.event)} ${ago} before the end, and ${hasCalled(host) ? 'then nothing came' : 'never called'}${why}.`;
  return wrapText(text, { first: '  ', rest: '  ' });
}

/** `: the container pull or the Ironic address`; nothing but what is proven, if anything is. */
function whyPhrase(causes: readonly LikelyCause[]): string {
  const proven = causes.filter(({ certainty }) => certainty === 'proven');
  const told = (proven.length > 0 ? proven : causes).slice(0, 3).map(({ cause }) => cause.short);
  const last = told.pop();
  if (last === undefined) return '';
  return told.length === 0 ? `: ${last}` : `: ${told.join(', ')} or ${last}`;
}

function causeLines(
  label: string,
  causes: readonly LikelyCause[],
  { explained, ports }: Explaining,
): readonly string[] {
  if (causes.length === 0) return [];
  const proven = causes.filter(({ certainty }) => certainty === 'proven');
  const told = (proven.length > 0 ? proven : causes).slice(0, mostCauses);
  const key = told.map(({ cause, certainty }) => `${cause.id} ${certainty}`).join('\n');
  const before = explained.get(key);
  if (before !== undefined) return [`  Likely causes: as of ${before}`, ...told.flatMap(evidenceLines)];
  explained.set(key, label);
  return ['  Likely causes:', ...told.flatMap((one, index) => causeText(one, index + 1, ports))];
}

function causeText(one: LikelyCause, number: number, ports: Ports): readonly string[] {
  const { cause, certainty } = one;
  const sure = certainty === 'proven' ? 'Proven: ' : '';
  const plain = (text: string): string => withPorts(text.replaceAll('`', ''), ports); // without the marks of Markdown
  return [
    ...wrapText(`${sure}${plain(cause.text)}`, { first: `  ${number}. `, rest: ' '.repeat(5) }),
    ...evidenceLines(one),
    ...wrapText(plain(cause.check), { first: '     check: ', rest: causeIndent }),
    ...wrapText(plain(cause.fix), { first: '     fix:   ', rest: causeIndent }),
  ];
}

const causeIndent = ' '.repeat(12);

/** What was seen that says so. */
function evidenceLines({ evidence }: LikelyCause): readonly string[] {
  if (evidence === undefined) return [];
  const { event, last } = evidence;
  const text = `${timeOfDay(last)} ${eventPhrase(event)}${originPhrase(event)}`;
  return wrapText(text, { first: '     seen:  ', rest: causeIndent });
}

function moreLines(more: number, { timeline }: TrialResult): readonly string[] {
  const untracked = timeline.untracked();
  return [
    ...(more > 0 ? [`and ${more} more that are not expected`, ''] : []),
    ...(untracked > 0
      ? [`${untracked} requests are left out: they came from too many callers that are not expected`, '']
      : []),
  ];
}

function unseenLines(unseen: Unseen | undefined, explaining: Explaining): readonly string[] {
  if (unseen === undefined) return [];
  const { causes, count } = unseen;
  const who = formatCount(count, 'machine');
  return [`${who}: not home; nothing was seen`, ...causeLines(who, causes, explaining), ''];
}

function summaryLines({ verdict, started, ended }: TrialResult): readonly string[] {
  const { home, missing, missingCount, isPassed } = verdict;
  const time = durationBetween(started, ended);
  const names = missing.length === 0 ? '' : `: ${printable(missing.join(', '))}`;
  const others = isPassed ? '' : `, ${missingCount} did not${names}`;
  const text = `${formatCount(home.length, 'host')} called home within ${time}${others}. Times are in UTC.`;
  return wrapText(text, { first: '', rest: '' });
}

function durationBetween(from: Date, until: Date): string {
  return formatDuration(Math.max(0, (until.getTime() - from.getTime()) / 1000));
}

/**
 * One JSON object on one line. What is not known is left out.
 * @param kind of the object, where it stands among events
 */
export function formatReportDocument(result: TrialResult, kind?: 'report'): string {
  const { verdict, timeline, successStage, ports, started, ended } = result;
  const results = resultsOf(result);
  const unseen = unseenOf(result, results);
  const document = {
    kind,
    started, // JSON.stringify writes a Date as RFC 3339 has it
    ended,
    passed: verdict.isPassed,
    awaits: successStage,
    home: verdict.home.map(printable),
    missing: verdict.missing.map(printable),
    missingCount: verdict.missingCount,
    unseen: unseen && { count: unseen.count, causes: unseen.causes.map((one) => causeObject(one, ports)) },
    hosts: results.map((one) => hostObject(one, ports)),
    forgotten: timeline.untracked(),
  };
  return `${JSON.stringify(document)}\n`;
}

function hostObject({ host, isHome, isAwaited, gaps, causes }: HostResult, ports: Ports): object {
  return {
    name: clean(host.name),
    label: printable(host.label),
    expected: host.isExpected,
    awaited: isAwaited,
    home: isHome,
    stage: host.stage,
    boot: host.boot,
    macs: host.macs.map(printable),
    clients: host.clients.map(printable),
    nodes: host.nodes.map(printable),
    agentVersion: clean(host.agentVersion),
    callback: callbackObject(host.callback),
    inventory: clean(host.inventory),
    stages: stages.flatMap((stage) => {
      const milestone = host.milestones.get(stage);
      return milestone === undefined ? [] : [{ stage, ...milestone }];
    }),
    entries: host.entries.map(entryObject),
    droppedEntries: host.dropped,
    gaps: gaps.map(gapObject),
    causes: causes.map((one) => causeObject(one, ports)),
  };
}

function callbackObject(callback: HostResult['host']['callback']): object | undefined {
  if (callback === undefined) return undefined;
  const { url, isAnswering, problem } = callback;
  return { url: printable(url), answers: isAnswering, problem: clean(problem) };
}

function entryObject({ first, last, count, event }: TimelineEntry): object {
  const progress =
    event.kind === 'fetch' ? { path: printable(event.path), bytes: event.bytes, size: event.size } : {};
  return {
    kind: event.kind,
    first,
    last,
    count,
    client: clean(event.client),
    text: eventPhrase(event),
    ...progress,
  };
}

function gapObject({ from, until, isOpen }: Gap): object {
  return { from, until, seconds: Math.round((until.getTime() - from.getTime()) / 1000), open: isOpen };
}

function causeObject({ cause, certainty, evidence }: LikelyCause, ports: Ports): object {
  const [text, check, fix] = [cause.text, cause.check, cause.fix].map((one) => withPorts(one, ports));
  return { id: cause.id, certainty, text, check, fix, evidence: evidence && entryObject(evidence) };
}

function clean(text: string | undefined): string | undefined {
  return text === undefined ? undefined : printable(text);
}
