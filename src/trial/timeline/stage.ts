/** The stages of a machine on its way to a running agent, in order. */

import type { BootStage } from '../../service/status/bootStages.ts';

interface StageRow {
  /** How reports name it, to follow "last step: ". */
  readonly phrase: string;
  /** Its part in the bar of a status page. */
  readonly part?: BootStage;
}

/**
 * In order; no machine reaches all of them. Different services of the machine fetch the config and the root filesystem at
 * about the same time.
 */
const rows = {
  // No activity.
  none: { phrase: 'none observed' },
  // The BMC accepted the boot device.
  'boot device': { phrase: 'boot device', part: 'media' },
  power: { phrase: 'power-on', part: 'power' },
  // The console shows the firmware or the boot loader.
  loader: { phrase: 'firmware or boot loader', part: 'loader' },
  script: { phrase: 'boot script', part: 'loader' },
  // The BMC or the firmware reads the live ISO.
  image: { phrase: 'ISO', part: 'media' },
  kernel: { phrase: 'kernel', part: 'kernel' },
  initramfs: { phrase: 'initramfs', part: 'kernel' },
  config: { phrase: 'Ignition config', part: 'Ignition' },
  rootfs: { phrase: 'root filesystem', part: 'root filesystem' },
  // The machine fetches the archive with the agent container image.
  'agent archive': { phrase: 'agent archive', part: 'image' },
  // The console shows that Ignition has finished and the real root runs.
  'live system': { phrase: 'live system', part: 'Ignition' },
  // The console shows that the agent container has started.
  'agent container': { phrase: 'agent container', part: 'image' },
  inspection: { phrase: 'inspection', part: 'agent' },
  // The agent requests the versions of the Ironic API.
  api: { phrase: 'API versions', part: 'agent' },
  lookup: { phrase: 'lookup', part: 'agent' },
  heartbeat: { phrase: 'heartbeat', part: 'agent' },
  // The agent answered at its callback URL.
  callback: { phrase: 'callback', part: 'agent' },
  // It reported its steps, with all required ones.
  steps: { phrase: 'list of steps', part: 'agent' },
} as const satisfies Readonly<Record<string, StageRow>>;

export type Stage = keyof typeof rows;

export const stages: readonly Stage[] = Object.keys(rows).filter(isStage);

function isStage(text: string): text is Stage {
  return Object.hasOwn(rows, text);
}

export const stagePhrase = (stage: Stage): string => rows[stage].phrase;

export function partOfStage(stage: Stage): BootStage | undefined {
  const row: StageRow = rows[stage];
  return row.part;
}

export function isFurther(stage: Stage, other: Stage): boolean {
  return stages.indexOf(stage) > stages.indexOf(other);
}
