import { describe, expect, it } from 'vitest';
import { lintHost } from '../../../src/agent/lint/lintHost.ts';
import type { TargetSystem } from '../../../src/agent/lint/subject.ts';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import type { Config, File, Unit } from '../../../src/ignition/config.ts';
import { formatPath } from '../../../src/core/finding.ts';
import { dataUrl, now, withUnit } from './support.ts';

/** `severity rule path`, one for each finding. */
function found(config: Config, machine?: TargetSystem): string[] {
  return lintHost(config, { now, machine }).map(
    ({ path, rule }) => `${rule.severity} ${rule.id} ${formatPath(path)}`,
  );
}

const storage = (files: readonly File[]): Config => ({ storage: { files } });

const service = (text: string, unit: Partial<Unit> = {}): Config => ({
  systemd: { units: [{ name: 'x.service', contents: text, ...unit }] },
});

const atFile = '$.storage.files.0';
const atUnit = '$.systemd.units.0.contents';

describe('what a live system cannot do', () => {
  const readOnly = 'error agent-path-read-only';
  it.each<[string, Config, string[], string[]]>([
    [
      'kernel arguments',
      { kernelArguments: { shouldExist: ['nosmt'] } },
      ['error agent-live-kernel-arguments $.kernelArguments.shouldExist'],
      [],
    ],
    [
      'kernel arguments to remove',
      { kernelArguments: { shouldNotExist: ['quiet'] } },
      ['warning agent-live-kernel-arguments-removed $.kernelArguments.shouldNotExist'],
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
      ['error agent-live-mount-point $.storage.filesystems.0.path'],
      [],
    ],
    [
      'a filesystem below /var',
      { storage: { filesystems: [{ device: '/dev/sda1', path: '/var/data', format: 'xfs' }] } },
      [],
      [],
    ],
    [
      'a program that nothing writes',
      service('[Service]\nExecStart=/usr/local/bin/x\n'),
      [`error agent-unit-program ${atUnit}`],
      [],
    ],
    [
      'a program that a command writes',
      service('[Service]\nExecStartPre=/usr/bin/curl -o /opt/x https://192.0.2.1/x\nExecStart=/opt/x\n'),
      [],
      [],
    ],
    [
      'a program that a container copies',
      service(
        '[Service]\nExecStartPre=/bin/podman run -v /usr/local/bin:/hostbin registry.example.com/x cp x /hostbin\nExecStart=/usr/local/bin/x\n',
      ),
      [],
      [],
    ],
    [
      'a program whose failure is ignored',
      service('[Service]\nExecStartPre=-/opt/x\nExecStart=/bin/true\n'),
      [],
      [],
    ],
  ])('%s', (_title, config, live, installed) => {
    expect(found(config, 'live')).toEqual(live);
    expect(found(config, 'installed')).toEqual(installed);
    expect(found(config)).toEqual(installed);
  });
});

describe('paths that CoreOS has', () => {
  const exists = 'error agent-file-exists';
  it.each<[string, Config, string[]]>([
    [
      'a file',
      storage([{ path: '/etc/hosts', contents: { source: 'data:,' } }]),
      [`${exists} ${atFile}.path`],
    ],
    [
      'a file to overwrite',
      storage([{ path: '/etc/hosts', overwrite: true, contents: { source: 'data:,' } }]),
      [],
    ],
    ['a file to append to', storage([{ path: '/etc/hosts', append: [{ source: 'data:,' }] }]), []],
    ['a file in place of a folder', storage([{ path: '/etc/ssh' }]), [`${exists} ${atFile}.path`]],
    ['a folder', { storage: { directories: [{ path: '/etc/ssh', mode: 448 }] } }, []],
    [
      'a folder in place of a file',
      { storage: { directories: [{ path: '/etc/hosts' }] } },
      [`${exists} $.storage.directories.0.path`],
    ],
    [
      'a folder in place of a link',
      { storage: { directories: [{ path: '/home', overwrite: true }] } },
      [`${exists} $.storage.directories.0.path`],
    ],
    [
      'a link in place of a file',
      { storage: { links: [{ path: '/etc/hosts', target: '/run/hosts' }] } },
      [`${exists} $.storage.links.0.path`],
    ],
    ['the link of CoreOS', { storage: { links: [{ path: '/opt', target: 'var/opt' }] } }, []],
  ])('%s', (_title, config, expected) => {
    expect(found(config)).toEqual(expected);
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
    ['yescrypt', user('$y$j9T$salt$hash'), []],
    ['a locked password', user('*'), []],
  ])('%s', (_title, config, expected) => {
    expect(found(config)).toEqual(expected);
  });
});

