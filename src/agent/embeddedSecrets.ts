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
import { hasPullSecret, sensitiveOptionsOf } from './lint/pullSecret.ts';
import { findSecretParts } from './lint/secrets.ts';
import { type LintedFile, listResources, readContents, readSubject } from './lint/subject.ts';

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
  const search: Search = { secrets: new Set(), waiting: [], bytesLeft: MAX_BYTES };
  for (const text of texts) addText(search, text);
  for (let text = search.waiting.pop(); text !== undefined; text = search.waiting.pop()) {
    searchText(search, text);
  }
  if (search.bytesLeft < 0) search.secrets.add('more data than this program can search');
  const { fallback, secrets } = search;
  return secrets.size === 0 && fallback !== undefined ? [fallback] : [...secrets];
}

/** Limit for all decompressed contents, because nested configs could contain far more. */
const MAX_BYTES = 1024 ** 3;

interface Search {
  readonly secrets: Set<string>;
  readonly waiting: Text[];
  bytesLeft: number;
  /** What may be a secret; it counts only if no secret is found. */
  fallback?: string;
}

interface Text {
  /** Path on the host or in the initramfs; empty if the data is not a file. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The config in the bytes, if it has been read. */
  readonly config?: Config;
}

function addText(search: Search, text: Text): void {
  search.bytesLeft -= text.bytes.length;
  if (search.bytesLeft >= 0) search.waiting.push(text);
}

function searchText(search: Search, { bytes, config, path }: Text): void {
  const { secrets } = search;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isConfig = config !== undefined || looksLikeConfig(text);
  if (text.includes('PRIVATE KEY-----')) secrets.add('a private key');
  if (text.includes('"auths"') && !isConfig) secrets.add('a pull secret');
  if (hasLogin(text)) secrets.add('a password in a URL');
  if (isKeyfile(path) && hasNetworkSecret(text.toString('latin1'))) {
    secrets.add('a network password');
  }
  if (!isConfig) return;
  const read = config === undefined ? readConfig(text) : { status: 'read' as const, config };
  if (read.status === 'read') searchConfig(search, read.config);
  else if (text.includes('"passwordHash"')) secrets.add(HASH); // in a config of an unsupported version
}

const HASH = 'a password hash';

function isKeyfile(path: string): boolean {
  return path.endsWith('.nmconnection') || isNetworkPath(path) || path.startsWith(`${KEYFILE_FOLDER}/`);
}

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

function searchConfig(search: Search, config: Config): void {
  const { secrets } = search;
  const subject = readSubject(config);
  const { groups = [], users = [] } = config.passwd ?? {};
  if ([...users, ...groups].some(({ passwordHash = '' }) => passwordHash !== '')) secrets.add(HASH);
  if (hasPullSecret(subject)) secrets.add('a pull secret');
  if ((config.storage?.luks ?? []).some(({ keyFile }) => keyFile?.source?.startsWith('data:') === true)) {
    secrets.add('a disk encryption key');
  }
  for (const name of subject.confs.flatMap(sensitiveOptionsOf)) secrets.add(`the option ${name}`);
  if (subject.files.some(isRestricted)) search.fallback = 'a file that only some users can read';
  const { units = [] } = config.systemd ?? {};
  const texts = units.flatMap(({ contents, dropins = [] }) => [
    contents,
    ...dropins.map((it) => it.contents),
  ]);
  // The fallback counts only without a secret.
  if (secrets.size === 0 && texts.some((text = '') => findSecretParts(text).length > 0))
    search.fallback = 'a secret in a unit';
  for (const { path, resource } of listResources(config).toReversed()) {
    const [list, section, index] = path;
    const isFile = list === 'storage' && section === 'files';
    const { httpHeaders = [] } = resource;
    if (httpHeaders.some(({ name = '' }) => LOGIN_HEADER.test(name)))
      search.secrets.add('credentials for a download');
    const bytes = readContents(resource);
    if (bytes !== undefined)
      addText(search, { path: isFile ? (subject.files[Number(index)]?.name ?? '') : '', bytes });
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
