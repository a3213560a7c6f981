/** What the lines on the console of a machine say about the causes. */

import { entriesOf, isUnsolved, lastCallOf } from './causes/cause.ts';
import { type ConsoleSign, findSign, refutedBy, solvedByOf } from './consoleSigns.ts';
import { byLastEvent, type TimelineEntry } from './stages.ts';
import type { HostTimeline } from './timeline.ts';

/** By the id of the cause. */
export interface ConsoleEvidence {
  readonly proven: ReadonlyMap<string, TimelineEntry>;
  readonly suggested: ReadonlyMap<string, TimelineEntry>;
  readonly refuted: ReadonlySet<string>;
}

interface SeenSign {
  readonly entry: TimelineEntry;
  readonly sign: ConsoleSign;
}

/**
 * Only lines since the last start of the kernel count, and none from before the machine was powered on. A line is no evidence
 * if later events show that the problem is solved. Of the problems that one program reports, only the last one proves its
 * cause, because a program that fails later has solved the earlier ones.
 */
export function readConsoleEvidence(host: HostTimeline): ConsoleEvidence {
  const seen = listSigns(host);
  const settled = new Map(
    seen.filter(({ sign }) => sign.settles).map(({ entry, sign }) => [sign.printer, entry.last]),
  );
  const unsolved = seen.filter(
    ({ entry, sign }) =>
      isUnsolvedSign(host, entry, sign) &&
      (sign.proves === undefined || (settled.get(sign.printer) ?? 0) <= entry.last),
  );
  const proofs = new Map(
    unsolved.filter(({ sign }) => sign.proves !== undefined).map((one) => [one.sign.printer, one]),
  );
  const proven = [...proofs.values()].filter((one) => isOfAgent(one, seen));
  const unsure = [...proofs.values()].filter((one) => !proven.includes(one));
  const suggested = unsolved.flatMap(({ entry, sign: { proves, suggests = [] } }) =>
    [...suggests, ...(proves === undefined ? [] : [proves])].map((id) => [id, entry] as const),
  );
  const refuted = new Set(seen.flatMap(({ sign }) => refutedBy(sign)));
  for (const { sign } of unsure) refuted.delete(sign.proves ?? '');
  return {
    proven: new Map(proven.map(({ entry, sign }) => [sign.proves ?? '', entry])),
    suggested: new Map(suggested),
    refuted,
  };
}

/** While the agent runs, podman may print the problems of another container, or of a restarted agent. */
function isOfAgent({ sign }: SeenSign, seen: readonly SeenSign[]): boolean {
  const last = (id: string): number => seen.findLastIndex((other) => other.sign.id === id);
  return (
    sign.printer !== 'podman' ||
    Math.max(last('agent-failed'), last('agent-starting')) >= last('agent-started')
  );
}

/** Those of the last boot, in order. */
function listSigns(host: HostTimeline): readonly SeenSign[] {
  const poweredOn = host.milestones.get('power')?.last ?? 0;
  const seen = entriesOf(host, 'console')
    .filter(({ last }) => last >= poweredOn)
    .toSorted(byLastEvent)
    .flatMap((entry) => {
      const sign = findSign(entry.event.sign);
      return sign === undefined ? [] : [{ entry, sign }];
    });
  return seen.slice(
    Math.max(
      0,
      seen.findLastIndex(({ sign }) => sign.id === 'kernel-started'),
    ),
  );
}

function isUnsolvedSign(host: HostTimeline, entry: TimelineEntry, sign: ConsoleSign): boolean {
  return isUnsolved(host, entry, solvedByOf(sign)) && (lastCallOf(host) ?? 0) <= entry.last;
}
