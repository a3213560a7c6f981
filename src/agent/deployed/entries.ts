/** Entries of a deployed config that are compared: a setting with its text and meaning, from contents and units. */

import { createHash } from 'node:crypto';
import { formatCount } from '../../formats/messageText.ts';
import { HIDDEN, maskSetting } from '../../core/masking.ts';
import type { Resource, Unit } from '../../ignition/config.ts';
import { type LintedUnit, readContents, type UnitSetting } from '../lint/subject.ts';
import { parseUnit } from '../../formats/goUnitFile.ts';
import { readSystemdLines } from '../../formats/unitFile.ts';

export interface Entry {
  /** The name of a setting, or else a description of the part: `file /etc/motd`, `user admin`. */
  readonly setting: string;
  readonly text: string;
  /** Equal for entries with the same effect. Never shown, because it may contain values that are masked in `text`. */
  readonly meaning: string;
  /** Entries with the same value are equal even if their meanings differ, because those depend on other settings. */
  readonly whole?: string;
}

/** Maximum number of characters shown of a text. */
const LONGEST = 1000;

/** An entry with a text in which probable secrets are masked. */
export function textEntry(setting: string, text: string, meaning = text): Entry {
  return { setting, text: shorten(maskSetting(text)), meaning };
}

/** An entry with a text of this program, which contains no secret. */
export function unmaskedEntry(setting: string, text: string, meaning: string): Entry {
  return { setting, text: shorten(text), meaning };
}

/** An assignment with a hidden value, e.g. of `psk=`. */
export function hiddenEntry(setting: string, start: string, secret: string): Entry {
  return { setting, text: shorten(`${start}${HIDDEN}`), meaning: start + secret };
}

/** Bytes, shown as their size and the start of their digest. */
function contentsEntry(setting: string, start: string, bytes: Uint8Array): Entry {
  const text = `${start}${formatCount(bytes.length, 'byte')}, ${fingerprint(bytes)}`;
  return { setting, text: shorten(text), meaning: `${start}${digest(bytes)}` };
}

/** The start of a digest, long enough to compare by eye. */
export function fingerprint(content: Uint8Array | string): string {
  return `sha256:${digest(content).slice(0, 12)}…`;
}

function digest(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function shorten(text: string): string {
  if (text === '') return '(empty)';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Reads contents up to a total limit: compressed, they may be a thousand times as large as the config. */
export type ReadContents = (resource: Resource) => Uint8Array | undefined;

const MAX_BYTES = 256 * 1024 * 1024;

/** One reader for each config. Contents that are not read are compared as written. */
export function createContentsReader(): ReadContents {
  let room = MAX_BYTES;
  return (resource) => {
    const isKnown = ['', 'gzip'].includes(resource.compression ?? '');
    if (room <= 0 || !isKnown) return undefined;
    const bytes = readContents(resource);
    room -= bytes?.length ?? 0;
    return bytes;
  };
}

/** The entries of a resource; `start` identifies it. */
export function readResourceEntries(place: EntryPlace, resource: Resource, read: ReadContents): Entry[] {
  const bytes = read(resource);
  const contents =
    bytes === undefined ? readUnread(place, resource) : [contentsEntry(place.setting, place.start, bytes)];
  return [...contents, ...readTransferEntries(place, resource)];
}

export interface EntryPlace {
  readonly setting: string;
  /** Begins all texts. */
  readonly start: string;
}

/** The entries of a resource without its contents. */
export function readTransferEntries(
  { setting, start }: EntryPlace,
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

function readUnread({ setting, start }: EntryPlace, { source, compression = '' }: Resource): Entry[] {
  const compressed = compression === '' ? [] : [textEntry(setting, `${start}compressed by ${compression}`)];
  if (source === undefined) return compressed;
  if (source.startsWith('data:')) {
    return [contentsEntry(setting, `${start}unreadable: `, Buffer.from(source)), ...compressed];
  }
  const text = source === '' ? 'empty' : `from ${source}`;
  return [textEntry(setting, start + text), ...compressed];
}

/** A unit that does not start the agent: consoles as settings, all others by name. */
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

/** The entries of a unit without its lines. */
export function readState(
  setting: string,
  { contents = '', dropins = [], enabled, mask }: Unit,
  start = '',
): Entry[] {
  return [
    ...(enabled === undefined ? [] : [textEntry(setting, `${start}${enabled ? 'enabled' : 'disabled'}`)]),
    ...(mask === true ? [textEntry(setting, `${start}masked`)] : []),
    ...readBroken(setting, `${start}unreadable lines: `, contents),
    ...dropins.flatMap(({ name = '', contents: text = '' }) => [
      textEntry(setting, `${start}drop-in ${name}`),
      ...readBroken(setting, `${start}unreadable lines of ${name}: `, text),
    ]),
  ];
}

function readBroken(setting: string, start: string, contents: string): Entry[] {
  // In Ignition such a comment continues on the next line, in systemd it does not.
  const isTwofold = /^[ \t]*[#;][^\n]*\\[ \t\r]*$/m.test(contents);
  if (isTwofold || parseUnit(contents).error !== undefined)
    return [contentsEntry(setting, start, Buffer.from(contents))];
  const stray = strayLines(contents).join('\n');
  return stray === '' ? [] : [contentsEntry(setting, start, Buffer.from(stray))];
}

/** The lines that systemd ignores: those before the first section, and those that are no assignment. */
function strayLines(contents: string): string[] {
  let isInSection = false;
  return readSystemdLines(contents).flatMap((line) => {
    isInSection ||= line.kind === 'section';
    if (line.kind === 'other') return [line.text];
    return isInSection || line.kind === 'section' ? [] : [`${line.name}=${line.value}`];
  });
}

/** One line; continued lines are joined. */
export function lineEntry(setting: string, { section, name, value }: UnitSetting, start = ''): Entry {
  return textEntry(setting, `${start}[${section}] ${name}=${value}`);
}
