/** Bonds: the `link-aggregation` of an interface, its options and the settings of its ports. */

import { isDeepStrictEqual } from 'node:util';
import { hasBoth, type DocumentPlace, refuse, step } from './documentPlace.ts';
import * as reader from './readers.ts';
import type { ProfileEntries } from './connectionProfile.ts';
import { isIpv4 } from '../formats/hostName.ts';

export interface Bond {
  /** Undefined if the document does not list ports. */
  readonly ports: readonly string[] | undefined;
  /** Entries of the `[bond]` section. */
  readonly entries: ProfileEntries;
  /** Entries of the `[bond-port]` section, by port. */
  readonly portEntries: ReadonlyMap<string, ProfileEntries>;
  /** The bond uses the MAC address of a port, so it cannot have its own. */
  readonly macFollowsPorts: boolean;
}

/** In the order of the kernel, which defines their numbers. */
const modes = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'balance-tlb',
  'balance-alb',
] as const;

const bit = reader.mapped(reader.flag, (value) => reader.formatBit(value));

const optionShape = {
  ad_actor_sys_prio: digits(reader.uint16),
  ad_actor_system: actorSystem,
  ad_select: reader.numbered(['stable', 'bandwidth', 'count']),
  ad_user_port_key: digits(reader.uint16),
  all_slaves_active: numberOf(['dropped', 'delivered']),
  arp_all_targets: reader.numbered(['any', 'all']),
  arp_interval: digits(reader.uint32),
  arp_ip_target: arpTargets,
  arp_missed_max: digits(reader.uint8),
  arp_validate: reader.numbered([
    'none',
    'active',
    'backup',
    'all',
    'filter',
    'filter_active',
    'filter_backup',
  ]),
  balance_slb: bit,
  'balance-slb': bit,
  downdelay: digits(reader.uint32),
  fail_over_mac: reader.numbered(['none', 'active', 'follow']),
  lacp_active: bit,
  lacp_rate: reader.numbered(['slow', 'fast']),
  lp_interval: digits(reader.uint32),
  miimon: digits(reader.uint32),
  min_links: digits(reader.uint32),
  ns_ip6_target: reader.mapped(reader.list(reader.address(6)), (targets) => targets.join(',')),
  num_grat_arp: digits(reader.uint8),
  num_unsol_na: digits(reader.uint8),
  packets_per_slave: digits(reader.uint32),
  primary: reader.linkName,
  primary_reselect: reader.numbered(['always', 'better', 'failure']),
  resend_igmp: digits(reader.uint32),
  tlb_dynamic_lb: bit,
  updelay: digits(reader.uint32),
  use_carrier: bit,
  xmit_hash_policy: reader.numbered([
    'layer2',
    'layer3+4',
    'layer2+3',
    'encap2+3',
    'encap3+4',
    'vlan+srcmac',
  ]),
};

type Options = reader.Shaped<typeof optionShape>;

const portShape = {
  name: reader.linkName,
  priority: reader.integer(-(2 ** 31), 2 ** 31 - 1),
  'queue-id': reader.uint16,
};

const bondShape = {
  mode: reader.numbered(modes, { lacp: '802.3ad' }),
  options: reader.object(optionShape),
  port: reader.list(reader.linkName),
  ports: reader.list(reader.linkName),
  'ports-config': reader.list(reader.objectWith(portShape, ['name'])),
};

type BondFields = reader.Shaped<typeof bondShape>;
type PortFields = NonNullable<BondFields['ports-config']>[number];

function digits(read: reader.Reader<number>): reader.Reader<string> {
  return reader.mapped(read, String);
}

function numberOf(words: readonly string[]): reader.Reader<string> {
  return reader.mapped(reader.numbered(words), (word) => String(words.indexOf(word)));
}

function actorSystem(value: unknown, place: DocumentPlace): string | undefined {
  const mac = reader.macAddress(value, place);
  return mac?.startsWith('01:00:5E') ? refuse(place, 'multicast addresses are invalid here') : mac;
}

