/** What the steps of a boot share: the machine, its BMC, and what is to be undone. */

import { pause, systemClock } from '../../io/clock.ts';
import type { BmcChange, RedfishClient, RedfishTiming } from '../../redfish/redfishClient.ts';
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

/** Milliseconds. */
export interface BootTimes extends RedfishTiming {
  /** For the insertion of an image, with its task: sushy-tools and some BMCs fetch the whole image before they answer. */
  readonly insert: number;
  /** For changes of the power state, except for a graceful shutdown. */
  readonly power: number;
  readonly check: number;
  /** For all requests that restore a machine, in addition to the time for a graceful shutdown. */
  readonly restore: number;
  /** For further attempts to restore a machine, after the first has failed. */
  readonly retry: number;
  /** Between two messages about BMCs that do not answer. */
  readonly silence: number;
}

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
