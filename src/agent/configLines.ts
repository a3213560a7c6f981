/**
 * What an Ignition config contains, line by line, by its owner: a file, a unit, a user. Configs with different effects
 * have different lines; the encoding of contents and the comments of units, keyfiles and the agent's conf do not count.
 * Secrets are masked. A file in which a secret may be is shown by its size and digest.
 */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ifWellFormed } from '../core/errors.ts';
import { append, withoutThose } from '../core/lists.ts';
import { HIDDEN, isSecretName, maskSetting } from '../core/masking.ts';
import { parseKeyfile } from '../formats/keyfile.ts';
import { asMapping, isMapping, type Mapping } from '../formats/mapping.ts';
import { formatCount } from '../formats/messageText.ts';
import { parseOsloConfig } from '../formats/osloConfig.ts';
import { type ExecWord, splitExecLine } from '../formats/systemdQuoting.ts';
import { readSystemdLines } from '../formats/unitFile.ts';
import type { Config, File, Resource, Unit } from '../ignition/config.ts';
import { PUBLIC_MODE } from '../ignition/dataFile.ts';
import { KEYFILE_FOLDER } from './files.ts';
import { isSecretOption, mayContainSecret, secretFilesOf } from './lint/secrets.ts';
import { readContents, readSubject } from './lint/subject.ts';

/** A part of a config. */
export interface ConfigPart {
  /** `file /etc/motd`, `unit a.service`, `user core`; `ignition` and `kernelArguments` for these sections. */
  readonly owner: string;
  /** At least one. Control characters are not masked. */
  readonly lines: readonly string[];
}

/** A part that differs between two configs. */
export interface PartChange {
  readonly owner: string;
  /** Lines that only the first config has. */
  readonly first: readonly string[];
  /** Lines that only the second config has. */
  readonly second: readonly string[];
}

/** All parts of a config, in the order of its sections. */
export function describeConfig(config: Config): ConfigPart[] {
  return Array.from(readParts(config), ([owner, lines]) => ({ owner, lines: lines.map(({ text }) => text) }));
}

/** The differences between two configs, by part; empty if both have the same effect. */
export function compareConfigs(first: Config, second: Config): PartChange[] {
  const [before, after] = [readParts(first), readParts(second)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((owner) => {
    const [was, is] = [before.get(owner) ?? [], after.get(owner) ?? []];
    let gone = withoutThose(was, is, ({ meaning }) => meaning);
    let added = withoutThose(is, was, ({ meaning }) => meaning);
    if (gone.length + added.length === 0) [gone, added] = withoutSameEnds(was, is);
    if (gone.length + added.length === 0) return [];
    const shown = new Map(gone.map(({ text, meaning }) => [text, meaning]));
    const others = added.map(({ text, meaning }) =>
      (shown.get(text) ?? meaning) === meaning ? text : `${text} (another value)`,
    );
    return [{ owner, first: gone.map(({ text }) => text), second: others }];
  });
}

interface Line {
  readonly text: string;
  /** Equal for lines with the same effect. Never shown, because it may contain values that are masked in `text`. */
  readonly meaning: string;
}

/** What remains of two lists without the lines at their beginnings and ends that are the same. */
function withoutSameEnds(first: readonly Line[], second: readonly Line[]): [Line[], Line[]] {
  const isSame = (a?: Line, b?: Line): boolean => a?.meaning === b?.meaning;
  let start = 0;
  let end = Math.min(first.length, second.length);
  while (start < end && isSame(first[start], second[start])) start += 1;
  while (end > start && isSame(first[end - 1], second[end - 1])) end -= 1;
  return [first.slice(start, end), second.slice(start, end)];
}

const LISTS = [
  ['passwd', 'users', 'user'],
  ['passwd', 'groups', 'group'],
  ['storage', 'disks', 'disk'],
  ['storage', 'raid', 'raid'],
  ['storage', 'luks', 'luks'],
  ['storage', 'filesystems', 'filesystem'],
  ['storage', 'directories', 'directory'],
  ['storage', 'files', 'file'],
  ['storage', 'links', 'link'],
  ['systemd', 'units', 'unit'],
] as const;

function readParts(config: Config): Map<string, Line[]> {
  const parts = new Map<string, Line[]>();
  const readFile = createFileReader(config);
  const add = (owner: string, lines: readonly Line[]): void => {
    const own = parts.get(owner);
    if (own === undefined) parts.set(owner, [...lines]);
    else append(own, lines);
  };
  const { ignition, kernelArguments, ...sections } = config;
  add('ignition', readMembers('', { version: '', ...ignition }));
  for (const [section, list, noun] of LISTS) {
    const items = asMapping(sections[section])[list];
    for (const item of Array.isArray(items) ? items.map(asMapping) : []) {
      const key = ['name', 'device', 'path'].find((one) => item[one] !== undefined) ?? 'name';
      const { [key]: name, append: _append, contents: _contents, dropins: _dropins, ...others } = item;
      const lines = readMembers('', others);
      if (noun === 'file') append(lines, readFile(item));
      if (noun === 'unit') append(lines, readUnit(item));
      add(`${noun} ${String(name)}`, lines.length === 0 ? [line('nothing else')] : lines);
    }
  }
  if (kernelArguments !== undefined) add('kernelArguments', readMembers('', kernelArguments));
  return parts;
}

/** Every value of an object. A config is as deep as its type, so recursion is bounded. */
function readMembers(name: string, value: unknown): Line[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) =>
      readMembers(isMapping(item) ? `${name}.${index + 1}` : name, item),
    );
  }
  if (isMapping(value)) {
    if (isResource(value)) return readResource(name, value, readInline(value));
    return Object.entries(value).flatMap(([key, inner]) =>
      readMembers(name === '' ? key : `${name}.${key}`, inner),
    );
  }
  return [valueLine(name, value)];
}

