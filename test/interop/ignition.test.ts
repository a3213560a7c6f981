/**
 * What messages say of Ignition on a machine, tried with Ignition itself in a folder: its stages `fetch` and `files`.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootIssues } from '../../src/ignition/contents.ts';
import { accountConfigs } from '../support/accountConfigs.ts';
import { listenLocally } from '../support/listening.ts';
import { have, oracleFile, oracleNote } from '../support/programs.ts';

const program = oracleFile('Ignition');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ignition-'));
  for (const name of ['etc', 'var/home']) mkdirSync(join(folder, 'root', name), { recursive: true });
  // Ignition asks for the kind of the system, which is a program of CoreOS.
  writeFileSync(join(folder, 'is-live-image'), '#!/bin/sh\n', { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const tlsFile = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../support/tls', name), 'utf8');
const authority = tlsFile('ca.pem');

const inRoot = (path: string): string => join(folder, 'root', path);

/** What a stage of Ignition logs. */
async function stage(name: 'fetch' | 'files'): Promise<{ readonly status: number; readonly log: string }> {
  const files = ['-config-cache', join(folder, 'cache.json'), '-state-file', join(folder, 'state')];
  const child = spawn(
    program,
    ['-platform', 'file', '-stage', name, '-root', join(folder, 'root'), '-log-to-stdout', ...files],
    {
      env: {
        PATH: `${folder}:/usr/sbin:/usr/bin:/bin`,
        IGNITION_CONFIG_FILE: join(folder, 'config.ign'),
      },
    },
  );
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (log += String(data)));
  const status = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)));
  return { status, log };
}

/** Runs the stages that read a config and write its files, up to the first that fails. */
async function boot(config: string | object): Promise<{ readonly status: number; readonly log: string }> {
  writeFileSync(join(folder, 'config.ign'), typeof config === 'string' ? config : JSON.stringify(config));
  const fetched = await stage('fetch');
  if (fetched.status !== 0) return fetched;
  const written = await stage('files');
  return { ...written, log: `${fetched.log}${written.log}` };
}

/** The config in which the stage `fetch` leaves what it merged and translated. */
const fetchedConfig = (): string => readFileSync(join(folder, 'cache.json'), 'utf8');

const data = (value: string | object): string =>
  `data:;base64,${Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')}`;

const version = { version: '3.5.0' };
const withFile = (file: object, ignition: object = version): object => ({
  ignition,
  storage: { files: [{ path: '/etc/a', ...file }] },
});
const withAuthority = (pem: string): object => ({
  ignition: { ...version, security: { tls: { certificateAuthorities: [{ source: data(pem) }] } } },
});
const hash = `sha512-${'0'.repeat(128)}`;

