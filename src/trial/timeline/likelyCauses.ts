/** The likely causes of a boot that failed, from the events of a machine and the lines on its console. */

import { printable } from '../../core/foreignText.ts';
import { causeBook, type CauseWords } from './causeBook.ts';
import { commonCauses, conditions, provenBy, results } from './causes.ts';
import { type ConsoleSign, signOf } from './consoleSigns.ts';
import { byKind, type ByKind, type TrialEvent } from './events.ts';
import { createMachines, identifiersOf } from './machines.ts';
import { isFurther, type Stage, stages } from './stage.ts';
import { byLastEvent, type TimelineEntry } from './stages.ts';
import { callsOf, createTimeline, entriesOf, hasCalledIronic, type HostTimeline } from './timeline.ts';

/** What could be observed: everything from the first fetch, or only requests to Ironic if no images were served. */
export type ObservedPart = 'boot' | 'calls';

/** `proven`: an event shows the cause. `likely`: the events match. `possible`: common at this stage. */
type Certainty = 'proven' | 'likely' | 'possible';

export interface LikelyCause extends CauseWords {
  readonly certainty: Certainty;
  /** The event that proves the cause, or makes it likely; always of the same machine. */
  readonly evidence: TimelineEntry | undefined;
}

/**
 * The causes for a host that did not call home: first the proven ones, then the likely ones, then those possible at its stage.
 * Results of other causes are omitted if such a cause has evidence.
 */
export function likelyCauses(host: HostTimeline, coverage: ObservedPart): readonly LikelyCause[] {
  const stagesOfHost = possibleStages(host, coverage);
  const own = { ...host, entries: host.entries.filter(({ event }) => isOwn(host, event)) };
  const lines = readLines(host);
  const events = new Map(
    own.entries
      .filter(
        (entry) => entry.event.kind !== 'console' && isUnsolved(host, entry, byKind(solvedBy, entry.event)),
      )
      .toSorted(byLastEvent)
      .map((entry) => [byKind(provenBy, entry.event), entry]),
  );
  const found = [...causeBook().values()].flatMap((words): LikelyCause[] => {
    const { id } = words;
    const { likelyIf, notBootedBy = [], possibleAfter = [], unless = [] } = conditions[id] ?? {};
    if (notBootedBy.some((way) => way === host.boot)) return [];
    const line = lines.proven.get(id);
    if (line !== undefined) return [{ ...words, certainty: 'proven', evidence: line }];
    if (lines.excluded.has(id) || unless.some((isMet) => isMet(own))) return [];
    const event = events.get(id);
    if (event !== undefined)
      return [{ ...words, ...ownWords(words, event), certainty: 'proven', evidence: event }];
    const evidence = lines.suggested.get(id);
    if (evidence !== undefined || likelyIf?.(own) === true)
      return [{ ...words, certainty: 'likely', evidence }];
    const isPossible = stagesOfHost.some((stage) => possibleAfter.includes(stage));
    return isPossible ? [{ ...words, certainty: 'possible', evidence: undefined }] : [];
  });
  const isExplained = found.some(
    ({ id, certainty, evidence }) => !results.has(id) && certainty !== 'possible' && evidence !== undefined,
  );
  return found
    .filter(({ id, certainty }) => !(isExplained && results.has(id) && certainty !== 'possible'))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || byEvidence(a, b));
}

/** What its BMC answered, or which file it requested in vain, replaces the general words, with the fix of exactly that. */
function ownWords({ fix }: CauseWords, { event }: TimelineEntry): Partial<CauseWords> {
  if (event.kind === 'refusal' && event.problem.kind === 'file') {
    const { hint, message } = event.problem;
    return { text: printable(`${event.client} ${message}`), fix: printable(hint) };
  }
  if (event.kind !== 'bmc') return {};
  return { text: printable(event.text), fix: printable(event.hint ?? fix) };
}

/** The last lines on the console of the machine that the table does not contain, the latest one last. */
export function lastLinesOf(host: HostTimeline): readonly string[] {
  return entriesOf(host, 'console').findLast(({ event }) => event.sign === undefined)?.event.lastLines ?? [];
}

/** The causes for expected machines without any activity and without a name. */
export function causesOfInactive(coverage: ObservedPart): readonly LikelyCause[] {
  return createTimeline(createMachines([{ name: 'inactive', macs: [] }]))
    .hosts()
    .flatMap((host) => likelyCauses(host, coverage));
}

const requests: readonly Stage[] = ['inspection', 'lookup', 'heartbeat'];

/** A later event of these stages shows that the problem of an event is solved. */
const solvedBy: ByKind<readonly Stage[]> = {
  fetch: () => [],
  api: () => [],
  console: (event) => signOf(event)?.until ?? [],
  bmc: () => ['image'],
  machine: () => ['power'],
  refusal: ({ problem: { kind } }) => {
    if (kind === 'file') return ['image', 'config', ...requests];
    return kind === 'path' || kind === 'request' ? requests : ['api', ...requests];
  },
  inspection: () => requests,
  // A successful lookup returns the node to the agent again.
  lookup: () => ['lookup', 'heartbeat'],
  heartbeat: () => ['lookup', 'heartbeat'],
  callback: () => ['callback'],
  steps: () => ['steps'],
};

/** Whether no later event is of these stages. A request that failed and later succeeded is not a cause. */
function isUnsolved(host: HostTimeline, { last }: TimelineEntry, until: readonly Stage[]): boolean {
  return until.every((stage) => (host.milestones.get(stage)?.last ?? 0) <= last);
}

