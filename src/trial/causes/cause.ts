/** Why a machine does not get on: what the table of causes consists of. */

import type { BootWay } from '../../prepare/hostMemory.ts';
import type { TimelineEntry } from '../entries.ts';
import type { TrialEvent } from '../events.ts';
import type { Stage } from '../stages.ts';
import type { HostTimeline } from '../timeline.ts';

/** `proven`: an event says so. `likely`: an event fits. `possible`: it is usual at this stage. */
export type Certainty = 'proven' | 'likely' | 'possible';

/** Texts are Markdown with nothing but `code` in it. */
export interface Cause {
  /** Stable: reports and the page of troubleshooting have it. */
  readonly id: string;
  /** In a few words, as the end of "never called: …". */
  readonly short: string;
  /** What is wrong: a sentence. */
  readonly text: string;
  /** How to see whether it is this. */
  readonly check: string;
  /** What to do then. */
  readonly fix: string;
  /** It may be this where a machine came so far and no further. */
  readonly after: readonly Stage[];
  /** Where it can be this only with some ways to boot. */
  readonly boots?: readonly BootWay[];
  /** How usual it is where it is possible: these are told before others. */
  readonly usual?: 'most' | 'often';
  /** What was seen makes it impossible. */
  readonly isRefuted?: (host: HostTimeline) => boolean;
  /** What the events say for it. */
  readonly sign?: (host: HostTimeline) => Exclude<Certainty, 'possible'> | undefined;
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
  return entries.some(({ event }) => event.kind !== 'fetch' && event.kind !== 'machine');
}

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

/** `certainty`, if it is so. */
export function signIf<C extends Certainty>(isSo: boolean, certainty: C): C | undefined {
  return isSo ? certainty : undefined;
}
