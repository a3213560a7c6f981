import { describe, expect, it } from 'vitest';
import { maskConfSecrets, maskSecrets } from '../../../src/agent/lint/secrets.ts';
import type { Config } from '../../../src/ignition/config.ts';
import { readConfig } from '../../../src/ignition/validate.ts';
import { render } from './support.ts';

const open = 'sesame';
const data = { source: `data:,${open}` };
const hiddenData = { source: `*****${'*'.repeat(open.length + 1)}` };
const hidden = '*'.repeat(open.length);

const privateKey = `-----BEGIN PRIVATE KEY----- ${open}`;
const unit = (password: string): string => `[Service]\nEnvironment=HTTP_PROXY=http://${password}@h\n`;
const hiddenUnit = '*'.repeat(JSON.stringify(unit(open)).length - 2);

it('reads lists of any depth', () => {
  const lists = Buffer.from('['.repeat(100_000) + ']'.repeat(100_000));
  expect(maskSecrets(lists)).toBe(lists);
});

it.each([
  ['lists', '[', ']'],
  ['unknown objects', '{"x":', '}'],
])('finds a password in 65 %s in one another, and looks no deeper', (_title, start, end) => {
  const within = (levels: number, password: string): string =>
    `{"passwd":{"users":[{"passwordHash":${start.repeat(levels)}"${password}"${end.repeat(levels)}}]}}`;
  const masked = (levels: number): string =>
    Buffer.from(maskSecrets(Buffer.from(within(levels, open)))).toString();
  expect([masked(65), masked(66)]).toEqual([within(65, hidden), within(66, open)]);
});

