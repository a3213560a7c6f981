/**
 * Downloads one file, and reuses an existing one. A file gets its name after the complete file on disk is verified: size,
 * checksum and signature. Until then, its name is `NAME.partial`.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, FormatError, only, located } from '../../core/errors.ts';
import { ByteReader, sourceOf } from '../../formats/byteReader.ts';
import { compressionAt, unpackMember } from '../../formats/compression.ts';
import type { DetachedSignature, PublicKey } from '../../formats/openpgp.ts';
import { readAnswer } from '../../http/client/httpClient.ts';
import { TransferError } from '../../http/client/httpErrors.ts';
import { shownUrl } from '../../http/client/httpUrl.ts';
import { withRetries } from '../../http/client/retries.ts';
import { existsError, fileError } from '../../io/files/fileErrors.ts';
import { readIntoHashes } from '../../io/files/fileDigests.ts';
import { writeAll } from '../../io/files/handles.ts';
import { createFile, makeFolder, usualMode, writeFileAtomically } from '../../io/files/newFile.ts';
import { renameFile } from '../../io/files/tempFile.ts';
import type { PlannedFile } from './artifacts/plan.ts';
import {
  discardPartial,
  fetchPartial,
  forgetPartial,
  type OutputPath,
  type TransferContext,
} from './downloadPartial.ts';

interface DownloadContext extends TransferContext {
  readonly trustedKeys: () => Promise<readonly PublicKey[]>;
  readonly outputPath: (name: string) => OutputPath;
}

interface Proof {
  readonly sha256: string | undefined;
  /** Those that can be checked, each with the keys that may have made it. */
  readonly signatures: readonly CheckedSignature[];
  /** The signature file, if a signature in it can be checked. */
  readonly signatureFile?: Uint8Array;
}

interface CheckedSignature {
  readonly signature: DetachedSignature;
  readonly keys: readonly PublicKey[];
}

/** Bytes of the largest signature file. */
const MAX_SIGNATURE = 64 * 1024;

/**
 * Downloads the file, unless a valid one exists.
 * @returns its path
 * @throws CliError; then no new file exists, except for `.partial` ones
 */
export async function downloadFile(file: PlannedFile, context: DownloadContext): Promise<OutputPath> {
  const proof = await findProof(file, context);
  const { unpacked } = file;
  if (unpacked !== undefined) return downloadUnpacked(file, unpacked, proof, context);
  const target = context.outputPath(file.name);
  if (!(await isThere(target, proof, context))) {
    await refuseOverwriting(target, proof);
    await fetchChecked(file, proof, context);
    await finish(target);
  }
  if (proof.signatureFile !== undefined) {
    const { path, shownPath } = context.outputPath(`${file.name}.sig`); // where gpg --verify looks for it
    await writeFileAtomically(path, proof.signatureFile, { shownPath });
  }
  return target;
}

/** Only a checksum can verify the decompressed file; without it, the compressed file is verified. */
async function downloadUnpacked(
  file: PlannedFile,
  { name, sha256 }: NonNullable<PlannedFile['unpacked']>,
  proof: Proof,
  context: DownloadContext,
): Promise<OutputPath> {
  const packed = context.outputPath(file.name);
  const target = context.outputPath(name);
  if (await isThere(target, { sha256, signatures: [] }, context)) return target;
  await refuseOverwriting(target, proof);
  const isPacked = await isThere(packed, proof, context);
  if (!isPacked) await fetchChecked(file, proof, context);
  const from = isPacked ? packed.path : `${packed.path}.partial`;
  await unpackFile(from, target, sha256).catch(async (error: unknown) => {
    const isInvalid = error instanceof CliError && ['ERR_FORMAT', 'ERR_DIGEST'].includes(error.code);
    if (isInvalid && !isPacked) await discardPartial(packed.path); // else the next run would not download it again
    throw error;
  });
  if (!isPacked) await discardPartial(packed.path);
  return target;
}

