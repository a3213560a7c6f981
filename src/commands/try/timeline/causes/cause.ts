/** The causes of a failed boot: their definition, and functions for their conditions. */

import type { BootWay } from '../../../../hosts/artifacts/hostMemory.ts';
import { byLastEvent, type TimelineEntry } from '../stages.ts';
import type { Stage } from '../stage.ts';
import type { EventOf, TrialEvent } from '../events.ts';
import { identifiersOf } from '../machines.ts';
import type { HostTimeline } from '../timeline.ts';

/** `proven`: an event shows the cause. `likely`: the events match. `possible`: common at this stage. */
export type Certainty = 'proven' | 'likely' | 'possible';

/**
 * Texts are Markdown; only `code` is supported. They contain the default ports, which {@link withPorts} replaces with the
 * ports of a trial.
 */
interface CauseRow {
  /** A few words, to follow "Likely: ". */
  readonly short: string;
  /** A sentence. If the cause has a proof, the first clause contains only facts of the event. */
  readonly text: string;
  /** How to verify the cause; an imperative. */
  readonly check: string;
  /** How to fix it; an imperative. */
  readonly fix: string;
  /** The cause is possible if the last stage of a machine is one of these. */
  readonly after?: readonly Stage[];
  /** Boot methods with which the cause is possible; undefined for all. */
  readonly boots?: readonly BootWay[];
  /** Whether other causes have this one as a result: then they come first. */
  readonly isResult?: boolean;
  /** Common causes come before all others. */
  readonly frequency?: 'very common' | 'common';
  /** Whether the events exclude the cause. */
  readonly isRefuted?: (host: HostTimeline) => boolean;
  /** The cause is excluded if the machine has completely fetched one of these since its last start. */
  readonly contradictedBy?: readonly Stage[];
  /** The event that proves the cause. Without it, the certainty is never `proven`. */
  readonly proof?: Proof;
  /** Whether the events of the host, without those of shared addresses, make the cause likely. */
  readonly evidenceIf?: (host: HostTimeline) => boolean;
}

export interface Cause extends CauseRow {
  /** Stable, because reports and docs/troubleshooting.md contain it. */
  readonly id: string;
}

/** Causes by their ids. */
export type CauseRows = Readonly<Record<string, CauseRow>>;

/** @param common of all causes that do not contain it */
export function causesOf(rows: CauseRows, common: Partial<CauseRow> = {}): readonly Cause[] {
  return Object.entries(rows).map(([id, row]) => ({ id, ...common, ...row }));
}

export interface Proof {
  /** Whether the event alone proves the cause. */
  readonly matches: (event: TrialEvent) => boolean;
  /** A later event of one of these stages shows that the problem is solved. */
  readonly solvedBy: readonly Stage[];
}

/** A proof by an event of one kind. */
export function proofBy<Kind extends TrialEvent['kind']>(
  kind: Kind,
  solvedBy: readonly Stage[],
  isProof: (event: EventOf<Kind>) => boolean,
): Proof {
  const isOfKind = (event: TrialEvent): event is EventOf<Kind> => event.kind === kind;
  return { matches: (event) => isOfKind(event) && isProof(event), solvedBy };
}

/**
 * The last event of a host that proves the cause, unless a later event shows that the problem is solved. Events that may be of
 * another machine do not count.
 */
export function findEvidence(host: HostTimeline, { proof }: Cause): TimelineEntry | undefined {
  if (proof === undefined) return undefined;
  const { matches, solvedBy } = proof;
  return host.entries
    .filter((entry) => matches(entry.event) && isOwn(host, entry.event) && isUnsolved(host, entry, solvedBy))
    .toSorted(byLastEvent)
    .at(-1);
}

/** Whether an event certainly belongs to this host: by its content, or because no other machine uses its address. */
export function isOwn(host: HostTimeline, event: TrialEvent): boolean {
  if (event.client === undefined || !host.sharedClients.includes(event.client)) return true;
  const { name, macs, node } = identifiersOf(event);
  const hasName = name !== undefined && name === host.name;
  return (
    hasName ||
    macs.some((mac) => host.macs.includes(mac)) ||
    (node !== undefined && host.nodes.includes(node))
  );
}

/** Ports in the texts of causes. */
export interface Ports {
  /** Port of the Ironic API. */
  readonly ironic: number;
  /** Port of the image server. */
  readonly images: number;
}

export const defaultPorts: Ports = { ironic: 6385, images: 8084 };

/** Replaces the default ports in a text with the ports of a trial. */
export function withPorts(text: string, { ironic, images }: Ports): string {
  return text.replaceAll(/\b(?:6385|8084)\b/g, (port) =>
    String(port === String(defaultPorts.ironic) ? ironic : images),
  );
}

/** A text of a cause with the ports of a trial, and without the marks of code. */
export function plainCauseText(text: string, ports: Ports): string {
  return withPorts(text.replaceAll('`', ''), ports);
}

/** Whether the machine fetched its config: as a file, or in the initramfs of the host. */
export function hasFetchedConfig(host: HostTimeline): boolean {
  if (host.milestones.has('config')) return true;
  return entriesOf(host, 'fetch').some(
    ({ event }) => event.artifact === 'initramfs' && event.host !== undefined,
  );
}

/** Whether it sent any request to Ironic, also a refused one. Then the live system and the agent run. */
export function hasCalledIronic({ entries }: HostTimeline): boolean {
  return entries.some(isCall);
}

/** The time of the last request to Ironic, also a refused one. */
export function lastCallOf({ entries }: HostTimeline): Date | undefined {
  return entries.filter(isCall).toSorted(byLastEvent).at(-1)?.last;
}

function isCall({ event: { kind } }: TimelineEntry): boolean {
  return !noCalls.has(kind);
}

const noCalls = new Set<TrialEvent['kind']>(['fetch', 'machine', 'bmc', 'preflight', 'console']);

/** Whether the agent cannot have started: the machine boots from the network and did not fetch its config. */
export function lacksConfig(host: HostTimeline): boolean {
  return host.boot === 'network' && !hasFetchedConfig(host);
}

/** The entries of one kind of event, with the type of the event. */
export function entriesOf<K extends TrialEvent['kind']>(
  host: HostTimeline,
  kind: K,
): readonly (TimelineEntry & { readonly event: EventOf<K> })[] {
  return host.entries.filter(
    (entry): entry is TimelineEntry & { readonly event: EventOf<K> } => entry.event.kind === kind,
  );
}

/** Whether no later event is of these stages. A request that failed and later succeeded is not a cause. */
export function isUnsolved(host: HostTimeline, entry: TimelineEntry, solvedBy: readonly Stage[]): boolean {
  return solvedBy.every((stage) => (host.milestones.get(stage)?.last ?? 0) <= entry.last);
}
