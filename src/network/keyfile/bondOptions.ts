/** The `[bond]` section: options of the kernel, and which of them exclude each other. Source: nm-setting-bond.c of libnm. */

import { quoteText } from '../../core/foreignText.ts';
import { nearestNames } from '../../core/nearestNames.ts';
import { parseAddress } from '../ipAddress.ts';
import { isProfileInterface, isMacAddress } from './names.ts';
import { ignore, type Profile, type ProfileSetting, unescapeValue } from './profile.ts';

/** In the order of the kernel, which defines their numbers. */
const bondModes = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'balance-tlb',
  'balance-alb',
];

/** The last number, the words with the numbers from 0, or what the value is. */
type OptionValue =
  | readonly [least: number, most: number]
  | { readonly words: readonly string[] }
  | 'interface'
  | 'mac'
  | 'ipv4'
  | 'ipv6';

const anyInt = [0, 2 ** 31 - 1] as const;

const options: Readonly<Record<string, OptionValue>> = {
  active_slave: 'interface',
  ad_actor_sys_prio: [1, 65535],
  ad_actor_system: 'mac',
  ad_select: { words: ['stable', 'bandwidth', 'count'] },
  ad_user_port_key: [0, 1023],
  all_slaves_active: [0, 1],
  arp_all_targets: { words: ['any', 'all'] },
  arp_interval: anyInt,
  arp_ip_target: 'ipv4',
  arp_missed_max: [0, 255],
  arp_validate: { words: ['none', 'active', 'backup', 'all', 'filter', 'filter_active', 'filter_backup'] },
  'balance-slb': [0, 1],
  downdelay: anyInt,
  fail_over_mac: { words: ['none', 'active', 'follow'] },
  lacp_active: { words: ['off', 'on'] },
  lacp_rate: { words: ['slow', 'fast'] },
  lp_interval: [1, 2 ** 31 - 1],
  miimon: anyInt,
  min_links: anyInt,
  mode: { words: bondModes },
  ns_ip6_target: 'ipv6',
  num_grat_arp: [0, 255],
  num_unsol_na: [0, 255],
  packets_per_slave: [0, 65535],
  peer_notif_delay: anyInt,
  primary: 'interface',
  primary_reselect: { words: ['always', 'better', 'failure'] },
  resend_igmp: [0, 255],
  tlb_dynamic_lb: [0, 1],
  updelay: anyInt,
  use_carrier: [0, 1],
  xmit_hash_policy: {
    words: ['layer2', 'layer3+4', 'layer2+3', 'encap2+3', 'encap3+4', 'vlan+srcmac'],
  },
};

/** Reports options that NetworkManager ignores. Returns the others. */
export function readBondOptions(setting: ProfileSetting, profile: Profile): Map<string, string> {
  const valid = new Map<string, string>();
  for (const [key, { value }] of setting.entries) {
    if (key === 'interface-name') continue;
    const option = Object.hasOwn(options, key) ? options[key] : undefined;
    const text = unescapeValue(value);
    if (option === undefined) {
      const [nearest] = nearestNames(key, Object.keys(options));
      const hint = nearest === undefined ? `remove ${key}` : `use ${nearest}`;
      ignore(profile, setting, key, 'a bond has no such option', hint);
    } else if (isValid(text, option)) valid.set(key, text);
    else ignore(profile, setting, key, `the value ${quoteText(value)} is invalid`, `use ${describe(option)}`);
  }
  return valid;
}

function isValid(text: string, option: OptionValue): boolean {
  if (option === 'interface') return isProfileInterface(text);
  if (option === 'mac') return isMacAddress(text);
  if (option === 'ipv4' || option === 'ipv6') {
    const family = option === 'ipv4' ? 4 : 6;
    const items = text.split(',').filter((item) => item.trim() !== '');
    return items.length > 0 && items.every((item) => parseAddress(item.trim())?.family === family);
  }
  if ('words' in option) return option.words.includes(text) || isNumber(text, 0, option.words.length - 1);
  return isNumber(text, option[0], option[1]);
}

function isNumber(text: string, least: number, most: number): boolean {
  return /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
}

function describe(option: OptionValue): string {
  if (typeof option === 'object' && 'words' in option) return `one of ${option.words.join(', ')}`;
  if (typeof option === 'object') return `an integer from ${option[0]} to ${option[1]}`;
  return {
    interface: 'the name of an interface',
    mac: 'a MAC address',
    ipv4: 'IPv4 addresses',
    ipv6: 'IPv6 addresses',
  }[option];
}

