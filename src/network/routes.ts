/** The `routes` of a document, grouped by interface. */

import { groupBy } from '../core/lists.ts';
import { addressBits, type Family, formatSubnet, parseAddress } from './ipAddress.ts';
import { type Interface, ipSettingsOf } from './interface.ts';
import type { InterfaceLinks } from './links.ts';
import { type DocumentPlace, refuse, step, warn } from './documentPlace.ts';
import * as reader from './readers.ts';

export interface NmstateRoute {
  readonly family: Family;
  /** Values of `routeN` and `routeN_options` in NetworkManager. */
  readonly value: string;
  readonly options: string;
}

/** By interface name; routes of both IP versions in the order of keyfiles. */
export type RoutesByInterface = ReadonlyMap<string, readonly NmstateRoute[]>;

const positive = reader.integer(1, 2 ** 32 - 1);

const routeShape = {
  state: reader.oneOf(['absent', 'ignore']),
  destination: reader.text,
  'next-hop-interface': reader.linkName,
  'next-hop-address': reader.address(),
  /** -1 is the default. */
  metric: reader.integer(-1, 2 ** 32 - 1),
  'table-id': reader.uint32,
  weight: reader.integer(1, 256),
  cwnd: positive,
  source: reader.address(),
  initcwnd: reader.uint32,
  initrwnd: reader.uint32,
  mtu: positive,
  quickack: reader.flag,
  advmss: positive,
  'lock-mtu': reader.flag,
};

type Fields = reader.Shaped<typeof routeShape>;

const readRouteFields = reader.object(routeShape);
const readRoutesFields = reader.object({ config: reader.list(readEntry), running: reader.shownList });

interface Entry {
  readonly place: DocumentPlace;
  readonly fields: Fields;
  readonly destination: Destination;
  readonly interfaceName: string;
}

interface Destination {
  readonly family: Family;
  /** `192.0.2.0/24`. */
  readonly network: string;
}

/** Routes with state absent are not written to keyfiles, but nmstate checks them. */
function readEntry(value: unknown, place: DocumentPlace): Entry | undefined {
  const fields = readRouteFields(value, place);
  if (fields === undefined || fields.state === 'ignore') return undefined;
  const { destination: written, 'next-hop-interface': interfaceName } = fields;
  const destination =
    written === undefined ? undefined : parseDestination(written, step(place, 'destination'));
  if (destination !== undefined) {
    for (const key of ['next-hop-address', 'source'] as const) {
      const address = fields[key];
      if (address === undefined || parseAddress(address)?.family === destination.family) continue;
      refuse(step(place, key), `expected an IPv${destination.family} address, like the destination`);
    }
    if (destination.family === 6 && fields.weight !== undefined) {
      refuse(step(place, 'weight'), 'nmstate does not support weights for IPv6');
    }
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

/** Like nmstate, clears the bits after the prefix. */
function parseDestination(written: string, place: DocumentPlace): Destination | undefined {
  const [, ip = '', length] = /^([^/]*)(?:\/([0-9]{1,3}))?$/.exec(written) ?? [];
  const parsed = parseAddress(ip);
  const bits = parsed === undefined ? 0 : addressBits(parsed.family);
  const prefix = length === undefined ? bits : Number(length);
  if (parsed === undefined || prefix > bits)
    return refuse(place, 'expected a network, for example 192.0.2.0/24');
  if (parsed.family === 4 && parsed.groups[0] === 0 && prefix >= 8) {
    return refuse(place, 'networks in 0.0.0.0/8 are not reachable', 'use 0.0.0.0/0 for the default route');
  }
  return { family: parsed.family, network: formatSubnet({ address: parsed, prefixLength: prefix }) };
}

/** Reads the `routes` of a document. */
export function readRoutes(value: unknown, links: InterfaceLinks, place: DocumentPlace): RoutesByInterface {
  const { config, running } = readRoutesFields(value, place) ?? {};
  if (running !== undefined && config === undefined) {
    const message = 'running routes are only shown, not applied, as in nmstate';
    warn(step(place, 'running'), message, 'move the routes that you want to set to "config"');
  }
  const entries = (config ?? []).flatMap((entry) => {
    const target = findTarget(entry, links);
    return target === undefined ? [] : [{ ...entry, target: target.name }];
  });
  const byInterface = groupBy(entries, ({ target }) => target);
  return new Map(Array.from(byInterface, ([name, own]) => [name, sortEntries(own).map(toRoute)]));
}

function findTarget(
  { place, destination, interfaceName }: Entry,
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
function sortEntries(entries: readonly Entry[]): Entry[] {
  const sorted = entries
    .map((entry) => ({ entry, key: sortKey(entry) }))
    .toSorted((a, b) => compareKeys(a.key, b.key));
  for (const [index, { entry, key }] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || compareKeys(before.key, key) !== 0) continue;
    const message = 'another route has the same destination and next hop; nmstate keeps only one of them';
    refuse(entry.place, message);
  }
  return sorted.map(({ entry }) => entry);
}

type SortKey = readonly (number | string)[];

/** The order of `RouteEntry::sort_key` of nmstate, for the routes of one interface. */
function sortKey({ fields, destination }: Entry): SortKey {
  return [
    destination.family === 6 ? 0 : 1,
    fields.quickack === true ? 1 : 0,
    fields['lock-mtu'] === true ? 1 : 0,
    destination.network,
    fields['next-hop-address'] ?? '',
    fields.source ?? '',
    fields['table-id'] ?? MAIN_TABLE,
    fields.cwnd ?? 0,
    fields.initcwnd ?? 0,
    fields.initrwnd ?? 0,
    fields.mtu ?? 0,
    fields.weight ?? 0,
    fields.advmss ?? 0,
  ];
}

function compareKeys(a: SortKey, b: SortKey): number {
  for (const [index, first] of a.entries()) {
    const second = b[index] ?? 0;
    if (first !== second) return first < second ? -1 : 1;
  }
  return 0;
}

const MAIN_TABLE = 254;
/** Default metrics of the kernel. */
const defaultMetric: Readonly<Record<Family, number>> = { 4: 0, 6: 1024 };

function toRoute({ fields, destination: { family, network } }: Entry): NmstateRoute {
  const { metric = -1, 'next-hop-address': written } = fields;
  const nextHop = written === '0.0.0.0' || written === '::' ? undefined : written;
  const metricText = String(metric === -1 ? defaultMetric[family] : metric);
  return { family, value: [network, nextHop ?? '', metricText].join(','), options: formatOptions(fields) };
}

/** In the order of nmstate. */
function formatOptions(fields: Fields): string {
  const { cwnd, 'table-id': table = 0 } = fields;
  const options: readonly (readonly [string, unknown])[] = [
    ['table', table === 0 ? MAIN_TABLE : table],
    ['weight', fields.weight],
    ['cwnd', cwnd],
    ['lock-cwnd', cwnd === undefined ? undefined : true],
    ['src', fields.source],
    ['initcwnd', fields.initcwnd],
    ['initrwnd', fields.initrwnd],
    ['mtu', fields.mtu],
    ['lock-mtu', fields['lock-mtu']],
    ['quickack', fields.quickack],
    ['advmss', fields.advmss],
  ];
  return options
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(',');
}