async function findProof(file: PlannedFile, context: DownloadContext): Promise<Proof> {
  const { name, needsSignature, sha256, signatureUrl } = file;
  const { policy } = context;
  const bytes = signatureUrl === undefined ? undefined : await fetchSignature(signatureUrl, context);
  if (bytes === undefined) {
    if (needsSignature) {
      throw new CliError(`--insecure not specified and signature not found: ${name}`, {
        code: 'ERR_SIGNATURE',
        hint: 'pass --insecure to accept the file without verification',
      });
    }
    if (sha256 === undefined) policy.say(`${name}: not verified: no signature and no expected checksum`);
    return { sha256, signatures: [] };
  }
  const signatures = await checkableSignatures(file, bytes, context);
  return { sha256, signatures, ...(signatures.length > 0 && { signatureFile: bytes }) };
}

/** Undefined if the server has no signature; the caller decides whether it is required. */
async function fetchSignature(
  url: URL,
  { client, policy }: DownloadContext,
): Promise<Uint8Array | undefined> {
  try {
    return await withRetries(policy, async () => {
      const answer = await client.get(url, { signal: policy.signal });
      return readAnswer(answer, shownUrl(url), MAX_SIGNATURE);
    });
  } catch (error) {
    if (!(error instanceof TransferError) || error.status === undefined) throw error;
    policy.say(`Failed to fetch signature: ${error.message}`);
    return undefined;
  }
}

async function checkableSignatures(
  { name, needsSignature }: PlannedFile,
  bytes: Uint8Array,
  { policy, trustedKeys }: DownloadContext,
): Promise<readonly CheckedSignature[]> {
  const { isIssuer, parseSignatures } = await import('../../formats/openpgp.ts');
  const refuse = only(CliError, (cause) => {
    const hint = 'download the signature again; it is damaged or of an unsupported type';
    const message = `GPG verification failure: the signature of ${name} cannot be used: ${cause.message}`;
    throw new CliError(message, { code: 'ERR_SIGNATURE', hint, cause });
  });
  const signatures = await parseSignatures(bytes).catch(refuse);
  const trusted = await trustedKeys();
  const found = signatures
    .map((signature) => ({ signature, keys: trusted.filter((key) => isIssuer(key, signature)) }))
    .filter(({ keys }) => keys.length > 0);
  if (found.length > 0) return found;
  const issuers = signatures.map(({ issuer }) => issuer.toUpperCase()).join(', ');
  if (needsSignature) {
    throw new CliError(
      `GPG verification failure: no trusted key for the signature of ${name}, made by ${issuers}`,
      {
        code: 'ERR_SIGNATURE',
        hint: 'pass a file with the key with --gpg-keyring, for example /etc/pki/rpm-gpg/RPM-GPG-KEY-redhat-release',
      },
    );
  }
  policy.say(`${name}: signature by ${issuers} not verified: no trusted key`);
  return [];
}

/** Whether the file exists and is valid; false if it cannot be verified. */
async function isThere(
  { path, shownPath }: OutputPath,
  proof: Proof,
  { policy }: DownloadContext,
): Promise<boolean> {
  if (proof.sha256 === undefined && proof.signatures.length === 0) return false;
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return false;
  try {
    await checkFile({ path, shownPath }, proof);
    policy.say(`${shownPath} already exists and is valid`);
    return true;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    policy.say(`${shownPath} exists but is invalid and is replaced: ${error.message}`);
    return false;
  }
}

/** An existing file may be valid, so only a verified file replaces it. */
async function refuseOverwriting({ path, shownPath }: OutputPath, proof: Proof): Promise<void> {
  if (proof.sha256 !== undefined || proof.signatures.length > 0) return;
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  throw existsError(shownPath, 'remove it, because the new file cannot be verified');
}

/** Downloads and verifies the file; it keeps its partial name. */
async function fetchChecked(file: PlannedFile, proof: Proof, context: DownloadContext): Promise<void> {
  const output = context.outputPath(file.name);
  await makeFolder(dirname(output.path), dirname(output.shownPath));
  const transfer = { ...output, url: file.url, sha256: file.sha256 };
  for (const isLast of [false, true]) {
    const { path, isResumed } = await fetchPartial(transfer, context);
    try {
      const signer = await checkFile({ ...output, path }, proof);
      const unsigned = proof.sha256 === undefined ? 'not verified' : 'sha256 verified; no signature verified';
      context.policy.say(`${output.shownPath}: ${signer === undefined ? unsigned : `signed by ${signer}`}`);
      return;
    } catch (error) {
      await discardPartial(output.path);
      if (isLast || !isResumed || !(error instanceof CliError)) throw error;
      context.policy.say(`${error.message}; starting from the beginning`);
    }
  }
}

