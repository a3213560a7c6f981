/** The stages of a machine on its way to a running agent, in order. */

import type { BootStage } from '../../serve/status/stageBar.ts';

interface StageRow {
  readonly stage: string;
  /** How reports name it, to follow "last step: ". */
  readonly phrase: string;
  /** Its part in the bar of a status page. */
  readonly part?: BootStage;
}

/**
 * In order; no machine reaches all of them. Different services of the machine fetch the config and the root filesystem at
 * about the same time.
 */
const rows = [
  // No activity.
  { stage: 'none', phrase: 'none observed' },
  // The BMC accepted the boot device.
  { stage: 'boot device', phrase: 'boot device', part: 'media' },
  { stage: 'power', phrase: 'power-on', part: 'power' },
  // The console shows the firmware or the boot loader.
  { stage: 'loader', phrase: 'firmware or boot loader', part: 'loader' },
  { stage: 'script', phrase: 'boot script', part: 'loader' },
  // The BMC or the firmware reads the live ISO.
  { stage: 'image', phrase: 'ISO', part: 'media' },
  { stage: 'kernel', phrase: 'kernel', part: 'kernel' },
  { stage: 'initramfs', phrase: 'initramfs', part: 'kernel' },
  { stage: 'config', phrase: 'Ignition config', part: 'Ignition' },
  { stage: 'rootfs', phrase: 'root filesystem', part: 'root filesystem' },
  // The machine fetches the archive with the agent container image.
  { stage: 'agent archive', phrase: 'agent archive', part: 'image' },
  // The console shows that Ignition has finished and the real root runs.
  { stage: 'live system', phrase: 'live system', part: 'Ignition' },
  // The console shows that the agent container has started.
  { stage: 'agent container', phrase: 'agent container', part: 'image' },
  { stage: 'inspection', phrase: 'inspection', part: 'agent' },
  // The agent requests the versions of the Ironic API.
  { stage: 'api', phrase: 'API versions', part: 'agent' },
  { stage: 'lookup', phrase: 'lookup', part: 'agent' },
  { stage: 'heartbeat', phrase: 'heartbeat', part: 'agent' },
  // The agent answered at its callback URL.
  { stage: 'callback', phrase: 'callback', part: 'agent' },
  // It reported its steps, with all required ones.
  { stage: 'steps', phrase: 'list of steps', part: 'agent' },
] as const satisfies readonly StageRow[];

export type Stage = (typeof rows)[number]['stage'];

export const stages: readonly Stage[] = rows.map(({ stage }) => stage);

const rowOf = new Map<Stage, StageRow>(rows.map((row) => [row.stage, row]));

export const stagePhrase = (stage: Stage): string => rowOf.get(stage)?.phrase ?? stage;

export const partOfStage = (stage: Stage): BootStage | undefined => rowOf.get(stage)?.part;

export function isFurther(stage: Stage, other: Stage): boolean {
  return stages.indexOf(stage) > stages.indexOf(other);
}
