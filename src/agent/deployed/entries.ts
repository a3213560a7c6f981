/** What is compared of a config that is deployed: entries of a setting with their meaning, from contents and from units. */

import { createHash } from 'node:crypto';
import { formatCount } from '../../formats/messageText.ts';
import { hidden, maskText } from '../../core/masking.ts';
import type { Resource, Unit } from '../../ignition/config.ts';
import { type LintedUnit, readContents, type UnitSetting } from '../lint/subject.ts';
import { readUnit } from '../../formats/unitFile.ts';

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
export function textEntry(setting: string, text: string, meaning = text): Entry {
  return { setting, text: shorten(maskText(text)), meaning };
}

/** An entry whose text is made here and holds no secret. */
export function unmaskedEntry(setting: string, text: string, meaning: string): Entry {
  return { setting, text: shorten(text), meaning };
}

/** An assignment, e.g. `psk=` and a value that is not shown. */
export function hiddenEntry(setting: string, start: string, secret: string): Entry {
  return { setting, text: shorten(`${start}${hidden}`), meaning: start + secret };
}

/** Bytes of which only the size and the start of the digest are shown. */
function contentsEntry(setting: string, start: string, bytes: Uint8Array): Entry {
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

/** Reads contents until all together are too large: compressed, they may be a thousand times as large as the config. */
export type ReadContents = (resource: Resource) => Uint8Array | undefined;

const maxBytes = 256 * 1024 * 1024;

/** One for each config. What is not read is compared as it is written. */
export function createContentsReader(): ReadContents {
  let room = maxBytes;
  return (resource) => {
    const isKnown = ['', 'gzip'].includes(resource.compression ?? '');
    if (room <= 0 || !isKnown) return undefined;
    const bytes = readContents(resource);
    room -= bytes?.length ?? 0;
    return bytes;
  };
}

/** Everything about a resource; `start` says which one it is. */
export function readResourceEntries(
  { setting, start }: { readonly setting: string; readonly start: string },
  resource: Resource,
  read: ReadContents,
): Entry[] {
  const { source, compression = '' } = resource;
  const bytes = read(resource);
  const content = bytes === undefined ? unreadContents(source) : undefined;
  return [
    ...(bytes === undefined ? [] : [contentsEntry(setting, start, bytes)]),
    ...(content === undefined ? [] : [unreadEntry(setting, start, content)]),
    ...(bytes === undefined && compression !== ''
      ? [textEntry(setting, `${start}compressed by ${compression}`)]
      : []),
    ...readTransferEntries({ setting, start }, resource),
  ];
}

/** What a resource says besides its contents. */
export function readTransferEntries(
  { setting, start }: { readonly setting: string; readonly start: string },
  { httpHeaders = [], verification }: Resource,
): Entry[] {
  return [
    ...httpHeaders.map(({ name = '', value = '' }) =>
      hiddenEntry(setting, `${start}header ${name}: `, value),
    ),
    ...(verification?.hash === undefined
      ? []
      : [textEntry(setting, `${start}verified by ${verification.hash}`)]),
  ];
}

function unreadContents(source: string | undefined): string | undefined {
  if (source === undefined) return undefined;
  return source === '' ? 'empty' : source;
}

function unreadEntry(setting: string, start: string, source: string): Entry {
  return source.startsWith('data:')
    ? contentsEntry(setting, `${start}not readable: `, Buffer.from(source))
    : textEntry(setting, `${start}${source === 'empty' ? source : `from ${source}`}`, start + source);
}

/** A unit that starts no agent: consoles by their settings, all others under their name. */
export function readUnitEntries({ name, unit, settings }: LintedUnit): Entry[] {
  const device = /^serial-getty@(tty[^/]+)\.service$/.exec(name)?.[1];
  if (device !== undefined && unit.enabled === true && isStateAlone(unit))
    return [textEntry('host.consoles', device)];
  const setting = isAutologin(unit, settings) ? 'host.autologin' : `unit ${name}`;
  const start = setting === 'host.autologin' ? `${name}: ` : '';
  const entries = [
    ...readState(setting, unit, start),
    ...settings.map((line) => lineEntry(setting, line, start)),
  ];
  return entries.length === 0 ? [textEntry(setting, 'nothing else')] : entries;
}

function isStateAlone({ contents = '', dropins = [], mask = false }: Unit): boolean {
  return contents === '' && dropins.length === 0 && !mask;
}

function isAutologin({ contents = '', dropins = [] }: Unit, settings: readonly UnitSetting[]): boolean {
  const logsIn = settings.some(({ value }) => /agetty .*--autologin /.test(value));
  return contents === '' && dropins.length > 0 && logsIn;
}

/** Everything about a unit but its lines. */
export function readState(
  setting: string,
  { contents = '', dropins = [], enabled, mask }: Unit,
  start = '',
): Entry[] {
  return [
    ...(enabled === undefined ? [] : [textEntry(setting, `${start}${enabled ? 'enabled' : 'disabled'}`)]),
    ...(mask === true ? [textEntry(setting, `${start}masked`)] : []),
    ...readBroken(setting, `${start}lines that cannot be read: `, contents),
    ...dropins.flatMap(({ name = '', contents: text = '' }) => [
      textEntry(setting, `${start}drop-in ${name}`),
      ...readBroken(setting, `${start}lines of ${name} that cannot be read: `, text),
    ]),
  ];
}

function readBroken(setting: string, start: string, contents: string): Entry[] {
  // For Ignition such a comment goes on in the next line, for systemd it does not.
  const isTwofold = /^[ \t]*[#;][^\n]*\\[ \t\r]*$/m.test(contents);
  if (isTwofold || 'error' in readUnit(contents))
    return [contentsEntry(setting, start, Buffer.from(contents))];
  const stray = strayLines(contents).join('\n');
  return stray === '' ? [] : [contentsEntry(setting, start, Buffer.from(stray))];
}

/** What stands before the first section, where systemd only complains about it. */
function strayLines(contents: string): string[] {
  const lines = contents.split('\n').map((line) => line.trim());
  const section = lines.findIndex((line) => line.startsWith('['));
  return lines
    .slice(0, section < 0 ? lines.length : section)
    .filter((line) => line !== '' && !/^[#;]/.test(line));
}

/** One line, continuations joined. */
export function lineEntry(setting: string, { section, name, value }: UnitSetting, start = ''): Entry {
  return textEntry(setting, `${start}[${section}] ${name}=${value}`);
}
