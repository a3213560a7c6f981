/** Whether a BMC reaches the server of images, as far as its own network settings show it (DMTF DSP2046, EthernetInterface). */

import { asList, type Mapping } from '../../formats/mapping.ts';
import { urlHost } from '../../formats/url.ts';
import { isInSubnet, parseAddress, parseNetmask, parseSubnet, type Subnet } from '../../network/ipAddress.ts';
import { textAt, textsAt } from '../../redfish/resources.ts';

/** The settings of all network interfaces of a BMC together. */
export interface BmcNetwork {
  readonly subnets: readonly Subnet[];
  /** With `0.0.0.0` and `::`, by which BMCs show that a gateway is missing. */
  readonly gateways: readonly string[];
  /** Undefined if the BMC does not show them. */
  readonly nameServers: readonly string[] | undefined;
}

/** @param interfaces the resources */
export function readBmcNetwork(interfaces: readonly Mapping[]): BmcNetwork {
  const four = interfaces.flatMap((one) => asList(one['IPv4Addresses']));
  const six = interfaces.flatMap((one) => asList(one['IPv6Addresses']));
  const lists = interfaces.filter((one) => Array.isArray(one['NameServers']));
  const texts = [
    ...four.map(
      (one) => `${textAt(one, 'Address') ?? ''}/${parseNetmask(textAt(one, 'SubnetMask') ?? '', 4) ?? ''}`,
    ),
    ...six.map((one) => `${textAt(one, 'Address') ?? ''}/${PREFIX_OF_SITE}`),
  ];
  const gateways = [
    ...four.map((one) => textAt(one, 'Gateway')),
    ...interfaces.map((one) => textAt(one, 'IPv6DefaultGateway')),
  ];
  return {
    subnets: texts.flatMap((text) => (isUsed(text.replace(/\/.*$/, '')) ? (parseSubnet(text) ?? []) : [])),
    gateways: gateways.filter((one) => one !== undefined),
    nameServers:
      lists.length === 0 ? undefined : lists.flatMap((one) => textsAt(one, 'NameServers').filter(isUsed)),
  };
}

/** Of a network with IPv6 autoconfiguration. The property PrefixLength is that of the address, which some BMCs show as 128. */
const PREFIX_OF_SITE = 64;

/** BMCs show `0.0.0.0`, `::` or an empty text for none. */
function isUsed(address: string | undefined): address is string {
  return address !== undefined && !/^[0:.]*$/.test(address);
}

/** Why the BMC does not reach the server, as a clause; undefined if nothing is known against it. */
export function findUnreachable(
  { gateways, nameServers, subnets }: BmcNetwork,
  imageUrl: URL,
): string | undefined {
  const host = urlHost(imageUrl);
  const address = parseAddress(host);
  if (address === undefined)
    return nameServers?.length === 0 ? `it has no DNS server to resolve ${host}` : undefined;
  const own = subnets.filter((subnet) => subnet.address.family === address.family);
  const shown = gateways.filter((gateway) => parseAddress(gateway)?.family === address.family);
  if (own.length === 0 || shown.length === 0 || shown.some(isUsed)) return undefined;
  const isInside = own.some((subnet) => isInSubnet(address, subnet));
  return isInside ? undefined : `it has no gateway, and ${host} is outside of its network`;
}
