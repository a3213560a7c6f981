/** Where the cluster and what one is known by come from: files, the environment, the pod. */

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findClusterConfig } from '../../src/kube/clusterConfig.ts';
import { createIo } from '../support/createIo.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cluster config '));
});
afterEach(async () => rm(folder, { recursive: true }));

const ca = new URL('../support/tls/ca.pem', import.meta.url);

async function writeConfig(name: string, fields: Partial<Record<'cluster' | 'user', object>> = {}) {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(
    path,
    JSON.stringify({
      'current-context': name,
      contexts: [{ name, context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://192.0.2.1:6443/', ...fields.cluster } }],
      users: [{ name: 'u', user: { token: 'from-the-file', ...fields.user } }],
    }),
  );
  return path;
}

const find = async (kubeconfig: string | undefined, env: Record<string, string> = {}) =>
  findClusterConfig(
    kubeconfig,
    createIo({ env: { HOME: folder, ...env }, cwd: folder }),
    join(folder, 'account'),
  );

async function writeAccount(): Promise<void> {
  const account = join(folder, 'account');
  await mkdir(account);
  const { readFile } = await import('node:fs/promises');
  await writeFile(join(account, 'ca.crt'), await readFile(ca));
  await writeFile(join(account, 'namespace'), 'metal3\n');
  await writeFile(join(account, 'token'), 'first\n');
}

const pod = { KUBERNETES_SERVICE_HOST: '192.0.2.10', KUBERNETES_SERVICE_PORT: '6443' };

describe('findClusterConfig', () => {
  it('takes the kubeconfig that is given, before all others', async () => {
    await writeAccount();
    await writeConfig('given');
    const found = await find('given', { ...pod, KUBECONFIG: 'other' });
    expect(found).toMatchObject({ server: 'https://192.0.2.1:6443', namespace: 'default' });
    expect(found.description).toBe('context given of given');
    expect(await found.readToken()).toBe('from-the-file');
  });

  it('takes those of KUBECONFIG, the first of which counts', async () => {
    await writeAccount();
    await writeConfig('a');
    await writeConfig('b');
    const found = await find(undefined, { ...pod, KUBECONFIG: `${join(folder, 'a')}::${join(folder, 'b')}` });
    expect(found.description).toMatch(/^context a of /);
  });

  it('ignores missing files of KUBECONFIG, like kubectl, unless all are missing', async () => {
    await writeConfig('a');
    const found = await find(undefined, { KUBECONFIG: `missing:${join(folder, 'a')}` });
    expect(found.description).toMatch(/^context a of /);
    await expect(find(undefined, { KUBECONFIG: 'missing:lost' })).rejects.toThrow('not found: missing');
  });

  it('takes the service account of the pod, whose token is read as it is renewed', async () => {
    await writeAccount();
    const found = await find(undefined, { ...pod, https_proxy: 'http://192.0.2.99:3128' });
    expect(found).toMatchObject({
      server: 'https://192.0.2.10:6443',
      namespace: 'metal3',
      proxies: { https: '' },
    });
    expect(await found.readToken()).toBe('first');
    await writeFile(join(folder, 'account', 'token'), 'second');
    expect(await found.readToken()).toBe('second');
  });

  it('writes IPv6 addresses of clusters as URLs want them', async () => {
    await writeAccount();
    const found = await find(undefined, { ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1' });
    expect(found.server).toBe('https://[fd00::1]:6443');
  });

  it('takes ~/.kube/config at last', async () => {
    await writeConfig('.kube/config');
    expect((await find(undefined)).server).toBe('https://192.0.2.1:6443');
  });

  it('looks for files of a kubeconfig beside it, through links to it as well', async () => {
    const path = await writeConfig('sub/config', {
      cluster: { 'certificate-authority': 'ca.pem' },
      user: { tokenFile: '../token' },
    });
    await symlink(ca, join(folder, 'sub/ca.pem'));
    await writeFile(join(folder, 'token'), 'renewed');
    const found = await find(path);
    expect(found.tls.ca?.toString()).toContain('BEGIN CERTIFICATE');
    expect(await found.readToken()).toBe('renewed');
  });

  it('takes the proxy of the kubeconfig before that of the environment', async () => {
    const path = await writeConfig('c', { cluster: { 'proxy-url': 'http://192.0.2.7:3128' } });
    const env = { https_proxy: 'http://192.0.2.8:3128', no_proxy: 'a.test' };
    expect((await find(path, env)).proxies).toMatchObject({ https: 'http://192.0.2.7:3128', except: '' });
    expect((await find(await writeConfig('d'), env)).proxies).toMatchObject({
      https: 'http://192.0.2.8:3128',
      except: 'a.test',
    });
  });

  it.each([
    ['no kubeconfig', undefined, {}, 'Kubeconfig not found: '],
    ['http:// to another machine', { cluster: { server: 'http://192.0.2.1' } }, {}, 'Invalid address'],
    ['a URL of another kind', { cluster: { server: 'file:///etc' } }, {}, 'Invalid address'],
    ['no URL', { cluster: { server: 'api' } }, {}, 'Invalid address'],
    ['an authority that is not there', { cluster: { 'certificate-authority': 'no.pem' } }, {}, 'not found'],
    [
      'an authority that is no certificate',
      { cluster: { 'certificate-authority-data': 'QUJD' } },
      {},
      'Invalid certificate or key',
    ],
    ['a token with a line feed in it', { user: { token: 'a\nb' } }, {}, 'contains invalid characters'],
  ])('refuses %s', async (_title, fields, env, problem) => {
    const path = fields === undefined ? undefined : await writeConfig('config', fields);
    await expect(find(path, env)).rejects.toThrow(problem);
  });

  it('says that the token of a file is missing when it is wanted', async () => {
    const { readToken } = await find(await writeConfig('config', { user: { tokenFile: 'token' } }));
    await expect(readToken()).rejects.toThrow('Token not found');
    await writeFile(join(folder, 'token'), ' \n');
    await expect(readToken()).rejects.toThrow('is empty');
  });

  it('connects to kubectl proxy on this machine', async () => {
    const path = await writeConfig('config', { cluster: { server: 'http://127.0.0.1:8001' } });
    expect((await find(path)).server).toBe('http://127.0.0.1:8001');
  });
});
