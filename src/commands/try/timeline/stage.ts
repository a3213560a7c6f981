/** The stages of a machine on its way to a running agent, in order. */

/**
 * In order; no machine reaches all of them. Different services of the machine fetch the config and the root filesystem at
 * about the same time.
 */
export const stages = [
  'none',
  'boot device',
  'power',
  'loader',
  'script',
  'image',
  'kernel',
  'initramfs',
  'config',
  'rootfs',
  'agent archive',
  'live system',
  'agent container',
  'inspection',
  'api',
  'lookup',
  'heartbeat',
  'callback',
  'steps',
] as const;

/**
 * `none`: no activity. `boot device`: the BMC accepted the boot device. `power`: the machine was powered on. `loader`: the console shows
 * its firmware or its boot loader. `image`: the BMC or
 * the firmware reads the live ISO. `agent archive`: the machine fetches the archive with the agent container image. `live system`:
 * the console shows that Ignition has finished and the real root runs. `agent container`: the console shows that the agent
 * container has started. `api`: the agent requests the versions of the Ironic API. `callback`: the agent answered at its callback
 * URL. `steps`: it reported its steps, with all required ones.
 */
export type Stage = (typeof stages)[number];

export function isFurther(stage: Stage, other: Stage): boolean {
  return stages.indexOf(stage) > stages.indexOf(other);
}
