/** The `networks` of network data: addresses, routes and name servers of one IP version on one link. */

import { quoteText } from '../../core/foreignText.ts';
import {
  type Family,
  formatSubnet,
  type IpAddress,
  isUnspecified,
  parseNetmask,
  type Subnet,
} from '../ipAddress.ts';
import { type DocumentPlace, refuse, step, warn } from '../documentPlace.ts';
import { integer, list, listItem, oneOf, type Reader } from '../readers.ts';
import {
  addressOf,
  anyId,
  type DataFields,
  has,
  optional,
  optionalList,
  required,
  warnUnused,
} from './fields.ts';
import { type DataLinks, refuseDangling } from './devices.ts';

export interface Network {
  readonly place: DocumentPlace;
  /** Id of a link of the document. */
  readonly linkId: string;
  readonly family: Family;
  /** Undefined where DHCP or router advertisements give the address. */
  readonly subnet: Subnet | undefined;
  readonly routes: readonly Route[];
  readonly servers: readonly DataServer[];
  readonly searches: readonly string[];
  readonly metric: number | undefined;
}

/** A name server. */
export interface DataServer {
  readonly address: IpAddress;
  readonly place: DocumentPlace;
}

interface Route {
  readonly place: DocumentPlace;
  /** `192.0.2.0/24`. */
  readonly destination: string;
  /** Undefined where the destination is on the link itself. */
  readonly gateway: IpAddress | undefined;
  readonly metric: number | undefined;
}

/** `static` and `static6` are what cloud-init takes besides. */
const typeNames = [
  'ipv4',
  'ipv4_dhcp',
  'ipv6',
  'ipv6_dhcp',
  'ipv6_slaac',
  'ipv6_dhcpv6-stateful',
  'ipv6_dhcpv6-stateless',
] as const;
const readType = oneOf(typeNames, { static: 'ipv4', static6: 'ipv6' });

const networkKeys: ReadonlySet<string> = new Set(
  'id type link network_id ip_address netmask gateway broadcast metric routes services dns_nameservers dns_search'.split(
    ' ',
  ),
);
const routeKeys: ReadonlySet<string> = new Set(['network', 'netmask', 'gateway', 'metric', 'services']);
const serviceKeys: ReadonlySet<string> = new Set(['type', 'address']);

const metric = integer(0, 2 ** 32 - 1);

/** Reads one network of a document with these links. */
export function readDataNetwork(fields: DataFields, links: DataLinks): Network | undefined {
  const { place } = fields;
  warnUnused(fields, (key) => networkKeys.has(key));
  if (!has(fields, 'id')) warn(place, '"id" is missing, which Ironic and Glean require', 'add an "id"');
  else optional(fields, 'id', anyId);
  const linkId = required(fields, 'link', 'the id of a link', anyId);
  const isDangling = linkId !== undefined && !links.has(linkId);
  if (isDangling) refuseDangling(step(place, 'link'), linkId, links);
  const type = required(fields, 'type', '"ipv4"', readType);
  if (type === undefined) return undefined;
  const family = type.startsWith('ipv4') ? 4 : 6;
  const isStatic = type === 'ipv4' || type === 'ipv6';
  const subnet = isStatic ? readSubnet(fields, family) : undefined;
  const listed = optionalList(fields, 'routes');
  const routes = listed.flatMap((route) => readRoute(route, family) ?? []);
  const gateway = readGateway(fields, family);
  const network = {
    place,
    linkId: linkId ?? '',
    family,
    subnet,
    routes: gateway === undefined ? routes : [gateway, ...routes],
    servers: [
      ...listed.flatMap((route) => readServices(optionalList(route, 'services'))),
      ...readServices(optionalList(fields, 'services')),
      ...(optional(fields, 'dns_nameservers', readServers) ?? []),
    ],
    searches: optional(fields, 'dns_search', readSearches) ?? [],
    metric: optional(fields, 'metric', metric),
  } as const;
  const isComplete = linkId !== undefined && !isDangling && !(isStatic && subnet === undefined);
  return isComplete ? network : undefined;
}

function readSubnet(fields: DataFields, family: Family): Subnet | undefined {
  const example = family === 4 ? '"192.0.2.10"' : '"2001:db8::10"';
  const subnet = readAddressWithMask(fields, 'ip_address', example, family);
  if (subnet === undefined) return undefined;
  const { address, prefixLength } = subnet;
  if (prefixLength !== undefined) return { address, prefixLength };
  const assumed = family === 4 ? 24 : 64;
  const message = `the netmask is missing; /${assumed} is used, as cloud-init does`;
  const mask = family === 4 ? '"255.255.255.0"' : '"ffff:ffff:ffff:ffff::"';
  warn(step(fields.place, 'ip_address'), message, `add "netmask", for example ${mask}`);
  return { address, prefixLength: assumed };
}

