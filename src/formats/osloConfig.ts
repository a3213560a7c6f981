/**
 * Config files of OpenStack services as oslo.config (iniparser) parses them: sections, options, comment lines. Differences
 * from other INI dialects: comments are on separate lines, names are case-sensitive, an indented line continues the value
 * above it, and one pair of quotes around a value is removed.
 * Two steps make a value: this file undoes quotes and continuation lines; `$name` is replaced later, when an option is
 * looked up, which needs the options (see `agent/confCheck.ts`). Left out: option groups made of several files.
 */

import { append } from '../core/lists.ts';
import { quoteText } from '../core/foreignText.ts';
import { FormatError, type InputSource, type Position } from '../core/errors.ts';
import { stripPython, stripPythonEnd, stripPythonStart } from './pythonText.ts';

/** The lines of a file in order. Positions are there where the document was read from a text. */
export interface OsloDocument {
  readonly entries: readonly OsloEntry[];
}

export type OsloEntry = OsloSection | OsloOption | OsloRemark;

/** Where a line of a conf is from that was made of several inputs. */
export interface OsloSource extends InputSource {
  /** A file with the line, an option with one line, or a setting. The name of a file is empty. */
  readonly kind: 'file' | 'line' | 'setting';
}

interface OsloSection {
  readonly kind: 'section';
  /** As written, blanks and case included. */
  readonly name: string;
  readonly position?: Position;
  readonly from?: OsloSource | undefined;
}

export interface OsloOption {
  readonly kind: 'option';
  /** The name in the header above it. */
  readonly section: string;
  readonly name: string;
  /** Without quotes, continuation lines joined by `\n`; `$` is still to be interpreted. */
  readonly value: string;
  readonly position?: Position;
  readonly valuePosition?: Position;
  readonly from?: OsloSource | undefined;
}

/** A comment line or a blank one. */
interface OsloRemark {
  readonly kind: 'remark';
  readonly text: string;
}

export type OsloProblemCode =
  | 'separator-missing'
  | 'name-missing'
  | 'section-missing'
  | 'stray-continuation'
  | 'section-unclosed'
  | 'section-unnamed';

/** A line that oslo.config refuses. It stops at the first one; here all are found. */
interface OsloProblem {
  readonly code: OsloProblemCode;
  readonly position: Position;
  readonly from?: OsloSource | undefined;
}

/** What could be read; without problems, all of it. */
export interface OsloParse extends OsloDocument {
  readonly problems: readonly OsloProblem[];
}

interface Reader {
  readonly entries: OsloEntry[];
  readonly problems: OsloProblem[];
  /** Undefined before the first header; `lost` below a header whose name cannot be read. */
  section: { readonly name: string } | 'lost' | undefined;
  /** The option that an indented line continues. */
  open: { readonly option: Omit<OsloOption, 'value' | 'section'>; readonly lines: string[] } | undefined;
}

/** Reads a whole file. A byte order mark is an ordinary character, as it is for oslo.config. */
export function parseOsloConfig(text: string): OsloParse {
  const reader: Reader = { entries: [], problems: [], section: undefined, open: undefined };
  // Universal newlines, as Python opens text files; other line separators of Unicode do not count.
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  for (const [index, line] of lines.entries()) {
    readLine(reader, stripPythonEnd(line), index + 1);
  }
  closeOption(reader);
  return { entries: reader.entries, problems: reader.problems };
}

/** The same lines, each with its source. @param sourceOf by the line, and the name if it is an option */
export function withSources(
  { entries, problems }: OsloParse,
  sourceOf: (line: number, name?: string) => OsloSource | undefined,
): OsloParse {
  return {
    entries: entries.map((entry) => {
      if (entry.kind === 'remark') return entry;
      const name = entry.kind === 'option' ? entry.name : undefined;
      return { ...entry, from: sourceOf(entry.position?.line ?? 1, name) };
    }),
    problems: problems.map((problem) => ({ ...problem, from: sourceOf(problem.position.line) })),
  };
}

