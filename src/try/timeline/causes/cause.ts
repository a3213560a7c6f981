/** Why a machine does not get on: what the table of causes consists of. */

import type { BootWay } from '../../../hosts/artifacts/hostMemory.ts';
import type { Stage, TimelineEntry } from '../stages.ts';
import type { TrialEvent } from '../events.ts';
import { identifiersOf } from '../machines.ts';
import type { HostTimeline } from '../timeline.ts';

/** `proven`: an event says so. `likely`: the events fit. `possible`: it is usual at this stage. */
export type Certainty = 'proven' | 'likely' | 'possible';

/**
 * Texts are Markdown with nothing but `code` in it. The ports in them are the default ones: {@link withPorts} puts those of
 * a trial in their place.
 */
export interface Cause {
  /** Stable: reports and the page of troubleshooting have it. */
  readonly id: string;
  /** In a few words, as the end of "never called: …". */
  readonly short: string;
  /** What is wrong: a sentence. Where the cause has a proof, the first clause says no more than the event does. */
  readonly text: string;
  /** How to see whether it is this. */
  readonly check: string;
  /** What to do then. */
  readonly fix: string;
  /** It may be this where a machine came so far and no further. */
  readonly after?: readonly Stage[];
  /** Where it can be this only with some ways to boot. */
  readonly boots?: readonly BootWay[];
  /** How usual it is where it is possible: these are told before others. */
  readonly usual?: 'most' | 'often';
  /** What was seen makes it impossible. */
  readonly isRefuted?: (host: HostTimeline) => boolean;
  /** Which event is the proof by itself. Without one, a cause is never called proven. */
  readonly proof?: Proof;
  /** Whether the events make it likely: those that are the host's for sure. */
  readonly evidenceIf?: (host: HostTimeline) => boolean;
}

export interface Proof {
  /** Whether the content of this one event says so, whatever else was seen. */
  readonly isSaidBy: (event: TrialEvent) => boolean;
  /** The machine reached one of these later, so it is over. */
  readonly solvedBy: readonly Stage[];
}

/** The last event of a host that says so, if nothing later shows that it is over. */
export function findEvidence(host: HostTimeline, { proof }: Cause): TimelineEntry | undefined {
  if (proof === undefined) return undefined;
  const { isSaidBy, solvedBy } = proof;
  return host.entries
    .filter((entry) => isSaidBy(entry.event) && isUnsolved(host, entry, solvedBy))
    .toSorted((a, b) => a.last.getTime() - b.last.getTime())
    .at(-1);
}

/** Whether an event is this host's for sure: it says so itself, or no other machine came from its address. */
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

/** Ports that the texts of causes have where nothing else is known. */
export interface Ports {
  /** Of Ironic's API. */
  readonly ironic: number;
  /** Of images. */
  readonly images: number;
}

export const defaultPorts: Ports = { ironic: 6385, images: 8084 };

/** The text with the ports of a trial in the place of the default ones. */
export function withPorts(text: string, { ironic, images }: Ports): string {
  return text
    .replaceAll(String(defaultPorts.ironic), String(ironic))
    .replaceAll(String(defaultPorts.images), String(images));
}

/** Whether its config came to the machine over the network: by itself, or in an initramfs of its own. */
export function hasFetchedConfig(host: HostTimeline): boolean {
  if (host.milestones.has('config')) return true;
  return entriesOf(host, 'fetch').some(
    ({ event }) => event.artifact === 'initramfs' && event.host !== undefined,
  );
}

/** Whether it sent anything to Ironic, be it refused: the live system runs then, and the agent in it. */
export function hasCalled({ entries }: HostTimeline): boolean {
  return entries.some(({ event: { kind } }) => !noCalls.has(kind));
}

const noCalls = new Set<TrialEvent['kind']>(['fetch', 'machine', 'preflight']);

/** Whether it cannot have started the agent: it boots over the network, and its config was not fetched. */
export function lacksConfig(host: HostTimeline): boolean {
  return host.boot === 'network' && !hasFetchedConfig(host);
}

/** The entries of one kind of event, with the event as what it is. */
export function entriesOf<K extends TrialEvent['kind']>(
  host: HostTimeline,
  kind: K,
): readonly (TimelineEntry & { readonly event: Extract<TrialEvent, { kind: K }> })[] {
  return host.entries.filter(
    (entry): entry is TimelineEntry & { readonly event: Extract<TrialEvent, { kind: K }> } =>
      entry.event.kind === kind,
  );
}

/** Whether nothing of these came after it: what failed once and then worked is no cause any more. */
export function isUnsolved(host: HostTimeline, entry: TimelineEntry, solvedBy: readonly Stage[]): boolean {
  return solvedBy.every((stage) => (host.milestones.get(stage)?.last ?? 0) <= entry.last);
}
