/**
 * Whether an archive for the live system is a secret itself: what its Ignition config, the configs in that one and its
 * other files hold that a reader could misuse. Left out: what is fetched from elsewhere, and secrets that look like
 * nothing, such as a token in a script.
 */

import type { Config, Resource } from '../ignition/config.ts';
import { readConfig } from '../ignition/validate.ts';
import { isNetworkPath } from '../image/networkSettings.ts';
import { listSensitiveOptions } from './conf.ts';
import { publicMode } from '../ignition/dataFile.ts';
import { hasNetworkSecret, keyfileFolder } from './files.ts';
import { listPullSecrets } from './lint/pullSecret.ts';
import { type LintedFile, readContents, readSubject } from './lint/subject.ts';

/**
 * What there is, as nouns for a sentence, each once; never the values. Empty where there is nothing.
 * @param files members of the archive by path
 */
export function listEmbeddedSecrets(files: ReadonlyMap<string, Uint8Array>): string[] {
  const search: Search = { secrets: new Set(), waiting: [], bytesLeft: MAX_BYTES, hasRestrictedFile: false };
  for (const [path, bytes] of files) addText(search, { path, bytes });
  for (let text = search.waiting.pop(); text !== undefined; text = search.waiting.pop()) {
    searchText(search, text);
  }
  if (search.bytesLeft < 0) search.secrets.add('more than could be looked through');
  if (search.secrets.size === 0 && search.hasRestrictedFile) return ['a file that not everybody may read'];
  return [...search.secrets];
}

/** Of all contents together, unpacked: configs in configs could be made to have far more. */
const MAX_BYTES = 1024 ** 3;

interface Search {
  readonly secrets: Set<string>;
  readonly waiting: Text[];
  bytesLeft: number;
  /** It may be there for another reason than a secret, so it counts only where nothing else is found. */
  hasRestrictedFile: boolean;
}

interface Text {
  /** Of the file, on the host or in the initramfs; empty for what is no file. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

function addText(search: Search, text: Text): void {
  search.bytesLeft -= text.bytes.length;
  if (search.bytesLeft >= 0) search.waiting.push(text);
}

function searchText(search: Search, { path, bytes }: Text): void {
  const { secrets } = search;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isConfig = looksLikeConfig(text);
  if (text.includes('PRIVATE KEY-----')) secrets.add('a private key');
  if (text.includes('"auths"') && !isConfig) secrets.add('a pull secret');
  if (hasLogin(text)) secrets.add('the password in a URL');
  if (isKeyfile(path) && hasNetworkSecret(text.toString('latin1'))) {
    secrets.add('a password of the network');
  }
  if (!isConfig) return;
  const read = readConfig(text);
  if (read.status === 'read') searchConfig(search, read.config);
  else if (text.includes('"passwordHash"')) secrets.add(hash); // of a version that is not known here
}

const hash = 'the hash of a password';

function isKeyfile(path: string): boolean {
  return path.endsWith('.nmconnection') || isNetworkPath(path) || path.startsWith(`${keyfileFolder}/`);
}

function looksLikeConfig(text: Buffer): boolean {
  const start = text.subarray(0, 1024).toString('latin1').trimStart();
  return start.startsWith('{') && text.includes('"ignition"');
}

/** `://user:password@`. Only around what is found the bytes become a text, so that large files take no time. */
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
  if ([...users, ...groups].some(({ passwordHash = '' }) => passwordHash !== '')) secrets.add(hash);
  if (listPullSecrets(subject).length > 0) secrets.add('a pull secret');
  if ((config.storage?.luks ?? []).some(({ keyFile }) => keyFile?.source?.startsWith('data:') === true)) {
    secrets.add('the key of a disk');
  }
  for (const { file } of subject.confs) addOptions(secrets, file.contents);
  if (subject.files.some(isRestricted)) search.hasRestrictedFile = true;
  searchResources(search, config);
}

function addOptions(secrets: Set<string>, contents: Resource = {}): void {
  const bytes = readContents(contents);
  if (bytes === undefined) return;
  for (const name of listSensitiveOptions(Buffer.from(bytes).toString())) secrets.add(`the option ${name}`);
}

/** Of a config in a file it is known what it holds. */
function isRestricted({ name, file: { mode = publicMode, contents = {} } }: LintedFile): boolean {
  if ((Number(mode) & 0o004) !== 0 || usualPlace.test(name)) return false;
  const bytes = readContents(contents);
  return bytes === undefined || !looksLikeConfig(Buffer.from(bytes));
}

/** Where files are readable by nobody else, secret or not: connections, and what `iso customize` writes. */
const usualPlace =
  /^(?:\/etc\/NetworkManager\/system-connections|\/etc\/coreos\/installer\.d)\/|^\/usr\/local\/bin\/(?:pre|post)-install-/;

/** Everything in the config that comes from a URL. A config is as deep as its type. */
function searchResources(search: Search, config: Config): void {
  const waiting: Place[] = [{ value: config, path: '' }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { value } = place;
    if (typeof value !== 'object' || value === null) continue;
    const own = 'path' in value && typeof value.path === 'string' ? value.path : place.path;
    if (isResource(value)) searchResource(search, value, own);
    for (const inner of Object.values(value)) waiting.push({ value: inner, path: own });
  }
}

/** The type of the config sees to the rest. */
function isResource(value: object): value is Resource {
  return 'source' in value && typeof value.source === 'string';
}

interface Place {
  readonly value: unknown;
  /** Of the file around it. */
  readonly path: string;
}

function searchResource(search: Search, resource: Resource, path: string): void {
  const { httpHeaders = [] } = resource;
  if (httpHeaders.some(({ name = '' }) => loginHeader.test(name)))
    search.secrets.add('the credentials for a download');
  const bytes = readContents(resource);
  if (bytes !== undefined) addText(search, { path, bytes });
}

const loginHeader = /authorization|cookie|token/i;
