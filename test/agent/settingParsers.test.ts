/** Inputs that each profile reads in its own way, and what it refuses. */

import { describe, expect, it } from 'vitest';
import type { ProfileName } from '../../src/agent/settings.ts';
import { type SettingName, settingTable } from '../../src/agent/settingTable.ts';
import { FormatError } from '../../src/core/errors.ts';
import { key } from './fullConfig.ts';

const parserOf =
  (profile: ProfileName, origin: 'flag' | 'environment' = 'environment') =>
  (name: SettingName, text: string, hasNetwork = false): unknown => {
    const { parse, upstream } = settingTable.find((row) => row.name === name) ?? {};
    return (upstream?.[profile] ?? parse)?.(text, { flag: '--x', origin, hasNetwork, warn: () => undefined });
  };
const own = parserOf('default');
const icc = parserOf('icc');
const script = parserOf('configure-coreos-ipa');

describe('inputs', () => {
  it.each<readonly [title: string, read: () => unknown, value: unknown]>([
    ['time servers', () => own('host.ntpServers', ' a.example , 192.0.2.1'), ['a.example', '192.0.2.1']],
    ['time servers of ICC', () => icc('host.ntpServers', 'a.example,192.0.2.1'), ['a.example', '192.0.2.1']],
    ['the key of ICC', () => icc('host.sshKeys', `${key}\n`), [key]],
    [
      'a proxy of the longest length',
      () => own('proxy.http', `http://${'a'.repeat(993)}`),
      expect.anything(),
    ],
    ['all beside an interface', () => own('agent.vlanInterfaces', 'eno1,all', false), 'eno1,all'],
    [
      'the VLANs of the script',
      () => script('agent.vlanInterfaces', ' eno1,eno2.100\n', false),
      'eno1,eno2.100',
    ],
    ['the flags of the script', () => script('agent.podman.pullArgs', '--a  --b=c '), ['--a', '--b=c']],
  ])('%s', (_title, read, value) => expect(read()).toEqual(value));

  it.each<readonly [title: string, read: () => unknown, message: string]>([
    ['no time server', () => own('host.ntpServers', ' , '), 'contains no server'],
    [
      'a time server that is none',
      () => own('host.ntpServers', 'a,b c'),
      'contains "b c", which is not a server',
    ],
    [
      'a blank for ICC',
      () => icc('host.ntpServers', 'a.example, b.example'),
      'contains " b.example", which is not a server',
    ],
    [
      'nothing between commas for ICC',
      () => icc('host.ntpServers', 'a.example,'),
      'contains "", which is not a server',
    ],
    ['two keys for ICC', () => icc('host.sshKeys', `${key}\n${key}`), 'contains more than one SSH key'],
    [
      'a key behind a comment for ICC',
      () => icc('host.sshKeys', `# mine\n${key}`),
      'contains more than one SSH key',
    ],
    [
      'VLANs of two lines for the script',
      () => script('agent.vlanInterfaces', 'a\nb', false),
      'contains a control character',
    ],
    [
      'a time server with a port',
      () => own('host.ntpServers', '192.0.2.1:123'),
      'is not a server: it contains a port',
    ],
    [
      'a misspelled mode of VLANs',
      () => own('agent.vlanInterfaces', 'alwys', false),
      'is neither always, never or auto',
    ],
    [
      'a mode of VLANs beside an interface',
      () => own('agent.vlanInterfaces', 'eno1,always', false),
      'is neither always, never or auto nor a list of interfaces',
    ],
    [
      'a mode in capitals',
      () => own('agent.vlanInterfaces', 'Never, eno1', false),
      'nor a list of interfaces',
    ],
    ['two modes', () => own('agent.vlanInterfaces', 'auto,always', true), 'nor a list of interfaces'],
    [
      'a flag with a quote for the script',
      () => script('agent.podman.pullArgs', '--a="b"'),
      'contains "\\""',
    ],
    ['a host without a name', () => own('host.hostname', '-'), 'is not a valid host name'],
    [
      'a quote in a kernel argument',
      () => own('host.installIpOptions', 'ip="dhcp"'),
      'is not a kernel argument',
    ],
  ])('refuse %s', (_title, read, message) => {
    expect(read).toThrow(FormatError);
    expect(read).toThrow(message);
  });

  it('have little of a long server in the error', () => {
    expect(() => own('host.ntpServers', 'x '.repeat(5000))).toThrow(/^.{100,300}$/);
    expect(() => icc('host.ntpServers', 'x '.repeat(5000))).toThrow(/^.{100,300}$/);
  });
});
