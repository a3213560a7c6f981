import { gzipSync } from 'node:zlib';
import { assert, property, string, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listEmbeddedSecrets } from '../../src/agent/embeddedSecrets.ts';

const url = (content: string): string => `data:;base64,${Buffer.from(content).toString('base64')}`;
const file = (path: string, content: string, mode = 0o644): object => ({
  storage: { files: [{ path, mode, contents: { source: url(content) } }] },
});
const configOf = (parts: object): string => JSON.stringify({ ignition: { version: '3.4.0' }, ...parts });
const member = (name: string, text: string): ReadonlyMap<string, Uint8Array> =>
  new Map([[name, Buffer.from(text)]]);
const secretsOf = (parts: object): string[] => listEmbeddedSecrets(member('config.ign', configOf(parts)));

const hash = { passwd: { users: [{ name: 'core', passwordHash: '$6$x$y' }] } };
const merged = (inner: object): object => ({
  ignition: { version: '3.4.0', config: { merge: [{ source: url(configOf(inner)) }] } },
});
const packed = (inner: object): object => ({
  ignition: {
    version: '3.4.0',
    config: {
      merge: [
        {
          compression: 'gzip',
          source: `data:;base64,${gzipSync(configOf(inner)).toString('base64')}`,
        },
      ],
    },
  },
});
const agentUnit = (options: string): object => ({
  systemd: {
    units: [
      {
        name: 'ironic-agent.service',
        contents: `[Service]\nExecStart=/bin/podman run ${options} quay.io/x\n`,
      },
    ],
  },
});

describe('listEmbeddedSecrets: of configs', () => {
  it.each<[string, object, readonly string[]]>([
    ['nothing', {}, []],
    ['a public file', file('/etc/motd', 'hello'), []],
    ['a password hash', hash, ['a password hash']],
    ['of a group', { passwd: { groups: [{ name: 'x', passwordHash: 'y' }] } }, ['a password hash']],
    ['an empty hash', { passwd: { users: [{ name: 'core', passwordHash: '' }] } }, []],
    [
      'an SSH key, which is public',
      { passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 AAAA'] }] } },
      [],
    ],
    ['a pull secret anywhere', file('/opt/x', '{"auths": {}}'), ['a pull secret']],
    ['a private key', file('/opt/x', '-----BEGIN PRIVATE KEY-----\n'), ['a private key']],
    ['a file for few', file('/opt/x', 'x', 0o600), ['a file that only some users can read']],
    [
      'a connection',
      file('/etc/NetworkManager/system-connections/a', '[connection]\nid=a\ntype=ethernet\n', 0o600),
      [],
    ],
    [
      'a connection with a password',
      file('/etc/NetworkManager/system-connections/a', '[wifi-security]\npsk=12345678\n', 0o600),
      ['a network password'],
    ],
    [
      'a proxy password',
      { ignition: { version: '3.4.0', proxy: { httpProxy: 'http://a:b@h' } } },
      ['a password in a URL'],
    ],
    ['a URL with a port', { ignition: { version: '3.4.0', proxy: { httpProxy: 'http://h:80/a@b' } } }, []],
    [
      'a header',
      {
        storage: {
          files: [
            {
              path: '/x',
              contents: { source: 'https://h/x', httpHeaders: [{ name: 'Authorization', value: 'x' }] },
            },
          ],
        },
      },
      ['credentials for a download'],
    ],
    ['a merged config', merged(hash), ['a password hash']],
    ['a compressed one', packed(hash), ['a password hash']],
    ['one in one in one', merged(packed(merged(hash))), ['a password hash']],
    ['a harmless config in a file for few', file('/etc/coreos/dest.ign', configOf({}), 0o600), []],
    [
      'a config with a hash in a file',
      file('/etc/coreos/dest.ign', configOf(hash), 0o600),
      ['a password hash'],
    ],
    ['a password in a unit', agentUnit('--env HTTP_PROXY=http://a:b@h'), ['a password in a URL']],
    [
      'a disk encryption key',
      { storage: { luks: [{ name: 'x', device: '/dev/x', keyFile: { source: 'data:,x' } }] } },
      ['a disk encryption key'],
    ],
  ])('%s', (_name, parts, expected) => {
    expect(secretsOf(parts)).toEqual(expected);
  });
});

describe('listEmbeddedSecrets: of other files', () => {
  it.each<[string, string, readonly string[]]>([
    ['etc/coreos-firstboot-network/eth0.nmconnection', '[connection]\nid=eth0\ntype=ethernet\n', []],
    [
      'etc/coreos-firstboot-network/eth0.nmconnection',
      '[802-1x]\nprivate-key-password=x\n',
      ['a network password'],
    ],
    [
      'etc/coreos-firstboot-network/eth0.nmconnection',
      '[wifi-security]\nwep-key0 = abcde\n',
      ['a network password'],
    ],
    ['etc/coreos-firstboot-network/eth0.nmconnection', '[wifi-security]\npsk-flags=1\n', []],
    ['etc/coreos-firstboot-network/vpn', '[vpn-secrets]\nx=y\n', ['a network password']],
    ['etc/coreos-firstboot-network/wg0', '[wireguard-peer.x]\npreshared-key=x\n', ['a network password']],
    [
      'config.ign',
      '{"ignition": {"version": "99.0.0"}, "passwd": {"users": [{"passwordHash": "x"}]}}',
      ['a password hash'],
    ],
    ['config.ign', 'no JSON at all', []],
    ['root/.docker/config.json', '{"auths":{}}', ['a pull secret']],
  ])('%s %j', (name, text, expected) => {
    expect(listEmbeddedSecrets(member(name, text))).toEqual(expected);
  });

  it('takes any bytes', () => {
    assert(
      property(string(), uint8Array(), (name, bytes) => {
        expect(Array.isArray(listEmbeddedSecrets(new Map([[name, bytes]])))).toBe(true);
      }),
    );
  });
});
