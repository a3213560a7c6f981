/**
 * How far a machine has come. What the image service sees of the way to the agent depends on what the machine boots from;
 * from the first request to Ironic on, the way is the agent's own and the same for all: with an inspection it sends the
 * inventory, before it asks for the versions of the API and which node it is, and it heartbeats when it knows that.
 */

import type { BootWay } from '../../hosts/artifacts/hostMemory.ts';
import type { Artifact } from '../../serve/answer/resource.ts';
import type { TrialEvent } from './events.ts';

/**
 * In their order; no machine passes all of them. The config and the root filesystem are fetched by different services at
 * about the same time.
 */
export const stages = [
  'expected',
  'power',
  'script',
  'image',
  'kernel',
  'initramfs',
  'config',
  'rootfs',
  'agent image',
  'inspection',
  'api',
  'lookup',
  'heartbeat',
  'callback',
] as const;

/**
 * `expected`: nothing was seen of it. `power`: the emulated machine has started. `image`: its BMC, or its firmware, reads
 * the live ISO. `agent image`: it fetches the archive with the agent's container image, where no registry has it. `api`:
 * the versions of Ironic's API were asked for. `callback`: the agent answered when it was asked back.
 */
export type Stage = (typeof stages)[number];

export function isFurther(stage: Stage, other: Stage): boolean {
  return stages.indexOf(stage) > stages.indexOf(other);
}

/** Which stage an event shows the machine to have reached; undefined where it shows none, as a refusal. */
export function stageOf(event: TrialEvent): Stage | undefined {
  switch (event.kind) {
    case 'machine':
      return event.state === 'started' || event.state === 'rebooted' ? 'power' : undefined;
    case 'fetch':
      return artifactStages[event.artifact];
    case 'api':
      return 'api';
    case 'inspection':
    case 'lookup':
      return event.node === undefined ? undefined : event.kind;
    case 'heartbeat':
    case 'callback':
      return event.problem === undefined ? event.kind : undefined;
    case 'refusal':
    case 'preflight':
    default:
      return undefined;
  }
}

/** What a machine boots from that fetches this; undefined where several ways have it. */
export function bootWayOf(artifact: Artifact): BootWay | undefined {
  return artifactWays[artifact];
}

const artifactStages: Readonly<Record<Artifact, Stage>> = {
  script: 'script',
  iso: 'image',
  'minimal-iso': 'image',
  kernel: 'kernel',
  initramfs: 'initramfs',
  archive: 'config',
  ign: 'config',
  rootfs: 'rootfs',
  agent: 'agent image',
};

const artifactWays: Readonly<Partial<Record<Artifact, BootWay>>> = {
  iso: 'iso',
  'minimal-iso': 'minimal-iso',
  script: 'network',
  kernel: 'network',
  initramfs: 'network',
  archive: 'network',
};