describe.skipIf(!have('Ignition'))(`Ignition itself${oracleNote('Ignition')}`, () => {
  it('creates files that all users can read', async () => {
    expect(await boot(withFile({ contents: { source: 'data:,a' } }))).toMatchObject({ status: 0 });
    expect(statSync(inRoot('etc/a')).mode & 0o777).toBe(0o644);
  });

  it('goes on without an empty config', async () => {
    const { status, log } = await boot('');
    expect(status).toBe(0);
    expect(log).toContain('provider config was empty, continuing with empty cache config');
  });

  it('ignores a key that it does not know', async () => {
    const { status, log } = await boot(withFile({ contents: { source: 'data:,a' }, owner: 'root' }));
    expect(status).toBe(0);
    expect(log).toMatch(/unused key owner/i);
  });

  it.each<[string, object]>([
    ['a file', withFile({ contents: { source: data('no gzip'), compression: 'gzip' } })],
    [
      'a config',
      { ignition: { ...version, config: { merge: [{ source: data('no gzip'), compression: 'gzip' }] } } },
    ],
    ['a config that is no JSON', { ignition: { ...version, config: { merge: [{ source: data('{') }] } } }],
    ['base64 in two lines', withFile({ contents: { source: 'data:;base64,YWFh\nYWFh' } })],
  ])('stops at contents that it cannot decode: %s', async (_title, config) => {
    expect(await boot(config)).toMatchObject({ status: 1 });
  });

  it('decodes gzip', async () => {
    const source = `data:;base64,${gzipSync('text').toString('base64')}`;
    expect(await boot(withFile({ contents: { source, compression: 'gzip' } }))).toMatchObject({ status: 0 });
    expect(readFileSync(inRoot('etc/a'), 'utf8')).toBe('text');
  });

  it.each<[string, object, RegExp]>([
    [
      'a file',
      withFile({ contents: { source: 'data:,a', verification: { hash } } }),
      /hash verification failed/,
    ],
    [
      'a config',
      {
        ignition: {
          ...version,
          config: { replace: { source: data({ ignition: version }), verification: { hash } } },
        },
      },
      /hash verification failed/,
    ],
    [
      'digits that are not hexadecimal',
      withFile({ contents: { source: 'data:,a', verification: { hash: hash.replaceAll('0', 'x') } } }),
      /invalid byte|hash verification failed/,
    ],
  ])('stops at a hash that differs: %s', async (_title, config, reason) => {
    const { status, log } = await boot(config);
    expect(status).toBe(1);
    expect(log).toMatch(reason);
  });

  it('takes nothing of a config that is replaced', async () => {
    const merged = { source: data(withFile({ path: '/etc/merged', contents: { source: 'data:,a' } })) };
    const ignition = {
      ...version,
      config: { replace: { source: data({ ignition: version }) }, merge: [merged] },
    };
    expect(await boot(withFile({ contents: { source: 'data:,a' } }, ignition))).toMatchObject({ status: 0 });
    expect(fetchedConfig()).not.toContain('/etc/');
  });

  it('merges a config over the one that names it', async () => {
    const other = withFile({ contents: { source: 'data:,other' } });
    const ignition = { ...version, config: { merge: [{ source: data(other) }] } };
    expect(await boot(withFile({ contents: { source: 'data:,a' } }, ignition))).toMatchObject({ status: 0 });
    expect(readFileSync(inRoot('etc/a'), 'utf8')).toBe('other');
  });

  it('loses the advertisement of a Tang server', async () => {
    const tang = [
      {
        url: 'http://192.0.2.1',
        thumbprint: 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopq',
        advertisement: '{"payload":"x"}',
      },
    ];
    const luks = [{ name: 'a', device: '/dev/a', clevis: { tang } }];
    writeFileSync(
      join(folder, 'config.ign'),
      JSON.stringify({ ignition: { version: '3.4.0' }, storage: { luks } }),
    );
    expect(await stage('fetch')).toMatchObject({ status: 0 });
    expect(fetchedConfig()).toContain('192.0.2.1');
    expect(fetchedConfig()).not.toContain('payload');
  });

  it('stops at a link without a target', async () => {
    const links = [{ path: '/etc/a', target: '' }];
    expect(await boot({ ignition: { version: '3.0.0' }, storage: { links } })).toMatchObject({ status: 1 });
  });

  it('stops at a path with a NUL character', async () => {
    const { status, log } = await boot(withFile({ path: '/etc/a\0b', contents: { source: 'data:,a' } }));
    expect(status).toBe(1);
    expect(log).toContain('invalid argument');
  });

  it.each<[string, object]>([
    ['a file', withFile({ contents: { source: 'data:,a' } })],
    ['a folder at the path of a link', { ignition: version, storage: { directories: [{ path: '/home' }] } }],
    ['a folder at the path of a file', { ignition: version, storage: { directories: [{ path: '/etc/a' }] } }],
    ['a link', { ignition: version, storage: { links: [{ path: '/etc/a', target: '/etc/b' }] } }],
  ])('does not replace what exists: %s', async (_title, config) => {
    writeFileSync(inRoot('etc/a'), 'old');
    symlinkSync('var/home', inRoot('home'));
    const { status, log } = await boot(config);
    expect(status).toBe(1);
    expect(log).toMatch(/overwrite is false|is not a directory/);
    expect(readFileSync(inRoot('etc/a'), 'utf8')).toBe('old');
  });

  it('writes units unchanged', async () => {
    const contents = data('[Service]\nExecStart=/bin/true\n');
    expect(
      await boot({ ignition: version, systemd: { units: [{ name: 'a.service', contents }] } }),
    ).toMatchObject({ status: 0 });
    expect(readFileSync(inRoot('etc/systemd/system/a.service'), 'utf8')).toBe(contents);
  });

  it.each(['\n', 'text\n'])('stops at text after a certificate: %j', async (text) => {
    expect(await boot(withAuthority(authority))).toMatchObject({ status: 0 });
    const { status, log } = await boot(withAuthority(`${authority}${text}`));
    expect(status).toBe(1);
    expect(log).toContain('unable to decode PEM block');
  });

  it.each<[string, object]>([
    ['text', { source: 'data:,text' }],
    ['DER', { source: `data:;base64,${authority.split('\n').slice(1, -2).join('')}` }],
    ['a damaged certificate', { source: data(authority.replace('MII', 'MIJ')) }],
    ['gzip that is none', { source: data(authority), compression: 'gzip' }],
    ['another hash', { source: data(authority), verification: { hash } }],
  ])('stops at a certificate authority that it cannot read: %s', async (_title, resource) => {
    const tls = { certificateAuthorities: [resource] };
    const config = { ignition: { ...version, security: { tls } } };
    expect(await boot(config)).toMatchObject({ status: 1 });
    expect(bootIssues(config)).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['no bytes', { source: 'data:,' }],
    ['gzip', { source: `data:;base64,${gzipSync(authority).toString('base64')}`, compression: 'gzip' }],
    ['a comment in front', { source: data(`# CA\n${authority}`) }],
  ])('reads a certificate authority: %s', async (_title, resource) => {
    const tls = { certificateAuthorities: [resource] };
    const config = { ignition: { ...version, security: { tls } } };
    expect(await boot(config)).toMatchObject({ status: 0 });
    expect(bootIssues(config)).toEqual([]);
  });

  it('stops at a version that it does not know', async () => {
    const { status, log } = await boot({ ignition: { version: '3.99.0' } });
    expect(status).toBe(1);
    expect(log).toMatch(/unsupported config version/);
  });

  it.each(accountConfigs)(
    'creates the users, groups and owners that the lint accepts, and no other: $title',
    async ({ config, finding }) => {
      const accounts = {
        passwd: 'root:x:0:0::/etc:/bin/sh\n',
        group: 'root:x:0:\nwheel:x:10:\n',
        shadow: 'root:*:1:0:99999:7:::\n',
        gshadow: 'root:*::\nwheel:*::\n',
        'login.defs': 'USERGROUPS_ENAB yes\nUID_MIN 1000\nGID_MIN 1000\n',
      };
      for (const [name, text] of Object.entries(accounts)) writeFileSync(inRoot(`etc/${name}`), text);
      mkdirSync(inRoot('home'));
      // Ignition merges the config over that of CoreOS, which creates core.
      const core = { ignition: version, passwd: { users: [{ name: 'core' }] } };
      const merge = [core, { ignition: version, ...config }].map((document) => ({ source: data(document) }));
      const { status, log } = await boot({ ignition: { ...version, config: { merge } } });
      expect({ status, log }).toMatchObject({ status: finding === undefined ? 0 : 1 });
      const written = new Set(readFileSync(inRoot('etc/passwd'), 'utf8').match(/^[^:\n]+/gm));
      const { users = [] } = finding === undefined ? (config.passwd ?? {}) : {};
      const differs = users.filter(({ name = '', shouldExist = true }) => written.has(name) !== shouldExist);
      expect(differs).toEqual([]);
    },
  );

  it('fetches over plain HTTP', async () => {
    const server = createHttpServer((_request, response) => response.end('text'));
    try {
      const source = `http://127.0.0.1:${await listenLocally(server)}/`;
      expect(await boot(withFile({ contents: { source } }))).toMatchObject({ status: 0 });
      expect(readFileSync(inRoot('etc/a'), 'utf8')).toBe('text');
    } finally {
      server.close();
    }
  });

  it('trusts no private certificate authority but one of the config, and repeats the request until its time limit', async () => {
    const identity = { cert: tlsFile('server.pem'), key: tlsFile('server-key.pem') };
    const server = createHttpsServer(identity, (_request, response) => response.end('text'));
    try {
      const source = `https://localhost:${await listenLocally(server)}/`;
      const timeouts = { httpTotal: 5 };
      const refused = await boot(withFile({ contents: { source } }, { ...version, timeouts }));
      expect(refused.status).toBe(1);
      expect(refused.log.split('certificate signed by unknown authority').length).toBeGreaterThan(3);
      const tls = { certificateAuthorities: [{ source: data(authority) }] };
      const trusted = { ...version, timeouts, security: { tls } };
      expect(await boot(withFile({ contents: { source } }, trusted))).toMatchObject({ status: 0 });
    } finally {
      server.close();
    }
  });
});
