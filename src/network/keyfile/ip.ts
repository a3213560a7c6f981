/** The `[ipv4]` and `[ipv6]` sections. Source: nm-keyfile.c and nm-setting-ip*-config.c of libnm. */

import { quoteText } from '../../core/foreignText.ts';
import { type ConfiguredAddress, type IpConfig, MAIN_TABLE } from '../connection.ts';
import {
  addressBits,
  type Family,
  formatAddress,
  type IpAddress,
  isUnspecified,
  parseAddress,
  type Subnet,
} from '../ipAddress.ts';
import { addProblem, listValue, type Profile, type ProfileKey, unescapeValue } from './profile.ts';
import { type KeyfileRow, rejects, requires } from './row.ts';

interface IpSection {
  /** What the section says, without values that NetworkManager ignores. Without a section, it uses DHCP and autoconfiguration. */
  readonly config: IpConfig;
  /** What NetworkManager requires of the section as a whole. */
  readonly rows: readonly KeyfileRow[];
}

/** Reads the section, and reports what NetworkManager ignores. */
export function readIpSection(family: Family, profile: Profile): IpSection {
  const section = `ipv${family}` as const;
  const addresses: ConfiguredAddress[] = [];
  const routes: IpConfig['routes'][number][] = [];
  let behind: { readonly key: ProfileKey; readonly text: string } | undefined;
  let hasRoutes = false;
  const table = Number(profile.values.get(`${section}.route-table`)) || MAIN_TABLE;
  // Rules choose between tables by criteria that are not judged here.
  const hasRules = [...profile.entries.values()].some(
    (entry) => entry.section === section && entry.key.startsWith('routing-rule'),
  );
  const isMain = (number: number): boolean => hasRules || number === MAIN_TABLE;
  for (const { key, line, value } of numberedEntries(section, profile)) {
    const place = `${section}.${key}` as const;
    const isRoute = key.startsWith('route');
    const read = readAddress(unescapeValue(value), family, isRoute);
    if (typeof read === 'string') {
      const example = family === 4 ? '192.0.2.0/24' : '2001:db8::/64';
      const hint = isRoute ? `use ${example},GATEWAY,METRIC` : `use ${example},GATEWAY`;
      addProblem(profile, place, 'ignores', { problem: read, hint });
      continue;
    }
    const { gateway, metric, remark, subnet } = read;
    if (remark !== undefined)
      addProblem(profile, place, 'ignores', { problem: remark, hint: 'write ADDRESS/PREFIX' });
    if (!isRoute) {
      addresses.push({ ...subnet, line });
      if (gateway !== '') behind ??= { key: place, text: gateway };
      continue;
    }
    hasRoutes = true;
    const options = routeOptions(profile.entries.get(`${place}_options`)?.value);
    if (!isMain(Number(options.get('table')) || table) || (options.get('type') ?? 'unicast') !== 'unicast')
      continue;
    routes.push({
      line,
      destination: subnet,
      gateway: specified(parseAddress(gateway), family),
      metric: metric === 0 || metric === (family === 6 ? 1024 : 0) ? undefined : metric,
    });
  }
  const own = profile.values.get(`${section}.gateway`);
  const key = own === undefined ? behind?.key : (`${section}.gateway` as const);
  const text = own ?? behind?.text;
  const gateway = text === undefined ? undefined : parseAddress(text);
  const isNone = gateway?.family === family && isUnspecified(gateway);
  if (own !== undefined && !isNone && behind !== undefined && canonical(own) !== canonical(behind.text)) {
    const { key: name, line } = profile.entries.get(behind.key) ?? {};
    const message = `NetworkManager ignores the gateway ${behind.text} of ${name} in [${section}], because gateway=${own} is set`;
    const hint = `remove gateway=${own}, or ${behind.text} from ${name}`;
    profile.problems.push({ severity: 'warning', message, hint, line, section, key: 'gateway' });
  }
  if (key !== undefined && !isNone && addresses.length === 0) {
    const hint = 'add an address, or remove the gateway';
    addProblem(profile, key, 'rejects', { problem: 'a gateway requires an address', hint });
  } else if (key !== undefined && gateway?.family !== family) {
    const problem = `the gateway ${quoteText(text ?? '')} is invalid`;
    addProblem(profile, key, 'rejects', { problem, hint: `use an IPv${family} address` });
  }
  const dns = readServers(family, profile);
  const used = specified(gateway, family);
  const route =
    used === undefined && addresses.length > 0 && isMain(table)
      ? routes.find((one) => one.destination.prefixLength === 0 && one.gateway !== undefined)
      : undefined;
  const config = {
    method: profile.values.get(`${section}.method`) ?? 'auto',
    addresses,
    gateway: used ?? route?.gateway,
    gatewayLine: route?.line ?? (key === undefined ? undefined : profile.entries.get(key)?.line),
    gatewayMetric: route?.metric,
    dns,
    routes: routes.filter((one) => one !== route),
    neverDefault: profile.values.get(`${section}.never-default`) === 'true' || !isMain(table),
  };
  return { config, rows: ipRows(family, config, hasRoutes) };
}

