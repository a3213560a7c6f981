/**
 * What a config says, piece by piece: each entry is one statement about one setting. Texts are for people, so secrets
 * are masked in them; what is masked still tells two entries apart.
 */

import { formatCount } from '../../formats/messageText.ts';
import { createHash } from 'node:crypto';
import { hidden, maskText } from '../../core/masking.ts';

export interface Entry {
  /** A name of the table of settings where one fits, else what it is: `file /etc/motd`, `user admin`. */
  readonly setting: string;
  readonly text: string;
  /** The same for entries that mean the same. Never to be shown: it may hold what is masked in `text`. */
  readonly meaning: string;
  /** Entries with the same one mean the same, even if their meanings are not: these depend on other settings then. */
  readonly whole?: string;
}

/** Characters of a text that are shown; nobody reads more of one line. */
const longest = 1000;

/** An entry whose text is masked where it looks like a secret. */
export function say(setting: string, text: string, meaning = text): Entry {
  return { setting, text: shorten(maskText(text)), meaning };
}

/** An entry whose text is made here and holds no secret. */
export function sayPlain(setting: string, text: string, meaning: string): Entry {
  return { setting, text: shorten(text), meaning };
}

/** An assignment, e.g. `psk=` and a value that is not shown. */
export function sayHidden(setting: string, start: string, secret: string): Entry {
  return { setting, text: shorten(`${start}${hidden}`), meaning: start + secret };
}

/** Bytes of which only the size and the start of the digest are shown. */
export function sayBytes(setting: string, start: string, bytes: Uint8Array): Entry {
  const text = `${start}${formatCount(bytes.length, 'byte')}, ${fingerprint(bytes)}`;
  return { setting, text: shorten(text), meaning: `${start}${digest(bytes)}` };
}

/** An order that does not depend on the machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Enough of the digest to compare by eye. */
export function fingerprint(content: Uint8Array | string): string {
  return `sha256:${digest(content).slice(0, 12)}…`;
}

function digest(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function shorten(text: string): string {
  if (text === '') return '(empty)';
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
