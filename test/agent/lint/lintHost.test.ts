import { describe, expect, it } from 'vitest';
import { lintHost } from '../../../src/agent/lint/lintConfig.ts';
import type { TargetSystem } from '../../../src/agent/lint/subject.ts';
import type { Config, File } from '../../../src/ignition/config.ts';
import { formatPath } from '../../../src/core/finding.ts';
import { now } from './support.ts';

/** `severity rule path`, one for each finding. */
function found(config: Config, machine?: TargetSystem): string[] {
  return lintHost(config, { now, machine }).map(
    ({ path, rule, severity }) => `${severity} ${rule} ${formatPath(path)}`,
  );
}

const storage = (files: readonly File[]): Config => ({ storage: { files } });

const atFile = '$.storage.files.0';

describe('what a live system cannot do', () => {
  const readOnly = 'error agent-path-read-only';
  it.each<[string, Config, string[], string[]]>([
    [
      'kernel arguments',
      { kernelArguments: { shouldExist: ['nosmt'] } },
      ['error agent-live-kernel-arguments $.kernelArguments.shouldExist'],
      [],
    ],
    ['a file at the top', storage([{ path: '/data/x' }]), [`${readOnly} ${atFile}.path`], []],
    ['a file below /run', storage([{ path: '/run/x' }]), [`${readOnly} ${atFile}.path`], []],
    ['a file below /opt', storage([{ path: '/opt/x' }]), [], []],
    ['a file with a similar path', storage([{ path: '/etcetera' }]), [`${readOnly} ${atFile}.path`], []],
    [
      'a folder',
      { storage: { directories: [{ path: '/data' }] } },
      [`${readOnly} $.storage.directories.0.path`],
      [],
    ],
    [
      'a folder below /usr, nor can an installed system',
      { storage: { directories: [{ path: '/usr/share/x' }] } },
      [`${readOnly} $.storage.directories.0.path`],
      [`${readOnly} $.storage.directories.0.path`],
    ],
    [
      'a link',
      { storage: { links: [{ path: '/data', target: '/var/data' }] } },
      [`${readOnly} $.storage.links.0.path`],
      [],
    ],
    [
      'a filesystem at the top',
      { storage: { filesystems: [{ device: '/dev/sda1', path: '/data', format: 'xfs' }] } },
      ['error agent-path-read-only $.storage.filesystems.0.path'],
      [],
    ],
    [
      'a filesystem below /var',
      { storage: { filesystems: [{ device: '/dev/sda1', path: '/var/data', format: 'xfs' }] } },
      [],
      [],
    ],
  ])('%s', (_title, config, live, installed) => {
    expect(found(config, 'live')).toEqual(live);
    expect(found(config, 'installed')).toEqual(installed);
    expect(found(config)).toEqual(installed);
  });
});

const remote = (digits: string): File => ({
  path: '/etc/x',
  contents: { source: 'https://192.0.2.1/x', verification: { hash: `sha512-${digits}` } },
});
const user = (passwordHash: string): Config => ({ passwd: { users: [{ name: 'core', passwordHash }] } });

describe('values of every config', () => {
  const hex = '0'.repeat(127);
  const noHash = 'warning agent-password-hash $.passwd.users.0.passwordHash';
  it.each<[string, Config, string[]]>([
    ['a hash', storage([remote(`${hex}aF`.slice(1))]), []],
    [
      'a mode in decimal digits',
      storage([{ path: '/etc/x', mode: 644 }]),
      [`warning agent-mode-decimal ${atFile}.mode`],
    ],
    ['a password', user('secret'), [noHash]],
    ['a truncated hash', user('$6$salt$abc'), [noHash]],
    ['SHA-512', user(`$6$rounds=5000$salt$${'a'.repeat(86)}`), []],
    ['yescrypt', user(`$y$j9T$salt$${'a'.repeat(43)}`), []],
    ['a locked password', user('*'), []],
  ])('%s', (_title, config, expected) => {
    expect(found(config)).toEqual(expected);
  });
});
