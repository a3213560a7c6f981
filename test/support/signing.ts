/** Keys and signatures for tests, made by the library; `openpgp.test.ts` compares with what gpgv says of them. */

import { createMessage, enums, generateKey, type PrivateKey, sign } from 'openpgp';

export interface TestKey {
  readonly privateKey: PrivateKey;
  /** A keyring with this key only. */
  readonly keyring: Uint8Array;
}

export interface KeyOptions {
  readonly created?: Date;
  /** Seconds. */
  readonly lifetime?: number;
  readonly type?: 'curve25519' | 'rsa';
  /** Whether a subkey signs. */
  readonly signingSubkey?: boolean;
}

export async function makeKey({
  created = new Date('2026-01-01'),
  lifetime = 0,
  type = 'curve25519',
  signingSubkey = false,
}: KeyOptions = {}): Promise<TestKey> {
  const { privateKey } = await generateKey({
    userIDs: [{ name: 'Test', email: 'test@example.com' }],
    ...(type === 'rsa' ? { type, rsaBits: 2048 } : { type: 'ecc', curve: 'ed25519Legacy' }),
    date: created,
    keyExpirationTime: lifetime,
    ...(signingSubkey && { subkeys: [{ sign: true }] }),
    format: 'object',
  });
  return { privateKey, keyring: keyringOf(privateKey) };
}

function keyringOf(key: PrivateKey): Uint8Array {
  const bytes: unknown = key.toPublic().write();
  if (!(bytes instanceof Uint8Array)) throw new TypeError('the library gives bytes');
  return bytes;
}

export interface SignOptions {
  readonly date?: Date;
  readonly hash?: enums.hash;
}

export async function signFile(
  content: Uint8Array,
  { privateKey }: TestKey,
  { date = new Date('2026-02-01'), hash = enums.hash.sha256 }: SignOptions = {},
): Promise<Uint8Array> {
  return sign({
    message: await createMessage({ binary: content }),
    signingKeys: privateKey,
    detached: true,
    format: 'binary',
    date,
    config: { preferredHashAlgorithm: hash, nonDeterministicSignaturesViaNotation: false },
  });
}
