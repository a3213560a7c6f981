/** The `[ipv4]` and `[ipv6]` sections. Source: nm-keyfile.c and nm-setting-ip*-config.c of libnm. */

import { quoteText } from '../../core/foreignText.ts';
import {
  addressBits,
  type Family,
  type IpAddress,
  isUnspecified,
  parseAddress,
  type Subnet,
} from '../ipAddress.ts';
import {
  settingFlag,
  ignore,
  settingList,
  settingNumber,
  type Profile,
  parseKeyfileInteger,
  readList,
  reject,
  type ProfileSetting,
  settingText,
  unescapeValue,
} from './profile.ts';

const methods: Readonly<Record<Family, readonly string[]>> = {
  4: ['auto', 'manual', 'disabled', 'link-local', 'shared'],
  6: ['auto', 'dhcp', 'manual', 'disabled', 'ignore', 'link-local', 'shared'],
};

/** Methods with which a profile may not have addresses, and those with which it may not have DNS servers. */
const withoutAddresses: ReadonlySet<string> = new Set(['disabled', 'ignore', 'link-local']);

export function checkIpSection(family: Family, profile: Profile): void {
  const name = `ipv${family}`;
  const setting = profile.settings.get(name);
  if (setting === undefined) return;
  const refuse = (key: string, problem: string, hint: string): void => {
    reject(profile, [name, key], problem, hint);
  };
  const { addresses, gateway, routes } = readNumbered(setting, family, profile);
  const servers = readServers(setting, family, profile);
  const searches = readSearches(setting, profile);
  const method = settingText(profile, name, 'method');
  const example = family === 4 ? '192.0.2.10/24' : '2001:db8::10/64';
  if (method === undefined) {
    refuse('method', 'the key is missing', `add method=${addresses > 0 ? 'manual' : 'auto'}`);
  } else if (!methods[family].includes(method)) {
    refuse('method', `unknown method ${quoteText(method)}`, `use one of ${methods[family].join(', ')}`);
  } else if (method === 'manual' && addresses === 0 && routes === 0) {
    refuse('method', 'manual requires a valid address', `add an address: address1=${example}`);
  } else if (withoutAddresses.has(method) && addresses > 0) {
    refuse('method', `${method} does not permit addresses`, 'use method=manual, or remove the addresses');
  }
  const isClosed = withoutAddresses.has(method ?? '') || (family === 4 && method === 'shared');
  if (isClosed && servers > 0)
    refuse('dns', `the method ${method} does not permit DNS servers`, 'remove dns');
  if (isClosed && searches.length > 0) {
    refuse('dns-search', `the method ${method} does not permit search domains`, 'remove dns-search');
  }
  if (searches.some((domain) => /[,; ]/.test(domain))) {
    refuse('dns-search', 'a domain contains a comma, semicolon or space', 'separate domains with ;');
  }
  checkGateway(setting, family, { addresses, gateway }, profile);
  checkDhcp(setting, family, profile);
  if (family === 6) checkToken(setting, profile);
}

function checkGateway(
  setting: ProfileSetting,
  family: Family,
  { addresses, gateway: ofAddress }: { readonly addresses: number; readonly gateway: string | undefined },
  profile: Profile,
): void {
  const { name } = setting;
  const own = settingText(profile, name, 'gateway');
  if (own !== undefined && ofAddress !== undefined && canonical(own) !== canonical(ofAddress)) {
    const problem = `the gateway ${ofAddress} of the address, because gateway is set`;
    ignore(profile, setting, 'gateway', problem, `remove gateway=${own}, or ${ofAddress} from the address`);
  }
  const gateway = own ?? ofAddress;
  if (gateway === undefined) return;
  const parsed = parseAddress(gateway);
  if (parsed?.family === family && isUnspecified(parsed)) return;
  const key = own === undefined ? 'address1' : 'gateway';
  const hint = `use an IPv${family} address`;
  if (addresses === 0) {
    const problem = 'a gateway requires an address';
    reject(profile, [name, key], problem, 'add an address, or remove the gateway');
  } else if (parsed?.family !== family) {
    reject(profile, [name, key], `the gateway ${quoteText(gateway)} is invalid`, hint);
  }
}

function canonical(address: string): string {
  const parsed = parseAddress(address);
  return parsed === undefined ? address : parsed.groups.join('.');
}