const methods: Readonly<Record<Family, readonly string[]>> = {
  4: ['auto', 'manual', 'disabled', 'link-local', 'shared'],
  6: ['auto', 'dhcp', 'manual', 'disabled', 'ignore', 'link-local', 'shared'],
};

/** Methods with which a profile may not have addresses. */
const withoutAddresses: ReadonlySet<string> = new Set(['disabled', 'ignore', 'link-local']);

/** @param hasRoutes also of other tables than the main one */
function ipRows(family: Family, { addresses, dns }: IpConfig, hasRoutes: boolean): readonly KeyfileRow[] {
  const section = `ipv${family}` as const;
  const example = family === 4 ? '192.0.2.10/24' : '2001:db8::10/64';
  const isClosed = (profile: Profile): boolean => {
    const method = profile.values.get(`${section}.method`) ?? '';
    return withoutAddresses.has(method) || (family === 4 && method === 'shared');
  };
  const searchesOf = (profile: Profile): readonly string[] => listValue(profile, `${section}.dns-search`);
  const closed =
    (what: string): KeyfileRow['problem'] =>
    (_value, profile) =>
      `the method ${profile.values.get(`${section}.method`)} does not permit ${what}`;
  return [
    requires(
      `${section}.method`,
      ({ sections }) => sections.has(section),
      'the key is missing',
      `add method=${addresses.length > 0 ? 'manual' : 'auto'}`,
    ),
    rejects(
      `${section}.method`,
      (method) => methods[family].includes(method),
      (method) => `unknown method ${quoteText(method)}`,
      `use one of ${methods[family].join(', ')}`,
    ),
    rejects(
      `${section}.method`,
      (method) => method !== 'manual' || addresses.length > 0 || hasRoutes,
      'manual requires a valid address',
      `add an address: address1=${example}`,
    ),
    rejects(
      `${section}.method`,
      (method) => !withoutAddresses.has(method) || addresses.length === 0,
      closed('addresses'),
      'use method=manual, or remove the addresses',
    ),
    rejects(
      `${section}.dns`,
      (_value, profile) => dns.length === 0 || !isClosed(profile),
      closed('DNS servers'),
      'remove dns',
    ),
    rejects(
      `${section}.dns-search`,
      (_value, profile) => searchesOf(profile).length === 0 || !isClosed(profile),
      closed('search domains'),
      'remove dns-search',
    ),
    rejects(
      `${section}.dns-search`,
      (_value, profile) => !searchesOf(profile).some((domain) => /[,; ]/.test(domain)),
      'a domain contains a comma, semicolon or space',
      'separate domains with ;',
    ),
  ];
}

function canonical(address: string): string {
  const parsed = parseAddress(address);
  return parsed === undefined ? address : formatAddress(parsed);
}

/** Undefined also for `0.0.0.0` and `::`, which mean that there is no gateway. */
function specified(address: IpAddress | undefined, family: Family): IpAddress | undefined {
  return address?.family === family && !isUnspecified(address) ? address : undefined;
}

/** `address`, `address1`, `addresses1`, `route1`, … with any number without leading zeros; the one without a number is the first. */
const NUMBERED_KEY = /^(?:address(?:es)?|routes?)(0|[1-9]\d*)?$/;

