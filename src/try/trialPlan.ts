/** What a trial is to be, as its parts are started. */

import type { Io } from '../io/io.ts';
import type { EmulatedSource } from './emulation/emulatedSource.ts';
import type { MachineSetup } from './emulation/machineSetup.ts';
import type { Ends } from './ends.ts';
import type { Expectation } from './expectation.ts';
import type { TryOptions } from './options.ts';
import type { RunningTrial } from './runningTrial.ts';
import type { TrialSetup } from './setup.ts';
import type { TrialTalk } from './trialTalk.ts';

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
