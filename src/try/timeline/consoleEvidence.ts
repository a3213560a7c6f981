/** What the lines on the console of a machine say about the causes. */

import { entriesOf, isUnsolved, lastCallOf } from './causes/cause.ts';
import { type ConsoleSign, findSign, refutedBy, solvedByOf } from './consoleSigns.ts';
import type { TimelineEntry } from './stages.ts';
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
 * A line is no evidence if later events show that the problem is solved. Of the problems that one program reports, only the
 * last one proves its cause, because a program that fails later has solved the earlier ones.
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
  const proven = [...proofs.values()].map(({ entry, sign }) => [sign.proves ?? '', entry] as const);
  const suggested = unsolved.flatMap(({ entry, sign: { proves, suggests = [] } }) =>
    [...suggests, ...(proves === undefined ? [] : [proves])].map((id) => [id, entry] as const),
  );
  const ofThisBoot = seen.slice(
    Math.max(
      0,
      seen.findLastIndex(({ sign }) => sign.id === 'kernel-started'),
    ),
  );
  const refuted = ofThisBoot
    .filter(({ entry }) => entry.last >= (host.milestones.get('power')?.last ?? 0))
    .flatMap(({ sign }) => refutedBy(sign));
  return { proven: new Map(proven), suggested: new Map(suggested), refuted: new Set(refuted) };
}

/** The latest one is the last. */
function listSigns(host: HostTimeline): readonly SeenSign[] {
  return entriesOf(host, 'console')
    .toSorted((a, b) => a.last.getTime() - b.last.getTime())
    .flatMap((entry) => {
      const sign = findSign(entry.event.sign);
      return sign === undefined ? [] : [{ entry, sign }];
    });
}

function isUnsolvedSign(host: HostTimeline, entry: TimelineEntry, sign: ConsoleSign): boolean {
  return isUnsolved(host, entry, solvedByOf(sign)) && (lastCallOf(host) ?? 0) <= entry.last;
}
