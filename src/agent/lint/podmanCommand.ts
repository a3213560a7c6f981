/**
 * Parses podman commands in units: image, mounts, options, and options that podman refuses. Commands in scripts and
 * shells are not parsed. After an unknown option the result is uncertain.
 */

import { cutText } from '../../formats/goText.ts';
import type { ExecWord } from '../../formats/systemdQuoting.ts';
import { type OptionTable, optionTable, suggestOption } from './podmanArguments.ts';
import { findValueProblem } from './podmanValues.ts';

export interface PodmanCommand {
  /** `run`, `create` or `pull`. */
  readonly verb: string;
  /** In order; names without dashes, short options as written. The value of a switch is absent unless given. */
  readonly options: readonly PodmanOption[];
  /** The image and the words after it; for `pull` the images. */
  readonly operands: readonly ExecWord[];
  /** False after an unknown option: the operands are a guess then. */
  readonly isSure: boolean;
  /** The options that podman refuses, as far as podman would parse the line. */
  readonly problems: readonly OptionProblem[];
}

/** An option that podman refuses. */
export interface OptionProblem {
  /**
   * `unknown`: podman has no such option. `blank`: an argument contains a blank instead of "=" or the end. `value`: podman
   * does not support the value.
   */
  readonly kind: 'unknown' | 'blank' | 'value';
  /** With dashes and without its value: `--memry`. */
  readonly option: string;
  /** The command that the option belongs to: `podman run`. */
  readonly command: string;
  /** The correction, if there is a likely one: `--memory=4g`. */
  readonly instead?: string;
  /** Why podman refuses a value. */
  readonly reason?: string;
}

export interface PodmanOption {
  readonly name: string;
  readonly value?: ExecWord;
}

interface BindMount {
  readonly source: string;
  /** In the container. */
  readonly target: string;
}

/** Parses the words of one command; undefined if it is not a supported podman command. */
export function readPodmanCommand(command: readonly ExecWord[]): PodmanCommand | undefined {
  const [program, ...rest] = command;
  const [, prefix = '', path = ''] = /^([-@:+!|]*)(.*)$/s.exec(program?.text ?? '') ?? [];
  if (path.slice(path.lastIndexOf('/') + 1) !== 'podman') return undefined;
  // With the prefix @, the word after the program is its argv[0].
  const words = prefix.includes('@') ? rest.slice(1) : rest;
  const globalTable = optionTable('podman');
  if (globalTable === undefined) return undefined;
  const global = readOptions(words, globalTable);
  const [first, ...others] = global.operands;
  const isGroup = first?.text === 'container' || first?.text === 'image';
  const verb = (isGroup ? others[0] : first)?.text ?? '';
  const table = verb === 'podman' ? undefined : optionTable(verb);
  if (table === undefined) return undefined;
  const own = readOptions(isGroup ? others.slice(1) : others, table);
  return {
    verb,
    options: [...global.options, ...own.options],
    operands: own.operands,
    isSure: own.isSure && global.isSure,
    problems: [...global.problems, ...own.problems],
  };
}

/** The arguments that podman refuses for a command, such as `--memory=4g` for `run`. */
export function argumentProblems(verb: string, texts: readonly string[]): readonly OptionProblem[] {
  const table = optionTable(verb);
  return table === undefined ? [] : readOptions(texts.map(plainWord), table).problems;
}

function plainWord(text: string): ExecWord {
  return { text, expands: false };
}

/** The last option, with dashes, if its value is missing: podman would use the next word, possibly the image, as value. */
export function requiredValue(verb: string, texts: readonly string[]): string | undefined {
  const table = optionTable(verb);
  if (table === undefined) return undefined;
  const { options } = readOptions(texts.map(plainWord), table);
  const last = options.at(-1);
  const option = table.options.get(last?.name ?? '');
  return option === undefined || option.switch === true || last?.value !== undefined
    ? undefined
    : `--${option.name}`;
}

/** The values of an option under any of its names, in order. */
export function optionValues({ options }: PodmanCommand, ...names: readonly string[]): ExecWord[] {
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
}

