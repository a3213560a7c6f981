/** The `networks` of network data: addresses, routes and name servers of one IP version on one link. */

import { quoteText } from '../../core/foreignText.ts';
import { isMapping } from '../../formats/mapping.ts';
import {
  type Family,
  formatSubnet,
  type IpAddress,
  isUnspecified,
  parseNetmask,
  type Subnet,
} from '../ipAddress.ts';
import { type DocumentPlace, expected, isLeftOut, refuse, step, warn } from '../documentPlace.ts';
import * as reader from '../readers.ts';
import { anyId, type DataLinks, refuseDangling } from './devices.ts';

export interface Network {
  readonly place: DocumentPlace;
  readonly linkId: string;
  readonly family: Family;
  /** Undefined where DHCP or router advertisements give the address. */
  readonly subnet: Subnet | undefined;
  readonly routes: readonly Route[];
  readonly servers: readonly DataServer[];
  readonly searches: readonly string[];
  readonly metric: number | undefined;
}

export type DataServer = IpAddress & { readonly place: DocumentPlace };

interface Route {
  readonly place: DocumentPlace;
  /** `192.0.2.0/24`. */
  readonly destination: string;
  /** Undefined where the destination is on the link itself. */
  readonly gateway: IpAddress | undefined;
  readonly metric: number | undefined;
}

/** `static` and `static6` are what cloud-init takes besides. */
const readType = reader.oneOf(
  ['ipv4', 'ipv4_dhcp', 'ipv6', 'ipv6_dhcp', 'ipv6_slaac', 'ipv6_dhcpv6-stateful', 'ipv6_dhcpv6-stateless'],
  { static: 'ipv4', static6: 'ipv6' },
);

const metric = reader.integer(0, 2 ** 32 - 1);

/** An address of the family; without a family, of either one. */
function addressOf(family?: Family): reader.Reader<IpAddress> {
  return reader.ipAddress(family, `use an ${family === undefined ? 'IPv4 or IPv6' : `IPv${family}`} address`);
}

const server = reader.placed(addressOf());

const readServiceFields = reader.object({ type: anyId, address: server }, ['type', 'address'], {
  type: '"dns"',
  address: '"192.0.2.53"',
});

/** The name servers among services. */
export const services = reader.list((value, place): DataServer | undefined => {
  const { type = 'dns', address } = readServiceFields(value, place) ?? {};
  if (type === 'dns') return address;
  const message = `services of the type ${quoteText(type)} are not used`;
  warn(step(place, 'type'), message, 'use "dns", or remove the service');
  return undefined;
});

/** A list, or a text with blanks between the items. */
function listOrWords<T>(read: reader.Reader<T>): reader.Reader<readonly T[]> {
  const readList = reader.list(read);
  return (value, place) =>
    typeof value === 'string'
      ? value
          .trim()
          .split(/\s+/)
          .flatMap((word) => read(word, place) ?? [])
      : readList(value, place);
}

/** An address, which may have a prefix length or a mask behind a slash. */
interface MaskedAddress {
  readonly address: IpAddress;
  readonly prefixLength: number | undefined;
}

function masked(family: Family): reader.Reader<MaskedAddress> {
  return (value, place) => {
    const [written, mask, ...more] = typeof value === 'string' ? value.split('/') : [value];
    const address = addressOf(family)(more.length > 0 ? value : written, place);
    const prefixLength = mask === undefined ? undefined : netmask(family)(mask, place);
    if (address === undefined || (mask !== undefined && prefixLength === undefined)) return undefined;
    return { address, prefixLength };
  };
}

/** Dotted, as an IPv6 address, or as a prefix length. */
function netmask(family: Family): reader.Reader<number> {
  return (value, place) => {
    const isText = typeof value === 'string' || typeof value === 'number';
    const prefixLength = isText ? parseNetmask(String(value), family) : undefined;
    if (prefixLength !== undefined) return prefixLength;
    const example = family === 4 ? '255.255.255.0 or 24' : 'ffff:ffff:ffff:ffff:: or 64';
    const shown = isText ? `: ${quoteText(String(value))}` : '';
    return refuse(place, `the netmask is invalid${shown}`, `write it like ${example}`);
  };
}

