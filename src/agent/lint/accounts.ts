/**
 * Users and groups that Ignition does not find or cannot create. It creates groups, then users, then files; the base config of
 * CoreOS (00-core.ign) creates the user core before all others.
 */

import { quoteText } from '../../core/foreignText.ts';
import type { Path } from '../../core/finding.ts';
import type { Integer, PasswdUser } from '../../ignition/config.ts';
import { rule, type Violation } from './lintRule.ts';
import type { LintSubject } from './subject.ts';

export const accountRules = [
  rule(
    'agent-account-missing',
    'warning',
    'create it in "passwd.users" or "passwd.groups"',
    (subject) => checkAccounts(subject).missing,
  ),
  rule(
    'agent-account-exists',
    'error',
    'set "primaryGroup" of the user to the group, or use another number',
    (subject) => checkAccounts(subject).existing,
  ),
];

/** The groups of every CoreOS: manifests/group of fedora-coreos-config. */
const everyGroup = new Set(
  `adm audio avahi-autoipd bin cdrom ceph cgred chrony cockpit-ws daemon dialout dip disk dockerroot etcd floppy ftp games input
  kmem kube lock lp mail man mem nfsnobody nobody polkitd root rpcuser ssh_keys sssd sudo sys systemd-bus-proxy systemd-journal
  systemd-network systemd-resolve systemd-timesync tape tcpdump tty users video wheel`.split(/\s+/),
);

const otherGroups =
  `hugetlbfs clevis kvm dbus docker dnsmasq openvswitch printadmin render rpc sgx sshd systemd-coredump
  systemd-oom tss unbound utempter utmp zincati`.split(/\s+/);

/** The users of any CoreOS. */
const imageUsers = new Set(
  `adm avahi-autoipd bin ceph chrony clevis cockpit-ws daemon dbus dnsmasq dockerroot etcd ftp games halt hugetlbfs kube lp mail
  nfsnobody nobody openvswitch operator polkitd root rpc rpcuser shutdown sshd sssd sync systemd-bus-proxy systemd-coredump
  systemd-network systemd-oom systemd-resolve systemd-timesync tcpdump tss unbound zincati`.split(/\s+/),
);

const NUMBER = /^\d+$/;

/** The uid of the first user whose config has none. */
const FIRST_UID = 1000;

function checkAccounts({ config, isComplete }: LintSubject) {
  const found: Readonly<Record<'missing' | 'existing', Violation[]>> = { missing: [], existing: [] };
  if (!isComplete) return found;
  const { groups = [], users = [] } = config.passwd ?? {};
  const knownGroups = new Set([...everyGroup, ...otherGroups]);
  const knownUsers = new Set(imageUsers);
  const requireName = (kind: 'user' | 'group', name: string | undefined, path: Path): void => {
    const known = kind === 'user' ? knownUsers : knownGroups;
    if (name === undefined || name === '' || known.has(name)) return;
    const message = `neither CoreOS nor the config has the ${kind} ${quoteText(name)}, so Ignition stops and the boot fails`;
    found.missing.push({ path, message, hint: `create it in "passwd.${kind}s"` });
  };
  const takeNumber = (number: Integer | undefined, taken: Set<Integer>, path: Path): void => {
    if (number === undefined) return;
    if (taken.has(number)) {
      const message = `the number ${number} is taken when Ignition uses it, so Ignition stops and the boot fails`;
      found.existing.push({ path, message, hint: 'use another number' });
    }
    taken.add(number);
  };

  const gids = new Set<Integer>();
  for (const [index, { gid, name = '', shouldExist }] of groups.entries()) {
    if (shouldExist === false) knownGroups.delete(name);
    else {
      takeNumber(gid, gids, ['passwd', 'groups', index, 'gid']);
      knownGroups.add(name);
    }
  }

  const uids = new Set<Integer>();
  const created = new Set(groups.filter((it) => it.shouldExist !== false).map(({ name = '' }) => name));
  for (const { path, user } of inOrder(users)) {
    const { groups: names = [], name = '', noUserGroup, primaryGroup = '', shouldExist, uid } = user;
    if (shouldExist === false) {
      knownUsers.delete(name);
      continue;
    }
    // A group may be a number, too.
    for (const [index, group] of names.entries()) {
      if (!NUMBER.test(group)) requireName('group', group, [...path, 'groups', index]);
    }
    if (!NUMBER.test(primaryGroup)) requireName('group', primaryGroup, [...path, 'primaryGroup']);
    if (!knownUsers.has(name)) {
      takeNumber(uid ?? (name === 'core' ? FIRST_UID : undefined), uids, [...path, 'uid']);
      if (primaryGroup === '' && noUserGroup !== true) {
        if (everyGroup.has(name) || created.has(name)) {
          const message = `the user gets a group of its name, and the group ${quoteText(name)} exists, so Ignition stops and the boot fails`;
          const hint = `set "primaryGroup" to ${quoteText(name)}`;
          found.existing.push({ path: [...path, 'name'], message, hint });
        }
        knownGroups.add(name);
      }
    }
    knownUsers.add(name);
  }

  for (const list of ['directories', 'files', 'links'] as const) {
    for (const [index, { group, user }] of (config.storage?.[list] ?? []).entries()) {
      requireName('user', user?.name, ['storage', list, index, 'user', 'name']);
      requireName('group', group?.name, ['storage', list, index, 'group', 'name']);
    }
  }
  return found;
}

function inOrder(users: readonly PasswdUser[]): { readonly user: PasswdUser; readonly path: Path }[] {
  const all = users.map((user, index) => ({ user, path: ['passwd', 'users', index] }));
  const core = all.filter(({ user }) => user.name === 'core');
  const first = core.length > 0 ? core : [{ user: { name: 'core' }, path: ['passwd', 'groups'] }];
  return [...first, ...all.filter(({ user }) => user.name !== 'core')];
}
