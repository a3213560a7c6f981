/** The options of `try`, under the names of the command line. */

import type { ImageOptions } from '../hosts/plan/imageInputs.ts';

export interface TryOptions extends ImageOptions, ApiOptions, TrialOptions, MachineOptions {
  readonly inventory?: string;
  readonly profile?: string;
  readonly artifacts?: string;
  /** Each `FILE` or `ARCHITECTURE=FILE`. */
  readonly agentArchive?: readonly string[];
  readonly discovery?: boolean;
  readonly grow?: boolean;
  /** Where images are served: `ADDRESS:PORT`. */
  readonly serveListen?: string;
  /** Under which machines reach the images. */
  readonly publicUrl?: string;
  readonly keyFile?: string;
  readonly open?: boolean;
  /** What configs are to name as Ironic in place of what the inventory does. */
  readonly ironicUrl?: string;
}

/** How Ironic's API is played. */
export interface ApiOptions {
  /** `ADDRESS:PORT`. */
  readonly listen?: string;
  readonly tls?: boolean;
  readonly tlsName?: readonly string[];
  /** File that gets the authority of the certificate. */
  readonly caOut?: string;
  readonly askBack?: string;
}

/** What is waited for, and what is told. */
export interface TrialOptions {
  readonly expect?: string;
  /** What counts as home. */
  readonly until?: string;
  readonly timeout?: string;
  /** Folder for inventories. */
  readonly save?: string;
  readonly format?: string;
}

/** The emulated machine. */
export interface MachineOptions {
  /** A live ISO, a prepared folder, or the name of a host of the inventory. */
  readonly qemu?: string;
  /** What a host of the inventory boots from. */
  readonly boot?: string;
  readonly firmware?: string;
  readonly memory?: string;
  readonly mac?: string;
  /** Address by which it reaches this machine. */
  readonly guestHost?: string;
  readonly accel?: string;
  /** File that gets what is on its console. */
  readonly console?: string;
}
