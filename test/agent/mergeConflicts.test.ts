import { describe, expect, it } from 'vitest';
import { renderAgentConfig } from '../../src/agent/agentConfig.ts';
import { findMergeConflicts } from '../../src/agent/mergeConflicts.ts';
import { defaultSettings } from '../../src/agent/settings.ts';
import type { Config } from '../../src/ignition/config.ts';

const rendered = renderAgentConfig({
  ...defaultSettings,
  agentImage: 'registry.example.com/ironic-agent',
  apiUrls: ['https://192.0.2.1:6385'],
  passwordHash: '$6$x',
  sshKeys: ['ssh-ed25519 AAAA a'],
  ntpServers: ['ntp'],
});
const conf = '/etc/ironic-python-agent.conf';
const unit = 'ironic-agent.service';

describe('findMergeConflicts', () => {
  it.each<[string, Config, readonly string[]]>([
    [
      'nothing in common',
      { storage: { files: [{ path: '/etc/a' }] }, systemd: { units: [{ name: 'a.service' }] } },
      [],
    ],
    ['the conf', { storage: { files: [{ path: '/etc/a' }, { path: conf }] } }, ['$.storage.files.1.path']],
    [
      'a link instead of the conf',
      { storage: { links: [{ path: conf, target: '/a' }] } },
      ['$.storage.links.0.path'],
    ],
    [
      'a folder instead of the conf',
      { storage: { directories: [{ path: conf }] } },
      ['$.storage.directories.0.path'],
    ],
    [
      'more lines of a file',
      { storage: { files: [{ path: '/etc/chrony.conf', append: [{ source: 'data:,a' }] }] } },
      [],
    ],
    ['a drop-in', { systemd: { units: [{ name: unit, dropins: [{ name: 'a.conf', contents: '' }] }] } }, []],
    [
      'another unit',
      { systemd: { units: [{ name: unit, contents: '[Service]\n' }] } },
      ['$.systemd.units.0.name'],
    ],
    [
      'a unit that does not start',
      { systemd: { units: [{ name: unit, enabled: false }] } },
      ['$.systemd.units.0.name'],
    ],
    ['a masked unit', { systemd: { units: [{ name: unit, mask: true }] } }, ['$.systemd.units.0.name']],
    ['a unit that starts as before', { systemd: { units: [{ name: unit, enabled: true }] } }, []],
    ['another key', { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['b'] }] } }, []],
    [
      'another password',
      { passwd: { users: [{ name: 'core', passwordHash: 'b' }] } },
      ['$.passwd.users.0.passwordHash'],
    ],
  ])('%s', (_title, user, paths) => {
    const found = findMergeConflicts(rendered, user);
    expect(found.map(({ path }) => ['$', ...path].join('.'))).toEqual(paths);
    expect(found.every(({ severity, hint }) => severity === 'warning' && hint !== undefined)).toBe(true);
  });
});
