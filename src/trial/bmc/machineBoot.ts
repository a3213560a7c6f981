/** What the steps of a boot share: the machine, its BMC, and what is to be undone. */

import { pause, systemClock } from '../../io/clock.ts';
import { type BmcChange, defaultTiming, type RedfishClient } from '../../redfish/redfishClient.ts';
import { readSystem, type System } from '../../redfish/resources.ts';
import type { BmcEvent } from '../timeline/events.ts';
import type { Survey } from './survey.ts';
import type { BootMethod } from './targets.ts';

export interface MachineBoot {
  readonly client: RedfishClient;
  /** The state before the boot. */
  readonly survey: Survey;
  readonly method: BootMethod;
  /** Whether the machine may be on. */
  readonly mayPowerOff: boolean;
  readonly imageUrl: string;
  /** `shutdown` is the time before the machine is forced off. */
  readonly timing: BootTimes & { readonly shutdown: number };
  /** What is not undone yet; the last one is undone first. Each step adds its change before it sends the request. */
  readonly changes: Change[];
  readonly say: (step: BmcEvent['step'], text: string) => void;
  readonly signal: AbortSignal;
}

/** Something that `boot` has changed, or may have changed. */
export interface Change {
  /** A clause: `it was on, and may be off`. */
  readonly text: string;
  /** Undoes it without `boot`. */
  readonly request: BmcChange;
  /** Can be repeated. Throws CliError. @returns false if the signal ended it before */
  readonly undo: (boot: MachineBoot) => Promise<boolean>;
}

export type BootTimes = Readonly<typeof defaultTimes>;

/** Milliseconds. The slowest BMC that is documented, an iLO that inventories the machine, answers some requests in 30 s. */
const MINUTE = 60_000;

export const defaultTimes = {
  ...defaultTiming,
  /** For the insertion of an image, with its task: sushy-tools and some BMCs fetch the whole image before they answer. */
  insert: 15 * MINUTE,
  /** For changes of the power state, except for a graceful shutdown. */
  power: 2 * MINUTE,
  check: 5 * MINUTE,
  /** For all requests that restore a machine, in addition to the time for a graceful shutdown. */
  restore: 5 * MINUTE,
  /** For further attempts to restore a machine, after the first has failed. */
  retry: 2 * MINUTE,
  /** Between two messages about BMCs that do not answer. */
  silence: 5000,
};

export async function readNow({ client, survey: { system } }: MachineBoot): Promise<System> {
  return readSystem(await client.get(system.path, 'reading the power state'));
}

/**
 * Number of reads until a change shows: the status code of a BMC is no proof, and Dell iDRACs report ejected media as inserted
 * for some seconds.
 */
const MAX_READS = 10;

/** Whether `isDone` became true. Reads only once after the signal. */
export async function readUntil(boot: MachineBoot, isDone: () => Promise<boolean>): Promise<boolean> {
  const { signal, timing } = boot;
  for (let count = 1; ; count++) {
    if (await isDone()) return true;
    if (count === MAX_READS || signal.aborted) return false;
    await pause(systemClock, timing.interval, signal);
  }
}

export function eventLogOf({ vendor }: Survey): string {
  return vendor.eventLog ?? 'the event log of the BMC';
}