function valueLine(name: string, value: unknown): Line {
  const text = name === 'mode' ? Number(value).toString(8).padStart(4, '0') : String(value);
  return line(`${name} = ${text}`);
}

function isResource(value: Mapping): value is Mapping & Resource {
  return ['source', 'compression', 'httpHeaders', 'verification'].some((key) => Object.hasOwn(value, key));
}

/** The inline contents; undefined if Ignition fetches them, or cannot read them, for example because it does not know the compression. */
function readInline(resource: Resource): Uint8Array | undefined {
  return ['', 'gzip'].includes(resource.compression ?? '') ? readContents(resource) : undefined;
}

/** @param bytes the inline contents; undefined if Ignition fetches them, or cannot read them */
function readResource(name: string, resource: Resource, bytes: Uint8Array | undefined): Line[] {
  const { compression = '', source } = resource;
  const lines = bytes === undefined ? [] : [contentsLine(name, bytes)];
  if (bytes === undefined && source !== undefined) {
    const isData = source.startsWith('data:');
    lines.push(
      isData ? contentsLine(`unreadable ${name}`, Buffer.from(source)) : line(`${name} from ${source}`),
    );
  }
  if (bytes === undefined && compression !== '') lines.push(line(`${name} compressed by ${compression}`));
  return [...lines, ...readTransfer(name, resource)];
}

function readTransfer(name: string, { httpHeaders = [], verification }: Resource): Line[] {
  const headers = httpHeaders.map(({ name: header = '', value = '' }) =>
    line(`${name} with header ${header}: ${HIDDEN}`, `${name} ${header}: ${value}`),
  );
  return [...headers, ...readMembers(`${name}.verification`, verification)];
}

function createFileReader(config: Config): (file: File) => Line[] {
  const confs = new Set(readSubject(config).confs.map(({ name }) => name));
  const isSecretFile = secretFilesOf(config);
  const readText = (path: string, bytes: Uint8Array, mode: number): Line[] | undefined => {
    if (bytes.length > LONGEST_TEXT || !isUtf8(bytes)) return undefined;
    const text = Buffer.from(bytes).toString();
    if (confs.has(path)) return readConf(text);
    if (path.startsWith(`${KEYFILE_FOLDER}/`)) return readKeyfile(text);
    const isPublic = (mode & 0o004) !== 0 && !isSecretFile(path);
    return isPublic && !mayContainSecret(text) ? readPlainLines(text) : undefined;
  };
  return ({ append: appended = [], contents, mode = PUBLIC_MODE, path = '' }) => {
    const parts = [...(contents === undefined ? [] : [contents]), ...appended];
    return parts.flatMap((resource) => {
      const name = resource === contents ? 'contents' : 'appended contents';
      const bytes = readInline(resource);
      const lines = bytes && readText(path, bytes, Number(mode));
      if (lines === undefined) return readResource(name, resource, bytes);
      const start = resource === contents ? [] : [line('appended:')];
      return [...start, ...lines, ...readTransfer(name, resource)];
    });
  };
}

