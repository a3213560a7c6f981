import { describe, expect, it } from 'vitest';
import type { File } from '../../../src/ignition/config.ts';
import { dataUrl, summary, withFiles } from './support.ts';

const at = '$.storage.files.1';

describe('files of the host', () => {
  it.each([
    ['a mode in decimal digits', { path: '/etc/x', mode: 644 }, [`agent-mode-decimal ${at}.mode`]],
    ['a mode', { path: '/etc/x', mode: 420 }, []],
    ['a script', { path: '/etc/x', mode: 0o755, contents: { source: dataUrl('#!/bin/sh\n') } }, []],
    [
      'a script without a first line, which a shell runs',
      { path: '/etc/x', mode: 0o755, contents: { source: dataUrl('\n[[ a ]]\n') } },
      [],
    ],
    [
      'a conf that is executable',
      { path: '/etc/x.conf', mode: 0o755, contents: { source: dataUrl('a=b\n') } },
      [],
    ],
    [
      'a recipe that is executable',
      { path: '/etc/Dockerfile', mode: 0o777, contents: { source: dataUrl('FROM x\n') } },
      [],
    ],
    ['a program', { path: '/etc/x', mode: 0o755, contents: { source: dataUrl('\u007fELF\u0000') } }, []],
    ['an empty file', { path: '/etc/x', mode: 0o755 }, []],
    ['time servers', { path: '/etc/chrony.conf', append: [{ source: dataUrl('\nserver a iburst\n') }] }, []],
    [
      'one without a name',
      { path: '/etc/chrony.conf', append: [{ source: dataUrl('\nserver a\nserver  iburst\n') }] },
      [`agent-ntp-server ${at}.append.0.source`],
    ],
    [
      'one without anything',
      { path: '/etc/chrony.conf', overwrite: true, contents: { source: dataUrl('pool') } },
      [`agent-ntp-server ${at}.contents.source`],
    ],
    ['a file below /usr', { path: '/usr/bin/x' }, [`agent-path-read-only ${at}.path`]],
    ['a file below a link to /usr', { path: '/lib64/x' }, [`agent-path-read-only ${at}.path`]],
    ['a file below /usr/local', { path: '/usr/local/x' }, []],
    [
      'a file of CoreOS',
      { path: '/etc/hosts', contents: { source: dataUrl('') } },
      [`agent-file-exists ${at}.path`],
    ],
    ['one whose mode is set', { path: '/etc/hosts', mode: 0o600 }, []],
    ['such a line elsewhere', { path: '/etc/x', contents: { source: dataUrl('server iburst') } }, []],
  ] satisfies [string, File, string[]][])('%s', (_title, file, expected) => {
    expect(summary(withFiles(file))).toEqual(expected);
  });
});

describe('targets of links', () => {
  it.each<[target: string, expected: string[]]>([
    ['/usr/share/zoneinfo/UTC', []],
    ['../usr/share/zoneinfo/UTC', []],
    ['\\usr\\share\\zoneinfo\\UTC', ['agent-link-backslash $.storage.links.0.target']],
    ['..\\usr\\share', ['agent-link-backslash $.storage.links.0.target']],
    ['C:\\zoneinfo', ['agent-link-backslash $.storage.links.0.target']],
  ])('%s', (target, expected) => {
    const config = withFiles();
    const links = [{ path: '/etc/x', target }];
    expect(summary({ ...config, storage: { ...config.storage, links } })).toEqual(expected);
  });
});

describe('scripts that a unit runs', () => {
  const start = 'agent-script-start';
  const own = { path: '/usr/local/bin/x', mode: 0o755 };
  it.each<[string, File, string, string[]]>([
    ['a script', { ...own, contents: { source: dataUrl('#!/bin/sh\n') } }, own.path, []],
    [
      'no mode',
      { path: own.path, contents: { source: dataUrl('#!/bin/sh\n') } },
      own.path,
      [`${start} ${at}.mode`],
    ],
    ['an interpreter', { path: own.path, contents: { source: dataUrl('a') } }, `/bin/sh ${own.path}`, []],
    [
      'a unit that changes the mode',
      { path: own.path, contents: { source: dataUrl('#!/bin/sh\n') } },
      `${own.path}\nExecStartPre=/bin/chmod 755 ${own.path}`,
      [],
    ],
    [
      'no interpreter line',
      { ...own, contents: { source: dataUrl('true\n') } },
      `-${own.path} -v`,
      [`${start} ${at}.contents.source`],
    ],
    [
      'line ends of Windows',
      { ...own, contents: { source: dataUrl('#!/bin/sh\r\n') } },
      '/bin/true',
      [`${start} ${at}.contents.source`],
    ],
  ])('%s', (_title, file, command, expected) => {
    const config = withFiles(file);
    const units = [{ name: 'x.service', contents: `[Service]\nExecStart=${command}\n` }];
    const all = { ...config, systemd: { units: [...(config.systemd?.units ?? []), ...units] } };
    expect(summary(all)).toEqual(expected);
  });
});
