/**
 * The likely causes of a boot that failed, from the events of a machine and the lines on its console. The page
 * docs/troubleshooting.md is generated from the same table.
 */

import { agentCauses } from './causes/agentCauses.ts';
import { bootCauses, ramdiskCauses } from './causes/bootCauses.ts';
import { callbackCauses, tlsCauses } from './causes/connectionCauses.ts';
import {
  type Cause,
  type Certainty,
  entriesOf,
  findEvidence,
  hasCalledIronic,
  isOwn,
  isUnsolved,
  lastCallOf,
} from './causes/cause.ts';
import { ironicCauses } from './causes/ironicCauses.ts';
import { type ConsoleSign, signById } from './consoleSigns.ts';
import { stepCauses } from './causes/stepCauses.ts';
import { byLastEvent, isFurther, type Stage, type TimelineEntry } from './stages.ts';
import { createTimeline, type HostTimeline } from './timeline.ts';

/** What could be observed: everything from the first fetch, or only requests to Ironic if no images were served. */
export type ObservedPart = 'boot' | 'calls';

export interface LikelyCause {
  readonly cause: Cause;
  readonly certainty: Certainty;
  /** The event that proves the cause; otherwise, one that matches the cause, but may be of another machine. */
  readonly evidence: TimelineEntry | undefined;
}

/** By the part of the boot process, in its order. */
export const causeTable: readonly { readonly title: string; readonly causes: readonly Cause[] }[] = [
  { title: 'Before the live system starts', causes: bootCauses },
  { title: 'While the live system starts', causes: ramdiskCauses },
  { title: 'Before the agent calls Ironic', causes: agentCauses },
  { title: 'Requests to Ironic', causes: [...tlsCauses, ...ironicCauses] },
  { title: 'Callback from Ironic to the agent', causes: callbackCauses },
  { title: 'Steps of the agent', causes: stepCauses },
];

/** The causes for a host that did not call home: first the proven ones, then the likely ones, then those possible at its stage. */
export function likelyCauses(host: HostTimeline, coverage: ObservedPart): readonly LikelyCause[] {
  const stagesOfHost = possibleStages(host, coverage);
  const own = { ...host, entries: host.entries.filter(({ event }) => isOwn(host, event)) };
  const console = readConsoleEvidence(host);
  const found = causeTable
    .flatMap(({ causes }) => causes)
    .flatMap((cause): LikelyCause[] => {
      const proof = console.proven.get(cause.id);
      if (proof !== undefined) return [{ cause, certainty: 'proven', evidence: proof }];
      if (console.refuted.has(cause.id)) return [];
      const hint = console.suggested.get(cause.id);
      if (hint !== undefined && isOfBoot(cause, host))
        return [{ cause, certainty: 'likely', evidence: hint }];
      const evidence = cause.isRefuted?.(host) === true ? undefined : findEvidence(host, cause);
      if (evidence !== undefined && isOwn(host, evidence.event))
        return [{ cause, certainty: 'proven', evidence }];
      if (evidence !== undefined || cause.evidenceIf?.(own) === true)
        return [{ cause, certainty: 'likely', evidence }];
      const isAtStage = cause.after?.some((stage) => stagesOfHost.includes(stage)) === true;
      const isPossible = isAtStage && isOfBoot(cause, host) && cause.isRefuted?.(host) !== true;
      return isPossible ? [{ cause, certainty: 'possible', evidence }] : [];
    });
  return found.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** The causes for expected machines without any activity and without a name. */
export function causesOfInactive(coverage: ObservedPart): readonly LikelyCause[] {
  return createTimeline([{ name: 'inactive', macs: [] }])
    .hosts()
    .flatMap((host) => likelyCauses(host, coverage));
}

/** Whether the cause is possible with the boot method of the host, if it is known. */
function isOfBoot({ boots }: Cause, { boot }: HostTimeline): boolean {
  return boots === undefined || boot === undefined || boots.includes(boot);
}

const stagesBeforeCalls: readonly Stage[] = [
  'none',
  'image',
  'kernel',
  'initramfs',
  'config',
  'rootfs',
  'agent archive',
  'live system',
  'agent container',
];

/** If no images were served, a machine that did not call Ironic may be at any stage before. */
function possibleStages(host: HostTimeline, coverage: ObservedPart): readonly Stage[] {
  const { milestones, stage } = host;
  if (hasCalledIronic(host)) return isFurther(stage, 'agent container') ? [stage] : [];
  if (stage === 'power' && !milestones.has('boot device'))
    return stagesBeforeCalls.filter((other) => other !== 'none');
  return coverage === 'boot' || isFurther(stage, 'power') ? [stage] : stagesBeforeCalls;
}

function rankOf({ cause, certainty }: LikelyCause): number {
  return certainties.indexOf(certainty) * frequencies.length + frequencies.indexOf(cause.frequency);
}

const frequencies: readonly Cause['frequency'][] = ['very common', 'common', undefined];
const certainties: readonly Certainty[] = ['proven', 'likely', 'possible'];

/** What the lines on the console of a machine say about the causes, by the ids of the causes. */
interface ConsoleEvidence {
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
function readConsoleEvidence(host: HostTimeline): ConsoleEvidence {
  const seen = listSigns(host);
  const lastCall = lastCallOf(host);
  const settled = new Map(
    seen.filter(({ sign }) => sign.settles).map(({ entry, sign }) => [sign.printer, entry.last]),
  );
  const unsolved = seen.filter(
    ({ entry, sign }) =>
      isUnsolved(host, entry, sign.solvedBy) &&
      (lastCall ?? 0) <= entry.last &&
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
  const refuted = new Set(seen.flatMap(({ sign }) => sign.refutes));
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
      const sign = signById.get(entry.event.sign);
      return sign === undefined ? [] : [{ entry, sign }];
    });
  return seen.slice(
    Math.max(
      0,
      seen.findLastIndex(({ sign }) => sign.id === 'kernel-started'),
    ),
  );
}
