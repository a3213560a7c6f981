/** The `ipv4` and `ipv6` settings of an interface: addresses, DHCP and autoconfiguration, converted like nmstate. */

import { type Family, formatAddress, isLinkLocal, isUnspecified, parseAddress } from './ipAddress.ts';
import type { ConvertedEntries, ConvertedEntry } from './convertedKeyfile.ts';
import { type DocumentPlace, refuse, warn, step } from './documentPlace.ts';
import * as reader from './readers.ts';

/** Settings of one IP version of one interface, independent of other parts of the document. */
export interface IpSettings {
  readonly family: Family;
  readonly enabled: boolean;
  /** Configured by DHCP or router advertisements. */
  readonly isAuto: boolean;
  readonly method: 'auto' | 'dhcp' | 'static' | 'disabled';
  readonly place: DocumentPlace;
  /** `192.0.2.1/24`. */
  readonly addresses: readonly ConvertedEntry[];
  /** Whether the document contains addresses, including ignored addresses. */
  readonly listsAddresses: boolean;
  readonly autoDns: boolean;
  /** `auto-route-table-id`, also without DHCP. */
  readonly autoTable?: number | undefined;
  /** ConvertedEntries for the keyfile, without addresses, method, routes and DNS. */
  readonly entries: ConvertedEntries;
}

/** -1 is the default. */
const metric = reader.integer(-1, 2 ** 32 - 1);

/** How long an address is valid, as `nmstatectl show` prints it: `forever`, `32sec`. */
const lifetimes = {
  'valid-life-time': reader.text,
  'valid-left': reader.text,
  'valid-lft': reader.text,
  'preferred-life-time': reader.text,
  'preferred-left': reader.text,
  'preferred-lft': reader.text,
};

function sharedShape(family: Family) {
  return {
    enabled: reader.flag,
    dhcp: reader.flag,
    address: reader.list(addressReader(family)),
    'auto-dns': reader.flag,
    'auto-gateway': reader.flag,
    'auto-routes': reader.flag,
    'auto-route-table-id': reader.uint32,
    'auto-route-metric': metric,
    /** Only used by nmstate to verify the applied state. */
    'allow-extra-address': reader.strictFlag,
    'dhcp-send-hostname': reader.strictFlag,
    'dhcp-custom-hostname': reader.textOrEmpty,
  };
}

function addressReader(family: Family) {
  const shape = { ip: reader.address(family), 'prefix-length': reader.prefixLength(family), ...lifetimes };
  const read = reader.objectWith(shape, ['ip', 'prefix-length']);
  return (value: unknown, place: DocumentPlace) => {
    const fields = read(value, place);
    return fields && { ...fields, place: step(place, 'ip') };
  };
}

const ipv4Shape = {
  ...sharedShape(4),
  'dhcp-client-id': reader.text,
  forwarding: reader.strictFlag,
  'prefix-route-metric': metric,
};

const ipv6Shape = {
  ...sharedShape(6),
  autoconf: reader.flag,
  'dhcp-duid': reader.text,
  'addr-gen-mode': reader.oneOf(['eui64', 'stable-privacy'], {
    EUI64: 'eui64',
    'STABLE-PRIVACY': 'stable-privacy',
  }),
  token: reader.textOrEmpty,
};

type SharedFields = reader.Shaped<ReturnType<typeof sharedShape>>;
type Ipv4Fields = reader.Shaped<typeof ipv4Shape>;
type Ipv6Fields = reader.Shaped<typeof ipv6Shape>;

const readIpv4Fields = reader.object(ipv4Shape);
const readIpv6Fields = reader.object(ipv6Shape);

export const ipv4: reader.Reader<IpSettings> = (value, place) => {
  const fields = readIpv4Fields(value, place);
  if (fields === undefined) return undefined;
  const enabled = fields.enabled ?? false;
  const isAuto = enabled && fields.dhcp === true;
  checkMetrics(fields, isAuto, place);
  return {
    family: 4,
    place,
    enabled,
    isAuto,
    method: enabled ? (isAuto ? 'auto' : 'static') : 'disabled',
    addresses: enabled ? formatAddresses(withoutTemporary(fields, step(place, 'address'))) : [],
    listsAddresses: (fields.address ?? []).length > 0,
    autoDns: fields['auto-dns'] ?? true,
    autoTable: fields['auto-route-table-id'],
    entries: ipv4Entries(fields, enabled, isAuto, place),
  };
};

