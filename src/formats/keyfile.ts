/**
 * NetworkManager's keyfiles: GLib's GKeyFile, sections of `key=value` lines. Values are escaped.
 * Left out: comments, which nothing here writes and every reader skips; lists; localised keys (`name[de]`), which
 * NetworkManager has none of; and what a section or key means.
 */

import { FormatError } from '../core/errors.ts';

export interface KeyfileSection<Entry extends KeyfileEntry = KeyfileEntry> {
  /** Without brackets. */
  readonly name: string;
  /** In order; GLib lets the last of two equal keys win. */
  readonly entries: readonly Entry[];
}

interface KeyfileEntry {
  readonly key: string;
  /** As written in the file, with escapes. */
  readonly value: string;
}

/** An entry of a file. */
export interface ParsedEntry extends KeyfileEntry {
  /** Counts from 1. */
  readonly line: number;
}

/** One blank line between sections, none at the end; the result ends in a line feed. */
export function formatKeyfile(sections: readonly KeyfileSection[]): string {
  return sections
    .map(({ name, entries }) => [`[${name}]`, ...entries.map(({ key, value }) => `${key}=${value}`), ''])
    .map((lines) => lines.join('\n'))
    .join('\n');
}

/**
 * Reads a keyfile as GLib does: blank lines and lines that start with `#` do not count, blanks around the key and
 * before the value go away. A section that is there twice is one section.
 */
export function parseKeyfile(text: string): KeyfileSection<ParsedEntry>[] {
  const sections = new Map<string, ParsedEntry[]>();
  let entries: ParsedEntry[] | undefined;
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!.replace(/^[ \t\r\f\v]+/, '').replace(/\r$/, '');
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) {
      const name = /^\[([^[\]\p{Cc}]+)\][ \t]*$/u.exec(line)?.[1];
      if (name === undefined)
        throw lineError(index, 'the section name is invalid', 'use a section header like [connection]');
      entries = sections.get(name) ?? [];
      sections.set(name, entries);
      continue;
    }
    if (entries === undefined)
      throw lineError(index, 'it is before the first section', 'start with [connection]');
    const equals = line.indexOf('=');
    const key = line.slice(0, Math.max(0, equals)).trimEnd();
    if (key === '') throw lineError(index, 'it is not of the form key=value', 'start comments with #');
    if (/[[\]]/.test(key.replace(/(?<=.)\[[\w.@-]+\]$/, '')))
      throw lineError(index, 'the key contains a bracket', 'remove the bracket');
    entries.push({ key, value: line.slice(equals + 1).replace(/^[ \t\r\f\v]+/, ''), line: index + 1 });
  }
  return Array.from(sections, ([name, list]) => ({ name, entries: list }));
}

function lineError(index: number, problem: string, hint: string): FormatError {
  return new FormatError(`Invalid keyfile line ${index + 1}: ${problem}`, { hint });
}

/** A text as the value of a key; source: GLib's `g_key_file_parse_string_as_value`. */
export function formatKeyfileString(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return escaped.replace(/^[ \t]+/, (blanks) => blanks.replaceAll(' ', '\\s').replaceAll('\t', '\\t'));
}