const readersOf = (family: Family) => {
  const shared = { netmask: netmask(family), gateway: addressOf(family), metric, services };
  const readRoute = reader.object({ ...shared, network: masked(family) }, ['network'], {
    network: `${family === 4 ? '"0.0.0.0"' : '"::"'} for the default route`,
  });
  const shape = {
    ...shared,
    id: anyId,
    type: reader.anything,
    link: anyId,
    network_id: reader.anything,
    ip_address: masked(family),
    broadcast: reader.anything,
    routes: reader.list((value, place) => {
      const fields = readRoute(value, place);
      return fields && { route: routeOf(fields, place), servers: fields.services ?? [] };
    }),
    dns_nameservers: listOrWords(server),
    dns_search: listOrWords(reader.listItem),
  };
  const examples = {
    link: 'the id of a link',
    ip_address: family === 4 ? '"192.0.2.10"' : '"2001:db8::10"',
  };
  return {
    dynamic: reader.object(shape, ['link'], examples),
    static: reader.object(shape, ['link', 'ip_address'], examples),
  };
};

const readers = { 4: readersOf(4), 6: readersOf(6) };

export function readDataNetwork(value: unknown, place: DocumentPlace, links: DataLinks): Network | undefined {
  if (!isMapping(value)) return refuse(place, expected('a mapping', value));
  const { id, type: written } = value;
  const type = isLeftOut(written, place)
    ? refuse(place, '"type" is missing', 'add "type", for example "ipv4"')
    : readType(written, step(place, 'type'));
  if (type === undefined) return undefined;
  const family = type.startsWith('ipv4') ? 4 : 6;
  const isStatic = type === 'ipv4' || type === 'ipv6';
  const fields = readers[family][isStatic ? 'static' : 'dynamic'](value, place);
  if (isLeftOut(id, place)) warn(place, '"id" is missing, which Ironic and Glean require', 'add an "id"');
  if (fields === undefined) return undefined;
  const { dns_nameservers: nameServers = [], gateway, ip_address: address, link, routes = [] } = fields;
  if (!links.has(link)) return refuseDangling(step(place, 'link'), link, links);
  const usual: Route = {
    place: step(place, 'gateway'),
    destination: family === 4 ? '0.0.0.0/0' : '::/0',
    gateway,
    metric: undefined,
  };
  return {
    place,
    linkId: link,
    family,
    subnet: isStatic && address ? subnetOf(address, fields.netmask, family, place) : undefined,
    // Documents that are written like cloud-init's have the default route beside the address.
    routes: [
      ...(gateway === undefined || isUnspecified(gateway) ? [] : [usual]),
      ...routes.flatMap(({ route }) => route ?? []),
    ],
    servers: [...routes.flatMap((route) => route.servers), ...(fields.services ?? []), ...nameServers],
    searches: fields.dns_search ?? [],
    metric: fields.metric,
  };
}

function subnetOf(
  { address, prefixLength: own }: MaskedAddress,
  beside: number | undefined,
  family: Family,
  place: DocumentPlace,
): Subnet {
  const assumed = family === 4 ? 24 : 64;
  if (own === undefined && beside === undefined) {
    const message = `the netmask is missing; /${assumed} is used, as cloud-init does`;
    const mask = family === 4 ? '"255.255.255.0"' : '"ffff:ffff:ffff:ffff::"';
    warn(step(place, 'ip_address'), message, `add "netmask", for example ${mask}`);
  }
  return { address, prefixLength: own ?? beside ?? assumed };
}

function routeOf(
  {
    gateway,
    metric: own,
    netmask: beside,
    network: { address, prefixLength: behind = beside },
  }: {
    readonly network: MaskedAddress;
    readonly netmask?: number | undefined;
    readonly gateway?: IpAddress | undefined;
    readonly metric?: number | undefined;
  },
  place: DocumentPlace,
): Route | undefined {
  const prefixLength = behind ?? (isUnspecified(address) ? 0 : undefined);
  if (prefixLength === undefined)
    return refuse(place, '"netmask" is missing', 'add the netmask of the destination');
  return {
    place: gateway === undefined ? place : step(place, 'gateway'),
    destination: formatSubnet({ address, prefixLength }),
    gateway: gateway && !isUnspecified(gateway) ? gateway : undefined,
    metric: own,
  };
}
