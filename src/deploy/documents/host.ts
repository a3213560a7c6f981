/**
 * A host as Ironic and Metal3 are told about it: plain data, from options or from a list of hosts. What is in it has
 * been read by the parsers beside this file; references to Secrets are names, never the secrets themselves.
 */

import type { BmcAddress } from './bmcAddress.ts';
import type { RootDevice } from './rootDeviceHints.ts';

export interface DeployHost {
  readonly name: string;
  /** MAC address of the interface that it boots from, as `parseMacAddress` gives it. */
  readonly bootMac?: string;
  /** As Ironic says it: `x86_64`, `aarch64`. */
  readonly architecture?: string;
  readonly bmc?: HostBmc;
  /** Empty where any disk will do. */
  readonly rootDevice: RootDevice;
}

/** The controller of a host; who may log in to it is said elsewhere. */
export interface HostBmc {
  readonly address: BmcAddress;
  /** The operator knows that its certificate cannot be verified. */
  readonly insecure: boolean;
}
