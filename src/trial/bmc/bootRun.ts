/** A run of `boot`: what all its machines share. */

import type { Architecture } from '../../core/architecture.ts';
import type { Io } from '../../io/io.ts';
import type { ConsoleLog } from '../console/consoleLog.ts';
import type { TrialSetup } from '../setup.ts';
import type { BmcClients } from './bmcClients.ts';
import type { CheckedMachine } from './checks.ts';
import type { ImageServer } from './imageUrls.ts';
import type { BootTimes } from './machineBoot.ts';
import type { BootRunOptions } from './options.ts';
import type { Survey } from './survey.ts';

export interface BootRun {
  readonly options: BootRunOptions;
  readonly trial: TrialSetup;
  readonly server: ImageServer;
  readonly clients: BmcClients;
  readonly times: BootTimes;
  readonly io: Io;
  /** Of the only ISO. */
  readonly architecture: Architecture | undefined;
  readonly consoleLogs: readonly ConsoleLog[];
  /** A time of the clock. */
  readonly started: number;
}

export type SurveyedMachine = CheckedMachine & { readonly survey: Survey };
