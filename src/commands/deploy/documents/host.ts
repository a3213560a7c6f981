/** The host that a document describes, from options or from an inventory. */

import type { Finding } from '../../../core/finding.ts';
import { issueWith, warningRule } from '../../../core/rule.ts';
import type { RootDevice } from '../../../ipa/rootDeviceHints.ts';
import type { BmcAddress } from '../../../redfish/bmcAddress.ts';
import type { DeployOptions } from '../options.ts';

export interface DeployHost {
  readonly name: string;
  /** MAC address of the boot interface, as `parseMacAddress` returns it. */
  readonly bootMac?: string | undefined;
  /** In Ironic's terms: `x86_64`, `aarch64`. */
  readonly architecture?: string | undefined;
  /** `insecure`: the TLS certificate of the BMC is not verified. */
  readonly bmc?: { readonly address: BmcAddress; readonly insecure: boolean } | undefined;
  /** Empty for the default disk. */
  readonly rootDevice: RootDevice;
}

const rootDeviceMissing = warningRule(
  'root-device-missing',
  'no root device hints',
  'pass {rootDevice} name=/dev/nvme0n1',
);

/** @param taken the disk that is taken without hints */
export function noRootDevice({ inventory }: DeployOptions, taken: string): Finding {
  const own = inventory !== undefined && { hint: 'add {rootDevice}: {name: /dev/nvme0n1}' };
  return { ...issueWith(rootDeviceMissing, [], taken), ...own };
}
