/** In what two images differ: topic by topic, the configs setting by setting. */

import { compareConfigs } from '../agent/deployed/describeConfig.ts';
import { splitKargs } from '../image/inspection/inspection.ts';
import { maskKargs, reportInspection, withoutThose } from './inspectionReport.ts';
import { inspectionRows } from './inspectionRows.ts';
import type { Inspected } from './inspectSource.ts';

/** Secrets are masked. */
export interface InspectionDifference {
  /** What differs: a row of `inspect`, or a setting of the config. */
  readonly topic: string;
  /** Only what the first one has. */
  readonly first: readonly string[];
  readonly second: readonly string[];
}

const KARGS = 'kernel arguments';
/** Compared by what they hold and not by what is shown of it; and verdicts follow from the rest. */
const NOT_BY_LINES: ReadonlySet<string> = new Set([KARGS, 'pristine']);
/** What images and archives of any kind may have; a config by itself has no network. */
const OF_ANY_KIND: ReadonlySet<string> = new Set(['Ignition', 'network']);

/**
 * None where both do the same. Of two of different kinds, only what would boot is compared: a live ISO and the config that
 * was embedded in it do not differ.
 */
export function compareInspections(first: Inspected, second: Inspected): InspectionDifference[] {
  return [...compareRows(first, second), ...compareKargs(first, second), ...compareSettings(first, second)];
}

function compareRows(first: Inspected, second: Inspected): InspectionDifference[] {
  const [before, after] = [first, second].map((inspected) => {
    const report = reportInspection(inspected);
    return new Map(
      inspectionRows(report).map(({ topic, lines }) => [topic, lines.map((line) => line.trim())]),
    );
  });
  if (before === undefined || after === undefined) return [];
  const topics = [...new Set([...before.keys(), ...after.keys()])].filter(comparableTopics(first, second));
  return topics.flatMap((topic) => compareTexts(topic, before.get(topic) ?? [], after.get(topic) ?? []));
}

function comparableTopics(first: Inspected, second: Inspected): (topic: string) => boolean {
  const kinds = [first.subject.kind, second.subject.kind];
  if (kinds[0] === kinds[1]) return (topic) => !NOT_BY_LINES.has(topic);
  return (topic) => OF_ANY_KIND.has(topic) && !(topic === 'network' && kinds.includes('ignition'));
}

function compareTexts(
  topic: string,
  before: readonly string[],
  after: readonly string[],
): InspectionDifference[] {
  const first = withoutThose(before, after);
  const second = withoutThose(after, before);
  return first.length + second.length === 0 ? [] : [{ topic, first, second }];
}

function compareKargs(first: Inspected, second: Inspected): InspectionDifference[] {
  const [before, after] = [first, second].map(({ subject }) =>
    subject.kind === 'iso' ? subject.kargs?.current : undefined,
  );
  if (before === undefined || after === undefined || before === after) return [];
  const [was, is] = [splitKargs(before), splitKargs(after)];
  const gone = maskKargs(withoutThose(was, is));
  const added = maskKargs(withoutThose(is, was));
  if (gone.length + added.length === 0) return compareOrder(maskKargs(was), maskKargs(is));
  const seen = new Set(gone);
  const renamed = added.map((text) => (seen.has(text) ? `${text} (another)` : text));
  return [{ topic: KARGS, first: gone, second: renamed }];
}

/** Of the same arguments; of two for one thing, the last one counts. */
function compareOrder(before: readonly string[], after: readonly string[]): InspectionDifference[] {
  const [first, second] = [before.join(' '), after.join(' ')];
  return first === second ? [] : [{ topic: KARGS, first: [first], second: [second] }];
}

function compareSettings(first: Inspected, second: Inspected): InspectionDifference[] {
  if (first.config === undefined || second.config === undefined) return [];
  return compareConfigs(first.config.config, second.config.config).map(({ setting, deployed, rendered }) => ({
    topic: setting,
    first: deployed,
    second: rendered,
  }));
}