/** @returns the signer, if a signature was verified */
async function checkFile(
  { path, shownPath }: OutputPath,
  { sha256, signatures }: Proof,
): Promise<string | undefined> {
  const names = new Set(signatures.map(({ signature }) => signature.digest));
  if (sha256 !== undefined) names.add('sha256');
  if (names.size === 0) return undefined;
  const hashes = new Map(Array.from(names, (name) => [name, createHash(name)]));
  await readIntoHashes(path, [...hashes.values()]).catch((error: unknown) => {
    throw fileError(error, { path: shownPath, what: 'Download', action: 'read' });
  });
  const digest = sha256 === undefined ? undefined : hashes.get('sha256')?.copy().digest('hex');
  if (digest !== sha256) {
    throw new CliError(`checksum mismatch: ${shownPath} has sha256 ${digest}, expected ${sha256}`, {
      code: 'ERR_DIGEST',
      hint: 'download the file again; it is damaged, or the checksum is that of another file',
    });
  }
  let signer: string | undefined;
  for (const { signature, keys } of signatures) {
    const { checkSignature, signedDigest } = await import('../../formats/openpgp.ts');
    const hash = hashes.get(signature.digest) ?? createHash(signature.digest);
    const { owner, fingerprint } = await checkSignature(signature, signedDigest(signature, hash), keys);
    signer = `${owner} (${fingerprint.toUpperCase()}), ${signature.created.toISOString().slice(0, 10)}`;
  }
  return signer;
}

async function finish({ path, shownPath }: OutputPath): Promise<void> {
  try {
    await chmod(`${path}.partial`, usualMode());
    renameFile(`${path}.partial`, path);
  } catch (error) {
    throw fileError(error, { path: shownPath, what: 'Output', action: 'create', place: path });
  }
  await forgetPartial(path);
}

/** Bytes per read of a compressed file. */
const BLOCK = 1024 * 1024;

/**
 * Decompresses a downloaded file to another file, in little memory. The format is detected from the content, not from the
 * name. The file must contain exactly one compressed file: data after it is an error (CVE-2021-20319).
 *
 * The new file gets its name after it is complete and verified, and replaces an existing file.
 * @param from absolute path of the compressed file
 * @param sha256 expected digest of the new file
 * @throws CliError; then no new file exists
 */
async function unpackFile(from: string, target: OutputPath, sha256: string | undefined): Promise<void> {
  const { shownPath } = target;
  const subject = `${shownPath} cannot be decompressed:`;
  const hint = 'run the command again to download the file again, or remove --decompress';
  await createFile({ ...target, existing: 'replace' }, async ({ handle }) => {
    const hash = createHash('sha256');
    const input = createReadStream(from, { highWaterMark: BLOCK });
    const write = async (): Promise<void> => {
      const reader = new ByteReader('compressed', sourceOf(input[Symbol.asyncIterator]()));
      const format = await compressionAt(reader);
      if (format === 'none')
        throw new FormatError('it is not compressed, but its name ends in .gz, .xz or .zst');
      let size = 0;
      for await (const bytes of unpackMember(format, reader, Infinity)) {
        hash.update(bytes);
        await writeAll(handle, bytes, size);
        size += bytes.length;
      }
      if (await reader.has(1)) throw new FormatError('trailing garbage after the compressed data');
      await handle.datasync();
    };
    await located({ subject, hint }, write).finally(() => input.destroy());
    const digest = hash.digest('hex');
    if (sha256 === undefined || digest === sha256) return;
    throw new CliError(
      `checksum mismatch: ${shownPath} has sha256 ${digest} after decompression, expected ${sha256}`,
      { code: 'ERR_DIGEST', hint: 'download the file again; its content does not match the metadata' },
    );
  });
}
