/** The trusted keys: all in the keyring of the user, otherwise those of Fedora and Red Hat that this package contains. */

import { readAsset } from '../../core/assets.ts';
import { CliError, only } from '../../core/errors.ts';
import { parseKeyring, type PublicKey } from '../../formats/openpgp.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';

const SIGNING_KEYS = 'templates/download/signing-keys.asc';

const MAX_KEYRING = 16 * 1024 * 1024;

/** @param keyring file with keys that the user trusts; then no other key is trusted */
export async function readTrustedKeys(keyring: string | undefined, io: Io): Promise<readonly PublicKey[]> {
  return keyring === undefined ? readPackageKeys() : readKeyring(keyring, io);
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
