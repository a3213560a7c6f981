/** The hardware interfaces of nodes with which the agent runs. Source: Ironic 39, `ironic/drivers/`. */

export const deployInterfaces = ['autodetect', 'direct', 'ramdisk', 'bootc', 'custom-agent'] as const;
export const inspectInterfaces = ['redfish', 'agent', 'no-inspect', 'idrac-redfish'] as const;
export const bootInterfaces = [
  'ipxe',
  'pxe',
  'redfish-virtual-media',
  'redfish-https',
  'idrac-redfish-virtual-media',
  'http-ipxe',
  'http',
] as const;

/** Boot interfaces that load the ramdisk over the network, and support no ISO for it. */
export const networkBootInterfaces: readonly string[] = ['ipxe', 'pxe', 'http-ipxe', 'http'];

export type DeployInterface = (typeof deployInterfaces)[number];