/** Whether a switch is on; the last occurrence counts. */
export function isOptionSet({ options }: PodmanCommand, name: string): boolean {
  const last = options.findLast((option) => option.name === name);
  return last !== undefined && (last.value === undefined || /^(?:1|t|true)$/i.test(last.value.text));
}

/** Bind mounts of the container, from `--mount` and `--volume`. */
export function bindMounts(command: PodmanCommand): BindMount[] {
  const mounts = optionValues(command, 'mount').map(({ text }) => readMount(text));
  const volumes = optionValues(command, 'volume', 'v').map(({ text }) => readVolume(text));
  return [...mounts, ...volumes].filter((mount) => mount !== undefined);
}

function readMount(text: string): BindMount | undefined {
  const fields = new Map(text.split(',').map((field) => cutText(field, '=')));
  if ((fields.get('type') ?? 'volume') !== 'bind') return undefined;
  const source = fields.get('src') ?? fields.get('source');
  const target = fields.get('dst') ?? fields.get('dest') ?? fields.get('destination') ?? fields.get('target');
  return source === undefined ? undefined : { source, target: target ?? source };
}

/** Without a leading slash, the source is the name of a volume. */
function readVolume(text: string): BindMount | undefined {
  const [source = '', target] = text.split(':');
  return source.startsWith('/') && target !== undefined ? { source, target } : undefined;
}

interface ReadOptions {
  readonly options: PodmanOption[];
  readonly operands: ExecWord[];
  readonly problems: OptionProblem[];
  isSure: boolean;
}

function readOptions(words: readonly ExecWord[], table: OptionTable): ReadOptions {
  const result: ReadOptions = { options: [], operands: [], problems: [], isSure: true };
  readWords(result, words, table);
  for (const option of result.options) findBadValue(result, option, table);
  return result;
}

function findBadValue(result: ReadOptions, { name, value }: PodmanOption, table: OptionTable): void {
  const option = table.options.get(name);
  if (option === undefined || value === undefined || value.expands) return;
  const shown = `--${option.name}`;
  const isReported = result.problems.some((problem) => [shown, `-${name}`].includes(problem.option));
  const problem = findValueProblem({
    name: option.name,
    isSwitch: option.switch === true,
    value: value.text,
  });
  if (isReported || problem === undefined) return;
  const { instead, reason } = problem;
  addProblem(result, table, { kind: 'value', option: shown, instead: `${shown}=${instead}`, reason });
}

function readWords(result: ReadOptions, words: readonly ExecWord[], table: OptionTable): void {
  for (let index = 0; index < words.length;) {
    const word = words[index];
    if (word === undefined) break;
    const { text } = word;
    if (text === '--') {
      result.operands.push(...words.slice(index + 1));
      break;
    }
    if (!text.startsWith('-') || text === '-') {
      if (!table.interspersed) {
        result.operands.push(...words.slice(index));
        break;
      }
      result.operands.push(word);
      index += 1;
    } else {
      index += readOption(result, { word, next: words[index + 1] }, table);
    }
  }
}

interface OptionWords {
  readonly word: ExecWord;
  /** Returns the value, unless the option needs none or has one already. */
  readonly next: ExecWord | undefined;
}

/** Returns the number of words that the option consists of. */
function readOption(result: ReadOptions, { word, next }: OptionWords, table: OptionTable): number {
  if (!word.text.startsWith('--')) return readShortOptions(result, { word, next }, table);
  const equals = word.text.indexOf('=');
  const name = word.text.slice(2, equals < 0 ? undefined : equals);
  findLongProblem(result, { name, word }, table);
  if (equals >= 0) {
    result.options.push({ name, value: { ...word, text: word.text.slice(equals + 1) } });
    return 1;
  }
  return pushOption(result, { name, next }, table);
}

function pushOption(
  result: ReadOptions,
  { name, next }: { readonly name: string; readonly next: ExecWord | undefined },
  { options }: OptionTable,
): number {
  const option = options.get(name);
  if (option === undefined) result.isSure = false;
  const takesNext = option !== undefined && option.switch !== true && next !== undefined;
  result.options.push(takesNext ? { name, value: next } : { name });
  return takesNext ? 2 : 1;
}

