/**
 * Finds the key of a signature: in the keyring of the user, whose keys are all trusted; otherwise among the keys of Fedora and Red
 * Hat that this package contains.
 */

import { readAsset } from '../../core/assets.ts';
import { CliError, only } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import { type DetachedSignature, isIssuer, parseKeyring, type PublicKey } from '../../formats/openpgp.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';

/** Finds the trusted keys that may have made the signature; empty if none is found. */
export type KeySource = (signature: DetachedSignature) => Promise<readonly PublicKey[]>;

const SIGNING_KEYS = 'templates/download/signing-keys.asc';

const MAX_KEYRING = 16 * 1024 * 1024;

/**
 * Reads the keys once, when a key is needed.
 * @param keyring file with keys that the user trusts; then no other key is trusted
 */
export function createKeySource(keyring: string | undefined, io: Io): KeySource {
  const read = once(() => (keyring === undefined ? readPackageKeys() : readKeyring(keyring, io)));
  return async (signature) => (await read()).filter((key) => isIssuer(key, signature));
}

/** The keys of Fedora and Red Hat that sign images of CoreOS. */
export async function readPackageKeys(): Promise<readonly PublicKey[]> {
  return parseKeyring(Buffer.from(readAsset(SIGNING_KEYS)));
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