/** NetworkManager has one metric for both, so nmstate refuses different values. */
function checkMetrics(fields: Ipv4Fields, isAuto: boolean, place: DocumentPlace): void {
  const prefix = fields['prefix-route-metric'] ?? -1;
  const auto = fields['auto-route-metric'] ?? -1;
  if (isAuto && prefix !== -1 && auto !== -1 && prefix !== auto) {
    const at = step(place, 'prefix-route-metric');
    refuse(
      at,
      'the value differs from auto-route-metric',
      'set prefix-route-metric and auto-route-metric to the same value',
    );
  }
}

function ipv4Entries(
  fields: Ipv4Fields,
  enabled: boolean,
  isAuto: boolean,
  place: DocumentPlace,
): ConvertedEntries {
  const { forwarding, 'dhcp-client-id': clientId = 'll' } = fields;
  const entry = reader.entryMaker(fields, place);
  const entries = {
    // Forwarding is omitted if the IP version is disabled.
    forwarding:
      enabled || forwarding === false ? entry('forwarding', reader.formatBit(forwarding)) : undefined,
    'route-metric': ipv4Metric(fields, enabled, isAuto, place),
  };
  if (!isAuto) return entries;
  const name = sentHostname(fields);
  return {
    ...entries,
    'dhcp-client-id': entry('dhcp-client-id', clientIds.get(clientId) ?? clientId),
    ...autoEntries(fields, place),
    [name?.includes('.') === true ? 'dhcp-fqdn' : 'dhcp-hostname']: reader.entryAt(
      step(place, 'dhcp-custom-hostname'),
      name,
    ),
  };
}

function sentHostname(fields: SharedFields): string | undefined {
  return fields['dhcp-send-hostname'] === false ? undefined : fields['dhcp-custom-hostname'];
}

/** Names in nmstate, and the names in NetworkManager. */
const clientIds: ReadonlyMap<string, string> = new Map([
  ['ll', 'mac'],
  ['LL', 'mac'],
  ['iaid+duid', 'duid'],
  ['IAID+DUID', 'duid'],
]);

/** Both metrics use the same key; a number overrides the default. */
function ipv4Metric(
  fields: Ipv4Fields,
  enabled: boolean,
  isAuto: boolean,
  place: DocumentPlace,
): ConvertedEntry | undefined {
  const entry = reader.entryMaker(fields, place);
  const prefix = enabled ? entry('prefix-route-metric') : undefined;
  const auto = isAuto ? entry('auto-route-metric') : undefined;
  return prefix === undefined || (auto !== undefined && auto.value !== '-1') ? auto : prefix;
}

/** Settings for DHCP and autoconfiguration, with the defaults of nmstate. */
function autoEntries(fields: SharedFields, place: DocumentPlace): ConvertedEntries {
  const entry = reader.entryMaker(fields, place);
  return {
    'ignore-auto-dns': entry('auto-dns', !(fields['auto-dns'] ?? true)),
    'ignore-auto-routes': entry('auto-routes', !(fields['auto-routes'] ?? true)),
    'never-default': entry('auto-gateway', !(fields['auto-gateway'] ?? true)),
    'dhcp-send-hostname': entry('dhcp-send-hostname', fields['dhcp-send-hostname'] ?? true),
    'route-table': entry('auto-route-table-id'),
  };
}

export const ipv6: reader.Reader<IpSettings> = (value, place) => {
  const fields = readIpv6Fields(value, place);
  if (fields === undefined) return undefined;
  const enabled = fields.enabled ?? false;
  const dhcp = enabled && fields.dhcp === true;
  const autoconf = enabled && fields.autoconf === true;
  if (autoconf && !dhcp) {
    const hint = 'set dhcp to true, which has no effect without a DHCP server';
    refuse(step(place, 'autoconf'), 'nmstate does not support autoconf without DHCP', hint);
  }
  const addressPlace = step(place, 'address');
  const token = readToken(fields, enabled, step(place, 'token'));
  return {
    family: 6,
    place,
    enabled,
    isAuto: dhcp || autoconf,
    method: enabled ? (dhcp ? (autoconf ? 'auto' : 'dhcp') : 'static') : 'disabled',
    addresses: enabled
      ? formatAddresses(withoutTemporary(withoutLinkLocal(fields, addressPlace), addressPlace))
      : [],
    listsAddresses: (fields.address ?? []).length > 0,
    autoDns: fields['auto-dns'] ?? true,
    autoTable: fields['auto-route-table-id'],
    entries: ipv6Entries(fields, dhcp || autoconf, token, place),
  };
};

/** The IPv6 settings of an interface whose `ipv6` is an empty mapping. */
export function disabledIpv6(place: DocumentPlace): IpSettings {
  return {
    family: 6,
    place,
    enabled: false,
    isAuto: false,
    method: 'disabled',
    addresses: [],
    listsAddresses: false,
    autoDns: true,
    entries: { 'addr-gen-mode': reader.entryAt(place, 0) },
  };
}

