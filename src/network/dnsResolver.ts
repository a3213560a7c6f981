/** The `dns-resolver` of a document. NetworkManager stores name servers per interface, so nmstate selects an interface. */

import type { ConvertedEntries } from './convertedKeyfile.ts';
import { type DocumentPlace, refuse, step } from './documentPlace.ts';
import { type Interface, ipSettingsOf } from './interface.ts';
import { type Family, formatAddress, parseAddress } from './ipAddress.ts';
import * as reader from './readers.ts';
import type { InterfaceLinks } from './stacking.ts';

export type DnsByInterface = ReadonlyMap<
  string,
  { readonly 4?: ConvertedEntries; readonly 6?: ConvertedEntries }
>;

interface Server {
  readonly place: DocumentPlace;
  readonly family: Family;
  readonly address: string;
  /** The zone in `fe80::1%eth0`. */
  readonly zone: string | undefined;
}

const readDnsFields = reader.object({
  config: reader.object({
    server: reader.list(readServer),
    search: reader.list(reader.listItem),
    options: reader.list(readOption),
  }),
  running: reader.anything,
});

/** resolv.conf(5). */
const plainOptions: ReadonlySet<string> = new Set(
  (
    'debug edns0 inet6 ip6-bytestring ip6-dotint no-aaaa no-check-names no-ip6-dotint no-reload no-tld-query rotate ' +
    'single-request single-request-reopen trust-ad use-vc'
  ).split(' '),
);

function readOption(value: unknown, place: DocumentPlace): string | undefined {
  const option = reader.listItem(value, place);
  if (option === undefined || plainOptions.has(option)) return option;
  return /^(?:ndots|timeout|attempts):[0-9]+$/.test(option)
    ? option
    : refuse(place, 'nmstate does not support this resolver option');
}

function readServer(value: unknown, place: DocumentPlace): Server | undefined {
  const [ip = '', zone, ...more] = typeof value === 'string' ? value.split('%') : [];
  const parsed = parseAddress(ip);
  const isZoned = zone !== undefined;
  if (parsed === undefined || more.length > 0 || (isZoned && (parsed.family === 4 || zone === ''))) {
    return refuse(place, 'expected the IP address of a name server');
  }
  return { place, family: parsed.family, address: formatAddress(parsed), zone };
}

export function readDns(value: unknown, links: InterfaceLinks, place: DocumentPlace): DnsByInterface {
  const config = readDnsFields(value, place)?.config ?? {};
  const { server: servers = [], search: searches = [], options = [] } = config;
  const at = step(place, 'config');
  const entry = reader.entryMaker(config, at);
  const settings = {
    'dns-search': entry('search', searches.join(';')),
    'dns-options': entry('options', options.join(';')),
    'dns-priority': reader.entryAt(at, 40),
  };
  if (servers.length > 0) return placeServers(servers, settings, links, step(at, 'server'));
  if (searches.length === 0 && options.length === 0) return new Map();
  // Search domains without servers are set on an interface that gets its servers automatically, if there is one.
  const candidates = links.listed.flatMap((link) =>
    ([6, 4] as const).filter((family) => supportsServers(link, family)).map((family) => ({ link, family })),
  );
  const target =
    candidates.find(({ link, family }) => ipSettingsOf(link, family)?.isAuto === true) ?? candidates[0];
  if (target !== undefined) return new Map([[target.link.name, { [target.family]: settings }]]);
  const hint = 'set ipv4.enabled or ipv6.enabled of an interface to true, with an address or DHCP';
  refuse(at, 'no interface supports the search domains', hint);
  return new Map();
}

function placeServers(
  servers: readonly Server[],
  shared: ConvertedEntries,
  links: InterfaceLinks,
  place: DocumentPlace,
): DnsByInterface {
  // All zones must be the same interface, which must be usable.
  const zoned = servers.filter(({ zone }) => zone !== undefined);
  for (const { place: at, zone = '' } of zoned) {
    const target = links.interfaces.get(zone);
    if (target === undefined || !supportsServers(target, 6)) {
      refuse(at, `${zone} is not an interface of this document that is up and has IPv6`);
    } else if (zone !== zoned[0]?.zone) {
      refuse(at, 'nmstate supports link-local name servers on one interface only');
    }
  }
  // nmstate keeps the order of the servers only if they are grouped by IP version.
  if (servers.filter(({ family }, index) => family !== servers[index - 1]?.family).length > 2) {
    refuse(place, 'the servers of both IP versions are mixed', 'sort the servers by IP version');
  }
  const chosen = new Map<string, { 4?: ConvertedEntries; 6?: ConvertedEntries }>();
  const first = servers[0]?.family;
  for (const family of [4, 6] as const) {
    const own = servers.filter((server) => server.family === family);
    if (own.length === 0) continue;
    const zone = own.find((server) => server.zone !== undefined)?.zone;
    const target = zone === undefined ? findTarget(links, family) : links.interfaces.get(zone);
    if (target === undefined) {
      const hint = `set ipv${family}.enabled of an interface to true, with an address or DHCP`;
      refuse(place, `no interface supports IPv${family} name servers`, hint);
      continue;
    }
    const settings = {
      ...(family === first ? shared : { 'dns-priority': reader.entryAt(place, 50) }),
      dns: reader.entryAt(own[0]?.place ?? place, own.map(({ address }) => address).join(';')),
    };
    chosen.set(target.name, { ...chosen.get(target.name), [family]: settings });
  }
  return chosen;
}

/** The first interface with static addresses, else the first with any address. */
function findTarget({ listed }: InterfaceLinks, family: Family): Interface | undefined {
  return (
    listed.find((candidate) => {
      const settings = ipSettingsOf(candidate, family);
      if (settings === undefined || !settings.enabled) return false;
      return settings.isAuto ? !settings.autoDns : settings.addresses.length > 0;
    }) ?? listed.find((candidate) => supportsServers(candidate, family))
  );
}

function supportsServers(candidate: Interface, family: Family): boolean {
  const settings = ipSettingsOf(candidate, family);
  return candidate.isUp && settings?.enabled === true && (settings.isAuto || settings.listsAddresses);
}
