/** What a trial is to be, as its parts are started. */

import type { Io } from '../io/io.ts';
import type { EmulatedSource, MachineSetup } from './emulation/emulatedSource.ts';
import type { Expectation } from './expectation.ts';
import type { TrialSetup, TryOptions } from './setup.ts';
import type { RunningTrial, TrialTalk } from './runningTrial.ts';

export interface TrialPlan {
  readonly options: TryOptions;
  readonly setup: TrialSetup;
  readonly machine: PlannedMachine | undefined;
  readonly expectation: Expectation;
  readonly trial: RunningTrial;
  readonly talk: TrialTalk;
  /** Get what has been started. */
  readonly ends: Ends;
  readonly io: Io;
}

export interface PlannedMachine {
  readonly source: EmulatedSource;
  readonly setup: MachineSetup;
}

/** What has been started and must be ended, whatever happens: the last one first. */

export interface Ends {
  add(end: () => Promise<void>): void;
  /** Ends all, also where one fails. Throws the first error of them. */
  endAll(): Promise<void>;
}

export function createEnds(): Ends {
  const ends: (() => Promise<void>)[] = [];
  return {
    add: (end) => void ends.push(end),
    endAll: async () => {
      const problems: unknown[] = [];
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        await end().catch((error: unknown) => problems.push(error));
      }
      if (problems.length > 0) throw problems[0];
    },
  };
}
