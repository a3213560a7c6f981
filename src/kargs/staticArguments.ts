/**
 * The network of a host as kernel arguments for the initramfs: `ip=`, `bond=`, `vlan=`, `rd.route=`, `nameserver=`. Source:
 * dracut.cmdline(7), and nm-initrd-generator(8), which reads them in CoreOS and also accepts a MAC address with dashes in place
 * of an interface name. Refused is what they cannot describe: bridges and other types, VLANs on an interface that is known only
 * by its MAC address, more than one connection per interface, and all settings without an argument, such as DNS search domains.
 */

import { quoteText } from '../core/foreignText.ts';
import { CliError } from '../core/errors.ts';
import type { KeyfileProblem } from '../network/keyfile/profile.ts';
import { type Connection, connectionName, findConnection } from '../network/connection.ts';
import { formatAddress } from '../network/ipAddress.ts';
import { coreosArguments, formatCoreosArgument } from './coreosArguments.ts';
import { formatIp, formatRoute } from './ip.ts';

const EMBED_HINT = 'use artifacts with the network in the initramfs: iso, minimal-iso, initramfs or archive';

/**
 * The settings of a connection that have no argument, with their lines. Without them, the host would have other addresses, routes,
 * name servers or links than the keyfile says.
 */
export function findInexpressible({ entries, ip }: Connection): readonly KeyfileProblem[] {
  const withMetric = [ip[4], ip[6]].flatMap(({ gatewayLine, gatewayMetric, routes }) =>
    [...routes, { line: gatewayLine, metric: gatewayMetric }].filter(({ metric }) => metric !== undefined),
  );
  return [...(entries?.values() ?? [])].flatMap(({ key, line, section, value }) => {
    const isExpressible = expressible.some((entry) => entry.test(`${section}.${key}=${value.trim()}`));
    if (isExpressible && !withMetric.some((route) => route.line === line)) return [];
    // Sections such as [802-1x] have secrets.
    const shown = /^ipv[46]$/.test(section) ? `${key}=${value}` : key;
    const message = `--static: kernel arguments cannot describe ${quoteText(shown)} in [${section}]`;
    return [{ severity: 'error', line, message, hint: `remove the setting, or ${EMBED_HINT}` }];
  });
}

/**
 * The entries that arguments describe, and those that change nothing: empty ones, defaults, those of nmstate as well, how long
 * NetworkManager waits, how it makes up IPv6 addresses, and names for users.
 */
const expressible: readonly RegExp[] = [
  /^connection\.(?:id|uuid|type|interface-name|autoconnect(?:-[^=]+)?|controller|master|(?:port|slave)-type)=/,
  /^connection\.(?:lldp|metered|multi-connect|timestamp|wait-[^=]+|zone)=/,
  /^(?:bond|user|\.nmmeta)\./,
  /^vlan\.(?:id|interface-name|parent)=/,
  /^vlan\.(?:flags=1|protocol=802\.1Q)$/,
  /^ethernet\.(?:mac-address|mtu|wake-on-lan)=/,
  /^ethernet\.cloned-mac-address=(?:[\da-f]{1,2}(?:[:-][\da-f]{1,2}){5}|permanent|preserve)$/i,
  /^ethernet\.(?:auto-negotiate=(?:true|1)|accept-all-mac-addresses=(?:-1|0))$/,
  /^ipv[46]\.(?:address(?:es)?\d*|gateway|method|dns-priority|routes?\d*)=/,
  /^ipv[46]\.(?:may-fail|[^=]+-timeout|dhcp-send-hostname|addr-gen-mode|ip6-privacy)=/,
  /^ipv[46]\.dhcp-(?:client-id|duid|iaid)=(?:ll|mac)$/,
  /^ipv[46]\.dns=[^/]*$/,
  /^[^=]*=$/,
  /^ipv[46]\.(?:ignore-auto-(?:dns|routes)|never-default)=(?:false|0)$/,
  /^ipv[46]\.(?:route-metric=-1|route-table=(?:0|254)|routes?\d*_options=table=254)$/,
];

/**
 * Bonds first, then VLANs, addresses, routes and DNS servers; connections that do not start by themselves are left out.
 * @throws CliError if arguments cannot express the network
 */
