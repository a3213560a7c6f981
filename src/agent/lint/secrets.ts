/**
 * Keeps secrets out of code frames: the text of a document with its secret values overwritten by stars, and every byte at
 * its place. Nothing else is hidden, since what is wrong may be right beside a secret.
 */

import { nearestName } from '../../formats/messageText.ts';
import { readNodes } from '../../formats/json/locate.ts';
import { checkSyntax } from '../../formats/json/syntax.ts';
import type { Span } from '../../formats/textNode.ts';
import type { Config } from '../../ignition/config.ts';
import { listSensitiveOptions } from '../conf.ts';
import { isSecretName } from '../../core/masking.ts';
import { ipaKnowledge } from '../../ipa/ipaOptions.ts';
import { findSecretParts, joinSpans } from '../secretText.ts';
import { listPullSecrets } from './pullSecret.ts';
import { findSecretNodes, type IsSecretFile } from './secretNodes.ts';
import { type LintedFile, readContents, readSubject } from './subject.ts';

const star = 0x2a;

/**
 * A copy of an Ignition config in which secrets are stars; the document itself where it has none.
 * @param config what Ignition makes of it; without, every file may be a secret
 */
export function maskSecrets(document: Uint8Array, config?: Config): Uint8Array {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  const isJson = checkSyntax(bytes).problem === undefined;
  const spans = isJson
    ? findSecretNodes(readNodes(bytes), secretFilesOf(config))
    : findSecretsInBroken(bytes);
  if (spans.length === 0) return document;
  const masked = Buffer.from(bytes);
  for (const { start, end } of spans) masked.fill(star, start, end);
  return masked;
}

/**
 * Hides the secrets of a document in texts about it: Ignition quotes a few values that it does not understand.
 * @param masked the same document with its secrets masked
 */
export function createRedaction(document: Uint8Array, masked: Uint8Array): Redaction {
  const words = hiddenWords(document, masked);
  if (words.size === 0) return (text) => text;
  return (text) => text.replaceAll(wordPattern, (word) => (words.has(word) ? '*'.repeat(word.length) : word));
}

/** Gives a text without the secrets. */
export type Redaction = (text: string) => string;

/** Shorter ones say little, and may be anywhere. */
const wordPattern = /[^\s,;:="'()\\]{4,}/g;

/** Words of a data URL that say how its data are written. */
const plainWords: ReadonlySet<string> = new Set(['base64', 'charset', 'data', 'utf-8', 'text/plain']);

function hiddenWords(document: Uint8Array, masked: Uint8Array): ReadonlySet<string> {
  const words = new Set<string>();
  for (let at = 0; at < document.length; at += 1) {
    if (document[at] === masked[at]) continue;
    const start = at;
    while (at < document.length && masked[at] === star) at += 1;
    const text = Buffer.from(document.subarray(start, at)).toString();
    for (const [word] of text.matchAll(wordPattern)) if (!plainWords.has(word)) words.add(word);
  }
  return words;
}

/** Which files of a config hold credentials, whatever their mode is. */
export function secretFilesOf(config: Config | undefined): IsSecretFile {
  if (config === undefined) return () => true;
  const subject = readSubject(config);
  const secret = [...listPullSecrets(subject), ...subject.confs.filter(hasSensitiveOptions)];
  const names = new Set(secret.map(({ name }) => name));
  return (path) => names.has(path);
}

function hasSensitiveOptions({ file }: LintedFile): boolean {
  const bytes = readContents(file.contents ?? {});
  return bytes !== undefined && listSensitiveOptions(Buffer.from(bytes).toString()).length > 0;
}

/** Of a text that is not JSON it cannot be told where values end, so more is hidden than in one that is. */
function findSecretsInBroken(bytes: Buffer): Span[] {
  const text = bytes.toString('latin1'); // one character for each byte
  const values = [...text.matchAll(brokenSecret)].map(({ 0: match, index }) => ({
    start: index,
    end: index + match.length,
  }));
  return joinSpans([...values, ...findSecretParts(text)]);
}

/** Hashes of passwords, values of HTTP headers, and the data of data URLs. */
const brokenSecret =
  /(?<=(?:pass\w{0,6}_?hash|"value)["':=\s]{1,20})[^"':=\s][^"\n]*|(?<=data:[^,"\s]{0,200},)[^"\s]+/gi;

/**
 * The same for a conf file, which may be damaged: values of options that are secret or sound so, and credentials in
 * URLs. Every byte but blanks and line breaks becomes a star.
 */
export function maskConfSecrets(bytes: Uint8Array): Uint8Array {
  let isSecret = false;
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/(?<=\n|\r(?!\n))/);
  const masked = lines.map((line) => {
    const isContinued = line.startsWith(' ') || line.startsWith('\t');
    const separator = isContinued ? -1 : line.search(/[:=]/);
    if (!isContinued) isSecret = separator >= 0 && isSecretOption(line.slice(0, separator).trim());
    const value = line.slice(separator + 1);
    return line.slice(0, separator + 1) + (isSecret ? stars(value) : maskParts(value));
  });
  return Buffer.from(masked.join(''), 'latin1');
}

/** Of an option that the agent knows, it is known whether it is secret; another one may be meant to be such an option. */
function isSecretOption(name: string): boolean {
  const known = ipaKnowledge().options.filter((option) => option.name === name);
  if (known.length > 0) return known.some(({ sensitive }) => sensitive === true);
  const secret = ipaKnowledge().options.filter(({ sensitive }) => sensitive === true);
  const isMisspelt =
    nearestName(
      name.replaceAll('-', '_'),
      secret.map((option) => option.name),
    ) !== undefined;
  return isMisspelt || isSecretName(name);
}

function maskParts(text: string): string {
  let masked = '';
  let end = 0;
  for (const part of findSecretParts(text)) {
    masked += text.slice(end, part.start) + stars(text.slice(part.start, part.end));
    ({ end } = part);
  }
  return masked + text.slice(end);
}

function stars(text: string): string {
  return text.replaceAll(/\S/g, '*');
}