interface Numbered {
  /** How many are valid. */
  readonly addresses: number;
  readonly routes: number;
  /** Behind the first address that has one. */
  readonly gateway: string | undefined;
}

/** `address`, `address1`, `addresses1`, `route1`, … with any number without leading zeros. */
const NUMBERED_KEY = /^(address(?:es)?|routes?)(0|[1-9]\d*)?$/;

/** The keys of addresses and routes, in the order in which libnm reads them. */
export function numberedKeys(keys: Iterable<string>): string[] {
  return [...keys]
    .filter((key) => NUMBERED_KEY.test(key) && order(key) < 2 ** 31)
    .toSorted((a, b) => order(a) - order(b));
}

/** `address` precedes `address0`. */
function order(key: string): number {
  return Number(NUMBERED_KEY.exec(key)?.[2] ?? -1);
}

function readNumbered(setting: ProfileSetting, family: Family, profile: Profile): Numbered {
  let addresses = 0;
  let routes = 0;
  let gateway: string | undefined;
  for (const key of numberedKeys(setting.entries.keys())) {
    const value = unescapeValue(setting.entries.get(key)?.value ?? '');
    const isRoute = key.startsWith('route');
    const read = readAddress(value, family, isRoute);
    if (typeof read === 'string') {
      const example = family === 4 ? '192.0.2.0/24' : '2001:db8::/64';
      const hint = isRoute ? `use ${example},GATEWAY,METRIC` : `use ${example},GATEWAY`;
      ignore(profile, setting, key, read, hint);
      continue;
    }
    if (read.remark !== undefined) ignore(profile, setting, key, read.remark, 'write ADDRESS/PREFIX');
    if (isRoute) routes += 1;
    else {
      addresses += 1;
      gateway ??= read.gateway;
    }
  }
  return { addresses, routes, gateway };
}

interface ReadAddress {
  readonly subnet: Subnet;
  /** As it is written: only that of a route is checked. */
  readonly gateway: string | undefined;
  readonly metric: number | undefined;
  /** What NetworkManager ignores although it uses the address. */
  readonly remark: string | undefined;
}

/** `ADDRESS/PREFIX[,GATEWAY[,METRIC]]` with `/`, `;` or `,` between the fields; or why it is ignored. */
export function readAddress(value: string, family: Family, isRoute: boolean): ReadAddress | string {
  const invalid = `${quoteText(value)} is not ${isRoute ? 'a route' : 'an address'}`;
  const fields = new Fields(value);
  const address = parseAddress(fields.read(/^[\da-f:.%]*/i) ?? '');
  // A prefix that is no number may be a gateway.
  const prefix = fields.read(/^\d*/);
  const gateway = fields.read(/^[\da-f:.%]*/i);
  if (gateway === undefined && fields.hasMore) return invalid;
  const metric = isRoute ? fields.read(/^\d*/) : undefined;
  if (fields.hasMore || address?.family !== family) return invalid;
  const length = prefix === undefined || prefix === '' ? undefined : Number(prefix);
  const isLong = length !== undefined && length > addressBits(family);
  const assumed = isRoute && family === 6 ? 128 : family === 6 ? 64 : 24;
  const remark =
    length === undefined || isLong
      ? `the prefix length is ${isLong ? 'too large' : 'missing'}, so it uses /${assumed}`
      : undefined;
  const subnet = { address, prefixLength: remark === undefined ? (length ?? assumed) : assumed };
  if (!isRoute) return { subnet, gateway: gateway === '' ? undefined : gateway, metric: undefined, remark };
  const isMetric = metric === undefined || (metric !== '' && Number(metric) < 2 ** 32);
  const isOldMetric = family === 6 && metric === undefined && /^\d+$/.test(gateway ?? '');
  const isGateway = (gateway ?? '') === '' || parseAddress(gateway ?? '')?.family === family || isOldMetric;
  if (!isGateway) return `the gateway ${quoteText(gateway ?? '')} is invalid`;
  const number = isOldMetric ? gateway : metric;
  return isMetric
    ? { subnet, gateway, metric: number === undefined ? undefined : Number(number), remark }
    : `the metric ${quoteText(metric ?? '')} is invalid`;
}

/** Reads fields one after the other as libnm does. */
class Fields {
  #rest: string | undefined;

  constructor(text: string) {
    this.#rest = text;
  }