/** The options of `[DEFAULT]` in a text by name, with the values that count. */
export function readDefaults(text: string): ReadonlyMap<string, string> {
  const defaults = new Map<string, string>();
  for (const entry of parseOsloConfig(text).entries) {
    if (entry.kind === 'option' && entry.section === 'DEFAULT') defaults.set(entry.name, entry.value);
  }
  return defaults;
}

function readLine(reader: Reader, line: string, number: number): void {
  const position = { line: number, column: 1 };
  if (line.startsWith(' ') || line.startsWith('\t')) {
    if (reader.open === undefined) reader.problems.push({ code: 'stray-continuation', position });
    else reader.open.lines.push(stripPythonStart(line));
    return;
  }
  closeOption(reader);
  if (line === '' || line.startsWith('#') || line.startsWith(';')) {
    reader.entries.push({ kind: 'remark', text: line });
    return;
  }
  if (line.startsWith('[')) {
    const closed = line.endsWith(']');
    // A header with text after it is an error, but the lines below it still belong to its section.
    const name = closed ? line.slice(1, -1) : line.slice(1, Math.max(1, line.indexOf(']')));
    if (!closed) reader.problems.push({ code: 'section-unclosed', position });
    else if (name === '') reader.problems.push({ code: 'section-unnamed', position });
    reader.section = name === '' ? 'lost' : { name };
    if (name !== '') reader.entries.push({ kind: 'section', name, position });
    return;
  }
  const separator = line.search(/[:=]/);
  const name = stripPython(line.slice(0, Math.max(0, separator)));
  if (separator < 0 || name === '') {
    reader.problems.push({ code: separator < 0 ? 'separator-missing' : 'name-missing', position });
    return;
  }
  const written = stripPython(line.slice(separator + 1));
  const before = line.slice(0, line.length - written.length);
  const valuePosition = { line: number, column: Buffer.byteLength(before) + 1 };
  reader.open = { option: { kind: 'option', name, position, valuePosition }, lines: [unquote(written)] };
}

