import { describe, expect, it } from 'vitest';
import { listSecretPaths, maskConfSecrets, maskSecrets } from '../../../src/agent/lint/secrets.ts';
import type { Config } from '../../../src/ignition/config.ts';
import { formatPath } from '../../../src/report.ts';
import { dataUrl, render } from './support.ts';

const open = 'sesame';
const secret = { source: `data:,${open}` };

describe('secrets of a config', () => {
  it.each([
    [
      'a pull secret',
      { storage: { files: [{ path: '/etc/authfile.json', contents: secret }] } },
      ['$.storage.files.0.contents.source'],
    ],
    [
      'a file for root only',
      { storage: { files: [{ path: '/x', mode: 0o600, contents: secret, append: [secret] }] } },
      ['$.storage.files.0.contents.source', '$.storage.files.0.append.0.source'],
    ],
    [
      'a public file',
      { storage: { files: [{ path: '/x', mode: 0o644, contents: { source: 'data:,x' } }] } },
      [],
    ],
    [
      'a conf with a token',
      {
        storage: {
          files: [
            {
              path: '/etc/ironic-python-agent.conf',
              mode: 0o644,
              contents: { source: dataUrl('[DEFAULT]\nagent_token = x\n') },
            },
          ],
        },
      },
      ['$.storage.files.0.contents.source'],
    ],
    [
      'a password',
      { passwd: { users: [{ name: 'core', passwordHash: open }] } },
      ['$.passwd.users.0.passwordHash'],
    ],
    [
      'a private key',
      { passwd: { users: [{ sshAuthorizedKeys: ['x', `-----BEGIN PRIVATE KEY----- ${open}`] }] } },
      ['$.passwd.users.0.passwordHash', '$.passwd.users.0.sshAuthorizedKeys.1'],
    ],
    [
      'a proxy',
      { ignition: { proxy: { httpProxy: `http://u:${open}@h`, httpsProxy: 'http://h' } } },
      ['$.ignition.proxy.httpProxy'],
    ],
    [
      'a unit',
      {
        systemd: {
          units: [{ name: 'x.service', contents: `[Service]\nEnvironment=HTTP_PROXY=http://u:${open}@h\n` }],
        },
      },
      ['$.systemd.units.0.contents'],
    ],
    ['a key for disks', { storage: { luks: [{ keyFile: secret }] } }, ['$.storage.luks.0.keyFile.source']],
  ] satisfies [string, Config, string[]][])('%s', (_title, config, expected) => {
    expect(listSecretPaths(config).map(formatPath)).toEqual(expected);
    const document = Buffer.from(JSON.stringify(config, undefined, 1));
    const masked = Buffer.from(maskSecrets(document, config)).toString();
    expect(masked).toHaveLength(document.length);
    expect(masked).not.toContain(open);
    expect(Object.keys(JSON.parse(masked))).toEqual(Object.keys(config));
  });

  it('leaves the rendered config as it is where it has none', () => {
    const document = Buffer.from(JSON.stringify(render()));
    expect(maskSecrets(document, render())).toBe(document);
  });
});

it.each([
  ['[DEFAULT]\nagent_token = sesame\ndebug = x\n', '[DEFAULT]\nagent_token = ******\ndebug = x\n'],
  ['my_password: sesame\r\n  sesame sesame\r\nx = y', 'my_password: ******\r\n  ****** ******\r\nx = y'],
  ['api_url = http://u:sesame@h, http://x', 'api_url = http://********@h, http://x'],
  ['image_server_user=sesame', 'image_server_user=******'],
  ['', ''],
])('masks a conf: %j', (text, expected) => {
  expect(Buffer.from(maskConfSecrets(Buffer.from(text))).toString()).toBe(expected);
});
