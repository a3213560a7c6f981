/**
 * The description of a host for Ironic and Metal3: plain data, from options or from an inventory. The parsers in this
 * folder have checked its values. References to Secrets are names, never the secrets themselves.
 */

import { warningRule } from '../../../core/rule.ts';
import type { RootDevice } from '../../../ipa/rootDeviceHints.ts';
import type { BmcAddress } from '../../../redfish/bmcAddress.ts';

export interface DeployHost {
  readonly name: string;
  /** MAC address of the boot interface, as `parseMacAddress` returns it. */
  readonly bootMac?: string | undefined;
  /** In Ironic's terms: `x86_64`, `aarch64`. */
  readonly architecture?: string | undefined;
  readonly bmc?: HostBmc | undefined;
  /** Empty for the default disk. */
  readonly rootDevice: RootDevice;
}

export const rootDeviceMissing = warningRule(
  'root-device-missing',
  'no root device hints',
  'pass {rootDevice}, e.g. name=/dev/nvme0n1',
);

export interface HostBmc {
  readonly address: BmcAddress;
  /** Whether to skip verification of the BMC's TLS certificate. */
  readonly insecure: boolean;
}
