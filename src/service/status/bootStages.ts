/** The stages of a boot that users see, in order, and how far a machine is. */

/** The agent calls Ironic in the last one. */
export const bootStages = [
  'media',
  'power',
  'loader',
  'kernel',
  'root filesystem',
  'Ignition',
  'image',
  'agent',
] as const;

export type BootStage = (typeof bootStages)[number];

/**
 * `reached`: an event shows the stage. `passed`: a later stage is reached, but no event shows this one. `running`: the machine
 * is in this stage. `paused`: no transfer is running, but a part was fetched. `stopped`: the machine did not get further.
 * `waiting`: not reached yet.
 */
export type MarkState = 'reached' | 'passed' | 'running' | 'paused' | 'stopped' | 'waiting';

export interface StageMark {
  readonly stage: BootStage;
  readonly state: MarkState;
  /** `35 s`, `50 %`. */
  readonly note?: string | undefined;
}
