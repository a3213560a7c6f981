/** Kubeconfig files: what the current context means, and what is refused. */

import * as fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { parseKubeconfig, selectAccess } from '../../src/kube/kubeconfig.ts';

const config = {
  'current-context': 'lab',
  contexts: [{ name: 'lab', context: { cluster: 'c', user: 'u', namespace: 'metal3' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://192.0.2.1:6443' } }],
  users: [{ name: 'u', user: { token: 'secret-token' } }],
};

const parse = (value: unknown, path = '/home/me/.kube/config') => parseKubeconfig(dump(value), path);
const withCluster = (cluster: object) => ({ ...config, clusters: [{ name: 'c', cluster }] });
const withUser = (user: object) => ({ ...config, users: [{ name: 'u', user }] });

describe('selectAccess', () => {
  it('finds cluster and user of the current context', () => {
    expect(selectAccess([parse(config)])).toEqual({
      context: 'lab',
      server: 'https://192.0.2.1:6443',
      authority: undefined,
      serverName: undefined,
      proxyUrl: undefined,
      namespace: 'metal3',
      certificate: undefined,
      key: undefined,
      token: { kind: 'data', bytes: Buffer.from('secret-token') },
    });
  });

  it('takes JSON, too', () => {
    expect(selectAccess([parseKubeconfig(JSON.stringify(config), 'x')]).context).toBe('lab');
  });

  it.each([
    ['an authority as data', { 'certificate-authority-data': 'QUJD' }, 'ABC'],
    ['wrapped base64', { 'certificate-authority-data': 'QU\n JD\n' }, 'ABC'],
    [
      'data before a file',
      { 'certificate-authority-data': 'QUJD', 'certificate-authority': 'ca.crt' },
      'ABC',
    ],
  ])('%s', (_title, fields, text) => {
    const { authority } = selectAccess([parse(withCluster({ server: 'https://a', ...fields }))]);
    expect(authority).toEqual({ kind: 'data', bytes: Buffer.from(text) });
  });

  it('takes a file of a token before a token, since that may be renewed', () => {
    const { token } = selectAccess([parse(withUser({ token: 'a', tokenFile: 'token' }), '/a/config')]);
    expect(token).toEqual({ kind: 'file', path: '/a/token' });
  });

  it('takes several files as one, of which the first counts', () => {
    const first = parse({ 'current-context': 'two', users: [{ name: 'u', user: { token: 'first' } }] }, '/a');
    const second = parse(
      {
        ...config,
        contexts: [...config.contexts, { name: 'two', context: { cluster: 'c', user: 'u' } }],
      },
      '/b',
    );
    expect(selectAccess([first, second])).toMatchObject({
      context: 'two',
      namespace: undefined,
      token: { bytes: Buffer.from('first') },
    });
  });

  it.each([
    ['an empty file', '', 'current-context is missing'],
    ['a list', '[]', 'not a mapping'],
    ['no YAML', 'users: [{"token: secret-token', 'config:1:30: invalid kubeconfig: it is not YAML'],
    ['contexts of another kind', 'contexts: {}', 'contexts is not a list'],
    ['an entry without a name', 'users: [{user: {token: secret-token}}]', 'an entry of users has no name'],
    ['a context that is not there', 'current-context: lab', 'context "lab" not found'],
    [
      'a cluster that is not there',
      dump({ ...config, clusters: [] }),
      'the cluster of its context was not found',
    ],
    ['a user that is not there', dump({ ...config, users: null }), 'the user of its context was not found'],
    ['no server', dump(withCluster({})), 'the server of its cluster is missing'],
    [
      'a proxy that is not a URL',
      dump(withCluster({ server: 'x', 'proxy-url': 'socks5h://u:secret-token@a' })),
      'proxy-url is not a URL of a proxy',
    ],
    ['a number as server', dump(withCluster({ server: 1 })), 'server is not a string'],
    [
      'no base64',
      dump(withCluster({ server: 'x', 'certificate-authority-data': '-' })),
      'is not valid base64',
    ],
    [
      'a certificate without key',
      dump(withUser({ 'client-certificate': 'a' })),
      'client certificate or client key is missing',
    ],
  ])('refuses %s', (_title, text, problem) => {
    const select = () => selectAccess([parseKubeconfig(text, 'config')]);
    expect(select).toThrow(/^config(?::1:\d+)?: invalid kubeconfig: /);
    expect(select).toThrow(problem);
    expect(select).not.toThrow('secret-token');
  });

  it.each([
    ['a program that fetches credentials', { exec: { command: 'aws' } }, 'uses exec'],
    ['a provider', { 'auth-provider': { name: 'gcp' } }, 'uses auth-provider'],
    ['a password', { username: 'me', password: 'secret' }, 'uses username'],
    ['acting as somebody else', { token: 'a', as: 'root' }, 'uses as,'],
  ])('does not connect otherwise than asked for: %s', (_title, user, problem) => {
    expect(() => selectAccess([parse(withUser(user))])).toThrow(problem);
  });

  it('ignores empty fields', () => {
    const user = { token: 'a', username: '', as: '', 'as-groups': [], exec: null };
    expect(selectAccess([parse(withUser(user))])).toMatchObject({ token: { kind: 'data' } });
  });

  it('verifies TLS always', () => {
    const cluster = { server: 'https://a', 'insecure-skip-tls-verify': true };
    expect(() => selectAccess([parse(withCluster(cluster))])).toThrow(
      'sets insecure-skip-tls-verify, which is unsupported',
    );
  });

  it('throws nothing but CliError, and never a secret', () => {
    const secret = 'S3CR3T';
    const leaf = fc.oneof(fc.constant(secret), fc.string(), fc.integer(), fc.constant(null), fc.boolean());
    const named = (field: string) =>
      fc.oneof(
        leaf,
        fc.array(
          fc.record({
            name: fc.constantFrom('lab', 'c', 'u', secret),
            [field]: fc.oneof(leaf, fc.dictionary(fc.constantFrom(...fields), leaf)),
          }),
        ),
      );
    const document = fc.record(
      {
        'current-context': fc.oneof(fc.constantFrom('lab', 'c'), fc.integer()),
        contexts: named('context'),
        clusters: named('cluster'),
        users: named('user'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          document.map((value) => dump(value)),
          fc.string(),
        ),
        (text) => {
          expect(problemOf(text)).not.toContain(secret);
        },
      ),
    );
  });
});

/** Throws what is no CliError. */
function problemOf(text: string): string {
  try {
    selectAccess([parseKubeconfig(text, 'config')]);
    return '';
  } catch (error) {
    if (error instanceof CliError) return `${error.message} ${error.hint ?? ''}`;
    throw error;
  }
}

const fields = [
  'cluster',
  'user',
  'namespace',
  'server',
  'certificate-authority-data',
  'client-certificate',
  'client-key-data',
  'token',
  'tokenFile',
  'proxy-url',
];