/** Bytes; a longer text is shown by its size and digest. */
const LONGEST_TEXT = 64 * 1024;

/** The options of a conf of the agent; undefined if it contains an invalid line. */
function readConf(text: string): Line[] | undefined {
  const { entries, problems } = parseOsloConfig(text);
  if (problems.length > 0) return undefined;
  return entries.flatMap((entry) => {
    if (entry.kind !== 'option') return [];
    const { name, section, value } = entry;
    return [assignment(`[${section}] ${name} = `, value, isSecretOption(name))];
  });
}

/** The keys of a connection; undefined if it is not a keyfile. */
function readKeyfile(text: string): Line[] | undefined {
  const sections = ifWellFormed(() => parseKeyfile(text));
  return sections?.flatMap(({ name: section, entries }) => [
    line(`[${section}]`),
    ...entries.map(({ key, value }) => {
      const isSecret = section.endsWith('-secrets') || isSecretName(key);
      return assignment(`[${section}] ${key}=`, value, isSecret);
    }),
  ]);
}

/** Undefined for a text with control characters. */
function readPlainLines(text: string): Line[] | undefined {
  if (/[^\P{Cc}\n\r\t]/u.test(text)) return undefined;
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push('(no line feed at the end)');
  return lines.map((each) => line(each));
}

/** The lines of a unit and its drop-ins. A command is split at its options. */
function readUnit({ contents = '', dropins = [] }: Unit): Line[] {
  return [
    ...readUnitText('', contents),
    ...dropins.flatMap(({ name = '', contents: text = '' }) => [
      line(`drop-in ${name}`),
      ...readUnitText(`${name}: `, text),
    ]),
  ];
}

function readUnitText(start: string, text: string): Line[] {
  // In Ignition such a comment continues on the next line, in systemd it does not.
  if (/^[ \t]*[#;][^\n]*\\[ \t\r]*$/m.test(text))
    return [contentsLine(`${start}contents`, Buffer.from(text))];
  let section = '';
  return readSystemdLines(text).flatMap((each) => {
    if (each.kind === 'section') {
      section = `[${each.name}] `;
      return [];
    }
    if (each.kind === 'other') return [line(`${start}${section}unreadable: ${each.text}`)];
    const { name, value } = each;
    const begin = `${start}${section}${name}=`;
    const groups = name.startsWith('Exec') ? splitCommand(value) : [];
    const [[program] = []] = groups;
    if (program === undefined) return [line(begin + value)];
    return groups.map((group, index) => {
      const shown = group.map((word) => word.text).join(' ');
      return line(
        begin + (index === 0 ? shown : `${program.text} … ${shown}`),
        begin + JSON.stringify(group),
      );
    });
  });
}

/** The program with its first words, then each option with one word behind it; empty if the line cannot be split. */
function splitCommand(value: string): ExecWord[][] {
  const [words = [], ...others] = ifWellFormed(() => splitExecLine(value)) ?? [];
  // Escaped and unescaped specifiers have the same words.
  const isAmbiguous = words.some(({ expands }) => expands) && /%%|\$\$/.test(value);
  if (others.length > 0 || isAmbiguous) return [];
  const groups: ExecWord[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    const isFull =
      last?.[0]?.text.startsWith('-') === true && (last.length > 1 || last[0].text.includes('='));
    if (last === undefined || isFull || word.text.startsWith('-')) groups.push([word]);
    else last.push(word);
  }
  return groups;
}

/** The value of a secret is hidden as a whole. */
function assignment(start: string, value: string, isSecret: boolean): Line {
  return isSecret && value !== '' ? line(start + HIDDEN, start + value) : line(start + value);
}

function contentsLine(name: string, bytes: Uint8Array): Line {
  const digest = createHash('sha256').update(bytes).digest('hex');
  // The start of a digest is long enough to compare by eye.
  const text = `${name} = ${formatCount(bytes.length, 'byte')}, sha256:${digest.slice(0, 12)}…`;
  return line(text, `${name} = ${digest}`);
}

const LONGEST_LINE = 1000;

/** A line in which probable secrets are masked. */
function line(text: string, meaning = text): Line {
  const masked = maskSetting(text);
  return { text: masked.length > LONGEST_LINE ? `${masked.slice(0, LONGEST_LINE)}…` : masked, meaning };
}