function readRoute(fields: DataFields, family: Family): Route | undefined {
  warnUnused(fields, (key) => routeKeys.has(key));
  const example = family === 4 ? '"0.0.0.0" for the default route' : '"::" for the default route';
  const target = readAddressWithMask(fields, 'network', example, family);
  const gateway = optional(fields, 'gateway', addressOf(family));
  const own = optional(fields, 'metric', metric);
  if (target === undefined) return undefined;
  const { address } = target;
  const prefixLength = target.prefixLength ?? (isUnspecified(address) ? 0 : undefined);
  if (prefixLength === undefined) {
    return refuse(fields.place, '"netmask" is missing', 'add the netmask of the destination');
  }
  return {
    place: has(fields, 'gateway') ? step(fields.place, 'gateway') : fields.place,
    destination: formatSubnet({ address, prefixLength }),
    gateway: gateway === undefined || isUnspecified(gateway) ? undefined : gateway,
    metric: own,
  };
}

/** The default route of documents that are written like cloud-init's. */
function readGateway(fields: DataFields, family: Family): Route | undefined {
  const gateway = optional(fields, 'gateway', addressOf(family));
  if (gateway === undefined || isUnspecified(gateway)) return undefined;
  const destination = family === 4 ? '0.0.0.0/0' : '::/0';
  return { place: step(fields.place, 'gateway'), destination, gateway, metric: undefined };
}

/** The name servers among services. */
export function readServices(services: readonly DataFields[]): DataServer[] {
  return services.flatMap((fields) => {
    const { place } = fields;
    warnUnused(fields, (key) => serviceKeys.has(key));
    const type = required(fields, 'type', '"dns"', anyId);
    if (type === undefined) return [];
    if (type !== 'dns') {
      const message = `services of the type ${quoteText(type)} are not used`;
      warn(step(place, 'type'), message, 'use "dns", or remove the service');
      return [];
    }
    return required(fields, 'address', '"192.0.2.53"', readServer) ?? [];
  });
}

/** A list, or a text with blanks between the items. */
function listOrWords<T>(read: Reader<T>): Reader<readonly T[]> {
  const readList = list(read);
  return (value, place) =>
    typeof value === 'string'
      ? value
          .trim()
          .split(/\s+/)
          .flatMap((word) => read(word, place) ?? [])
      : readList(value, place);
}

function readServer(value: unknown, place: DocumentPlace): DataServer | undefined {
  const address = addressOf()(value, place);
  return address && { address, place };
}

const readServers = listOrWords(readServer);
const readSearches = listOrWords(listItem);

/**
 * The key of an address, which may have a prefix length, and the key `netmask`: a dotted mask, an IPv6 address or a prefix length.
 */
function readAddressWithMask(
  fields: DataFields,
  key: string,
  example: string,
  family: Family,
): { readonly address: IpAddress; readonly prefixLength: number | undefined } | undefined {
  const own = required(fields, key, example, (value, place) => {
    const [written, mask, ...more] = typeof value === 'string' ? value.split('/') : [value];
    const address = addressOf(family)(more.length > 0 ? value : written, place);
    const prefixLength = mask === undefined ? undefined : netmask(family)(mask, place);
    if (address === undefined || (mask !== undefined && prefixLength === undefined)) return undefined;
    return { address, prefixLength };
  });
  const beside = optional(fields, 'netmask', netmask(family));
  if (own === undefined) return undefined;
  const { address, prefixLength = beside } = own;
  // A netmask that was refused is not a missing one.
  return prefixLength === undefined && has(fields, 'netmask') ? undefined : { address, prefixLength };
}

function netmask(family: Family): Reader<number> {
  return (value, place) => {
    const isText = typeof value === 'string' || typeof value === 'number';
    const prefixLength = isText ? parseNetmask(String(value), family) : undefined;
    if (prefixLength !== undefined) return prefixLength;
    const example = family === 4 ? '255.255.255.0 or 24' : 'ffff:ffff:ffff:ffff:: or 64';
    const shown = isText ? `: ${quoteText(String(value))}` : '';
    return refuse(place, `the netmask is invalid${shown}`, `write it like ${example}`);
  };
}