describe('secrets of a config', () => {
  it.each([
    [
      'a pull secret',
      { storage: { files: [{ path: '/etc/authfile.json', contents: data }] } },
      { storage: { files: [{ path: '/etc/authfile.json', contents: hiddenData }] } },
    ],
    [
      'a file for root only',
      { storage: { files: [{ path: '/x', mode: 0o600, contents: data, append: [data] }] } },
      { storage: { files: [{ path: '/x', mode: 0o600, contents: hiddenData, append: [hiddenData] }] } },
    ],
    [
      'a public file',
      { storage: { files: [{ path: '/x', mode: 0o644, contents: { source: 'data:,x' } }] } },
      { storage: { files: [{ path: '/x', mode: 0o644, contents: { source: 'data:,x' } }] } },
    ],
    [
      'a file for root only that is fetched',
      { storage: { files: [{ path: '/x', mode: 0o600, contents: { source: `https://${open}@h/p` } }] } },
      { storage: { files: [{ path: '/x', mode: 0o600, contents: { source: `https://${hidden}@h/p` } }] } },
    ],
    [
      'a damaged data URL',
      { storage: { luks: [{ keyFile: { source: `data;base64,${open}` } }] } },
      { storage: { luks: [{ keyFile: { source: `data;base64,${hidden}` } }] } },
    ],
    [
      'a password',
      { passwd: { users: [{ name: 'core', passwordHash: open }] } },
      { passwd: { users: [{ name: 'core', passwordHash: hidden }] } },
    ],
    [
      'no password',
      { passwd: { users: [{ nmae: 'core' }], groups: [{ naem: 'x' }] } },
      { passwd: { users: [{ nmae: 'core' }], groups: [{ naem: 'x' }] } },
    ],
    [
      'a password below a misspelled key',
      { passwd: { users: [{ PASSWORDHASH: open }, { pasword_hash: open }, { password: open }] } },
      { passwd: { users: [{ PASSWORDHASH: hidden }, { pasword_hash: hidden }, { password: hidden }] } },
    ],
    [
      'a private key',
      { passwd: { users: [{ sshAuthorizedKeys: ['x', privateKey] }] } },
      { passwd: { users: [{ sshAuthorizedKeys: ['x', '*'.repeat(privateKey.length)] }] } },
    ],
    [
      'a proxy',
      { ignition: { proxy: { httpProxy: `http://${open}@h`, httpsProxy: 'http://h' } } },
      { ignition: { proxy: { httpProxy: `http://${hidden}@h`, httpsProxy: 'http://h' } } },
    ],
    [
      'a unit, whose line breaks are escapes',
      { systemd: { units: [{ name: 'x.service', contents: unit(open) }] } },
      { systemd: { units: [{ name: 'x.service', contents: hiddenUnit }] } },
    ],
    [
      'a key for disks',
      { storage: { luks: [{ keyFile: data }] } },
      { storage: { luks: [{ keyFile: hiddenData }] } },
    ],
    [
      'no key for disks',
      { storage: { luks: [{ naem: 'x' }, { keyFile: { soruce: '' } }] } },
      { storage: { luks: [{ naem: 'x' }, { keyFile: { soruce: '' } }] } },
    ],
    [
      'a header for a download',
      { storage: { files: [{ contents: { httpHeaders: [{ name: 'Authorization', value: open }] } }] } },
      { storage: { files: [{ contents: { httpHeaders: [{ name: 'Authorization', value: hidden }] } }] } },
    ],
    [
      'headers without a value',
      { storage: { files: [{ mode: 0o600, contents: { httpHeaders: [{ nmae: 'X' }] } }] } },
      { storage: { files: [{ mode: 0o600, contents: { httpHeaders: [{ nmae: 'X' }] } }] } },
    ],
  ])('%s', (_title, config, expected) => {
    for (const indent of [0, 1]) {
      const bytes = Buffer.from(JSON.stringify(complete(config), undefined, indent));
      const masked = Buffer.from(maskSecrets(bytes, decoded(bytes))).toString();
      expect(JSON.parse(masked)).toEqual(complete(expected));
      expect(masked).toHaveLength(bytes.length);
    }
  });

  it('finds values of repeated keys, and masks those with escapes as a whole', () => {
    const document = Buffer.from(
      `{"passwd":{"users":[{"passwordHash":"${open}","passwordHash":"x\\u0041","name":"\\u0062"}]},` +
        `"ignition":{"version":"3.4.0","proxy":{"httpProxy":"http:\\/\\/\\u0041é😀b@h\\u0041"}}}`,
    );
    expect(Buffer.from(maskSecrets(document, decoded(document))).toString()).toBe(
      `{"passwd":{"users":[{"passwordHash":"${hidden}","passwordHash":"*******","name":"\\u0062"}]},` +
        `"ignition":{"version":"3.4.0","proxy":{"httpProxy":"******************************"}}}`,
    );
  });

  it.each([
    [
      'a type that does not fit',
      `{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"uid":"x","passwordHash":"${open}"}]}}`,
    ],
    [
      'a list in place of a text',
      `{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"passwordHash":["${open}"]}]}}`,
    ],
    ['a comma too many', `{"passwd":{"users":[{"passwordHash":"${open}",}]}}`],
    ['a quote too few', `{"passwd":{"users":[{"passwordHash:"${open}"}]}}`],
    [
      'an unknown version',
      `{"ignition":{"version":"9.0.0"},"storage":{"files":[{"contents":{"source":"data:,${open}"}}]}}`,
    ],
  ])('hides secrets of a document with %s', (_title, text) => {
    const masked = Buffer.from(maskSecrets(Buffer.from(text))).toString();
    expect(masked).toHaveLength(text.length);
    expect(masked).not.toContain(open);
    expect(masked.slice(0, 20)).toBe(text.slice(0, 20));
  });

  it('leaves the rendered config as it is where it has none', () => {
    const document = Buffer.from(JSON.stringify(render()));
    expect(maskSecrets(document, render())).toBe(document);
  });
});

function complete(members: object): object {
  const { ignition } = { ignition: {}, ...members };
  return { ...members, ignition: { version: '3.4.0', ...ignition } };
}

function decoded(document: Buffer): Config {
  const read = readConfig(document);
  if (read.status === 'read') return read.config;
  throw new Error(read.finding.message);
}

it.each([
  ['[DEFAULT]\nagent_token = sesame\ndebug = x\n', '[DEFAULT]\nagent_token = ******\ndebug = x\n'],
  ['my_password: sesame\r\n  sesame sesame\r\nx = y', 'my_password: ******\r\n  ****** ******\r\nx = y'],
  ['api_url = http://u:sesame@h, http://x', 'api_url = http://********@h, http://x'],
  ['image_server_user=sesame', 'image_server_user=******'],
  ['', ''],
])('masks a conf: %j', (text, expected) => {
  expect(Buffer.from(maskConfSecrets(Buffer.from(text))).toString()).toBe(expected);
});