/** What nmstate sets on the loopback interface if the document does not. */
export function loopbackSettings(place: DocumentPlace): {
  readonly ipv4: IpSettings;
  readonly ipv6: IpSettings;
} {
  const shared = { ...disabledIpv6(place), enabled: true, method: 'static' } as const;
  const own = (value: string): readonly ConvertedEntry[] => [{ value, from: place.path }];
  return {
    ipv4: { ...shared, family: 4, addresses: own('127.0.0.1/8'), entries: {} },
    ipv6: { ...shared, addresses: own('::1/128') },
  };
}

/** The kernel creates a link-local address for each interface, so nmstate ignores link-local addresses. */
function withoutLinkLocal(fields: Ipv6Fields, place: DocumentPlace): Ipv6Fields {
  const kept = (fields.address ?? []).filter(({ ip }) => !isLinkLocalText(ip));
  if (kept.length < (fields.address ?? []).length) {
    const hint = 'remove the address; the kernel creates one automatically';
    warn(place, 'link-local addresses are ignored, as in nmstate', hint);
  }
  return { ...fields, address: kept };
}

/** Addresses that expire are from DHCP or a router, so nmstate ignores them. */
function withoutTemporary<F extends SharedFields>(fields: F, place: DocumentPlace): F {
  const { address: addresses = [] } = fields;
  const kept = addresses.filter((entry) => {
    const lifetime = entry['valid-life-time'] ?? entry['valid-left'] ?? entry['valid-lft'] ?? 'forever';
    return lifetime === 'forever';
  });
  if (kept.length < addresses.length) {
    const hint = 'remove the lifetime to set the address, or remove the address';
    warn(place, 'addresses with a lifetime are ignored, as in nmstate', hint);
  }
  return { ...fields, address: kept };
}

function isLinkLocalText(ip: string): boolean {
  const parsed = parseAddress(ip);
  return parsed !== undefined && isLinkLocal(parsed);
}

/** The lower 64 bits of an address; `::` and the empty string mean no token. */
function readToken(fields: Ipv6Fields, enabled: boolean, place: DocumentPlace): string | undefined {
  const { token = '' } = fields;
  if (token === '') return undefined;
  const parsed = parseAddress(token);
  if (parsed?.family !== 6 || parsed.groups.slice(0, 4).some((group) => group !== 0)) {
    return refuse(place, 'expected an IPv6 address with zeros in the first 64 bits, for example ::1');
  }
  if (token !== '::' && enabled && fields.autoconf === false) {
    return refuse(place, 'a token requires autoconf', 'set autoconf to true, or remove the token');
  }
  // Formatted with another prefix, so that it is not formatted as an embedded IPv4 address.
  const [, , ...lower] = parsed.groups;
  return isUnspecified(parsed)
    ? undefined
    : formatAddress({ family: 6, groups: [1, 1, ...lower] }).slice('1:1'.length);
}

function ipv6Entries(
  fields: Ipv6Fields,
  isAuto: boolean,
  token: string | undefined,
  place: DocumentPlace,
): ConvertedEntries {
  const { autoconf, 'dhcp-duid': duid = 'll' } = fields;
  const entry = reader.entryMaker(fields, place);
  const mode = fields['addr-gen-mode'] === 'stable-privacy' ? '1' : '0';
  const entries = { 'addr-gen-mode': entry('addr-gen-mode', mode) };
  if (!isAuto) return entries;
  return {
    ...entries,
    'ra-timeout': reader.entryAt(place, longestTimeout),
    'dhcp-duid': entry('dhcp-duid', duids.get(duid) ?? duid),
    'dhcp-iaid': reader.entryAt(place, 'mac'),
    token: reader.entryAt(step(place, 'token'), token),
    'route-metric': autoconf === false ? undefined : entry('auto-route-metric'),
    ...autoEntries(fields, place),
    'dhcp-hostname': reader.entryAt(step(place, 'dhcp-custom-hostname'), sentHostname(fields)),
  };
}

const duids: ReadonlyMap<string, string> = new Map([
  ['LLT', 'llt'],
  ['EN', 'en'],
  ['LL', 'll'],
  ['UUID', 'uuid'],
  ['ll', 'll'],
]);

/** Timeout in seconds; the maximum, so that NetworkManager does not stop trying. */
export const longestTimeout = String(2 ** 31 - 1);

function formatAddresses({ address: addresses = [] }: SharedFields): ConvertedEntry[] {
  return addresses.map(({ ip, 'prefix-length': length, place: { path } }) => ({
    value: `${ip}/${length}`,
    from: path,
  }));
}
