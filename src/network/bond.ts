/** Bonds: the `link-aggregation` of an interface, its options and the settings of its ports. */

import { isIpv4 } from '../formats/hostName.ts';
import { type BondOption, bondModes, bondOptions } from './bondOptions.ts';
import type { ConvertedEntries } from './convertedKeyfile.ts';
import { hasBoth, type DocumentPlace, refuse, step } from './documentPlace.ts';
import * as reader from './readers.ts';

/** A bond or a bridge. */
export interface Controller {
  /** Undefined if the document does not list ports. */
  readonly ports: readonly Port[] | undefined;
  /** Entries of the section `[bond]` or `[bridge]`. */
  readonly entries: ConvertedEntries;
  /** Entries of the section `[bond-port]` or `[bridge-port]`, by port. */
  readonly portEntries: ReadonlyMap<string, ConvertedEntries>;
}

export interface Port {
  readonly name: string;
  readonly place: DocumentPlace;
}

const bit = reader.mapped(reader.flag, reader.formatBit);

const actorSystem = reader.mapped(reader.macAddress, (mac, place) =>
  mac.startsWith('01:00:5E') ? refuse(place, 'multicast addresses are invalid here') : mac,
);

// nmstate does not know these options.
const { active_slave: _active, mode: _mode, peer_notif_delay: _delay, ...sharedOptions } = bondOptions;

export const optionRows = {
  ...Object.fromEntries(Object.entries(sharedOptions).map(([name, option]) => [name, readerOf(option)])),
  all_slaves_active: reader.mapped(reader.numbered(['dropped', 'delivered']), (word) =>
    word === 'delivered' ? '1' : '0',
  ),
  // Older NetworkManager releases do not support this key, so nmstate writes it only if it is not the default.
  arp_missed_max: reader.mapped(reader.uint8, (count) => (count === 2 ? '' : String(count))),
  balance_slb: [bit, 'balance-slb'],
  lacp_active: bit,
} satisfies reader.Rows;

export const mode = reader.numbered(bondModes, { lacp: '802.3ad' });

const portShape = {
  name: reader.linkName,
  priority: reader.integer(-(2 ** 31), 2 ** 31 - 1),
  'queue-id': reader.uint16,
};

const readPort = reader.object(portShape, ['name']);
const ports = portList(reader.linkName);

const readBondFields = reader.object({
  mode,
  options: reader.section(optionRows),
  port: ports,
  ports,
  'ports-config': reader.list(reader.placed(readPort)),
});

/** A list of ports by their names, or by what a document has in place of names. */
export function portList(read: reader.Reader<string>): reader.Reader<readonly Port[]> {
  return reader.list(reader.mapped(read, (name, place) => ({ name, place })));
}

function readerOf(option: BondOption): reader.Reader<string> {
  if (option === 'interface') return reader.linkName;
  if (option === 'mac') return actorSystem;
  if (option === 'ipv4') return arpTargets;
  if (option === 'ipv6') return reader.mapped(reader.list(reader.address(6)), (targets) => targets.join(','));
  if ('words' in option) return reader.numbered(option.words);
  return option[1] === 1 ? bit : reader.mapped(reader.integer(option[0], option[1]), String);
}

function arpTargets(value: unknown, place: DocumentPlace): string | undefined {
  if (value === '') return '';
  if (typeof value === 'string' && value.split(',').every((target) => isIpv4(target))) return value;
  return refuse(place, 'expected IPv4 addresses separated by commas, without spaces');
}

export const bond = reader.mapped(readBondFields, (fields, place): Controller | undefined => {
  if (hasBoth(fields, 'port', 'ports', place)) return undefined;
  const { options = {}, 'ports-config': configs } = fields;
  const listed = fields.port ?? fields.ports;
  if (listed && configs && names(listed) !== names(configs)) {
    refuse(step(place, 'ports-config'), 'the ports differ from "port"');
  }
  // In the kernel, two ports cannot use the same queue; 0 means no queue.
  const queues = new Set<number>();
  for (const { place: at, 'queue-id': queue = 0 } of configs ?? []) {
    if (queues.has(queue)) refuse(step(at, 'queue-id'), 'another port uses the same queue');
    if (queue !== 0) queues.add(queue);
  }
  const entries = { ...options, mode: reader.entryAt(step(place, 'mode'), fields.mode) };
  checkOptions(entries, place);
  return {
    ports: listed ?? configs,
    entries,
    portEntries: new Map(configs?.map((port) => [port.name, portSectionEntries(port)])),
  };
});

function names(listed: readonly Port[]): string {
  return [...new Set(listed.map(({ name }) => name))].toSorted().join('\0');
}

/** Whether a bond uses the MAC address of a port, so that it cannot have its own. */
export function macFollowsPorts(link: Controller | undefined): boolean {
  const { mode: used, fail_over_mac: follows } = link?.entries ?? {};
  return used?.value === 'active-backup' && follows?.value === 'active';
}

/** Reports combinations that nmstate refuses. */
export function checkOptions(entries: ConvertedEntries, place: DocumentPlace): void {
  const textOf = (name: string): string => entries[name]?.value ?? '';
  const isPositive = (name: string): boolean => Number(textOf(name)) > 0;
  const monitorsArp = isPositive('arp_interval');
  const isLacp = textOf('mode') === '802.3ad';
  const isSlb = textOf('mode') === 'balance-xor' && textOf('xmit_hash_policy') === 'vlan+srcmac';
  const isArpMode = !['802.3ad', 'balance-tlb', 'balance-alb'].includes(textOf('mode'));
  const hasInterval = monitorsArp || entries['arp_interval'] === undefined;
  const rules: readonly (readonly [option: string, isValid: boolean, message: string])[] = [
    ['miimon', !monitorsArp || !isPositive('miimon'), 'miimon and arp_interval are mutually exclusive'],
    [
      'balance-slb',
      isSlb || !isPositive('balance-slb'),
      'requires mode balance-xor and xmit_hash_policy vlan+srcmac',
    ],
    ['lacp_rate', isLacp, 'requires mode 802.3ad'],
    ['lacp_active', isLacp, 'requires mode 802.3ad'],
    ['arp_interval', isArpMode || !monitorsArp, `not supported in mode ${textOf('mode')}`],
    ['arp_ip_target', hasInterval, 'requires arp_interval greater than 0'],
    ['ns_ip6_target', hasInterval, 'requires arp_interval greater than 0'],
  ];
  for (const [option, isValid, message] of rules) {
    const { from: path, value } = entries[option] ?? { from: [], value: '' };
    const isChecked = option === 'miimon' || textOf('mode') !== '';
    if (isChecked && value !== '' && !isValid) refuse({ ...place, path }, message);
  }
}

/** No entries if both are 0, because older NetworkManager releases do not support the section. */
function portSectionEntries({ place, ...port }: reader.Shaped<typeof portShape> & Port): ConvertedEntries {
  const { priority = 0, 'queue-id': queue = 0 } = port;
  const entry = reader.entryMaker(port, place);
  if (priority === 0 && queue === 0) return {};
  return { prio: priority === 0 ? undefined : entry('priority'), 'queue-id': entry('queue-id') };
}
