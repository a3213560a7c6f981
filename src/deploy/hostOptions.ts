/** The options that describe a host, which several `deploy` commands share. */

import { parseBmcAddress } from './documents/bmcAddress.ts';
import { architectures } from '../core/architecture.ts';
import type { DeployHost } from './documents/host.ts';
import { parseMacAddress } from '../core/macAddress.ts';
import { readRootDevice, splitHint } from './documents/rootDeviceHints.ts';
import { UsageError } from '../core/errors.ts';
import type { Issue, Rule } from '../ignition/rule.ts';
import { parseChoice } from '../io/report/choices.ts';

/** Under the names that they have on the command line. */
export interface HostOptions {
  /** Needed, unless an inventory says it. */
  readonly name?: string;
  readonly bootMac?: string;
  readonly arch?: string;
  readonly bmcAddress?: string;
  readonly bmcInsecure?: boolean;
  /** `NAME=EXPRESSION` each. */
  readonly rootDevice?: readonly string[];
}

const macAddress: Rule = {
  id: 'mac-address',
  severity: 'error',
  message: 'this is not the MAC address of an interface',
  hint: 'write it as 52:54:00:12:34:56',
};
const bmcAddress: Rule = {
  id: 'bmc-address',
  severity: 'error',
  message: 'this is not the address of a BMC',
  hint: 'write SCHEME://HOST[:PORT][/SYSTEM], e.g. redfish-virtualmedia://192.0.2.10/redfish/v1/Systems/1',
};

/**
 * The options with a name.
 * @throws UsageError where there is none
 */
export function requireName<O extends HostOptions>(options: O): O & { readonly name: string } {
  const { name } = options;
  if (name !== undefined) return { ...options, name };
  throw new UsageError('the host has no name', { hint: 'give --name, or --inventory with all hosts' });
}

export interface HostRead {
  /** Without the parts that cannot be read. */
  readonly host: DeployHost;
  readonly issues: readonly Issue[];
}

/** @throws UsageError where the architecture is unknown */
export function readHostOptions(options: HostOptions & { readonly name: string }): HostRead {
  const architecture = parseChoice('--arch', options.arch, architectures);
  const mac = options.bootMac === undefined ? undefined : parseMacAddress(options.bootMac);
  const address = options.bmcAddress === undefined ? undefined : parseBmcAddress(options.bmcAddress);
  const { rootDevice, issues } = readRootDevice((options.rootDevice ?? []).map(splitHint));
  const host: DeployHost = {
    name: options.name,
    rootDevice,
    ...(mac !== undefined && 'mac' in mac && { bootMac: mac.mac }),
    ...(architecture !== undefined && { architecture }),
    ...(address !== undefined &&
      'scheme' in address && { bmc: { address, insecure: options.bmcInsecure ?? false } }),
  };
  return {
    host,
    issues: [
      ...(mac !== undefined && 'problem' in mac ? [problemOf(macAddress, 'bootMac', mac)] : []),
      ...(address !== undefined && 'problem' in address ? [problemOf(bmcAddress, 'bmc', address)] : []),
      ...issues.map((issue) => ({ ...issue, path: ['rootDevice', ...issue.path] })),
    ],
  };
}

function problemOf(
  rule: Rule,
  setting: string,
  { problem, hint }: { readonly problem: string; readonly hint?: string },
): Issue {
  return {
    rule,
    path: [setting],
    message: `${rule.message}: ${problem}`,
    ...(hint !== undefined && { hint }),
  };
}
