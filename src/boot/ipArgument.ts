/**
 * `ip=` as dracut and NetworkManager's initrd generator read it (dracut.cmdline(7)). Only the form is checked: which
 * fields there are and that addresses and methods are such. Whether the addresses fit the network is not known here.
 */

import type { Issue, Rule } from '../ignition/rule.ts';

const ipSpec: Rule = {
  id: 'ip-spec',
  severity: 'error',
  message: 'dracut does not understand this ip= value',
  hint: 'write dhcp, dhcp6 or auto6, INTERFACE:dhcp, or ADDRESS::GATEWAY:NETMASK:HOSTNAME:INTERFACE:none',
};

const methods = new Set(
  `dhcp dhcp4 dhcp6 dhcp,dhcp6 dhcp6,dhcp single-dhcp auto auto4 auto6 either6 link-local link4 link6
  on any shared ibft static none off`.split(/\s+/),
);

/** `METHOD`, `INTERFACE:METHOD[:MTU[:MAC]]` or `ADDRESS:PEER:GATEWAY:NETMASK:HOSTNAME:INTERFACE[:METHOD[:…]]`. */
export function checkIp(value: string): Issue[] {
  const fields = splitFields(value);
  const [first = '', second = ''] = fields;
  if (fields.length === 1 && methods.has(first)) return [];
  if (fields.length > 1 && isInterface(first) && methods.has(second)) return [];
  return isStatic(fields) ? [] : [{ rule: ipSpec, path: [] }];
}

/** Splits at colons, except those of an IPv6 address in brackets; the brackets stay. */
function splitFields(value: string): readonly string[] {
  return value.match(/(?:^|(?<=:))(?:\[[^\]]*\][^:]*|[^:]*)/g) ?? [];
}

function isStatic(fields: readonly string[]): boolean {
  const [address = '', peer = '', gateway = '', netmask = '', , device = '', method = ''] = fields;
  return (
    fields.length >= 6 &&
    [address, peer, gateway].every((field) => field === '' || isAddress(field)) &&
    (address !== '' || method !== '') &&
    (netmask === '' || /^\d{1,3}$/.test(netmask) || isAddress(netmask)) &&
    (device === '' || isInterface(device)) &&
    (method === '' || methods.has(method))
  );
}

function isAddress(field: string): boolean {
  const bare = field.replace(/\/\d{1,3}$/, '');
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(bare)
    ? octetsFit(bare)
    : /^\[[0-9a-fA-F:.]+(?:\/\d{1,3})?\]$/.test(bare);
}

function octetsFit(address: string): boolean {
  return address.split('.').every((octet) => Number(octet) <= 255);
}

/** Linux: up to 15 bytes, no slash; a number alone would be taken for a part of an address. */
function isInterface(field: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.-]{0,14}$/.test(field);
}
