/** The `ipv4` and `ipv6` settings of an interface: addresses, DHCP and autoconfiguration, converted like nmstate. */

import { type Family, formatAddress, isLinkLocal } from './ipAddress.ts';
import type { ConvertedEntries, ConvertedEntry } from './convertedKeyfile.ts';
import { type DocumentPlace, refuse, warn, step } from './documentPlace.ts';
import * as reader from './readers.ts';

/** Settings of one IP version of one interface, independent of other parts of the document. */
export interface IpSettings {
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
  /** Entries for the keyfile, without addresses, method, routes and DNS. */
  readonly entries: ConvertedEntries;
}

const shape = {
  enabled: reader.flag,
  dhcp: reader.flag,
  'auto-dns': reader.flag,
  'auto-gateway': reader.flag,
  'auto-routes': reader.flag,
  'auto-route-table-id': reader.uint32,
  /** -1 is the default. */
  'auto-route-metric': reader.integer(-1, 2 ** 32 - 1),
  /** Only used by nmstate to verify the applied state. */
  'allow-extra-address': reader.strictFlag,
  'dhcp-send-hostname': reader.strictFlag,
};
const ownShapes = {
  4: { 'dhcp-client-id': reader.text, forwarding: reader.strictFlag },
  6: {
    autoconf: reader.flag,
    'addr-gen-mode': reader.oneOf(['eui64', 'stable-privacy'], {
      EUI64: 'eui64',
      'STABLE-PRIVACY': 'stable-privacy',
    }),
  },
};

/** Lifetimes are how long an address is valid, as `nmstatectl show` prints it: `forever`, `32sec`. */
function addresses(family: Family) {
  const read = reader.object(
    {
      ip: reader.ipAddress(family),
      'prefix-length': reader.prefixLength(family),
      'valid-life-time': reader.text,
      'valid-left': reader.text,
      'preferred-life-time': reader.text,
      'preferred-left': reader.text,
    },
    ['ip', 'prefix-length'],
  );
  return reader.list(reader.placed(read));
}

type Fields = reader.Shaped<
  typeof shape & (typeof ownShapes)[4] & (typeof ownShapes)[6] & { address: ReturnType<typeof addresses> }
>;

export const ipv4 = ipReader(4);
export const ipv6 = ipReader(6);

function ipReader(family: Family): reader.Reader<IpSettings> {
  const readFields: reader.Reader<Fields> = reader.object({
    ...shape,
    ...ownShapes[family],
    address: addresses(family),
  });
  return reader.mapped(readFields, (fields, place): IpSettings => {
    const { address: listed = [], autoconf = family === 4, enabled = false, forwarding } = fields;
    const entry = reader.entryMaker(fields, place);
    const isDhcp = enabled && fields.dhcp === true;
    const isAuto = isDhcp || (enabled && fields.autoconf === true);
    if (isAuto && !isDhcp) {
      const hint = 'set dhcp to true, which has no effect without a DHCP server';
      refuse(step(place, 'autoconf'), 'nmstate does not support autoconf without DHCP', hint);
    }
    return {
      place,
      enabled,
      isAuto,
      method: enabled ? (isDhcp ? (autoconf ? 'auto' : 'dhcp') : 'static') : 'disabled',
      addresses: enabled ? usedAddresses(listed, step(place, 'address')) : [],
      listsAddresses: listed.length > 0,
      autoDns: fields['auto-dns'] ?? true,
      autoTable: fields['auto-route-table-id'],
      entries: {
        ...(family === 6
          ? { 'addr-gen-mode': entry('addr-gen-mode', Number(fields['addr-gen-mode'] === 'stable-privacy')) }
          : {
              forwarding:
                enabled || forwarding === false
                  ? entry('forwarding', reader.formatBit(forwarding))
                  : undefined,
            }),
        ...(isAuto && autoEntries(family, fields, place)),
      },
    };
  });
}

/** Those that nmstate writes: the kernel creates link-local ones, and those that expire are from DHCP or a router. */
function usedAddresses(listed: NonNullable<Fields['address']>, place: DocumentPlace): ConvertedEntry[] {
  const lasting = listed.filter(
    (address) => (address['valid-life-time'] ?? address['valid-left'] ?? 'forever') === 'forever',
  );
  if (listed.some(({ ip }) => isLinkLocal(ip))) {
    const hint = 'remove the address; the kernel creates one automatically';
    warn(place, 'link-local addresses are ignored, as in nmstate', hint);
  }
  if (lasting.length < listed.length) {
    const hint = 'remove the lifetime to set the address, or remove the address';
    warn(place, 'addresses with a lifetime are ignored, as in nmstate', hint);
  }
  return lasting
    .filter(({ ip }) => !isLinkLocal(ip))
    .map((address) => ({
      value: `${formatAddress(address.ip)}/${address['prefix-length']}`,
      from: step(address.place, 'ip').path,
    }));
}

/** Settings for DHCP and autoconfiguration, with the defaults of nmstate. */
function autoEntries(family: Family, fields: Fields, place: DocumentPlace): ConvertedEntries {
  const entry = reader.entryMaker(fields, place);
  const clientId = fields['dhcp-client-id'] ?? 'll';
  const own =
    family === 4
      ? { 'dhcp-client-id': entry('dhcp-client-id', clientIds.get(clientId) ?? clientId) }
      : {
          'ra-timeout': reader.entryAt(place, longestTimeout),
          'dhcp-duid': reader.entryAt(place, 'll'),
          'dhcp-iaid': reader.entryAt(place, 'mac'),
        };
  return {
    ...own,
    'ignore-auto-dns': entry('auto-dns', !(fields['auto-dns'] ?? true)),
    'ignore-auto-routes': entry('auto-routes', !(fields['auto-routes'] ?? true)),
    'never-default': entry('auto-gateway', !(fields['auto-gateway'] ?? true)),
    'dhcp-send-hostname': entry('dhcp-send-hostname', fields['dhcp-send-hostname'] ?? true),
    'route-table': entry('auto-route-table-id'),
    'route-metric': fields.autoconf === false ? undefined : entry('auto-route-metric'),
  };
}

/** Names in nmstate, and the names in NetworkManager. */
const clientIds: ReadonlyMap<string, string> = new Map([
  ['ll', 'mac'],
  ['LL', 'mac'],
  ['iaid+duid', 'duid'],
  ['IAID+DUID', 'duid'],
]);

/** Timeout in seconds; the maximum, so that NetworkManager does not stop trying. */
export const longestTimeout = String(2 ** 31 - 1);

/** The addresses that nmstate sets on the loopback interface if the document does not. */
export function loopbackSettings(
  place: DocumentPlace,
): Readonly<Record<'ipv4' | 'ipv6', IpSettings | undefined>> {
  const of = (read: reader.Reader<IpSettings>, ip: string, length: number): IpSettings | undefined => {
    const settings = read({ enabled: true, address: [{ ip, 'prefix-length': length }] }, place);
    return settings && { ...settings, listsAddresses: false };
  };
  return { ipv4: of(ipv4, '127.0.0.1', 8), ipv6: of(ipv6, '::1', 128) };
}