export function staticArguments(connections: readonly Connection[]): readonly string[] {
  const active = connections.filter(({ isAutoconnected }) => isAutoconnected);
  const [first] = connections;
  if (first === undefined) return [];
  if (active.length === 0) {
    throw refusal(
      first,
      `${connectionName(first)} does not start by itself, and no other connection does`,
      'remove autoconnect=false and permissions= from [connection]; in nmstate, use "state: up"',
    );
  }
  const owners = new Map<string, Connection>();
  for (const connection of active) {
    const { controller } = connection;
    if (controller !== undefined && findConnection(active, controller) === undefined) {
      const message = `${connectionName(connection)} is a port of ${controller}, which has no connection that starts by itself`;
      throw refusal(
        connection,
        message,
        `add the connection of ${controller}, or remove controller= or master=`,
      );
    }
    const device = deviceOf(connection);
    const { file } = owners.get(device) ?? connection;
    owners.set(device, connection);
    if (file === connection.file) continue;
    const message = `kernel arguments cannot describe two connections of ${device}; ${file} is the other one`;
    throw refusal(connection, message, 'remove one of the connections');
  }
  const texts = [
    ...active.flatMap((connection) => bondArgument(connection, active)),
    ...active.flatMap((connection) => vlanArgument(connection, active)),
    ...active.flatMap(ipArguments),
    ...active.flatMap((connection) =>
      [...connection.ip[4].routes, ...connection.ip[6].routes].map(
        (route) => `rd.route=${formatRoute(route, deviceOf(connection))}`,
      ),
    ),
    ...new Set(
      active.flatMap(({ ip }) =>
        [...ip[4].dns, ...ip[6].dns].map((address) => `nameserver=${formatAddress(address)}`),
      ),
    ),
  ];
  return [...texts, formatCoreosArgument(coreosArguments.network)];
}

function refusal({ file }: Connection, message: string, hint: string): CliError {
  return new CliError(`--static: ${file}: ${message}`, { code: 'ERR_SETTING', hint });
}

const types: ReadonlySet<string> = new Set(['ethernet', 'bond', 'vlan']);

/** The name by which arguments refer to the device of a connection. */
function deviceOf(connection: Connection): string {
  const { interfaceName, mac, type } = connection;
  if (!types.has(type)) {
    throw refusal(
      connection,
      `kernel arguments cannot describe ${connectionName(connection)}, a connection of type ${type}`,
      EMBED_HINT,
    );
  }
  if (interfaceName !== undefined && mac !== undefined && type === 'ethernet') {
    const message = `kernel arguments find an interface by its name or its MAC address, not by ${quoteText(interfaceName)} and ${mac}`;
    throw refusal(connection, message, 'remove interface-name= or mac-address=');
  }
  const device = interfaceName ?? mac?.replaceAll(':', '-');
  if (device !== undefined && /^[\w.-]+$/.test(device)) return device;
  throw refusal(
    connection,
    device === undefined
      ? `${connectionName(connection)} names no interface`
      : `kernel arguments cannot contain the interface name ${quoteText(device)}`,
    'set interface-name= in [connection], or mac-address= in [ethernet]',
  );
}

function bondArgument(connection: Connection, all: readonly Connection[]): string[] {
  const { bond, mtu, type } = connection;
  if (type !== 'bond') return [];
  const ports = all.filter(
    ({ controller }) => controller !== undefined && findConnection(all, controller) === connection,
  );
  const options = [...bond].map(([name, value]) => `${name}=${value.replaceAll(',', ';')}`).join(',');
  if (!/^(?:[\w-]+=[\w.;+-]*(?:,|$))*$/.test(options)) {
    throw refusal(
      connection,
      `kernel arguments cannot contain the options of the bond ${connectionName(connection)}: ${options}`,
      'remove the option with the address, or use artifacts with the network in the initramfs',
    );
  }
  return [`bond=${deviceOf(connection)}:${ports.map(deviceOf).join(',')}:${options}${optional(mtu)}`];
}

/** The kernel derives the number of a VLAN from its name in one of these forms. */
const VLAN_NAME = /^(?:vlan0*|.+\.0*)(\d{1,4})$/;