/** `-it`, `-v SRC:DST`, `-vSRC:DST`: switches may share a dash, and the rest of the word is the value of the last option. */
function readShortOptions(result: ReadOptions, { word, next }: OptionWords, table: OptionTable): number {
  const [name = ''] = /^[^=\s]*/.exec(word.text.slice(1)) ?? [];
  // Also if the letters are options: `-memory` means `--memory`, not `-m emory`, and podman refuses that value.
  if (name.length > 2 && table.options.has(name)) {
    addProblem(result, table, { kind: 'unknown', option: `-${name}`, instead: `-${word.text}` });
    return pushOption(result, { name: `-${name}`, next }, table);
  }
  for (let index = 1; index < word.text.length; index++) {
    const letter = word.text.charAt(index);
    const option = table.options.get(letter);
    const rest = word.text.slice(index + 1).replace(/^=/, '');
    if (option === undefined) findShortProblem(result, { name: letter, word }, table);
    if (option !== undefined && option.switch !== true && rest !== '') {
      const instead = `--${option.name}=${rest.trim()}`;
      if (/^\s/.test(rest)) addProblem(result, table, { kind: 'blank', option: `-${letter}`, instead });
      result.options.push({ name: letter, value: { ...word, text: rest } });
      return 1;
    }
    if (rest === '' || option?.switch !== true) return pushOption(result, { name: letter, next }, table);
    result.options.push({ name: letter });
  }
  return 1;
}

/** The name of an option, and the word that contains it. */
interface NameInWord {
  readonly name: string;
  readonly word: ExecWord;
}

function findLongProblem(result: ReadOptions, { name, word }: NameInWord, table: OptionTable): void {
  if (word.expands && /[$%]/.test(name)) return;
  const [, head = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(word.text.slice(2)) ?? [];
  const option = table.options.get(name);
  if (option !== undefined && name.length > 1) {
    if (holdsOption(word.text, option.name, table)) {
      addProblem(result, table, { kind: 'blank', option: `--${name}` });
    }
    return;
  }
  const isBlank = /\s/.test(name);
  const known = suggestOption(table, isBlank ? head : name);
  const value = isBlank ? rest : word.text.slice(2 + name.length).replace(/^=/, '');
  const isSwitch = known !== undefined && table.options.get(known)?.switch === true;
  const assigned = value !== '' && !(isBlank && isSwitch) ? `=${value}` : '';
  addProblem(result, table, {
    kind: isBlank && table.options.has(head) ? 'blank' : 'unknown',
    option: `--${isBlank ? head : name}`,
    ...(known === undefined || (isBlank && assigned === '') ? {} : { instead: `--${known}${assigned}` }),
  });
}

function findShortProblem(result: ReadOptions, { name, word }: NameInWord, table: OptionTable): void {
  if (word.expands && /[$%]/.test(name)) return;
  const isBlank = /\s/.test(name);
  const long = isBlank ? undefined : suggestOption(table, word.text.slice(1).replace(/[=\s].*$/s, ''));
  addProblem(result, table, {
    kind: isBlank ? 'blank' : 'unknown',
    option: isBlank ? word.text.slice(0, word.text.search(/\s/)) : `-${name}`,
    ...(long === undefined ? {} : { instead: `--${long}${word.text.slice(1).replace(/^[^=\s]*/, '')}` }),
  });
}

function addProblem(
  { problems }: ReadOptions,
  { command }: OptionTable,
  problem: Omit<OptionProblem, 'command'>,
): void {
  problems.push({ command, ...problem });
}

const freeText =
  /^(?:annotation|creds|decryption-key|entrypoint|env|health-cmd|health-startup-cmd|label|log-opt|secret)$/;

/** Whether values of an option are free text, which may contain other options or secrets. */
export function takesFreeText(name: string): boolean {
  return freeText.test(name);
}

/** Whether the same word contains a second option: `--memory=4g --cpus=2`. */
function holdsOption(text: string, name: string, { options }: OptionTable): boolean {
  if (takesFreeText(name)) return false;
  return Array.from(text.matchAll(/\s--([a-z][a-z0-9-]+)(?=[=\s]|$)/g)).some(([, other = '']) =>
    options.has(other),
  );
}
