/** The report at the end, for programs; the schema is `schemas/try-report.json`. */

import { printable } from '../../io/report/printable.ts';
import type { LikelyCause } from '../timeline/causes.ts';
import { type Ports, withPorts } from '../timeline/causes/cause.ts';
import type { TimelineEntry } from '../timeline/entries.ts';
import { type Gap, type HostResult, resultsOf, type TrialResult, unseenOf } from '../timeline/result.ts';
import { stages } from '../timeline/stages.ts';
import { eventPhrase } from './phrases.ts';

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
