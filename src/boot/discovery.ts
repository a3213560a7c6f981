/**
 * The boot of a machine that nobody knows yet: the agent inspects it and tells Ironic. What the agent has to know for
 * that goes on the kernel command line, as in the inspection script of Metal3. There these are defaults only: the
 * configuration file in an Ignition config counts more, except for `ipa-debug`.
 */

import { argumentName, type BootSettings } from './bootSettings.ts';
import { kernelArguments } from './kernelArguments.ts';

export interface DiscoverySettings {
  /** Where the agent sends what it has found. */
  readonly callbackUrl: string;
  /** Where it looks for Ironic afterwards. */
  readonly apiUrl?: string;
  /** Empty for the agent's own choice. */
  readonly collectors: readonly string[];
  /** `all`, or interfaces and VLANs as the agent takes them; empty for none. */
  readonly vlanInterfaces: readonly string[];
  readonly dhcpAllInterfaces: boolean;
  readonly collectLldp: boolean;
  readonly insecure: boolean;
  readonly debug: boolean;
}

/** The settings with the parameters of an inspection, except those that `settings` say something else about. */
export function withDiscoveryParameters(settings: BootSettings, discovery: DiscoverySettings): BootSettings {
  const given = new Set(kernelArguments(settings).map(argumentName));
  const added = discoveryParameters(discovery).filter((text) => !given.has(argumentName(text)));
  return { ...settings, ipaParameters: [...settings.ipaParameters, ...added] };
}

function discoveryParameters(discovery: DiscoverySettings): readonly string[] {
  const { callbackUrl, apiUrl, collectors, vlanInterfaces } = discovery;
  return [
    `ipa-inspection-callback-url=${callbackUrl}`,
    ...(apiUrl === undefined ? [] : [`ipa-api-url=${apiUrl}`]),
    ...(collectors.length === 0 ? [] : [`ipa-inspection-collectors=${collectors.join(',')}`]),
    ...(vlanInterfaces.length === 0 ? [] : [`ipa-enable-vlan-interfaces=${vlanInterfaces.join(',')}`]),
    ...(discovery.dhcpAllInterfaces ? ['ipa-inspection-dhcp-all-interfaces=1'] : []),
    ...(discovery.collectLldp ? ['ipa-collect-lldp=1'] : []),
    ...(discovery.insecure ? ['ipa-insecure=1'] : []),
    ...(discovery.debug ? ['ipa-debug=1'] : []),
  ];
}