/** Modes in which NetworkManager drops an option. */
const onlyIn: Readonly<Record<string, readonly string[]>> = {
  active_slave: ['active-backup', 'balance-tlb', 'balance-alb'],
  ad_actor_sys_prio: ['802.3ad'],
  ad_actor_system: ['802.3ad'],
  ad_user_port_key: ['802.3ad'],
  arp_interval: ['balance-rr', 'active-backup', 'balance-xor', 'broadcast'],
  arp_ip_target: ['balance-rr', 'active-backup', 'balance-xor', 'broadcast'],
  arp_validate: ['balance-rr', 'active-backup', 'balance-xor', 'broadcast'],
  lacp_rate: ['802.3ad'],
  packets_per_slave: ['balance-rr'],
  tlb_dynamic_lb: ['balance-tlb', 'balance-alb'],
};

/**
 * Reports options that exclude each other or do not fit the mode.
 * @param report receives the option, the problem and a hint; with `drop`, NetworkManager ignores only the option
 */
export function checkBondOptions(
  given: ReadonlyMap<string, string>,
  report: (option: string, problem: string, hint: string, effect: 'drop' | 'reject') => void,
): void {
  const number = (name: string, fallback = 0): number => Number(given.get(name) ?? fallback);
  const word = (name: string): string | undefined => {
    const text = given.get(name);
    const option = options[name];
    const words = typeof option === 'object' && 'words' in option ? option.words : [];
    return text !== undefined && /^\d+$/.test(text) ? words[Number(text)] : text;
  };
  const mode = word('mode') ?? 'balance-rr';
  const miimon = number('miimon', 100);
  const refuse = (option: string, problem: string, hint: string): void => {
    report(option, problem, hint, 'reject');
  };
  const balances = mode === 'balance-tlb' || mode === 'balance-alb';
  if (balances && number('arp_interval') > 0) {
    refuse('arp_interval', `not supported in the mode ${mode}`, 'use miimon instead');
  }
  if ((balances || mode === '802.3ad') && number('arp_missed_max') > 0) {
    refuse('arp_missed_max', `not supported in the mode ${mode}`, modeHint('arp_missed_max'));
  }
  if (given.has('primary') && !balances && mode !== 'active-backup') {
    const problem = 'requires the mode active-backup, balance-tlb or balance-alb';
    refuse('primary', problem, modeHint('primary'));
  }
  for (const name of ['updelay', 'downdelay', 'peer_notif_delay']) {
    if (number(name) > 0 && miimon === 0) refuse(name, 'requires miimon', 'set miimon, for example to 100');
  }
  const notify = number('peer_notif_delay');
  if (miimon > 0 && notify % miimon > 0 && number('arp_interval') === 0) {
    refuse(
      'peer_notif_delay',
      `must be a multiple of miimon, ${miimon}`,
      `use ${miimon * Math.ceil(notify / miimon)}`,
    );
  }
  const targets = ['arp_ip_target', 'ns_ip6_target'].filter((name) => given.has(name));
  if (number('arp_interval') > 0 && targets.length === 0) {
    refuse('arp_interval', 'requires arp_ip_target or ns_ip6_target', 'add arp_ip_target');
  }
  if (number('arp_interval') === 0) {
    for (const name of targets) refuse(name, 'requires arp_interval', 'add arp_interval, for example 100');
  }
  if (mode !== '802.3ad' && (word('lacp_rate') ?? 'slow') !== 'slow') {
    refuse('lacp_rate', 'requires the mode 802.3ad', modeHint('lacp_rate'));
  }
  if (mode !== '802.3ad' && given.has('lacp_active')) {
    refuse('lacp_active', 'requires the mode 802.3ad', modeHint('lacp_active'));
  }
  if (
    given.has('num_grat_arp') &&
    given.has('num_unsol_na') &&
    number('num_grat_arp') !== number('num_unsol_na')
  ) {
    refuse(
      'num_unsol_na',
      'differs from num_grat_arp, which is the same option',
      'remove num_grat_arp or num_unsol_na',
    );
  }
  if (number('balance-slb') > 0 && mode !== 'balance-xor') {
    refuse('balance-slb', 'requires the mode balance-xor', modeHint('balance-slb'));
  } else if (number('balance-slb') > 0 && (word('xmit_hash_policy') ?? 'vlan+srcmac') !== 'vlan+srcmac') {
    refuse('balance-slb', 'requires xmit_hash_policy vlan+srcmac', 'remove xmit_hash_policy');
  }
  for (const [name, modes] of Object.entries(onlyIn)) {
    if (given.has(name) && !modes.includes(mode))
      report(name, `not supported in the mode ${mode}`, modeHint(name), 'drop');
  }
}

function modeHint(option: string): string {
  return `remove ${option}, or change the mode`;
}