  /** The next field; undefined at the end, and for a field with other characters, which remains. */
  read(characters: RegExp): string | undefined {
    if (this.#rest === undefined || this.#rest === '') return undefined;
    const [field = ''] = characters.exec(this.#rest) ?? [];
    const next = this.#rest.charAt(field.length);
    if (next !== '' && !'/;,'.includes(next)) return undefined;
    this.#rest = next === '' ? undefined : this.#rest.slice(field.length + 1);
    return field;
  }

  get hasMore(): boolean {
    return this.#rest !== undefined && this.#rest !== '';
  }
}

/** Returns how many are valid. */
function readServers(setting: ProfileSetting, family: Family, profile: Profile): number {
  const servers = readList(setting.entries.get('dns')?.value ?? '');
  const invalid = servers.filter((server) => parseServer(server, family) === undefined);
  for (const server of invalid) {
    const problem = `${quoteText(server)} is not the IPv${family} address of a DNS server`;
    ignore(profile, setting, 'dns', problem, 'separate addresses with ;');
  }
  return servers.length - invalid.length;
}

/** An address, optionally with the name in its certificate (`192.0.2.1#dns.example.com`), or a URI. */
export function parseServer(text: string, family: Family): IpAddress | undefined {
  const [, uri] = /^dns\+(?:tls|udp):\/\/([^#]*)(?:#.+)?$/.exec(text) ?? [];
  const [, bracketed = '', plain = ''] =
    uri === undefined ? [] : (/^(?:\[([^\]%]*)(?:%[^\]]{1,15})?\]|([^:]*))(?::\d{1,5})?$/.exec(uri) ?? []);
  const [, named = ''] = /^([^#]*)(?:#.+)?$/s.exec(text) ?? [];
  const written = uri === undefined ? named : bracketed || plain || uri.replace(/:\d{1,5}$/, '');
  const address = parseAddress(written);
  return address?.family === family ? address : undefined;
}

function readSearches(setting: ProfileSetting, profile: Profile): readonly string[] {
  const searches = readList(setting.entries.get('dns-search')?.value ?? '');
  const [only = ''] = searches;
  if (searches.length !== 1 || !/[, ]/.test(only)) return searches;
  ignore(
    profile,
    setting,
    'dns-search',
    'the separator , or space, which newer releases reject',
    'separate domains with ;',
  );
  return only.split(/[, ]/);
}

const hostnameFlags = { update: 1, encoded: 2, none: 4, clear: 8 } as const;

function checkDhcp(setting: ProfileSetting, family: Family, profile: Profile): void {
  const { name } = setting;
  const refuse = (key: string, problem: string, hint: string): void => {
    reject(profile, [name, key], problem, hint);
  };
  const text = (key: string): string | undefined => settingText(profile, name, key);
  const keys = [
    'dhcp-hostname',
    ...(family === 4 ? ['dhcp-client-id', 'dhcp-fqdn', 'dhcp-vendor-class-identifier'] : []),
  ];
  for (const key of keys) if (text(key) === '') refuse(key, 'the value is empty', `remove ${key}`);
  const flags = settingNumber(profile, name, 'dhcp-hostname-flags') ?? 0;
  const { clear, encoded, none, update } = hostnameFlags;
  const isContradiction = (flags & update && flags & none) || (flags & clear && flags & 7);
  const isUnsent = flags !== 0 && settingFlag(profile, name, 'dhcp-send-hostname') === false;
  const isNameless = family === 4 && flags !== 0 && text('dhcp-fqdn') === undefined;
  if (flags > 15 || isContradiction || isUnsent || isNameless || (family === 6 && flags & encoded)) {
    const problem = isNameless ? 'the flags require dhcp-fqdn' : `the flags ${flags} exclude each other`;
    refuse('dhcp-hostname-flags', problem, 'remove dhcp-hostname-flags');
  }
  const iaid = text('dhcp-iaid');
  if (iaid !== undefined && !isIaid(iaid)) {
    refuse(
      'dhcp-iaid',
      `invalid value ${quoteText(iaid)}`,
      'use mac, perm-mac, ifname, stable or a 32-bit number',
    );
  }
  const rejected = settingList(profile, name, 'dhcp-reject-servers');
  if (family === 6 && rejected.length > 0) {
    refuse('dhcp-reject-servers', 'only supported for IPv4', 'remove dhcp-reject-servers');
  } else if (rejected.some((server) => !isSubnet(server, family))) {
    refuse('dhcp-reject-servers', 'a value is not an address or a subnet', 'use 192.0.2.1;198.51.100.0/24');
  }
  if (family === 6) {
    const duid = text('dhcp-duid');
    if (duid !== undefined && !isDuid(duid)) {
      refuse(
        'dhcp-duid',
        `invalid value ${quoteText(duid)}`,
        'use lease, llt, ll, stable-uuid, or bytes in hexadecimal',
      );
    }
    return;
  }
  const fqdn = text('dhcp-fqdn');
  if (fqdn !== undefined && fqdn !== '' && !fqdn.includes('.')) {
    refuse('dhcp-fqdn', `${quoteText(fqdn)} has no domain`, 'use dhcp-hostname for a name without a domain');
  }
  if (fqdn !== undefined && text('dhcp-hostname') !== undefined) {
    refuse('dhcp-fqdn', 'excludes dhcp-hostname', 'remove dhcp-fqdn or dhcp-hostname');
  }
  const linkLocal = settingNumber(profile, name, 'link-local') ?? 0;
  const method = text('method');
  if (linkLocal < 0 || linkLocal > 4) refuse('link-local', `invalid value ${linkLocal}`, 'use 0 to 4');
  if (linkLocal > 2 && method === 'disabled') {
    refuse('link-local', 'excludes the method disabled', 'remove link-local');
  }
  if (linkLocal === 2 && method === 'link-local') {
    refuse('link-local', 'excludes the method link-local', 'remove link-local');
  }
}

function isIaid(text: string): boolean {
  if (['mac', 'perm-mac', 'ifname', 'stable'].includes(text)) return true;
  if (/^[\da-f]{1,2}(?::[\da-f]{1,2}){3}$/i.test(text)) return true;
  const number = /^[\da-fx]+$/i.test(text) ? parseKeyfileInteger(text) : undefined;
  return number !== undefined && number < 2n ** 32n;
}

function isDuid(text: string): boolean {
  if (['lease', 'llt', 'll', 'stable-llt', 'stable-ll', 'stable-uuid'].includes(text)) return true;
  const bytes = /^[\da-f]{1,2}(?::[\da-f]{1,2})*$/i.test(text)
    ? text.split(':').length
    : /^(?:[\da-f]{2})+$/i.test(text)
      ? text.length / 2
      : 0;
  return bytes > 2 && bytes <= 130;
}

function isSubnet(text: string, family: Family): boolean {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  return parseAddress(address)?.family === family && Number(prefix ?? 0) <= addressBits(family);
}

const generationModes = ['eui64', 'stable-privacy', 'default-or-eui64', 'default'];

/** An address from a token requires the mode eui64, which is the default beside a token. */
function checkToken(setting: ProfileSetting, profile: Profile): void {
  const written = unescapeValue(setting.entries.get('addr-gen-mode')?.value ?? '');
  const token = settingText(profile, 'ipv6', 'token');
  let mode = setting.entries.has('addr-gen-mode') ? written : token === undefined ? 'default' : 'eui64';
  const index = parseKeyfileInteger(mode);
  if (index !== undefined) mode = generationModes[Number(index)] ?? '';
  if (index !== undefined && mode === '' && BigInt.asIntN(32, index) === index) {
    reject(profile, ['ipv6', 'addr-gen-mode'], `${index} is not a mode`, 'use eui64 or stable-privacy');
  } else if (!generationModes.includes(mode)) {
    ignore(
      profile,
      setting,
      'addr-gen-mode',
      `unknown mode ${quoteText(written)}`,
      'use eui64 or stable-privacy',
    );
    mode = 'default-or-eui64';
  }
  if (token === undefined) return;
  const groups = parseAddress(token)?.groups ?? [];
  const isToken = groups.length === 8 && groups.slice(0, 4).every((group) => group === 0);
  const isEmpty = groups.slice(4).every((group) => group === 0);
  if (mode !== 'eui64') {
    reject(profile, ['ipv6', 'token'], 'requires addr-gen-mode=eui64', 'set addr-gen-mode=eui64');
  } else if (!isToken || isEmpty) {
    const problem = `${quoteText(token)} is not the lower half of an IPv6 address`;
    reject(profile, ['ipv6', 'token'], problem, 'use a token like ::1');
  }
}
