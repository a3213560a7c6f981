/** The options of bonds: those of the kernel that NetworkManager knows. Source: nm-setting-bond.c of libnm. */

/** In the order of the kernel, which defines their numbers. */
export const bondModes = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'balance-tlb',
  'balance-alb',
] as const;

/** The first and the last number, the words with the numbers from 0, or what the value is. */
export type BondOption =
  | readonly [least: number, most: number]
  | { readonly words: readonly string[] }
  | 'interface'
  | 'mac'
  | 'ipv4'
  | 'ipv6';

const anyInt = [0, 2 ** 31 - 1] as const;

export const bondOptions: Readonly<Record<string, BondOption>> = {
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
