/** The `routes` of a document, grouped by interface. */

import { groupBy } from '../core/lists.ts';
import type { ConvertedEntry } from './convertedKeyfile.ts';
import type { Family } from './ipAddress.ts';
import { type Interface, ipSettingsOf } from './interface.ts';
import type { InterfaceLinks } from './stacking.ts';
import { type DocumentPlace, refuse, step, warn } from './documentPlace.ts';
import * as reader from './readers.ts';

export interface NmstateRoute {
  readonly family: Family;
  /** 0 is the default. */
  readonly table: number;
  /** The values of `routeN` and `routeN_options` in NetworkManager. */
  readonly value: ConvertedEntry;
  readonly options: ConvertedEntry;
}

/** By interface name; routes of both IP versions in the order of keyfiles. */
export type RoutesByInterface = ReadonlyMap<string, readonly NmstateRoute[]>;

const routeShape = {
  state: reader.oneOf(['absent', 'ignore']),
  destination: reader.text,
  'next-hop-interface': reader.linkName,
  'next-hop-address': reader.address(),
  /** -1 is the default. */
  metric: reader.integer(-1, 2 ** 32 - 1),
  'table-id': reader.uint32,
  weight: reader.integer(1, 256),
  source: reader.address(),
  mtu: reader.integer(1, 2 ** 32 - 1),
};

type Fields = reader.Shaped<typeof routeShape>;

const readRouteFields = reader.object(routeShape);
const readRoutesFields = reader.object({ config: reader.list(readRoute), running: reader.shownList });

interface Route {
  readonly place: DocumentPlace;
  readonly fields: Fields;
  readonly destination: reader.IpNetwork;
  readonly interfaceName: string;
}

/** Routes with state absent are not written to keyfiles, but nmstate checks them. */
function readRoute(value: unknown, place: DocumentPlace): Route | undefined {
  const fields = readRouteFields(value, place);
  if (fields === undefined || fields.state === 'ignore') return undefined;
  const { destination: written, 'next-hop-interface': interfaceName } = fields;
  const destination =
    written === undefined ? undefined : readDestination(written, step(place, 'destination'));
  if (destination?.family === 6 && fields.weight !== undefined) {
    refuse(step(place, 'weight'), 'nmstate does not support weights for IPv6');
  }
  if (fields.state === 'absent') return undefined;
  if (written === undefined) return missing(value, 'destination', place);
  if (interfaceName === undefined) return missing(value, 'next-hop-interface', place);
  return destination === undefined ? undefined : { place, fields, destination, interfaceName };
}

/** Reports a missing key; an invalid key is already reported. */
function missing(value: unknown, key: string, place: DocumentPlace): undefined {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? undefined
    : refuse(place, `"${key}" is missing`);
}

function readDestination(written: string, place: DocumentPlace): reader.IpNetwork | undefined {
  const network = reader.network(written, place);
  // 0.0.0.0/0 to 0.0.0.0/7
  if (network === undefined || !/^0\..*\/(?:[89]|[123][0-9])$/.test(network.text)) return network;
  return refuse(place, 'networks in 0.0.0.0/8 are not reachable', 'use 0.0.0.0/0 for the default route');
}

/** Reads the `routes` of a document. */
export function readRoutes(value: unknown, links: InterfaceLinks, place: DocumentPlace): RoutesByInterface {
  const { config, running } = readRoutesFields(value, place) ?? {};
  if (running !== undefined && config === undefined) {
    const message = 'running routes are only shown, not applied, as in nmstate';
    warn(step(place, 'running'), message, 'move the routes that you want to set to "config"');
  }
  const routes = (config ?? []).flatMap((route) => {
    const target = findTarget(route, links);
    return target === undefined ? [] : [{ ...route, target: target.name }];
  });
  const byInterface = groupBy(routes, ({ target }) => target);
  return new Map(Array.from(byInterface, ([name, own]) => [name, sortRoutes(own).map(toRoute)]));
}

function findTarget(
  { place, destination, interfaceName }: Route,
  links: InterfaceLinks,
): Interface | undefined {
  const at = step(place, 'next-hop-interface');
  const target = links.find(interfaceName);
  if (target === undefined) {
    const message = `no interface ${interfaceName} with state up in the document`;
    return refuse(at, message, 'add the interface to "interfaces"');
  }
  const settings = ipSettingsOf(target, destination.family);
  if (settings?.enabled === true) return target;
  const hint = `set its ipv${destination.family}.enabled to true`;
  return refuse(at, `IPv${destination.family} is disabled on ${target.name}`, hint);
}

/** Sorts routes like nmstate, which keeps only one of several routes that differ only in the metric. */
function sortRoutes(routes: readonly Route[]): Route[] {
  const sorted = routes
    .map((route) => ({ route, key: sortKey(route) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  for (const [index, { key, route }] of sorted.entries()) {
    if (key !== sorted[index - 1]?.key) continue;
    const message = 'another route has the same destination and next hop; nmstate keeps only one of them';
    refuse(route.place, message);
  }
  return sorted.map(({ route }) => route);
}

/** Texts in the order of `RouteEntry::sort_key` of nmstate. */
function sortKey({ fields, destination: { family, text } }: Route): string {
  const {
    mtu,
    source = '',
    weight,
    'next-hop-address': nextHop = '',
    'table-id': table = MAIN_TABLE,
  } = fields;
  const numbers = [table, mtu, weight].map((number = 0) => String(number).padStart(10, '0'));
  return [family === 6 ? 0 : 1, text, nextHop, source, ...numbers].join('\0');
}

export const MAIN_TABLE = 254;
/** Default metrics of the kernel. */
const defaultMetric: Readonly<Record<Family, number>> = { 4: 0, 6: 1024 };

function toRoute({ fields, destination: { family, text }, place }: Route): NmstateRoute {
  const { metric = -1, 'next-hop-address': written } = fields;
  const nextHop = written === '0.0.0.0' || written === '::' ? undefined : written;
  const metricText = String(metric === -1 ? defaultMetric[family] : metric);
  const { path } = written === undefined ? place : step(place, 'next-hop-address');
  return {
    family,
    table: fields['table-id'] ?? MAIN_TABLE,
    value: { value: [text, nextHop ?? '', metricText].join(','), from: path },
    options: { value: formatOptions(fields), from: path },
  };
}

/** In the order of nmstate. */
function formatOptions(fields: Fields): string {
  return reader.formatOptions(
    [
      ['table', fields['table-id'] || MAIN_TABLE],
      ['weight', fields.weight],
      ['src', fields.source],
      ['mtu', fields.mtu],
    ],
    '=',
    ',',
  );
}
