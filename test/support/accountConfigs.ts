/** Configs with users, groups and owners, and what the lint finds in them: Ignition stops at each finding. */

import type { Config, Node } from '../../src/ignition/config.ts';

interface AccountConfig {
  readonly title: string;
  readonly config: Config;
  readonly finding?: string;
}

type Passwd = Required<NonNullable<Config['passwd']>>;

const passwd = (users: Passwd['users'], groups: Passwd['groups'] = []): Config => ({
  passwd: { users, groups },
});
const file = (owner: Pick<Node, 'group' | 'user'>, users: Passwd['users'] = []): Config => ({
  storage: { files: [{ path: '/etc/a', contents: { source: 'data:,a' }, ...owner }] },
  passwd: { users },
});
const missing = (path: string): string => `agent-account-missing $.${path}`;
const exists = (path: string): string => `agent-account-exists $.${path}`;

export const accountConfigs: readonly AccountConfig[] = [
  { title: 'a group of the image', config: passwd([{ name: 'a', groups: ['wheel'] }]) },
  {
    title: 'a missing group',
    config: passwd([{ name: 'a', groups: ['wheel', 'nope'] }]),
    finding: missing('passwd.users.0.groups.1'),
  },
  {
    title: 'a missing primary group',
    config: passwd([{ name: 'a', primaryGroup: 'nope' }]),
    finding: missing('passwd.users.0.primaryGroup'),
  },
  { title: 'a group of the config', config: passwd([{ name: 'a', groups: ['b'] }], [{ name: 'b' }]) },
  {
    title: 'a group that the config deletes',
    config: passwd([{ name: 'a', groups: ['b'] }], [{ name: 'b', shouldExist: false }]),
    finding: missing('passwd.users.0.groups.0'),
  },
  { title: 'the group of an earlier user', config: passwd([{ name: 'b' }, { name: 'a', groups: ['b'] }]) },
  {
    title: 'the group of a later user',
    config: passwd([{ name: 'a', groups: ['b'] }, { name: 'b' }]),
    finding: missing('passwd.users.0.groups.0'),
  },
  { title: 'the number of a group', config: passwd([{ name: 'a', primaryGroup: '10', groups: ['10'] }]) },
  {
    title: 'a user with the name of a group of the image',
    config: passwd([{ name: 'wheel' }]),
    finding: exists('passwd.users.0.name'),
  },
  {
    title: 'a user with the name of a group of the config',
    config: passwd([{ name: 'a', groups: ['a'] }], [{ name: 'a' }]),
    finding: exists('passwd.users.0.name'),
  },
  {
    title: 'a user in the group of its name',
    config: passwd([{ name: 'a', primaryGroup: 'a' }], [{ name: 'a' }]),
  },
  {
    title: 'a user without a group of its name',
    config: passwd([{ name: 'a', noUserGroup: true }], [{ name: 'a' }]),
  },
  { title: 'a user of the image', config: passwd([{ name: 'root', gecos: 'a' }]) },
  { title: 'a group of the image again', config: passwd([], [{ name: 'wheel' }]) },
  {
    title: 'two users with one number',
    config: passwd([
      { name: 'a', uid: 2000 },
      { name: 'b', uid: 2000 },
    ]),
    finding: exists('passwd.users.1.uid'),
  },
  {
    title: 'the number of the user core',
    config: passwd([{ name: 'a', uid: 1000 }]),
    finding: exists('passwd.users.0.uid'),
  },
  {
    title: 'the number of core, which has another',
    config: passwd([
      { name: 'a', uid: 1000 },
      { name: 'core', uid: 2000 },
    ]),
  },
  {
    title: 'the number of core, which is deleted',
    config: passwd([
      { name: 'a', uid: 1000 },
      { name: 'core', shouldExist: false },
    ]),
  },
  {
    title: 'two groups with one number',
    config: passwd(
      [],
      [
        { name: 'a', gid: 2000 },
        { name: 'b', gid: 2000 },
      ],
    ),
    finding: exists('passwd.groups.1.gid'),
  },
  {
    title: 'a group with the name of core',
    config: passwd([], [{ name: 'core' }]),
    finding: exists('passwd.groups.name'),
  },
  { title: 'the owner root', config: file({ user: { name: 'root' }, group: { name: 'root' } }) },
  { title: 'the owner core', config: file({ user: { name: 'core' }, group: { name: 'core' } }) },
  {
    title: 'an owner of the config',
    config: file({ user: { name: 'a' }, group: { name: 'a' } }, [{ name: 'a' }]),
  },
  {
    title: 'a missing owner',
    config: file({ user: { name: 'nope' } }),
    finding: missing('storage.files.0.user.name'),
  },
  {
    title: 'a missing group of a file',
    config: file({ group: { name: 'a' } }, [{ name: 'a', noUserGroup: true }]),
    finding: missing('storage.files.0.group.name'),
  },
  {
    title: 'a deleted owner',
    config: file({ user: { name: 'a' } }, [{ name: 'a', shouldExist: false }]),
    finding: missing('storage.files.0.user.name'),
  },
  {
    title: 'a missing owner of a folder',
    config: { storage: { directories: [{ path: '/etc/a', user: { name: 'nope' } }] } },
    finding: missing('storage.directories.0.user.name'),
  },
  {
    title: 'a missing owner of a link',
    config: { storage: { links: [{ path: '/etc/a', target: '/etc/b', group: { name: 'nope' } }] } },
    finding: missing('storage.links.0.group.name'),
  },
  { title: 'owners by number', config: file({ user: { id: 4711 }, group: { id: 0 } }) },
  {
    title: 'a number as the name of an owner',
    config: file({ group: { name: '10' } }),
    finding: missing('storage.files.0.group.name'),
  },
];
