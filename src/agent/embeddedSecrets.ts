/**
 * Finds secrets in an archive for the live system: in its Ignition config, in nested configs and in other files. Data
 * that is fetched from elsewhere is not checked, and secrets without a typical form, such as a token in a script, are not
 * found.
 */

import type { Config } from '../ignition/config.ts';
import { readConfig } from '../ignition/validate.ts';
import { isNetworkPath } from '../image/networkSettings.ts';
import { PUBLIC_MODE } from '../ignition/dataFile.ts';
import { hasNetworkSecret, KEYFILE_FOLDER } from './files.ts';
import { listPullSecrets, sensitiveOptionsOf } from './lint/pullSecret.ts';
import { findSecretParts } from './lint/secrets.ts';
import { type LintedFile, listResources, readContents, readSubject } from './lint/subject.ts';

interface Text {
  /** Path on the host or in the initramfs; empty if the data is not a file. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The config in the bytes, if it has been read. */
  readonly config?: Config;
}

/** Nouns for a sentence. */
interface Secrets {
  readonly certain: Set<string>;
  /** What may be a secret; the last one counts, and only if no secret is certain. */
  readonly likely: Set<string>;
}

/**
 * The secrets, as nouns for a sentence, without repetition and without their values. Empty without secrets.
 * @param files members of the archive by path
 */
export function listEmbeddedSecrets(files: ReadonlyMap<string, Uint8Array>): string[] {
  return searchTexts(Array.from(files, ([path, bytes]) => ({ path, bytes })));
}

/** The secrets of a config that has been read. @param bytes its document */
export function listConfigSecrets(config: Config, bytes: Uint8Array): string[] {
  return searchTexts([{ path: '', bytes, config }]);
}

function searchTexts(texts: readonly Text[]): string[] {
  const secrets: Secrets = { certain: new Set(), likely: new Set() };
  for (const text of texts) searchText(text, secrets);
  return secrets.certain.size > 0 ? [...secrets.certain] : [...secrets.likely].slice(-1);
}

function searchText({ bytes, config, path }: Text, secrets: Secrets): void {
  const { certain } = secrets;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isConfig = config !== undefined || looksLikeConfig(text);
  if (text.includes('PRIVATE KEY-----')) certain.add('a private key');
  if (text.includes('"auths"') && !isConfig) certain.add('a pull secret');
  if (hasLogin(text)) certain.add('a password in a URL');
  const isKeyfile =
    path.endsWith('.nmconnection') || isNetworkPath(path) || path.startsWith(`${KEYFILE_FOLDER}/`);
  if (isKeyfile && hasNetworkSecret(text.toString('latin1'))) certain.add('a network password');
  if (!isConfig) return;
  const read = config === undefined ? readConfig(text) : { status: 'read' as const, config };
  if (read.status === 'read') searchConfig(read.config, secrets);
  else if (text.includes('"passwordHash"')) certain.add(HASH); // in a config of an unsupported version
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

function searchConfig(config: Config, secrets: Secrets): void {
  const { certain, likely } = secrets;
  const subject = readSubject(config);
  const { groups = [], users = [] } = config.passwd ?? {};
  if ([...users, ...groups].some(({ passwordHash = '' }) => passwordHash !== '')) certain.add(HASH);
  if (listPullSecrets(subject).length > 0) certain.add('a pull secret');
  if ((config.storage?.luks ?? []).some(({ keyFile }) => keyFile?.source?.startsWith('data:') === true)) {
    certain.add('a disk encryption key');
  }
  for (const name of subject.confs.flatMap(sensitiveOptionsOf)) certain.add(`the option ${name}`);
  if (subject.files.some(isRestricted)) likely.add('a file that only some users can read');
  const units = (config.systemd?.units ?? []).flatMap((unit) => [unit, ...(unit.dropins ?? [])]);
  if (units.some(({ contents = '' }) => findSecretParts(contents).length > 0))
    likely.add('a secret in a unit');
  for (const { path, resource } of listResources(config)) {
    const [list, section, index] = path;
    const file = list === 'storage' && section === 'files' ? subject.files[Number(index)] : undefined;
    const { httpHeaders = [] } = resource;
    if (httpHeaders.some(({ name = '' }) => LOGIN_HEADER.test(name)))
      certain.add('credentials for a download');
    const bytes = readContents(resource);
    if (bytes !== undefined) searchText({ path: file?.name ?? '', bytes }, secrets);
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
