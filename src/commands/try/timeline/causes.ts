/**
 * The likely causes of a boot that failed, from the events of a machine and the lines on its console. The page
 * docs/troubleshooting.md is generated from the same table.
 */

import { agentCauses } from './causes/agentCauses.ts';
import { bootCauses } from './causes/bootCauses.ts';
import { ramdiskCauses } from './causes/ramdiskCauses.ts';
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
import type { ConsoleSign, Printer } from './console/sign.ts';
import { signById } from './consoleSigns.ts';
import { stepCauses } from './causes/stepCauses.ts';
import { byLastEvent, isFullyFetched, stageOf, type TimelineEntry } from './stages.ts';
import { isFurther, type Stage, stages } from './stage.ts';
import { createTimeline, type HostTimeline } from './timeline.ts';

/** What could be observed: everything from the first fetch, or only requests to Ironic if no images were served. */
export type ObservedPart = 'boot' | 'calls';

export interface LikelyCause {
  readonly cause: Cause;
  readonly certainty: Certainty;
  /** The event that proves the cause, or makes it likely; always of the same machine. */
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

const causeById: ReadonlyMap<string, Cause> = new Map(
  causeTable.flatMap(({ causes }) => causes.map((cause) => [cause.id, cause])),
);

/**
 * The causes for a host that did not call home: first the proven ones, then the likely ones, then those possible at its stage.
 * Results of other causes are omitted if such a cause has evidence. Causes that contradict what the machine fetched are omitted.
 */
export function likelyCauses(host: HostTimeline, coverage: ObservedPart): readonly LikelyCause[] {
  const stagesOfHost = possibleStages(host, coverage);
  const own = { ...host, entries: host.entries.filter(({ event }) => isOwn(host, event)) };
  const console = readConsoleEvidence(host);
  const found = [...causeById.values()].flatMap((cause): LikelyCause[] => {
    const isOfBoot = cause.boots === undefined || host.boot === undefined || cause.boots.includes(host.boot);
    if (!isOfBoot || isContradicted(cause, own, console.kernelStart)) return [];
    const line = console.proven.get(cause.id);
    if (line !== undefined) return [{ cause, certainty: 'proven', evidence: line }];
    if (console.refuted.has(cause.id) || cause.isRefuted?.(host) === true) return [];
    const event = findEvidence(host, cause);
    if (event !== undefined) return [{ cause, certainty: 'proven', evidence: event }];
    const hint = console.suggested.get(cause.id);
    if (hint !== undefined || cause.evidenceIf?.(own) === true)
      return [{ cause, certainty: 'likely', evidence: hint }];
    const isPossible = cause.after?.some((stage) => stagesOfHost.includes(stage)) === true;
    return isPossible ? [{ cause, certainty: 'possible', evidence: undefined }] : [];
  });
  const isExplained = found.some(
    ({ cause, certainty, evidence }) =>
      !cause.isResult && (certainty === 'proven' || (certainty === 'likely' && evidence !== undefined)),
  );
  return found
    .filter(({ cause, certainty }) => !(isExplained && cause.isResult && certainty !== 'possible'))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || byEvidence(a, b));
}

/** The last lines on the console of the machine that the table does not contain, the latest one last. */
export function lastLinesOf(host: HostTimeline): readonly string[] {
  return entriesOf(host, 'console').findLast(({ event }) => event.sign === undefined)?.event.lastLines ?? [];
}

/** The causes for expected machines without any activity and without a name. */
export function causesOfInactive(coverage: ObservedPart): readonly LikelyCause[] {
  return createTimeline([{ name: 'inactive', macs: [] }])
    .hosts()
    .flatMap((host) => likelyCauses(host, coverage));
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
  if (isAtLoader(host)) return ['loader'];
  if (stage === 'power' && !milestones.has('boot device'))
    return stagesBeforeCalls.filter((other) => other !== 'none');
  return coverage === 'boot' || isFurther(stage, 'loader') ? [stage] : stagesBeforeCalls;
}

/** Bytes of an ISO: firmware and boot loaders read less, because the kernel and the initramfs are smaller. */
const READ_BY_LOADER = 256 * 1024 * 1024;

/**
 * Whether the last thing that is known of the machine is a line of its firmware or its boot loader. BMCs read the ISO during the
 * whole boot: only when most of it is read, a live system runs whose console is another one.
 */
function isAtLoader(host: HostTimeline): boolean {
  const last = listSigns(host).at(-1);
  if (last?.sign.stage !== 'loader') return false;
  const isRunning = entriesOf(host, 'fetch').some(
    (entry) =>
      entry.event.artifact === 'iso' && entry.event.bytes > READ_BY_LOADER && entry.last > last.entry.last,
  );
  if (isRunning) return false;
  const later = stages.filter((stage) => isFurther(stage, 'loader') && stage !== 'image');
  return isUnsolved(host, last.entry, later);
}

/** Whether the machine has completely fetched what it cannot have by the cause, since its kernel or its boot loader started. */
function isContradicted(
  { contradictedBy }: Cause,
  own: HostTimeline,
  kernelStart: Date | undefined,
): boolean {
  if (contradictedBy === undefined) return false;
  const loaderStart = own.milestones.get('power')?.last ?? own.milestones.get('script')?.first;
  return entriesOf(own, 'fetch').some(({ event, last }) => {
    const isOfLoader = event.artifact === 'archive' || event.artifact === 'initramfs';
    const stage = isOfLoader && event.host !== undefined ? 'config' : stageOf(event);
    const start = isOfLoader ? loaderStart : (kernelStart ?? loaderStart);
    return (
      stage !== undefined && contradictedBy.includes(stage) && isFullyFetched(event) && last >= (start ?? 0)
    );
  });
}

