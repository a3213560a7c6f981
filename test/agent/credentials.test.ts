/** Which entry of a pull secret podman takes for an image; where podman is installed, it is asked the same. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findLogin, readCredentials } from '../../src/agent/pullSecret.ts';
import { have, oracleNote } from '../support/programs.ts';

const usable = Buffer.from('user:pass').toString('base64');
const noColon = Buffer.from('user').toString('base64');
const noUser = Buffer.from(':pass').toString('base64');

const auths = (entries: Readonly<Record<string, string | undefined>>, others: object = {}): string =>
  JSON.stringify({
    auths: Object.fromEntries(Object.entries(entries).map(([name, auth]) => [name, { auth }])),
    ...others,
  });

const cases = [
  ['quay.io/a/b', auths({ 'quay.io': usable }), 'usable'],
  ['quay.io/a/b', auths({ 'quay.io/a': usable }), 'usable'],
  ['quay.io/a/b', auths({ 'quay.io/a/b': usable }), 'usable'],
  ['quay.io/a/b', auths({ 'quay.io/a/b/c': usable }), undefined],
  ['quay.io/a/b', auths({ 'quay.io/other': usable }), undefined],
  ['quay.io/a/b', auths({ 'quay.io': usable, 'quay.io/a': noColon }), 'no colon'],
  ['quay.io/a', auths({ 'quay.io:443': usable }), undefined],
  ['quay.io:443/a', auths({ 'quay.io': usable }), undefined],
  ['quay.io/a', auths({ 'QUAY.io': usable }), undefined],
  ['quay.io/a', auths({ 'quay.io/': usable }), undefined],
  ['quay.io/a', auths({ 'https://quay.io/v1/': usable }), 'usable'],
  ['quay.io/a', auths({ 'http://quay.io': usable }), 'usable'],
  ['docker.io/library/a', auths({ 'https://index.docker.io/v1/': usable }), 'usable'],
  ['docker.io/library/a', auths({ 'index.docker.io': usable }), 'usable'],
  ['docker.io/library/a', auths({ 'registry-1.docker.io': usable }), 'usable'],
  ['docker.io/library/a', auths({ 'docker.io': usable }), 'usable'],
  ['[2001:db8::1]:5000/a', auths({ '[2001:db8::1]:5000': usable }), 'usable'],
  ['quay.io/a', auths({ 'quay.io': `${usable}\n` }), 'usable'],
  ['quay.io/a', auths({ 'quay.io': noColon }), 'no colon'],
  ['quay.io/a', auths({ 'quay.io': noUser }), 'no user'],
  ['quay.io/a', auths({ 'quay.io': '' }), 'empty'],
  ['quay.io/a', auths({ 'quay.io': undefined }), 'empty'],
  ['quay.io/a', auths({ 'quay.io': undefined }, { credsStore: 'desktop' }), 'empty'],
  ['quay.io/a', auths({}, { credsStore: 'desktop' }), undefined],
  ['quay.io/a', auths({}), undefined],
  ['quay.io/a', auths({ 'quay.io': 'user:pass' }), 'not base64'],
  ['quay.io/a', auths({ 'quay.io': 'dTp' }), 'not base64'],
  ['quay.io/a', auths({ 'quay.io': 'dTp_' }), 'not base64'],
  ['quay.io/a', auths({}, { credHelpers: { 'quay.io': 'none-of-this-name' } }), 'helper'],
] as const;

function stateOf(name: string, json: string): string | undefined {
  const login = findLogin(name, readCredentials(json));
  return login !== undefined && 'helper' in login ? 'helper' : login?.state;
}

describe('findLogin', () => {
  it.each(cases)('%s in %s: %s', (name, json, expected) => {
    expect(stateOf(name, json)).toBe(expected);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!have('podman'))(`podman finds the same${oracleNote('podman')}`, () => {
  // It would start the program for credentials, and its command line takes no path behind an IPv6 address.
  it.each(cases.filter(([name, json]) => !json.includes('credHelpers') && !name.startsWith('[')))(
    '%s in %s: %s',
    (name, json, expected) => {
      const file = join(folder, 'auth.json');
      writeFileSync(file, json);
      const { status, stderr, stdout } = spawnSync(
        'podman',
        ['login', '--get-login', '--authfile', file, name],
        {
          encoding: 'utf8',
        },
      );
      expect(stdout.trim() === 'user').toBe(expected === 'usable');
      expect(status === 0).toBe(expected === 'usable');
      expect(/missing semicolon/.test(stderr)).toBe(expected === 'no colon');
      expect(/illegal base64/.test(stderr)).toBe(expected === 'not base64');
    },
  );
});
