/** Where keys come from, and that none counts which is not pinned. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createKeySource,
  type KeySource,
  type KeySourceOptions,
} from '../../../src/commands/download/downloadKeys.ts';
import { type DetachedSignature, parseSignatures } from '../../../src/formats/openpgp.ts';
import { createHttpClient, type HttpClient } from '../../../src/http/client/httpClient.ts';
import { type ImageServer, startImageServer } from '../../support/imageServer.ts';
import { makeKey, signFile } from '../../support/signing.ts';
import { createIo } from '../../support/createIo.ts';

let pinned: string[];
let server: ImageServer;
let client: HttpClient;
let folder: string;
let keyring: Uint8Array;
let signature: DetachedSignature;
let said: string[];

beforeEach(async () => {
  server = await startImageServer();
  client = createHttpClient({ env: {} });
  folder = mkdtempSync(join(tmpdir(), 'keys test '));
  said = [];
  const key = await makeKey();
  ({ keyring } = key);
  const [parsed] = await parseSignatures(await signFile(Buffer.from('x'), key));
  if (parsed === undefined) throw new Error('no signature');
  signature = parsed;
  pinned = [key.privateKey.getFingerprint()];
});

afterEach(async () => {
  await client.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function keySource(options: Partial<KeySourceOptions> = {}): KeySource {
  const policy = { retries: 0, firstPause: 1, say: (text: string) => void said.push(text) };
  const url = new URL(`${server.origin}/fedora.pgp`);
  const io = createIo({ env: { XDG_CACHE_HOME: join(folder, 'cache') }, cwd: folder });
  return createKeySource({ client, policy, url, pinned, folders: [join(folder, 'system')], ...options }, io);
}

const found = async (options?: Partial<KeySourceOptions>): Promise<number> =>
  (await keySource(options)(signature)).length;

describe('createKeySource', () => {
  it('takes pinned keys of the system, and asks nobody', async () => {
    mkdirSync(join(folder, 'system'));
    writeFileSync(join(folder, 'system', 'RPM-GPG-KEY-fedora-46-primary'), keyring);
    expect(await found()).toBe(1);
    expect(server.requests).toEqual([]);
  });

  it('fetches pinned keys once, and keeps them', async () => {
    server.files.set('/fedora.pgp', { content: keyring });
    expect(await found()).toBe(1);
    expect(readFileSync(join(folder, 'cache', 'ironic-coreos', 'fedora.pgp'))).toEqual(Buffer.from(keyring));
    expect(await found()).toBe(1);
    expect(server.requests).toHaveLength(1);
  });

  it('takes no key that is not pinned', async () => {
    pinned = [];
    mkdirSync(join(folder, 'system'));
    writeFileSync(join(folder, 'system', 'RPM-GPG-KEY-fedora-99'), keyring);
    server.files.set('/fedora.pgp', { content: keyring });
    expect(await found()).toBe(0);
  });

  it('fetches again what the cache has not', async () => {
    mkdirSync(join(folder, 'cache', 'ironic-coreos'), { recursive: true });
    writeFileSync(join(folder, 'cache', 'ironic-coreos', 'fedora.pgp'), (await makeKey()).keyring);
    server.files.set('/fedora.pgp', { content: keyring });
    expect(await found()).toBe(1);
  });

  it('has none, and says why, where there is no network', async () => {
    expect(await found()).toBe(0);
    expect(said.join()).toContain('404');
  });

  it('of a keyring that the user names takes every key, and no other', async () => {
    pinned = [];
    writeFileSync(join(folder, 'mine'), keyring);
    writeFileSync(join(folder, 'other'), (await makeKey()).keyring);
    server.files.set('/fedora.pgp', { content: keyring });
    expect(await found({ keyring: 'mine' })).toBe(1);
    expect(await found({ keyring: 'other' })).toBe(0);
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['is not there', 'none', 'Keyring not found'],
    ['holds no key', 'text', 'is not a valid keyring'],
  ])('a keyring that %s is an error', async (_title, name, message) => {
    writeFileSync(join(folder, 'text'), 'hello');
    await expect(found({ keyring: name })).rejects.toThrow(message);
  });
});
