/**
 * Finds secrets in an archive for the live system: in its Ignition config, in nested configs and in other files. Data
 * that is fetched from elsewhere is not checked, and secrets without a typical form, such as a token in a script, are not
 * found.
 */

import { findSecretParts } from '../core/masking.ts';
import type { Config } from '../ignition/config.ts';
import { readConfig } from '../ignition/validate.ts';
import { isNetworkPath } from '../image/networkSettings.ts';
import { PUBLIC_MODE } from '../ignition/dataFile.ts';
import { hasNetworkSecret, KEYFILE_FOLDER } from './files.ts';
import { listPullSecrets, sensitiveOptionsOf } from './lint/pullSecret.ts';
import { type LintedFile, listResources, readContents, readSubject } from './lint/subject.ts';

/** A noun for a sentence. What only may be a secret counts if no secret is certain, and of several the last one. */
interface Secret {
  readonly noun: string;
  readonly isLikely?: true;
}

/**
 * The secrets, as nouns for a sentence, without repetition and without their values. Empty without secrets.
 * @param files members of the archive by path
 */
export function listEmbeddedSecrets(files: ReadonlyMap<string, Uint8Array>): string[] {
  return listNouns([...files].flatMap(([path, bytes]) => [...findSecrets(path, bytes)]));
}

/** The secrets of a config that has been read. @param bytes its document */
export function listConfigSecrets(config: Config, bytes: Uint8Array): string[] {
  return listNouns([...findSecrets('', bytes, config)]);
}

function listNouns(secrets: readonly Secret[]): string[] {
  const certain = secrets.filter(({ isLikely }) => isLikely !== true);
  const nouns = [...new Set((certain.length > 0 ? certain : secrets).map(({ noun }) => noun))];
  return certain.length > 0 ? nouns : nouns.slice(-1);
}

/**
 * @param path on the host or in the initramfs; empty if the data is not a file
 * @param config the config in the bytes, if it has been read
 */
function* findSecrets(path: string, bytes: Uint8Array, config?: Config): Generator<Secret> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isConfig = config !== undefined || looksLikeConfig(text);
  if (text.includes('PRIVATE KEY-----')) yield { noun: 'a private key' };
  if (text.includes('"auths"') && !isConfig) yield { noun: 'a pull secret' };
  if (hasLogin(text)) yield { noun: 'a password in a URL' };
  const isKeyfile =
    path.endsWith('.nmconnection') || isNetworkPath(path) || path.startsWith(`${KEYFILE_FOLDER}/`);
  if (isKeyfile && hasNetworkSecret(text.toString('latin1'))) yield { noun: 'a network password' };
  if (!isConfig) return;
  const read = config === undefined ? readConfig(text) : { status: 'read' as const, config };
  if (read.status === 'read') yield* findConfigSecrets(read.config);
  else if (text.includes('"passwordHash"')) yield { noun: HASH }; // in a config of an unsupported version
}

const HASH = 'a password hash';

function looksLikeConfig(text: Buffer): boolean {
  const start = text.subarray(0, 1024).toString('latin1').trimStart();
  return start.startsWith('{') && text.includes('"ignition"');
}

/** `://user:password@`. Only the context of a match is decoded, so that large files take no time. */
function hasLogin(text: Buffer): boolean {
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 1)) {
    if (/^:\/\/[^\s/@:"']*:[^\s/@"']+@/.test(text.toString('latin1', at, at + MAX_LOGIN))) return true;
  }
  return false;
}

const MAX_LOGIN = 1024;

function* findConfigSecrets(config: Config): Generator<Secret> {
  const subject = readSubject(config);
  const { groups = [], users = [] } = config.passwd ?? {};
  if ([...users, ...groups].some(({ passwordHash = '' }) => passwordHash !== '')) yield { noun: HASH };
  if (listPullSecrets(subject).length > 0) yield { noun: 'a pull secret' };
  if ((config.storage?.luks ?? []).some(({ keyFile }) => keyFile?.source?.startsWith('data:') === true)) {
    yield { noun: 'a disk encryption key' };
  }
  for (const name of subject.confs.flatMap(sensitiveOptionsOf)) yield { noun: `the option ${name}` };
  if (subject.files.some(isRestricted))
    yield { noun: 'a file that only some users can read', isLikely: true };
  const units = (config.systemd?.units ?? []).flatMap((unit) => [unit, ...(unit.dropins ?? [])]);
  if (units.some(({ contents = '' }) => findSecretParts(contents).length > 0))
    yield { noun: 'a secret in a unit', isLikely: true };
  for (const { path, resource } of listResources(config)) {
    const [list, section, index] = path;
    const file = list === 'storage' && section === 'files' ? subject.files[Number(index)] : undefined;
    const { httpHeaders = [] } = resource;
    if (httpHeaders.some(({ name = '' }) => LOGIN_HEADER.test(name)))
      yield { noun: 'credentials for a download' };
    const bytes = readContents(resource);
    if (bytes !== undefined) yield* findSecrets(file?.name ?? '', bytes);
  }
}

/** The contents of a config in a file are searched as a config. */
function isRestricted({ name, file: { mode = PUBLIC_MODE, contents } }: LintedFile): boolean {
  if ((Number(mode) & 0o004) !== 0 || USUAL_PLACE.test(name)) return false;
  const bytes = readContents(contents);
  return bytes === undefined || !looksLikeConfig(Buffer.from(bytes));
}

/** Files with a restricted mode that are not always secret: connections, and files that `iso customize` writes. */
const USUAL_PLACE =
  /^(?:\/etc\/NetworkManager\/system-connections|\/etc\/coreos\/installer\.d)\/|^\/usr\/local\/bin\/(?:pre|post)-install-/;

const LOGIN_HEADER = /authorization|cookie|token/i;
