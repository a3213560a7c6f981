/**
 * Command lines of podman in units: which image, which mounts, which options. Left out: commands in scripts and shells,
 * about which nothing is said, and options that podman does not have, behind which nothing is sure.
 */

import type { ExecWord } from '../../formats/systemdQuoting.ts';
import { commandOptions, globalOptions, type OptionTable } from './podmanOptions.ts';

export interface PodmanCommand {
  /** `run`, `create` or `pull`. */
  readonly verb: string;
  /** In order, names without dashes, short ones as written; switches have the value they were given, or none. */
  readonly options: readonly PodmanOption[];
  /** The image and what follows it; for `pull` the images. */
  readonly operands: readonly ExecWord[];
  /** False behind an option that is not known: what counts as an operand is a guess then. */
  readonly isSure: boolean;
}

export interface PodmanOption {
  readonly name: string;
  readonly value?: ExecWord;
}

export interface BindMount {
  readonly source: string;
  /** In the container. */
  readonly target: string;
}

/** Reads the words of one command; undefined where it is not one of podman that is known here. */
export function readPodmanCommand(command: readonly ExecWord[]): PodmanCommand | undefined {
  const [program, ...rest] = command;
  const [, prefix = '', path = ''] = /^([-@:+!|]*)(.*)$/s.exec(program?.text ?? '') ?? [];
  if (path.slice(path.lastIndexOf('/') + 1) !== 'podman') return undefined;
  // With an @, the word behind the program is the name that it sees itself by.
  const words = prefix.includes('@') ? rest.slice(1) : rest;
  const global = readOptions(words, globalOptions);
  const [first, ...others] = global.operands;
  const isGroup = first?.text === 'container' || first?.text === 'image';
  const verb = (isGroup ? others[0] : first)?.text ?? '';
  const table = commandOptions.get(verb);
  if (table === undefined) return undefined;
  const { options, operands, isSure } = readOptions(isGroup ? others.slice(1) : others, table);
  return { verb, options: [...global.options, ...options], operands, isSure: isSure && global.isSure };
}

/** The values of an option under any of its names, in order. */
export function optionValues({ options }: PodmanCommand, ...names: readonly string[]): ExecWord[] {
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
}

/** Whether a switch is on; the last one counts. */
export function isSwitchedOn({ options }: PodmanCommand, name: string): boolean {
  const last = options.findLast((option) => option.name === name);
  return last !== undefined && (last.value === undefined || /^(?:1|t|true)$/i.test(last.value.text));
}

/** What of the host is bound into the container, by `--mount` and `--volume`. */
export function bindMounts(command: PodmanCommand): BindMount[] {
  const mounts = optionValues(command, 'mount').map(({ text }) => readMount(text));
  const volumes = optionValues(command, 'volume', 'v').map(({ text }) => readVolume(text));
  return [...mounts, ...volumes].filter((mount) => mount !== undefined);
}

function readMount(text: string): BindMount | undefined {
  const fields = new Map(text.split(',').map((field) => splitField(field)));
  if ((fields.get('type') ?? 'volume') !== 'bind') return undefined;
  const source = fields.get('src') ?? fields.get('source');
  const target = fields.get('dst') ?? fields.get('destination') ?? fields.get('target');
  return source === undefined ? undefined : { source, target: target ?? source };
}

function splitField(field: string): readonly [string, string] {
  const equals = field.indexOf('=');
  return equals < 0 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
}

/** Without a slash in front, the source is the name of a volume. */
function readVolume(text: string): BindMount | undefined {
  const [source = '', target] = text.split(':');
  return source.startsWith('/') && target !== undefined ? { source, target } : undefined;
}

interface ReadOptions {
  readonly options: PodmanOption[];
  readonly operands: ExecWord[];
  isSure: boolean;
}

function readOptions(words: readonly ExecWord[], table: OptionTable): ReadOptions {
  const result: ReadOptions = { options: [], operands: [], isSure: true };
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
  return result;
}

interface OptionWords {
  readonly word: ExecWord;
  /** Its value, unless the option needs none or has it already. */
  readonly next: ExecWord | undefined;
}

/** Returns how many words the option took. */
function readOption(result: ReadOptions, { word, next }: OptionWords, table: OptionTable): number {
  if (!word.text.startsWith('--')) return readShortOptions(result, { word, next }, table);
  const equals = word.text.indexOf('=');
  const name = word.text.slice(2, equals < 0 ? undefined : equals);
  if (equals >= 0) {
    result.options.push({ name, value: { ...word, text: word.text.slice(equals + 1) } });
    return 1;
  }
  return pushOption(result, { name, next }, table);
}

function pushOption(
  result: ReadOptions,
  { name, next }: { readonly name: string; readonly next: ExecWord | undefined },
  { switches, valued }: OptionTable,
): number {
  if (!switches.has(name) && !valued.has(name)) result.isSure = false;
  const takesNext = valued.has(name) && next !== undefined;
  result.options.push(takesNext ? { name, value: next } : { name });
  return takesNext ? 2 : 1;
}

/** `-it`, `-v SRC:DST`, `-vSRC:DST`: switches may share a dash, and the rest of the word is the value of another. */
function readShortOptions(result: ReadOptions, { word, next }: OptionWords, table: OptionTable): number {
  for (let index = 1; index < word.text.length; index++) {
    const name = word.text.charAt(index);
    const rest = word.text.slice(index + 1).replace(/^=/, '');
    if (table.valued.has(name) && rest !== '') {
      result.options.push({ name, value: { ...word, text: rest } });
      return 1;
    }
    if (rest === '' || !table.switches.has(name)) return pushOption(result, { name, next }, table);
    result.options.push({ name });
  }
  return 1;
}