/** Addresses and routes, in the order in which libnm reads them. */
function numberedEntries(section: string, { entries }: Profile) {
  return [...entries.values()]
    .flatMap((entry) => {
      const match = entry.section === section ? NUMBERED_KEY.exec(entry.key) : null;
      return match === null ? [] : { ...entry, number: Number(match[1] ?? -1) };
    })
    .filter(({ number }) => number < 2 ** 31)
    .toSorted((a, b) => a.number - b.number);
}

/** `table=100,type=blackhole` */
function routeOptions(text = ''): ReadonlyMap<string, string> {
  return new Map(
    text.split(',').map((option) => {
      const [name = '', value = ''] = option.split('=');
      return [name.trim(), value.trim()] as const;
    }),
  );
}

interface ReadAddress {
  readonly subnet: Subnet;
  /** As it is written, empty without one: only that of a route is checked. */
  readonly gateway: string;
  readonly metric: number | undefined;
  /** What NetworkManager ignores although it uses the address. */
  readonly remark: string | undefined;
}

/** A prefix that is no number may be a gateway. */
const ADDRESS_FIELDS =
  /^([\da-f:.%]*)(?:[/;,](\d*)(?![^/;,]))?(?:[/;,]([\da-f:.%]*))?(?:[/;,](\d+))?[/;,]?$/i;

/** `ADDRESS/PREFIX[,GATEWAY[,METRIC]]` with `/`, `;` or `,` between the fields; or why it is ignored. */
function readAddress(value: string, family: Family, isRoute: boolean): ReadAddress | string {
  const invalid = `${quoteText(value)} is not ${isRoute ? 'a route' : 'an address'}`;
  const [, start = '', prefix = '', gateway = '', metric] = ADDRESS_FIELDS.exec(value) ?? [];
  const address = parseAddress(start);
  if (address?.family !== family || (metric !== undefined && !isRoute)) return invalid;
  const assumed = family === 4 ? 24 : isRoute ? 128 : 64;
  const isLong = Number(prefix) > addressBits(family);
  const remark =
    prefix === '' || isLong
      ? `the prefix length is ${isLong ? 'too large' : 'missing'}, so it uses /${assumed}`
      : undefined;
  const subnet = { address, prefixLength: remark === undefined ? Number(prefix) : assumed };
  if (!isRoute) return { subnet, gateway, metric: undefined, remark };
  const isOldMetric = family === 6 && metric === undefined && /^\d+$/.test(gateway);
  const isGateway = gateway === '' || parseAddress(gateway)?.family === family || isOldMetric;
  if (!isGateway) return `the gateway ${quoteText(gateway)} is invalid`;
  const number = isOldMetric ? gateway : metric;
  return metric === undefined || Number(metric) < 2 ** 32
    ? { subnet, gateway, metric: number === undefined ? undefined : Number(number), remark }
    : `the metric ${quoteText(metric)} is invalid`;
}

/**
 * An address, also in a URL, which may have a port, and the interface of an IPv6 address; then the name in its certificate:
 * `192.0.2.53#dns.example.com`, `dns+tls://192.0.2.53:853`, `dns+udp://[fe80::53%eth0]` (`nm_dns_uri_parse` of libnm).
 */
const DNS_SERVER =
  /^(?:dns\+(?:tls|udp):\/\/(?:\[([^\]%]+)(?:%[^\]]+)?\]|([\d.]+))(?::\d{1,5})?|([^#]+))(?:#.+)?$/s;

function readServers(family: Family, profile: Profile): readonly IpAddress[] {
  const place = `ipv${family}.dns` as const;
  return listValue(profile, place).flatMap((text) => {
    const [, ...addresses] = DNS_SERVER.exec(text) ?? [];
    const server = parseAddress(addresses.find((address) => address !== undefined) ?? '');
    if (server?.family === family) return server;
    const problem = `${quoteText(text)} is not the IPv${family} address of a DNS server`;
    const hint = /[\s,]/.test(text)
      ? 'separate addresses with ;'
      : `use an address such as ${family === 4 ? '192.0.2.53' : '2001:db8::53'}`;
    addProblem(profile, place, 'ignores', { problem, hint });
    return [];
  });
}
