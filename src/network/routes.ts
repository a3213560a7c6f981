/** The `routes` of a document, grouped by interface. */

import { groupBy } from '../core/lists.ts';
import { isMapping } from '../formats/mapping.ts';
import { MAIN_TABLE } from './connection.ts';
import type { ConvertedEntry } from './convertedKeyfile.ts';
import { type Family, formatSubnet, isInSubnet, type Subnet } from './ipAddress.ts';
import { ipSettingsOf } from './interface.ts';
import type { InterfaceLinks } from './stacking.ts';
import { type DocumentPlace, refuse, step, warn } from './documentPlace.ts';
import * as reader from './readers.ts';

interface NmstateRoute {
  readonly place: DocumentPlace;
  readonly family: Family;
  /** 0 is the default. */
  readonly table: number;
  /** The values of `routeN` and `routeN_options` in NetworkManager. */
  readonly value: ConvertedEntry;
  readonly options: ConvertedEntry;
  readonly interfaceName: string;
  /** Texts in the order of `RouteEntry::sort_key` of nmstate. */
  readonly sortKey: string;
}

/** By interface name; routes of both IP versions in the order of keyfiles. */
export type RoutesByInterface = ReadonlyMap<string, readonly NmstateRoute[]>;

const readRouteFields = reader.object({
  state: reader.oneOf(['absent', 'ignore']),
  destination: reader.present(destination),
  'next-hop-interface': reader.present(reader.linkName),
  'next-hop-address': reader.address(),
  /** -1 is the default. */
  metric: reader.integer(-1, 2 ** 32 - 1),
  'table-id': reader.uint32,
  weight: reader.integer(1, 256),
  source: reader.address(),
  mtu: reader.integer(1, 2 ** 32 - 1),
});
const readRoutesFields = reader.object({
  config: reader.list(readRoute),
  running: reader.list(reader.anything),
});

const zeros: Subnet = { address: { family: 4, number: 0n }, prefixLength: 8 };

function destination(value: unknown, place: DocumentPlace): Subnet | undefined {
  const network = reader.network(value, place);
  const isUnreachable =
    network !== undefined && network.prefixLength >= 8 && isInSubnet(network.address, zeros);
  if (!isUnreachable) return network;
  return refuse(place, 'networks in 0.0.0.0/8 are not reachable', 'use 0.0.0.0/0 for the default route');
}

/** Routes with state absent are not written to keyfiles, but nmstate checks them. */
function readRoute(value: unknown, place: DocumentPlace): NmstateRoute | undefined {
  const fields = readRouteFields(value, place);
  if (fields === undefined || fields.state === 'ignore') return undefined;
  const {
    destination: network,
    metric = -1,
    mtu,
    'next-hop-address': nextHop = '',
    'next-hop-interface': interfaceName,
    source,
    'table-id': table = MAIN_TABLE,
    weight,
  } = fields;
  const family = network?.address.family;
  if (family === 6 && weight !== undefined)
    refuse(step(place, 'weight'), 'nmstate does not support weights for IPv6');
  if (fields.state === 'absent') return undefined;
  for (const key of ['destination', 'next-hop-interface'])
    if (isMapping(value) && !Object.hasOwn(value, key)) refuse(place, `"${key}" is missing`);
  if (network === undefined || family === undefined || interfaceName === undefined) return undefined;
  const text = formatSubnet(network);
  const gateway = nextHop === '0.0.0.0' || nextHop === '::' ? '' : nextHop;
  // -1 is the default of the kernel.
  const written = metric === -1 ? (family === 6 ? 1024 : 0) : metric;
  const options = [
    ['table', table || MAIN_TABLE],
    ['weight', weight],
    ['src', source],
    ['mtu', mtu],
  ] as const;
  const numbers = [table, mtu, weight].map((number = 0) => String(number).padStart(10, '0'));
  const { path } = nextHop === '' ? place : step(place, 'next-hop-address');
  return {
    place,
    family,
    interfaceName,
    table,
    value: { value: `${text},${gateway},${written}`, from: path },
    options: { value: reader.formatOptions(options, '=', ','), from: path },
    sortKey: [family === 6 ? 0 : 1, text, nextHop, source, ...numbers].join('\0'),
  };
}

export function readRoutes(value: unknown, links: InterfaceLinks, place: DocumentPlace): RoutesByInterface {
  const { config, running } = readRoutesFields(value, place) ?? {};
  if (running !== undefined && config === undefined) {
    const message = 'running routes are only shown, not applied, as in nmstate';
    warn(step(place, 'running'), message, 'move the routes that you want to set to "config"');
  }
  const found = (config ?? []).flatMap((route) => {
    const { family, interfaceName } = route;
    const at = step(route.place, 'next-hop-interface');
    const target = links.find(interfaceName);
    if (target === undefined) {
      refuse(
        at,
        `no interface ${interfaceName} with state up in the document`,
        'add the interface to "interfaces"',
      );
    } else if (ipSettingsOf(target, family)?.enabled !== true) {
      refuse(at, `IPv${family} is disabled on ${target.name}`, `set its ipv${family}.enabled to true`);
    }
    return target === undefined ? [] : [{ ...route, target: target.name }];
  });
  // nmstate keeps only one of several routes that differ only in the metric.
  const sorted = found.toSorted((a, b) => (a.sortKey < b.sortKey ? -1 : Number(a.sortKey > b.sortKey)));
  const byInterface = groupBy(sorted, ({ target }) => target);
  for (const routes of byInterface.values()) {
    for (const [index, route] of routes.entries()) {
      if (route.sortKey !== routes[index - 1]?.sortKey) continue;
      const message = 'another route has the same destination and next hop; nmstate keeps only one of them';
      refuse(route.place, message);
    }
  }
  return byInterface;
}
