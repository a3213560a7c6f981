/** Whether a BMC reaches the server of images, as far as its own network settings show it (DMTF DSP2046, EthernetInterface). */

import { asList, type Mapping } from '../../formats/mapping.ts';
import { urlHost } from '../../formats/url.ts';
import { isInSubnet, parseAddress, parseNetmask, parseSubnet } from '../../network/ipAddress.ts';
import { textAt, textsAt } from '../../redfish/resources.ts';

/** @param interfaces the resources */
export function readBmcNetwork(interfaces: readonly Mapping[]) {
  const addresses = interfaces.flatMap((one) => asList(one['IPv4Addresses']));
  const lists = interfaces.filter((one) => Array.isArray(one['NameServers']));
  return {
    /** Of IPv4. */
    subnets: addresses.flatMap((one) => {
      const [address = '', mask = ''] = [textAt(one, 'Address'), textAt(one, 'SubnetMask')];
      return isUsed(address) ? (parseSubnet(`${address}/${parseNetmask(mask, 4) ?? ''}`) ?? []) : [];
    }),
    /** Of IPv4, with `0.0.0.0`, by which BMCs show that a gateway is missing. */
    gateways: addresses.flatMap((one) => textAt(one, 'Gateway') ?? []),
    /** Undefined if the BMC does not show them. */
    nameServers:
      lists.length === 0 ? undefined : lists.flatMap((one) => textsAt(one, 'NameServers').filter(isUsed)),
  };
}

/** BMCs show `0.0.0.0`, `::` or an empty text for none. */
function isUsed(address: string): boolean {
  return !/^[0:.]*$/.test(address);
}

/** Why the BMC does not reach the server, as a clause; undefined if nothing is known against it. */
export function findUnreachable(
  { gateways, nameServers, subnets }: ReturnType<typeof readBmcNetwork>,
  imageUrl: URL,
): string | undefined {
  const host = urlHost(imageUrl);
  const address = parseAddress(host);
  if (address === undefined)
    return nameServers?.length === 0 ? `it has no DNS server to resolve ${host}` : undefined;
  if (address.family === 6 || subnets.length === 0) return undefined;
  if (gateways.length === 0 || gateways.some(isUsed)) return undefined;
  const isInside = subnets.some((subnet) => isInSubnet(address, subnet));
  return isInside ? undefined : `it has no gateway, and ${host} is outside of its network`;
}