function unquote(written: string): string {
  const quoted = /^["']/.test(written) && written.at(0) === written.at(-1);
  return quoted ? written.slice(1, -1) : written;
}

function closeOption(reader: Reader): void {
  const { open, section } = reader;
  reader.open = undefined;
  if (open === undefined || section === 'lost') return;
  if (section === undefined) {
    const { position = { line: 1, column: 1 } } = open.option;
    reader.problems.push({ code: 'section-missing', position });
    return;
  }
  reader.entries.push({ ...open.option, section: section.name, value: open.lines.join('\n') });
}

/**
 * The text of a document: `name = value`, comments and blank lines as they are. Reading it gives the same entries.
 * Throws FormatError for a name or value that a file cannot represent.
 */
export function formatOsloConfig({ entries }: OsloDocument): string {
  return entries.map((entry) => `${formatEntry(entry)}\n`).join('');
}

function formatEntry(entry: OsloEntry): string {
  if (entry.kind === 'section') {
    const { name } = entry;
    if (name === '' || /[\r\n]/.test(name)) throw unwritable('section name', name);
    return `[${name}]`;
  }
  if (entry.kind === 'option') {
    const { name, value } = entry;
    const isWritable = name !== '' && stripPython(name) === name && !/^[[#;]|[:=\r\n]/.test(name);
    if (!isWritable) throw unwritable('option name', name);
    return stripPythonEnd(`${name} = ${formatOsloValue(value)}`);
  }
  const { text } = entry;
  if (stripPython(text) !== '' && !/^[#;][^\r\n]*$/.test(text)) throw unwritable('comment', text);
  return stripPythonEnd(text);
}

function unwritable(what: string, name: string): FormatError {
  return new FormatError(`The ${what} ${quoteText(name)} cannot be written in a config file`, {
    hint: 'use one line that does not start with a space and does not look like another kind of line',
  });
}

/**
 * What to write after `name = ` so that any text arrives as it is: `$` doubled, quotes where blanks or quotes at the
 * ends would go away, further lines indented. Throws FormatError where no writing does: carriage returns, blank lines,
 * and lines after the first that start or end with blanks.
 */
export function quoteOsloValue(value: string): string {
  return formatOsloValue(escapeInterpolation(value));
}

/** Doubles each `$`, so that none refers to an option. `\$` is an escape as well and gets its own backslash. */
export function escapeInterpolation(value: string): string {
  return value.replaceAll(/\\\$|\$/g, (match) => (match === '$' ? '$$' : '\\\\$'));
}

/** Like `quoteOsloValue`, for a value with `$` references. */
export function formatOsloValue(value: string): string {
  const [first = '', ...further] = value.split('\n');
  const lost = further.some((line) => line === '' || stripPython(line) !== line);
  if (lost || value.includes('\r') || /\p{Surrogate}/u.test(value)) {
    throw new FormatError('The value contains line breaks or spaces that a config file cannot represent', {
      hint: 'use LF line endings; remove empty lines, and spaces around all lines but the first',
    });
  }
  const needsQuotes = stripPython(first) !== first || unquote(first) !== first;
  return [needsQuotes ? `"${first}"` : first, ...further].join('\n  ');
}

/** What sections are compared by: oslo.config ignores their case, except that of `DEFAULT`. */
export function normalizeSection(name: string): string {
  return name === 'DEFAULT' ? name : name.toLowerCase();
}

/**
 * One document with the options of both, each once: the last in `over` wins, then the last in `base`. Options keep their
 * position in `base`. New options follow the last option of their section; new sections follow at the end, in the order of
 * `over`. Comments of `base` stay. Comments directly above a new option move with it.
 */
export function mergeOsloConfig(base: OsloDocument, over: OsloDocument): OsloDocument {
  const ofBase = lastOptions(base);
  const ofOver = lastOptions(over);
  const merged: OsloEntry[] = [];
  for (const entry of base.entries) if (entry.kind !== 'option' || ofBase.has(entry)) merged.push(entry);
  let comments: OsloRemark[] = [];
  for (const entry of over.entries) {
    if (entry.kind === 'remark' && entry.text !== '') {
      comments.push(entry);
      continue;
    }
    if (entry.kind === 'option' && ofOver.has(entry)) putOption(merged, entry, comments);
    comments = [];
  }
  return { entries: merged };
}

/** The options that no later line replaces. */
function lastOptions({ entries }: OsloDocument): ReadonlySet<OsloOption> {
  const byName = new Map<string, OsloOption>();
  for (const entry of entries) {
    if (entry.kind !== 'option') continue;
    byName.set(JSON.stringify([normalizeSection(entry.section), entry.name]), entry);
  }
  return new Set(byName.values());
}

/** Replaces the option of this name, or adds it with its comments. */
function putOption(entries: OsloEntry[], option: OsloOption, comments: readonly OsloRemark[]): void {
  const isSameSection = (section: string): boolean =>
    normalizeSection(section) === normalizeSection(option.section);
  for (const [index, entry] of entries.entries()) {
    if (entry.kind !== 'option' || entry.name !== option.name || !isSameSection(entry.section)) continue;
    entries[index] = { ...option, section: entry.section };
    return;
  }
  const last = entries.findLastIndex(
    (entry) =>
      entry.kind !== 'remark' && isSameSection(entry.kind === 'section' ? entry.name : entry.section),
  );
  if (last >= 0) {
    const rest = entries.splice(last + 1);
    append(entries, [...comments, option, ...rest]);
    return;
  }
  if (entries.length > 0) entries.push({ kind: 'remark', text: '' });
  append(entries, [{ kind: 'section', name: option.section }, ...comments, option]);
}
