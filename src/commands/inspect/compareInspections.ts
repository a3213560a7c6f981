/** Compares two images by topic, and their configs by file, unit and user. */

import { compareConfigs } from '../../agent/configLines.ts';
import { withoutThose } from '../../core/lists.ts';
import { splitArguments } from '../../kargs/argument.ts';
import { maskKargs, reportInspection } from './inspectionReport.ts';
import { inspectionRows } from './inspectionRows.ts';
import type { Inspected } from './inspectSource.ts';

/** Secrets are masked. */
export interface InspectionDifference {
  /** A row of `inspect`, or a part of the config: `file /etc/motd`. */
  readonly topic: string;
  /** Lines that only the first image has. */
  readonly first: readonly string[];
  /** Lines that only the second image has. */
  readonly second: readonly string[];
}

const KARGS = 'kernel arguments';

/**
 * Returns no differences if both images are equal. An image that is missing differs in its kind and size. If their kinds
 * differ, only the configs and the network are compared: a live ISO and the config that is embedded in it are equal. Two
 * configs are compared by their effect.
 */
export function compareInspections(
  first: Inspected | undefined,
  second: Inspected | undefined,
): InspectionDifference[] {
  if (first === undefined || second === undefined) {
    const [was, is] = [first, second].map((one) => one && linesByTopic(one));
    return ['kind', 'size'].map((topic) => ({
      topic,
      first: was?.get(topic) ?? [],
      second: is?.get(topic) ?? [],
    }));
  }
  return [...compareRows(first, second), ...compareKargs(first, second), ...compareParts(first, second)];
}

function compareRows(first: Inspected, second: Inspected): InspectionDifference[] {
  const [before, after] = [linesByTopic(first), linesByTopic(second)];
  const kinds = [first.subject.kind, second.subject.kind];
  const isSameKind = kinds[0] === kinds[1] && kinds[0] !== 'ignition';
  const topics = [...new Set([...before.keys(), ...after.keys()])].filter((topic) => {
    // Kernel arguments are compared by value, and "unmodified" follows from the other rows.
    if (isSameKind) return topic !== KARGS && topic !== 'unmodified';
    return topic === 'Ignition' || (topic === 'network' && !kinds.includes('ignition')); // a config alone has no network
  });
  return topics.flatMap((topic) => {
    const [was, is] = [before.get(topic) ?? [], after.get(topic) ?? []];
    const change = { topic, first: withoutThose(was, is), second: withoutThose(is, was) };
    return change.first.length + change.second.length === 0 ? [] : [change];
  });
}

function linesByTopic(inspected: Inspected): Map<string, string[]> {
  const rows = inspectionRows(reportInspection(inspected));
  return new Map(rows.map(([topic, lines]) => [topic, lines.map((line) => line.trim())]));
}

function compareKargs(first: Inspected, second: Inspected): InspectionDifference[] {
  const [before, after] = [first, second].map(({ subject }) =>
    subject.kind === 'iso' ? subject.kargs?.current : undefined,
  );
  if (before === undefined || after === undefined || before === after) return [];
  const [was, is] = [splitArguments(before), splitArguments(after)];
  const gone = maskKargs(withoutThose(was, is));
  const added = maskKargs(withoutThose(is, was));
  if (gone.length + added.length === 0) {
    // The order matters, because the last of several arguments with the same name applies.
    const [one, other] = [maskKargs(was).join(' '), maskKargs(is).join(' ')];
    return one === other ? [] : [{ topic: KARGS, first: [one], second: [other] }];
  }
  const seen = new Set(gone);
  const renamed = added.map((text) => (seen.has(text) ? `${text} (different value)` : text));
  return [{ topic: KARGS, first: gone, second: renamed }];
}

function compareParts(first: Inspected, second: Inspected): InspectionDifference[] {
  if (first.config === undefined || second.config === undefined) return [];
  return compareConfigs(first.config.config, second.config.config).map(({ owner: topic, ...lines }) => ({
    topic,
    ...lines,
  }));
}
