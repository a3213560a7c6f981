/**
 * The network of a host as kernel arguments for the initramfs: `ip=`, `bond=`, `vlan=`, `rd.route=`, `nameserver=`. Source:
 * dracut.cmdline(7), and nm-initrd-generator(8), which reads them in CoreOS and also accepts a MAC address with dashes in place
 * of an interface name. Not possible: bridges and other types, VLANs on an interface that is known only by its MAC address, DNS
 * search domains, more than one connection per interface.
 */

import { quoteText } from '../core/foreignText.ts';
import { CliError } from '../core/errors.ts';
import { type Connection, connectionName, findConnection, type IpConfig } from '../network/connection.ts';
import { type Family, formatAddress, type IpAddress } from '../network/ipAddress.ts';
import { coreosArguments, formatCoreosArgument } from './coreosArguments.ts';

/**
 * Bonds first, then VLANs, addresses, routes and DNS servers; connections that do not start by themselves are left out.
 * @throws CliError if arguments cannot express the network
 */
export function staticArguments(connections: readonly Connection[]): readonly string[] {
  const active = connections.filter(({ isAutoconnected }) => isAutoconnected);
  const texts = [
    ...active.flatMap((connection) => bondArgument(connection, active)),
    ...active.flatMap((connection) => vlanArgument(connection, active)),
    ...active.flatMap(ipArguments),
    ...active.flatMap(routeArguments),
    ...new Set(
      active.flatMap(({ ip }) =>
        [...ip[4].dns, ...ip[6].dns].map((address) => `nameserver=${formatAddress(address)}`),
      ),
    ),
  ];
  return texts.length === 0 ? [] : [...texts, formatCoreosArgument(coreosArguments.network)];
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
      'use artifacts with the network in the initramfs: iso, minimal-iso, initramfs or archive',
    );
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
  const unsafe = [...bond].find(([name, value]) => !/^[\w-]+$/.test(name) || !/^[\w.,+:-]*$/.test(value));
  if (unsafe !== undefined || options.includes(':')) {
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
 * connection fails if nothing answers (nm-initrd-generator sets `may-fail=false`).
 */
function ipArguments(connection: Connection): string[] {
  const { clonedMac, controller, ip, mtu, type } = connection;
  const device = deviceOf(connection);
  if (controller !== undefined) return [];
  const own = type === 'bond' ? undefined : mtu; // the MTU of a bond is in its own argument
  const end = clonedMac === undefined ? optional(own) : `:${own ?? ''}:${clonedMac.replaceAll(':', '-')}`;
  const dynamic = dynamicMethod(connection, ip);
  const other = dynamic === undefined ? 'none' : 'auto';
  const fixed = ([4, 6] as const).flatMap((family) =>
    addressArguments(ip[family], `${device}:${other}${end}`),
  );
  return fixed.length === 0 ? [`ip=${device}:${dynamic ?? 'off'}${end}`] : fixed;
}

/** `ip=ADDRESS::GATEWAY:PREFIX::DEVICE:METHOD[:MTU[:MAC]]`; the gateway belongs to the first address. */
function addressArguments({ addresses, gateway, method }: IpConfig, end: string): string[] {
  if (method !== 'manual') return [];
  return addresses.map(({ address, prefixLength }, index) => {
    const router = index === 0 && gateway !== undefined ? bracketed(gateway) : '';
    return `ip=${bracketed(address)}::${router}:${prefixLength}::${end}`;
  });
}

/** The keyword for the families that get their addresses from the network; undefined if no family does. */
function dynamicMethod(connection: Connection, ip: Readonly<Record<Family, IpConfig>>): string | undefined {
  const [ipv4, ipv6] = [ip[4].method, ip[6].method];
  for (const { addresses, method } of [ip[4], ip[6]]) {
    if (method === 'manual' && addresses.length === 0) {
      const message = `the method manual of ${connectionName(connection)} requires a valid address`;
      throw refusal(connection, message, 'add an address: address1=192.0.2.10/24');
    }
    if (['auto', 'dhcp', 'manual', 'disabled', 'ignore', 'link-local'].includes(method)) continue;
    throw refusal(
      connection,
      `kernel arguments cannot describe the method ${method} of ${connectionName(connection)}`,
      'set method= to manual, auto or disabled',
    );
  }
  if (ipv4 === 'auto') return 'dhcp';
  if (ipv6 === 'dhcp') return 'dhcp6';
  return ipv6 === 'auto' ? 'auto6' : undefined;
}

/** `rd.route=NETWORK:GATEWAY:DEVICE` */
function routeArguments(connection: Connection): string[] {
  const device = deviceOf(connection);
  return [...connection.ip[4].routes, ...connection.ip[6].routes].map(({ destination, gateway }) => {
    const network = `${formatAddress(destination.address)}/${destination.prefixLength}`;
    const text = destination.address.family === 6 ? `[${network}]` : network;
    return `rd.route=${text}:${gateway === undefined ? '' : bracketed(gateway)}:${device}`;
  });
}

function bracketed(address: IpAddress): string {
  return address.family === 6 ? `[${formatAddress(address)}]` : formatAddress(address);
}

function optional(value: number | undefined): string {
  return value === undefined ? '' : `:${value}`;
}