function arpTargets(value: unknown, place: DocumentPlace): string | undefined {
  if (value === '') return '';
  if (typeof value === 'string' && value.split(',').every((target) => isIpv4(target))) return value;
  return refuse(place, 'expected IPv4 addresses separated by commas, without spaces');
}

const readBondFields = reader.object(bondShape);

export const bond: reader.Reader<Bond> = (value, place) => {
  const fields = readBondFields(value, place);
  if (fields === undefined || hasBoth(fields, 'port', 'ports', place)) return undefined;
  const { mode, options = {}, 'ports-config': portConfigs } = fields;
  const listed = fields.port ?? fields.ports;
  const configured = portConfigs?.map(({ name }) => name);
  if (listed && configured && !isDeepStrictEqual(new Set(listed), new Set(configured))) {
    refuse(step(place, 'ports-config'), 'the ports differ from "port"');
  }
  checkQueues(portConfigs ?? [], step(place, 'ports-config'));
  checkOptions(options, mode, step(place, 'options'));
  return {
    ports: listed ?? configured,
    entries: { mode, ...optionEntries(options) },
    portEntries: new Map((portConfigs ?? []).map((port) => [port.name, portSectionEntries(port)])),
    macFollowsPorts: mode === 'active-backup' && options.fail_over_mac === 'active',
  };
};

/** In the kernel, two ports cannot use the same queue; 0 means no queue. */
function checkQueues(ports: readonly PortFields[], place: DocumentPlace): void {
  const taken = new Set<number>();
  for (const [index, { 'queue-id': queue = 0 }] of ports.entries()) {
    if (taken.has(queue)) refuse(step(place, index, 'queue-id'), 'another port uses the same queue');
    if (queue !== 0) taken.add(queue);
  }
}

/** Combinations that nmstate refuses. */
function checkOptions(options: Options, mode: string | undefined, place: DocumentPlace): void {
  const monitorsArp = Number(options.arp_interval ?? 0) > 0;
  if (monitorsArp && Number(options.miimon ?? 0) > 0) {
    refuse(step(place, 'miimon'), 'miimon and arp_interval are mutually exclusive');
  }
  hasBoth(options, 'balance_slb', 'balance-slb', place);
  if (mode === undefined) return;
  const slb = options.balance_slb ?? options['balance-slb'];
  if (slb === '1' && !(mode === 'balance-xor' && options.xmit_hash_policy === 'vlan+srcmac')) {
    refuse(step(place, 'balance-slb'), 'requires mode balance-xor and xmit_hash_policy vlan+srcmac');
  }
  for (const name of ['lacp_rate', 'lacp_active'] as const) {
    if (mode !== '802.3ad' && options[name] !== undefined) refuse(step(place, name), 'requires mode 802.3ad');
  }
  if (monitorsArp && ['802.3ad', 'balance-tlb', 'balance-alb'].includes(mode)) {
    refuse(step(place, 'arp_interval'), `not supported in mode ${mode}`);
  }
  if (options.arp_interval === undefined || monitorsArp) return;
  for (const name of ['arp_ip_target', 'ns_ip6_target'] as const) {
    if ((options[name] ?? '') !== '') refuse(step(place, name), 'requires arp_interval greater than 0');
  }
}

function optionEntries(options: Options): ProfileEntries {
  const { balance_slb: slb, arp_missed_max: missed, ...others } = options;
  return {
    ...others,
    'balance-slb': slb ?? options['balance-slb'],
    // Older NetworkManager releases do not support this key, so nmstate writes it only if it is not the default.
    arp_missed_max: missed === '2' ? undefined : missed,
  };
}

/** No entries if both are 0, because older NetworkManager releases do not support the section. */
function portSectionEntries({ priority = 0, 'queue-id': queue }: PortFields): ProfileEntries {
  if (priority === 0 && (queue ?? 0) === 0) return {};
  return { prio: priority === 0 ? undefined : String(priority), 'queue-id': queue?.toString() };
}
