/** The row of a machine as data. The status page and the terminal show the same rows, in the same order. */

import type { Diagnostic } from '../../core/finding.ts';
import type { MachineState, Selectable } from './select.ts';

export interface MachineRow extends Selectable {
  /** Where its boot is: `kernel`, or with the fetched part of a file that is not being fetched: `kernel, 40 %`. */
  readonly stage: string | undefined;
  readonly transfer: RunningTransfer | undefined;
  /** When it got to the stage, or was last active. */
  readonly since: Date | undefined;
  /** Why it got no further, the most important first. */
  readonly causes: readonly MachineCause[];
  /** Further messages, for the page. */
  readonly others: readonly MachineCause[];
}

export interface RunningTransfer {
  /** In the catalog: `worker-0.iso`. */
  readonly path: string;
  /** Bytes of the file that the client has. */
  readonly bytes: number;
  /** Bytes of the file. */
  readonly size: number;
}

export interface MachineCause extends Diagnostic {
  /** Precedes the message instead of the severity: `Likely`. */
  readonly label?: string | undefined;
  /** What shows the cause: a line on the console, the answer of a BMC. */
  readonly evidence?: string | undefined;
}

export type StateNames = Readonly<Record<MachineState, string>>;

/** @param home what a page calls the last that it shows */
export function stateNames(home: string): StateNames {
  return { failed: 'failed', stuck: 'stuck', 'under-way': 'on the way', idle: 'no activity', home };
}