describe('commands of units', () => {
  it.each<[string, string, string[]]>([
    ['operators', '/usr/bin/mkdir /var/x && /usr/bin/touch /var/x/y', ['warning agent-unit-shell']],
    [
      'podman after an operator',
      '/usr/bin/sleep 5 && /bin/podman run -d registry.example.com/x',
      ['error agent-podman-shell'],
    ],
    ['operators in podman', '/bin/podman pull registry.example.com/x || true', ['error agent-podman-shell']],
    ['operators of a shell', '/bin/sh -c "mkdir /var/x && touch /var/x/y" && x', []],
    ['apt', '/usr/bin/apt-get install x', ['error agent-unit-absent']],
    ['apt without its folder', 'apt-get install x', ['error agent-unit-absent']],
    ['an apt of the config', '/usr/local/bin/apt', []],
    ['an apt whose failure is ignored', '-/usr/bin/apt update', []],
    ['docker, which Fedora CoreOS has', '/usr/bin/docker run registry.example.com/x', []],
  ])('%s', (_title, command, expected) => {
    expect(found(service(`[Service]\nType=oneshot\nExecStart=${command}\n`))).toEqual(
      expected.map((rule) => `${rule} ${atUnit}`),
    );
  });
});

const encodedFile = (path: string, text: string, mode = 0o644): Config =>
  storage([{ path, mode, contents: { source: dataUrl(text) } }]);

describe('contents that are encoded once too often', () => {
  const unit = '[Service]\nExecStart=/bin/true\n';
  const encoded = 'error agent-contents-encoded';
  const base64 = Buffer.from(unit).toString('base64');
  it.each<[string, Config, string[]]>([
    ['a unit', service(unit), []],
    ['a unit in base64', service(base64), [encoded]],
    ['a percent-encoded unit', service(encodeURIComponent(unit)), [encoded]],
    ['a unit as data URL', service(dataUrl(unit)), [encoded]],
    ['a file of systemd', encodedFile('/etc/systemd/journald.conf.d/x.conf', base64), [encoded]],
    [
      'a script',
      encodedFile('/usr/local/bin/x', Buffer.from('#!/bin/sh\n').toString('base64'), 0o755),
      [encoded],
    ],
    ['a key in base64', encodedFile('/etc/x.key', base64), []],
  ])('%s', (_title, config, expected) => {
    const findings = found(config).map((line) => line.split(' ').slice(0, 2).join(' '));
    expect(findings.filter((rule) => rule === encoded)).toEqual(expected);
  });
});

describe('settings with which podman cannot run the agent', () => {
  it.each<[string, string[]]>([
    ['User=core', ['error agent-unit-sandbox']],
    ['User=root', []],
    ['DynamicUser=yes', ['error agent-unit-sandbox']],
    ['ProtectSystem=strict', ['error agent-unit-sandbox']],
    ['ProtectSystem=strict\nReadWritePaths=/etc /var /run', []],
    ['ProtectSystem=strict\nReadWritePaths=-/var/lib/containers/ /var/tmp\nReadWritePaths=/var/run', []],
    ['ProtectSystem=strict\nReadWritePaths=/', []],
    ['ProtectSystem=strict\nReadWritePaths=/var', ['error agent-unit-sandbox']],
    ['ProtectSystem=strict\nReadWritePaths=/var/log /run', ['error agent-unit-sandbox']],
    ['ReadOnlyPaths=/run', ['error agent-unit-sandbox']],
    ['ReadOnlyPaths=/\nReadWritePaths=/var /run', []],
    ['InaccessiblePaths=/run', ['error agent-unit-sandbox']],
    ['ProtectSystem=full', []],
    ['ReadOnlyPaths=/var', ['error agent-unit-sandbox']],
    ['InaccessiblePaths=/var/lib', ['error agent-unit-sandbox']],
    ['ReadOnlyPaths=/etc', []],
    ['RestrictNamespaces=yes', ['error agent-unit-sandbox']],
    ['RestrictNamespaces=net', ['error agent-unit-sandbox']],
    ['RestrictNamespaces=~user', []],
    ['RestrictNamespaces=no', []],
    ['PrivateUsers=true', ['error agent-unit-sandbox']],
    ['PrivateNetwork=yes', ['error agent-unit-sandbox']],
    ['ProtectControlGroups=yes', ['error agent-unit-sandbox']],
    // The rendered command has --uts=host.
    ['ProtectHostname=yes', []],
    ['ProcSubset=pid', ['error agent-unit-sandbox']],
    ['SystemCallFilter=@system-service', ['error agent-unit-sandbox']],
    ['SystemCallFilter=~@mount', ['error agent-unit-sandbox']],
    ['SystemCallFilter=@system-service\nSystemCallFilter=@mount', []],
    ['CapabilityBoundingSet=CAP_NET_ADMIN', ['error agent-unit-sandbox']],
    ['CapabilityBoundingSet=CAP_SYS_ADMIN CAP_NET_ADMIN', []],
    ['DevicePolicy=strict', ['error agent-unit-sandbox']],
    ['DevicePolicy=closed', []],
    ['PrivateDevices=yes', ['warning agent-unit-devices']],
    ['PrivateTmp=yes\nNoNewPrivileges=yes\nProtectHome=yes\nProtectKernelTunables=yes', []],
  ])('%s', (setting, expected) => {
    const config = withUnit(['[Service]\n', `[Service]\n${setting}\n`]);
    const findings = lintConfig(config, { now }).map(({ rule }) => `${rule.severity} ${rule.id}`);
    expect(findings).toEqual(expected);
  });
});