function vlanArgument(connection: Connection, all: readonly Connection[]): string[] {
  const { vlan } = connection;
  if (vlan === undefined) return [];
  const parent = findConnection(all, vlan.parent ?? '');
  const parentDevice = parent === undefined ? vlan.parent : deviceOf(parent);
  const device = deviceOf(connection);
  if (parent?.mac !== undefined && parent.interfaceName === undefined) {
    throw refusal(
      connection,
      `kernel arguments cannot refer to the parent of the VLAN ${device} by its MAC address ${parent.mac}`,
      'identify the parent interface by its name, or use artifacts with the network in the initramfs',
    );
  }
  if (parentDevice === undefined || !/^[\w.-]+$/.test(parentDevice)) {
    throw refusal(
      connection,
      `the VLAN ${device} has no parent interface that kernel arguments can name`,
      'set parent= in [vlan] to the name of an interface',
    );
  }
  if (Number(VLAN_NAME.exec(device)?.[1]) !== vlan.id) {
    throw refusal(
      connection,
      `kernel arguments derive the ID of a VLAN from its name, and ${device} does not end in ${vlan.id}`,
      `rename the interface to ${parentDevice}.${vlan.id} or vlan${vlan.id}`,
    );
  }
  return [`vlan=${device}:${parentDevice}`];
}

/**
 * Beside static addresses, the method `auto` leaves the other family optional, as in a keyfile. With `auto6` or `dhcp` the
 * connection fails if nothing answers (nm-initrd-generator sets `may-fail=false`). A port has no addresses.
 */
function ipArguments(connection: Connection): string[] {
  const { clonedMac, controller, ip, mtu, type } = connection;
  const device = deviceOf(connection);
  const own = type === 'bond' ? undefined : mtu; // the MTU of a bond is in its own argument
  const end = clonedMac === undefined ? optional(own) : `:${own ?? ''}:${clonedMac.replaceAll(':', '-')}`;
  if (controller !== undefined) return end === '' ? [] : [`ip=${device}:off${end}`];
  const method = methodWord(connection);
  const fixed = ([4, 6] as const).flatMap((family) =>
    // The gateway belongs to the first address.
    ip[family].addresses.map(
      (address, index) =>
        `ip=${formatIp(address, index === 0 ? ip[family].gateway : undefined, `${device}:${method}${end}`)}`,
    ),
  );
  return fixed.length === 0 ? [`ip=${device}:${method === 'none' ? 'off' : method}${end}`] : fixed;
}

/** The keyword of an `ip=` by the methods for IPv4 and IPv6. `ignore` leaves IPv6 to the kernel, so it may be on or off. */
const methodWords: readonly (readonly [methods: RegExp, word: string])[] = [
  [/^auto (?:auto|dhcp|ignore)$/, 'dhcp'],
  [/^(?:auto manual|manual auto|manual dhcp)$/, 'auto'],
  [/^(?:manual|disabled) (?:disabled|ignore|manual)$/, 'none'],
  [/^(?:manual|disabled) link-local$/, 'link6'],
  [/^disabled auto$/, 'auto6'],
  [/^disabled dhcp$/, 'dhcp6'],
];

function methodWord(connection: Connection): string {
  const { ip } = connection;
  for (const { addresses, method } of [ip[4], ip[6]]) {
    if ((method === 'manual') === addresses.length > 0) continue;
    if (method === 'manual') {
      const message = `the method manual of ${connectionName(connection)} requires a valid address`;
      throw refusal(connection, message, 'add an address: address1=192.0.2.10/24');
    }
    const message = `kernel arguments cannot describe addresses with the method ${method} of ${connectionName(connection)}`;
    throw refusal(connection, message, 'set method= to manual, or remove the addresses');
  }
  const methods = `${ip[4].method} ${ip[6].method}`;
  const [, word] = methodWords.find(([pattern]) => pattern.test(methods)) ?? [];
  if (word !== undefined) return word;
  throw refusal(
    connection,
    `kernel arguments cannot describe the methods ${ip[4].method} for IPv4 and ${ip[6].method} for IPv6 of ${connectionName(connection)}`,
    ip[4].method === 'auto'
      ? 'set method=auto in [ipv6], because DHCP turns IPv6 on, or ' + EMBED_HINT
      : 'set method= to manual, auto or disabled',
  );
}

function optional(value: number | undefined): string {
  return value === undefined ? '' : `:${value}`;
}
