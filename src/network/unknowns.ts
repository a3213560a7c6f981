/** What a network leaves to the machine and its surroundings: facts to compare with them, not mistakes. */

import type { Problem } from '../core/finding.ts';
import type { Connection } from './connection.ts';
import { isInternalHost } from './internalHost.ts';
import { parseHost } from '../formats/hostName.ts';
import type { Need } from './reachability.ts';

/** In one message. */
const MAX_ITEMS = 5;

/** @param connections undefined if the host has a network that is not read */
export function findUnknowns(
  connections: readonly Connection[] | undefined,
  needs: readonly Need[],
): Problem[] {
  return [
    ...list(
      (connections ?? []).flatMap(({ interfaceName, isAutoconnected, mac, type }) =>
        type === 'ethernet' && isAutoconnected && mac === undefined ? (interfaceName ?? []) : [],
      ),
      (names) => ({
        message: `the network is for interfaces with the names ${names}, which depend on the machine`,
        hint: 'compare them with `ip link` on the machine, or identify the interfaces by their MAC addresses',
      }),
    ),
    ...list(connections === undefined ? [] : findDynamicNames(connections, needs), (names) => ({
      message: `a DNS server that DHCP or router advertisements announce must resolve ${names}`,
      hint: 'check the DHCP server, add a DNS server to the network, or use IP addresses in place of names',
    })),
    ...list(findPublicRegistries(needs), (names) => ({
      message: `podman connects to ${names} without a proxy`,
      hint: 'if the network of the host requires a proxy, set it with --https-proxy',
    })),
  ];
}

function list(items: readonly string[], describe: (items: string) => Problem): Problem[] {
  const all = [...new Set(items)];
  const more = all.length > MAX_ITEMS ? ` and ${all.length - MAX_ITEMS} more` : '';
  return all.length === 0 ? [] : [describe(`${all.slice(0, MAX_ITEMS).join(', ')}${more}`)];
}

function findDynamicNames(connections: readonly Connection[], needs: readonly Need[]): readonly string[] {
  const hasServer = connections.some(({ ip }) => ip[4].dns.length + ip[6].dns.length > 0);
  const isStatic = connections.some(({ ip }) => ip[4].addresses.length + ip[6].addresses.length > 0);
  if (hasServer || isStatic) return [];
  const named = needs.flat().filter(({ host }) => parseHost(host).kind === 'name');
  return named.map(({ host, purpose }) => `${host} (${purpose})`);
}

function findPublicRegistries(needs: readonly Need[]): readonly string[] {
  const registries = needs.flat().filter(({ purpose }) => purpose === 'registry');
  return registries.flatMap(({ host }) => (isInternalHost(parseHost(host)) ? [] : host));
}
