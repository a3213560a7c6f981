/** The checks of `[bond]`: values, and which options exclude each other. Source: nm-setting-bond.c of libnm. */

import { quoteText } from '../../core/foreignText.ts';
import { type BondOption, bondOptions } from '../bondOptions.ts';
import { parseAddress } from '../ipAddress.ts';
import { isMacAddress, isProfileInterface } from './names.ts';
import type { Profile } from './profile.ts';
import { ignores, type KeyfileRow, rejects } from './row.ts';

const inMode: KeyfileRow['problem'] = (_value, profile) => `not supported in the mode ${modeOf(profile)}`;
const modeHint = (option: string): string => `remove ${option}, or change the mode`;

/** Modes in which NetworkManager uses an option; in the others it drops it. */
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

const targets = ['arp_ip_target', 'ns_ip6_target'];

export const bondRows: readonly KeyfileRow[] = [
  ...Object.entries(bondOptions).map(([name, option]) =>
    ignores(
      `bond.${name}`,
      (value) => isOption(value, option),
      (value) => `the value ${quoteText(value)} is invalid`,
      `use ${describe(option)}`,
    ),
  ),
  rejects(
    'bond.arp_interval',
    (interval, profile) => !balances(profile) || Number(interval) === 0,
    inMode,
    'use miimon instead',
  ),
  rejects(
    'bond.primary',
    (_name, profile) => balances(profile) || modeOf(profile) === 'active-backup',
    'requires the mode active-backup, balance-tlb or balance-alb',
    modeHint('primary'),
  ),
  ...['updelay', 'downdelay'].map((name) =>
    rejects(
      `bond.${name}`,
      (delay, profile) => Number(delay) === 0 || numberOf(profile, 'miimon', 100) > 0,
      'requires miimon',
      'set miimon, for example to 100',
    ),
  ),
  rejects(
    'bond.arp_interval',
    (interval, { values }) => Number(interval) === 0 || targets.some((name) => values.has(`bond.${name}`)),
    'requires arp_ip_target or ns_ip6_target',
    'add arp_ip_target',
  ),
  ...targets.map((name) =>
    rejects(
      `bond.${name}`,
      (_value, profile) => numberOf(profile, 'arp_interval', 0) > 0,
      'requires arp_interval',
      'add arp_interval, for example 100',
    ),
  ),
  rejects(
    'bond.lacp_rate',
    (_value, profile) => modeOf(profile) === '802.3ad' || wordOf(profile, 'lacp_rate') === 'slow',
    'requires the mode 802.3ad',
    modeHint('lacp_rate'),
  ),
  ...Object.entries(onlyIn).map(([name, modes]) =>
    ignores(`bond.${name}`, (_value, profile) => modes.includes(modeOf(profile)), inMode, modeHint(name)),
  ),
];

function isOption(text: string, option: BondOption): boolean {
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

function describe(option: BondOption): string {
  if (typeof option === 'object' && 'words' in option) return `one of ${option.words.join(', ')}`;
  if (typeof option === 'object') return `an integer from ${option[0]} to ${option[1]}`;
  return {
    interface: 'the name of an interface',
    mac: 'a MAC address',
    ipv4: 'IPv4 addresses',
    ipv6: 'IPv6 addresses',
  }[option];
}

function numberOf(profile: Profile, name: string, fallback: number): number {
  return Number(profile.values.get(`bond.${name}`) ?? fallback);
}

/** The word of an option, also of one that is written as its number. */
function wordOf(profile: Profile, name: string): string | undefined {
  const text = profile.values.get(`bond.${name}`);
  const option = bondOptions[name];
  const words = typeof option === 'object' && 'words' in option ? option.words : [];
  return text !== undefined && /^\d+$/.test(text) ? words[Number(text)] : text;
}

function modeOf(profile: Profile): string {
  return wordOf(profile, 'mode') ?? 'balance-rr';
}

function balances(profile: Profile): boolean {
  return ['balance-tlb', 'balance-alb'].includes(modeOf(profile));
}
