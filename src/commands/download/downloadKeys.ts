/**
 * Finds the key of a signature: in the keyring of the user, whose keys are all trusted; otherwise among the pinned keys, which
 * are read from files of the system, from the cache, or once from the web site of Fedora.
 */

import { append } from '../../core/lists.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, only } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import { type DetachedSignature, isIssuer, parseKeyring, type PublicKey } from '../../formats/openpgp.ts';
import { readUserFile } from '../../io/files/files.ts';
import { type HttpClient, readAnswer } from '../../http/client/httpClient.ts';
import { shownUrl } from '../../http/client/httpUrl.ts';
import type { Io } from '../../io/io.ts';
import { makeFolder, writeFileAtomically } from '../../io/files/newFile.ts';
import { cacheFolder } from '../../io/files/platform.ts';
import { type RetryPolicy, withRetries } from '../../http/client/retries.ts';

/** Finds the trusted keys that may have made the signature; empty if none is found. */
export type KeySource = (signature: DetachedSignature) => Promise<readonly PublicKey[]>;

export interface KeySourceOptions {
  readonly client: HttpClient;
  readonly policy: RetryPolicy;
  /** File with keys that the user trusts; then no other key is trusted. */
  readonly keyring?: string | undefined;
  readonly folders?: readonly string[];
  readonly url?: URL;
  /** Fingerprints of the trusted keys if the user names no keyring. */
  readonly pinned?: readonly string[];
}

/** Folders with keys of distributions, and of Debian's package distribution-gpg-keys. */
const systemFolders = [
  '/usr/share/distribution-gpg-keys/fedora',
  '/usr/share/distribution-gpg-keys/redhat',
  '/etc/pki/rpm-gpg',
];

const MAX_KEYRING = 16 * 1024 * 1024;
/** Of a file with one key. */
const MAX_KEY = 256 * 1024;

/** Reads each source once, when a key is needed. A key that is neither pinned nor in the keyring is never trusted. */
export function createKeySource(options: KeySourceOptions, io: Io): KeySource {
  const { keyring, folders = systemFolders, pinned = pinnedKeys } = options;
  const isPinned = (key: PublicKey): boolean => pinned.includes(key.getFingerprint());
  const folder = cacheFolder(io.env);
  const cache = folder === undefined ? undefined : join(folder, 'fedora.pgp');
  const pinnedPlaces = [
    () => readFolders(folders),
    () => (cache === undefined ? [] : readQuietly(cache)),
    () => fetchKeys(options, cache),
  ];
  const rings =
    keyring === undefined
      ? pinnedPlaces.map((read) => once(async () => (await read()).filter(isPinned)))
      : [once(() => readKeyring(keyring, io))];
  return async (signature) => {
    for (const ring of rings) {
      const keys = (await ring()).filter((key) => isIssuer(key, signature));
      if (keys.length > 0) return keys;
    }
    return [];
  };
}

async function readKeyring(path: string, io: Io): Promise<readonly PublicKey[]> {
  const bytes = await readUserFile(path, io, { what: 'Keyring', maxBytes: MAX_KEYRING });
  const refuse = only(CliError, (cause) => {
    const hint = cause.hint ?? 'use the output of "gpg --export", or a file such as RPM-GPG-KEY-fedora';
    const message = `${path} is not a valid keyring: ${cause.message}`;
    throw new CliError(message, { code: 'ERR_FORMAT', hint, cause });
  });
  return parseKeyring(bytes).catch(refuse);
}

/** Ignores files that cannot be read, because the user did not name them. */
async function readFolders(folders: readonly string[]): Promise<readonly PublicKey[]> {
  const keys: PublicKey[] = [];
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((entry) => /fedora|redhat/i.test(entry))) {
      const path = join(folder, name);
      const stats = await stat(path).catch(() => undefined);
      if (stats?.isFile() !== true || stats.size > MAX_KEY) continue;
      append(keys, await readQuietly(path));
    }
  }
  return keys;
}

async function readQuietly(path: string): Promise<readonly PublicKey[]> {
  return parseQuietly(await readFile(path).catch(() => new Uint8Array(0)));
}

async function fetchKeys(
  { client, policy, url = new URL(FEDORA_KEYS_URL) }: KeySourceOptions,
  cache: string | undefined,
): Promise<readonly PublicKey[]> {
  try {
    const bytes = await withRetries(policy, async () =>
      readAnswer(await client.get(url), shownUrl(url), MAX_KEYRING),
    );
    const keys = await parseQuietly(bytes);
    if (keys.length > 0) await saveCache(bytes, cache);
    return keys;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    policy.say(error.message);
    return [];
  }
}

/** Empty if the bytes contain no key: another source may have the key. */
async function parseQuietly(bytes: Uint8Array): Promise<readonly PublicKey[]> {
  return parseKeyring(bytes).catch(() => []);
}

/** Errors are ignored: without a cache, the next run fetches the keys again. */
async function saveCache(bytes: Uint8Array, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  try {
    await makeFolder(dirname(path), path);
    await writeFileAtomically(path, bytes);
  } catch {
    // A read-only home, for example.
  }
}

/** Fingerprints of primary keys: 40 hexadecimal digits in lower case. */
const pinnedKeys: readonly string[] = [
  '567e347ad0044ade55ba8a5f199e2f91fd431d51', // Red Hat (release key 2)
  'c6e7f081cf80e13146676e88829b606631645531', // Fedora 43
  '36f612dcf27f7d1a48a835e4dbfcf71c6d9f90a6', // Fedora 44
  '4f50a6114cd5c6976a7f1179655a4b02f577861e', // Fedora 45
  'd924b10d3e810dabdd8b56b596e7e91491211fce', // Fedora 46
];

const FEDORA_KEYS_URL = 'https://fedoraproject.org/fedora.pgp';