/** Whether an event certainly belongs to this host: by its content, or because no other machine uses its address. */
function isOwn(host: HostTimeline, event: TrialEvent): boolean {
  if (event.client === undefined || !host.sharedClients.includes(event.client)) return true;
  const { name, macs, node } = identifiersOf(event);
  return (
    (name !== undefined && name === host.name) ||
    macs.some((mac) => host.macs.includes(mac)) ||
    (node !== undefined && host.nodes.includes(node))
  );
}

const stagesBeforeCalls = stages.filter(
  (stage) =>
    !['boot device', 'power', 'loader', 'script'].includes(stage) && !isFurther(stage, 'agent container'),
);

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
  const later = stages.filter((stage) => isFurther(stage, 'loader') && stage !== 'image');
  return !isRunning && isUnsolved(host, last.entry, later);
}

const certainties: readonly Certainty[] = ['proven', 'likely', 'possible'];

function rankOf({ certainty, id }: LikelyCause): number {
  const place = commonCauses.indexOf(id);
  const usual = certainty === 'proven' ? 0 : place === -1 ? commonCauses.length : place;
  return certainties.indexOf(certainty) * (commonCauses.length + 1) + usual;
}

/**
 * Of proven causes, the latest one is first: a program that fails later shows that the earlier programs came to their end.
 * Firmware is the exception: it continues with its next boot device, and the first one is that which was set.
 */
function byEvidence(a: LikelyCause, b: LikelyCause): number {
  if (a.certainty !== 'proven' || a.evidence === undefined || b.evidence === undefined) return 0;
  const isFirmware = [a.evidence, b.evidence].every(
    ({ event }) => event.kind === 'console' && signOf(event)?.printer === 'terminal',
  );
  return (isFirmware ? 1 : -1) * byLastEvent(a.evidence, b.evidence);
}

interface SeenSign {
  readonly entry: TimelineEntry;
  readonly sign: ConsoleSign;
}

/** Programs that repeat a failed action: one that fails later for another reason has solved the earlier problems. */
const repeating: ReadonlySet<string> = new Set(['ignition', 'coreos-livepxe-rootfs', 'podman', 'agent']);

/**
 * What the lines on the console of a machine say about the causes, by the ids of the causes. Only lines since the last start of the
 * kernel count, and none from before the machine was powered on. A line is no evidence if later events show that the problem is
 * solved. Of the problems that a repeating program reports, only the last one proves its cause.
 */
function readLines(host: HostTimeline) {
  const seen = listSigns(host);
  const lastCall = callsOf(host).toSorted(byLastEvent).at(-1)?.last ?? 0;
  const settled = new Map(
    seen.filter(({ sign }) => sign.settles).map(({ entry, sign }) => [sign.printer, entry.last]),
  );
  const unsolved = seen.filter(
    ({ entry, sign }, index) =>
      isUnsolved(host, entry, sign.until) &&
      entry.count >= (sign.times ?? 1) &&
      !isConsequence(sign, seen.slice(0, index)) &&
      lastCall <= entry.last &&
      (sign.proves === undefined || (settled.get(sign.printer) ?? 0) <= entry.last),
  );
  const proofs = new Map(
    unsolved.flatMap((one) => {
      const { printer, proves } = one.sign;
      if (proves === undefined) return [];
      const isRepeated = repeating.has(printer) && !results.has(proves);
      return [[isRepeated ? `by ${printer}` : proves, one] as const];
    }),
  );
  const proven = [...proofs.values()].filter((one) => isOfAgent(one, seen));
  // After a restart, what a running system excluded is possible again.
  const inLoader = seen.slice(seen.findLastIndex(({ sign }) => sign.stage !== 'loader') + 1);
  return {
    proven: new Map(proven.map(({ entry, sign }) => [sign.proves, entry] as const)),
    suggested: new Map(
      unsolved.flatMap(({ entry, sign }) => sign.suggests.map((id) => [id, entry] as const)),
    ),
    excluded: new Set((inLoader.length > 0 ? inLoader : seen).flatMap(({ sign }) => sign.excludes)),
  };
}

/** Whether the line before it of the same program, or any earlier line of another one, says why the program failed. */
function isConsequence({ printer, resultOf }: ConsoleSign, before: readonly SeenSign[]): boolean {
  const previous = before.findLast(({ sign }) => sign.printer === printer);
  return before.some(
    (seen) => resultOf.includes(seen.sign.id) && (seen.sign.printer !== printer || seen === previous),
  );
}

/** While the agent runs, podman prints the problems of another container. */
function isOfAgent({ sign }: SeenSign, seen: readonly SeenSign[]): boolean {
  const last = (...ids: readonly string[]): number =>
    seen.findLastIndex((other) => ids.includes(other.sign.id));
  return (
    sign.printer !== 'podman' ||
    last('agent-failed', 'agent-exited', 'agent-starting') >= last('agent-started')
  );
}

/** Those of the last boot, in order. */
function listSigns(host: HostTimeline): readonly SeenSign[] {
  const poweredOn = host.milestones.get('power')?.last ?? 0;
  const seen = entriesOf(host, 'console')
    .filter(({ last }) => last >= poweredOn)
    .toSorted(byLastEvent)
    .flatMap((entry) => {
      const sign = signOf(entry.event);
      return sign === undefined ? [] : [{ entry, sign }];
    });
  return seen.slice(
    Math.max(
      0,
      seen.findLastIndex(({ sign }) => sign.id === 'kernel-started'),
    ),
  );
}