function rankOf({ cause: { frequency, isResult }, certainty }: LikelyCause): number {
  const isLast = isResult === true && certainty !== 'possible';
  const usual = certainty === 'proven' ? 0 : frequencies.indexOf(frequency);
  return certainties.indexOf(certainty) * 10 + (isLast ? 5 : 0) + usual;
}

/**
 * Of proven causes, the latest one is first: a program that fails later shows that the earlier programs came to their end.
 * Firmware is the exception: it continues with its next boot device, and the first one is that which was set.
 */
function byEvidence(a: LikelyCause, b: LikelyCause): number {
  if (a.certainty !== 'proven' || a.evidence === undefined || b.evidence === undefined) return 0;
  const isFirmware = isOfTerminal(a.evidence) && isOfTerminal(b.evidence);
  return isFirmware
    ? a.evidence.first.getTime() - b.evidence.first.getTime()
    : b.evidence.last.getTime() - a.evidence.last.getTime();
}

function isOfTerminal({ event }: TimelineEntry): boolean {
  return event.kind === 'console' && signById.get(event.sign ?? '')?.printer === 'terminal';
}

const frequencies: readonly Cause['frequency'][] = ['very common', 'common', undefined];
const certainties: readonly Certainty[] = ['proven', 'likely', 'possible'];

/** What the lines on the console of a machine say about the causes, by the ids of the causes. */
interface ConsoleEvidence {
  readonly proven: ReadonlyMap<string, TimelineEntry>;
  readonly suggested: ReadonlyMap<string, TimelineEntry>;
  readonly refuted: ReadonlySet<string>;
  /** When the kernel started last; undefined if the console does not show it. */
  readonly kernelStart: Date | undefined;
}

interface SeenSign {
  readonly entry: TimelineEntry;
  readonly sign: ConsoleSign;
}

/** Programs that repeat a failed action: one that fails later for another reason has solved the earlier problems. */
const repeating: ReadonlySet<string> = new Set<Printer>([
  'ignition',
  'coreos-livepxe-rootfs',
  'podman',
  'agent',
]);

/**
 * Only lines since the last start of the kernel count, and none from before the machine was powered on. A line is no evidence
 * if later events show that the problem is solved. Of the problems that a repeating program reports, only the last one proves its
 * cause.
 */
function readConsoleEvidence(host: HostTimeline): ConsoleEvidence {
  const seen = listSigns(host);
  const lastCall = lastCallOf(host);
  const settled = new Map(
    seen.filter(({ sign }) => sign.settles).map(({ entry, sign }) => [sign.printer, entry.last]),
  );
  const unsolved = seen.filter(
    ({ entry, sign }, index) =>
      isUnsolved(host, entry, sign.solvedBy) &&
      entry.count >= (sign.times ?? 1) &&
      !isConsequence(sign, seen.slice(0, index)) &&
      (lastCall ?? 0) <= entry.last &&
      (sign.proves === undefined || (settled.get(sign.printer) ?? 0) <= entry.last),
  );
  const proofs = new Map(
    unsolved.flatMap((one) => {
      const { printer, proves } = one.sign;
      if (proves === undefined) return [];
      const isRepeated = repeating.has(printer) && causeById.get(proves)?.isResult !== true;
      return [[isRepeated ? `by ${printer}` : proves, one] as const];
    }),
  );
  const proven = [...proofs.values()].filter((one) => isOfAgent(one, seen));
  // After a restart, what a running system excluded is possible again.
  const inLoader = seen.slice(seen.findLastIndex(({ sign }) => sign.stage !== 'loader') + 1);
  const suggested = unsolved.flatMap(({ entry, sign: { suggests = [] } }) =>
    suggests.map((id) => [id, entry] as const),
  );
  return {
    proven: new Map(proven.map(({ entry, sign }) => [sign.proves ?? '', entry])),
    suggested: new Map(suggested),
    refuted: new Set((inLoader.length > 0 ? inLoader : seen).flatMap(({ sign }) => sign.refutes)),
    kernelStart: seen.find(({ sign }) => sign.id === 'kernel-started')?.entry.last,
  };
}

/** Whether the line before it of the same program, or any earlier line of another one, says why the program failed. */
function isConsequence({ printer, resultOf = [] }: ConsoleSign, before: readonly SeenSign[]): boolean {
  const previous = before.findLast(({ sign }) => sign.printer === printer);
  return before.some(
    (seen) => resultOf.includes(seen.sign.id) && (seen.sign.printer !== printer || seen === previous),
  );
}

/** While the agent runs, podman prints the problems of another container. */
function isOfAgent({ sign }: SeenSign, seen: readonly SeenSign[]): boolean {
  const last = (id: string): number => seen.findLastIndex((other) => other.sign.id === id);
  return (
    sign.printer !== 'podman' ||
    Math.max(last('agent-failed'), last('agent-exited'), last('agent-starting')) >= last('agent-started')
  );
}

/** Those of the last boot, in order. */
function listSigns(host: HostTimeline): readonly SeenSign[] {
  const poweredOn = host.milestones.get('power')?.last ?? 0;
  const seen = entriesOf(host, 'console')
    .filter(({ last }) => last >= poweredOn)
    .toSorted(byLastEvent)
    .flatMap((entry) => {
      const sign = signById.get(entry.event.sign ?? '');
      return sign === undefined ? [] : [{ entry, sign }];
    });
  return seen.slice(
    Math.max(
      0,
      seen.findLastIndex(({ sign }) => sign.id === 'kernel-started'),
    ),
  );
}
