/**
 * Detached OpenPGP signatures (RFC 9580) of files that are larger than memory. OpenPGP.js reads keys and signatures and
 * decides: self-signatures, binding of subkeys, expiry, revocation, algorithms that are too weak, and the signature
 * itself. Only the digest of the file is made outside of it, by node:crypto as the file streams by, since the library
 * fails on streams and takes several times the size of the file in memory. Left out: text signatures, whose digest
 * depends on what a line is; versions other than 4; everything that is no detached signature.
 */

import { append } from '../core/lists.ts';
import type { Hash } from 'node:crypto';
import {
  createMessage,
  enums,
  type Key,
  PacketList,
  type PartialConfig,
  type PublicKey,
  readKeys,
  readSignature,
  Signature,
  type SignaturePacket,
  verify,
} from 'openpgp';
import { CliError, FormatError } from '../core/errors.ts';

/** A signature, as far as it can be read without the file. */
export interface DetachedSignature {
  /** The key that made it, a primary key or a subkey: 16 hexadecimal digits, small letters. */
  readonly issuer: string;
  readonly digest: DigestName;
  readonly created: Date;
  readonly packet: SignaturePacket;
}

/** The names of node:crypto. All others are too weak, or not used for files. */
type DigestName = 'sha256' | 'sha384' | 'sha512';

/** A primary key with its subkeys. */
export type { PublicKey } from 'openpgp';

/** Who signed a file, and when. */
export interface PgpSigner {
  /** Of the primary key: 40 hexadecimal digits, small letters. */
  readonly fingerprint: string;
  /** What the key says about its owner. */
  readonly owner: string;
  readonly created: Date;
}

const KEY_BLOCK = '-----BEGIN PGP PUBLIC KEY BLOCK-----';

/** gpg takes both kinds of keys, and these are used: one that was issued anew for a longer time, and very old ones. */
const config: PartialConfig = {
  allowInsecureVerificationWithReformattedKeys: true,
  allowMissingKeyFlags: true,
};

/** Reads the signatures of a file, usually one; binary or armored. */
export async function parseSignatures(bytes: Uint8Array): Promise<readonly DetachedSignature[]> {
  const packets = await readPackets(bytes);
  if (packets.length === 0) throw new FormatError('it contains no signature');
  return packets.map(describePacket);
}

/**
 * Reads public keys: binary, or one or several armored blocks. Keys of kinds that the library does not know are left out.
 */
export async function parseKeyring(bytes: Uint8Array): Promise<readonly PublicKey[]> {
  if (Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'KBXf') {
    throw new FormatError('it is a GnuPG keybox', { hint: 'use the output of "gpg --export"' });
  }
  const text = Buffer.from(bytes).toString('latin1');
  const blocks = text
    .split(new RegExp(`^(?=${KEY_BLOCK})`, 'm'))
    .filter((block) => block.startsWith(KEY_BLOCK));
  const keys: PublicKey[] = [];
  for (const block of blocks) append(keys, await knownKeys(readKeys({ armoredKeys: block, config })));
  if (blocks.length === 0) append(keys, await knownKeys(readKeys({ binaryKeys: bytes, config })));
  if (keys.length === 0) throw new FormatError('it contains no OpenPGP key');
  return keys;
}

/** Whether the key or one of its subkeys made the signature, as far as the signature says. */
export function isIssuer(key: PublicKey, { packet }: DetachedSignature): boolean {
  return key.getKeys(packet.issuerKeyID).length > 0;
}

/** The digest that this signature signs; `file` has taken in the whole file, and can be used again. */
export function signedDigest({ packet }: DetachedSignature, file: Hash): Uint8Array {
  const signed = packet.signatureData ?? new Uint8Array(0);
  const trailer = Buffer.of(packet.version, 0xff, 0, 0, 0, 0);
  trailer.writeUInt32BE(signed.length, 2);
  return file.copy().update(signed).update(trailer).digest();
}

/**
 * Checks one signature by the digest of {@link signedDigest}.
 * @throws CliError for an invalid signature, or if none of the keys made it
 */
export async function checkSignature(
  signature: DetachedSignature,
  digest: Uint8Array,
  keys: readonly PublicKey[],
): Promise<PgpSigner> {
  const key = keys.find((candidate) => isIssuer(candidate, signature));
  if (key === undefined) throw failure(`made with another key, ${signature.issuer}`);
  const packets = new PacketList<SignaturePacket>();
  // The library uses `hashed` as the digest, as it does for signatures before their data. If a future version ignored
  // it, the library would hash the message below, which has no valid signature.
  packets.push(Object.assign(signature.packet, { hashed: digest }));
  try {
    const { signatures } = await verify({
      message: await createMessage({ binary: new TextEncoder().encode('not the signed file') }),
      signature: new Signature(packets),
      verificationKeys: [key],
      format: 'binary',
      config,
    });
    if (signatures.length !== 1) throw new Error('not checked by the library');
    for (const { verified } of signatures) await verified;
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error), error);
  }
  const { created } = signature;
  return { fingerprint: key.getFingerprint(), owner: key.getUserIDs()[0] ?? '', created };
}

function failure(problem: string, cause?: unknown): CliError {
  return new CliError(`GPG verification failure: ${problem}`, {
    code: 'ERR_SIGNATURE',
    hint: 'download the file and its signature again, or pass a trusted key with --gpg-keyring',
    cause,
  });
}

async function readPackets(bytes: Uint8Array): Promise<readonly SignaturePacket[]> {
  const text = Buffer.from(bytes).toString('latin1');
  const isArmored = text.trimStart().startsWith('-----BEGIN PGP SIGNATURE-----');
  try {
    const { packets } = isArmored
      ? await readSignature({ armoredSignature: text, config })
      : await readSignature({ binarySignature: bytes, config });
    return [...packets];
  } catch (error) {
    throw new FormatError('it is not a valid OpenPGP signature', { cause: error });
  }
}

function describePacket(packet: SignaturePacket): DetachedSignature {
  const digest = digestNames.get(packet.hashAlgorithm ?? 0);
  if (packet.version !== 4) throw unsupported(`version ${packet.version}`);
  if (packet.signatureType !== enums.signature.binary) throw unsupported('not a signature of a binary file');
  if (digest === undefined || packet.created === null) throw unsupported('the digest algorithm is too weak');
  return { issuer: packet.issuerKeyID.toHex(), digest, created: packet.created, packet };
}

const digestNames: ReadonlyMap<number, DigestName> = new Map([
  [enums.hash.sha256, 'sha256'],
  [enums.hash.sha384, 'sha384'],
  [enums.hash.sha512, 'sha512'],
]);

function unsupported(what: string): FormatError {
  return new FormatError(`it contains an unsupported signature: ${what}`);
}

/** None where they cannot be read: a keyring may have keys of any age. */
async function knownKeys(keys: Promise<readonly Key[]>): Promise<readonly PublicKey[]> {
  try {
    return (await keys).map((key) => key.toPublic());
  } catch {
    return [];
  }
}
