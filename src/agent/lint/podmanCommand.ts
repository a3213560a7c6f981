/**
 * Parses podman commands in units: image, mounts, options, and options that podman refuses. Commands in scripts and
 * shells are not parsed. After an unknown option the result is uncertain.
 */

import { readAsset } from '../../core/assets.ts';
import { once } from '../../core/once.ts';
import { cutText } from '../../formats/goText.ts';
import { nearestName } from '../../core/nearestNames.ts';
import type { ExecWord } from '../../formats/systemdQuoting.ts';

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
  /** The operator of a shell that ends the command, such as `&&`; systemd runs no shell. */
  readonly operator?: string | undefined;
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

interface PodmanOption {
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
  if (command[0]?.text.endsWith('podman') !== true) return undefined;
  const [program, ...rest] = command;
  const [, prefix = '', path = ''] = /^([-@:+!|]*)(.*)$/s.exec(program?.text ?? '') ?? [];
  if (path.slice(path.lastIndexOf('/') + 1) !== 'podman') return undefined;
  // With the prefix @, the word after the program is its argv[0].
  const all = prefix.includes('@') ? rest.slice(1) : rest;
  const operator = all.find(({ text }) => SHELL_OPERATOR.test(text));
  const words = operator === undefined ? all : all.slice(0, all.indexOf(operator));
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
    operator: operator && /^[12&|<>]+/.exec(operator.text)?.[0],
  };
}

const SHELL_OPERATOR = /^(?:&&?|\|\|?|<|[12&]?>{1,2}\S*)$/;

/** The arguments that podman refuses for a command, such as `--memory=4g` for `run`. */
export function argumentProblems(verb: string, texts: readonly string[]): readonly OptionProblem[] {
  return readArguments(verb, texts)?.problems ?? [];
}

/** The last option, with dashes, if its value is missing: podman would use the next word, possibly the image, as value. */
export function requiredValue(verb: string, texts: readonly string[]): string | undefined {
  const { options = [], table } = readArguments(verb, texts) ?? {};
  const last = options.at(-1);
  const option = table?.options.get(last?.name ?? '');
  const isComplete = option === undefined || option.switch === true || last?.value !== undefined;
  return isComplete ? undefined : `--${option.name}`;
}

function readArguments(verb: string, texts: readonly string[]): Reading | undefined {
  const table = optionTable(verb);
  const words = texts.map((text) => ({ text, expands: false }));
  return table && readOptions(words, table);
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
  const mounts = optionValues(command, 'mount').map(({ text }) => {
    const fields = new Map(text.split(',').map((field) => cutText(field, '=')));
    if ((fields.get('type') ?? 'volume') !== 'bind') return undefined;
    const source = fields.get('src') ?? fields.get('source');
    const target =
      fields.get('dst') ?? fields.get('dest') ?? fields.get('destination') ?? fields.get('target');
    return source === undefined ? undefined : { source, target: target ?? source };
  });
  const volumes = optionValues(command, 'volume', 'v').map(({ text }) => readVolume(text));
  return [...mounts, ...volumes].filter((mount) => mount !== undefined);
}

/** Without a leading slash, the source is the name of a volume. */
function readVolume(text: string): BindMount | undefined {
  const [source = '', target] = text.split(':');
  return source.startsWith('/') && target !== undefined ? { source, target } : undefined;
}

/** The words of a command, parsed with the options in `table`. */
interface Reading {
  readonly table: OptionTable;
  readonly options: PodmanOption[];
  readonly operands: ExecWord[];
  readonly problems: OptionProblem[];
  isSure: boolean;
}

function readOptions(words: readonly ExecWord[], table: OptionTable): Reading {
  const reading: Reading = { table, options: [], operands: [], problems: [], isSure: true };
  for (let index = 0; index < words.length;) {
    const word = words[index];
    if (word === undefined) break;
    const { text } = word;
    const isOperand = !text.startsWith('-') || text === '-';
    if (text === '--' || (isOperand && !table.interspersed)) {
      for (const operand of words.slice(isOperand ? index : index + 1)) reading.operands.push(operand);
      break;
    }
    if (isOperand) reading.operands.push(word);
    index += isOperand ? 1 : readOption(reading, word, words[index + 1]);
  }
  const reported = new Set(reading.problems.map(({ option }) => option));
  for (const option of reading.options) findBadValue(reading, option, reported);
  return reading;
}

/** Names of options are reported once. */
function findBadValue(reading: Reading, { name, value }: PodmanOption, reported: Set<string>): void {
  const option = reading.table.options.get(name);
  if (option === undefined || value === undefined || value.expands) return;
  const shown = `--${option.name}`;
  if (reported.has(shown) || reported.has(`-${name}`)) return;
  const problem = findValueProblem(option.name, value.text, option.switch === true);
  if (problem === undefined) return;
  reported.add(shown);
  const { instead, reason } = problem;
  addProblem(reading, { kind: 'value', option: shown, instead: `${shown}=${instead}`, reason });
}

/**
 * Returns the number of words that the option consists of.
 * @param next the value, unless the option needs none or has one already
 */
function readOption(reading: Reading, word: ExecWord, next: ExecWord | undefined): number {
  if (!word.text.startsWith('--')) return readShortOptions(reading, word, next);
  const equals = word.text.indexOf('=');
  const name = word.text.slice(2, equals < 0 ? undefined : equals);
  findLongProblem(reading, name, word);
  if (equals < 0) return pushOption(reading, name, next);
  reading.options.push({ name, value: { ...word, text: word.text.slice(equals + 1) } });
  return 1;
}

function pushOption(reading: Reading, name: string, next: ExecWord | undefined): number {
  const option = reading.table.options.get(name);
  if (option === undefined) reading.isSure = false;
  const takesNext = option !== undefined && option.switch !== true && next !== undefined;
  reading.options.push(takesNext ? { name, value: next } : { name });
  return takesNext ? 2 : 1;
}

/** `-it`, `-v SRC:DST`, `-vSRC:DST`: switches may share a dash, and the rest of the word is the value of the last option. */
function readShortOptions(reading: Reading, word: ExecWord, next: ExecWord | undefined): number {
  const { options } = reading.table;
  const [name = ''] = /^[^=\s]*/.exec(word.text.slice(1)) ?? [];
  // Also if the letters are options: `-memory` means `--memory`, not `-m emory`, and podman refuses that value.
  if (name.length > 2 && options.has(name)) {
    addProblem(reading, { kind: 'unknown', option: `-${name}`, instead: `-${word.text}` });
    return pushOption(reading, `-${name}`, next);
  }
  for (let index = 1; index < word.text.length; index++) {
    const letter = word.text.charAt(index);
    const option = options.get(letter);
    const rest = word.text.slice(index + 1).replace(/^=/, '');
    if (option === undefined) findShortProblem(reading, letter, word);
    if (option !== undefined && option.switch !== true && rest !== '') {
      const instead = `--${option.name}=${rest.trim()}`;
      if (/^\s/.test(rest)) addProblem(reading, { kind: 'blank', option: `-${letter}`, instead });
      reading.options.push({ name: letter, value: { ...word, text: rest } });
      return 1;
    }
    if (rest === '' || option?.switch !== true) return pushOption(reading, letter, next);
    reading.options.push({ name: letter });
  }
  return 1;
}

function findLongProblem(reading: Reading, name: string, word: ExecWord): void {
  if (word.expands && /[$%]/.test(name)) return;
  const { table } = reading;
  const [, head = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(word.text.slice(2)) ?? [];
  const option = table.options.get(name);
  if (option !== undefined && name.length > 1) {
    if (holdsOption(word.text, option.name, table)) {
      addProblem(reading, { kind: 'blank', option: `--${name}` });
    }
    return;
  }
  const isBlank = /\s/.test(name);
  const known = suggestOption(table, isBlank ? head : name);
  const value = isBlank ? rest : word.text.slice(2 + name.length).replace(/^=/, '');
  const isSwitch = known !== undefined && table.options.get(known)?.switch === true;
  const assigned = value !== '' && !(isBlank && isSwitch) ? `=${value}` : '';
  addProblem(reading, {
    kind: isBlank && table.options.has(head) ? 'blank' : 'unknown',
    option: `--${isBlank ? head : name}`,
    ...(known === undefined || (isBlank && assigned === '') ? {} : { instead: `--${known}${assigned}` }),
  });
}

function findShortProblem(reading: Reading, letter: string, { expands, text }: ExecWord): void {
  if (expands && /[$%]/.test(letter)) return;
  const isBlank = /\s/.test(letter);
  const long = isBlank ? undefined : suggestOption(reading.table, text.slice(1).replace(/[=\s].*$/s, ''));
  addProblem(reading, {
    kind: isBlank ? 'blank' : 'unknown',
    option: isBlank ? text.slice(0, text.search(/\s/)) : `-${letter}`,
    ...(long === undefined ? {} : { instead: `--${long}${text.slice(1).replace(/^[^=\s]*/, '')}` }),
  });
}

function addProblem({ problems, table }: Reading, problem: Omit<OptionProblem, 'command'>): void {
  problems.push({ command: table.command, ...problem });
}

const FREE_TEXT =
  /^(?:annotation|creds|decryption-key|entrypoint|env|health-cmd|health-startup-cmd|label|log-opt|secret)$/;

/** Whether values of an option are free text, which may contain other options or secrets. */
export function takesFreeText(name: string): boolean {
  return FREE_TEXT.test(name);
}

/** Whether the same word contains a second option: `--memory=4g --cpus=2`. */
function holdsOption(text: string, name: string, { options }: OptionTable): boolean {
  if (takesFreeText(name)) return false;
  return Array.from(text.matchAll(/\s--([a-z][a-z0-9-]+)(?=[=\s]|$)/g)).some(([, other = '']) =>
    options.has(other),
  );
}

/** Description of one option. */
export interface PodmanOptionFacts {
  /** The option requires no value; a value is accepted only after "=". */
  readonly switch?: true;
  /** The short name, one letter. */
  readonly short?: string;
  /** The first minor release that supports it, such as `5.3`; absent if the oldest release in the table does. */
  readonly since?: string;
  /** The last minor release that supports it; absent if the newest release in the table does. */
  readonly last?: string;
}

/** How one command parses its options. */
export interface OptionTable {
  /** The command as users write it: `podman run`. */
  readonly command: string;
  /** By name without dashes, long and short ones. */
  readonly options: ReadonlyMap<string, NamedOption>;
  /** Whether options may follow the first operand; otherwise all words after it belong to the container. */
  readonly interspersed: boolean;
}

interface NamedOption extends PodmanOptionFacts {
  /** The long name. */
  readonly name: string;
}

/** From `podman-options.json`, which `scripts/podmanOptions.js` generates from the sources of podman. */
interface PodmanKnowledge {
  /** The newest release of podman in the table, such as `5.8.2`. */
  readonly podmanVersion: string;
  /** Options by command, then by name without dashes; `podman` is for options before the command. */
  readonly commands: Readonly<Record<string, Readonly<Record<string, PodmanOptionFacts>>>>;
}

const readTables = once(() => {
  const { commands, podmanVersion }: PodmanKnowledge = JSON.parse(
    readAsset('src/agent/lint/podman-options.json'),
  );
  const tables = Object.entries(commands).map(([name, facts]): [string, OptionTable] => {
    const options = new Map<string, NamedOption>();
    for (const [long, option] of Object.entries(facts)) {
      for (const known of [long, option.short ?? long]) options.set(known, { name: long, ...option });
    }
    const command = name === 'podman' ? name : `podman ${name}`;
    return [name, { command, options, interspersed: name === 'pull' }];
  });
  return { version: podmanVersion, byCommand: new Map(tables) };
});

/**
 * The podman options of the commands that units of the agent use (run, create and pull). `podman` returns the options
 * before a command; undefined for other commands.
 */
export function optionTable(command: string): OptionTable | undefined {
  return readTables().byCommand.get(command);
}

/** The newest release of podman in the table, such as `5.8.2`. */
export function knownPodmanVersion(): string {
  return readTables().version;
}

/** The supported name that is most similar to an unknown one. */
function suggestOption({ options }: OptionTable, name: string): string | undefined {
  const names = new Set(Array.from(options.values(), (option) => option.name));
  const plain = name.toLowerCase().replaceAll('_', '-');
  return names.has(plain) ? plain : nearestName(plain, names);
}

// Values that podman refuses for its options: those that it compares with a fixed set, switches, mounts and names. The
// checks are those of `pkg/specgen` and `pkg/specgenutil` of podman. Messages do not contain values, which may be secret.

/** Why podman refuses a value, and a value to use instead. */
interface ValueProblem {
  readonly reason: string;
  /** Without the name of the option: `never`. */
  readonly instead: string;
}

const namespaces = ['host', 'private', 'pod', 'container:', 'ns:'];

/** The values by long name of the option; one that ends in a colon is continued by any text. */
const choices: Readonly<Record<string, readonly string[]>> = {
  cgroups: ['enabled', 'disabled', 'no-conmon', 'split'],
  ipc: ['shareable', 'none', ...namespaces],
  'log-level': ['info', 'trace', 'debug', 'warn', 'warning', 'error', 'fatal', 'panic'],
  pid: namespaces,
  pull: ['always', 'missing', 'never', 'newer', 'ifmissing', 'ifnotpresent', 'ifnewer'],
  restart: ['no', 'none', 'always', 'on-failure', 'unless-stopped', 'on-failure:'],
  sdnotify: ['container', 'conmon', 'healthy', 'ignore'],
  uts: namespaces,
};

const ignoresCase = new Set(['log-level', 'pull']);

/** Go's `strconv.ParseBool`. */
const BOOLEANS = /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/;

/** Undefined if podman accepts the value, or if the value is not checked. `name` is the long name of the option. */
function findValueProblem(name: string, value: string, isSwitch: boolean): ValueProblem | undefined {
  if (isSwitch) {
    const isTrue = /^(?:t|y|on|en)/i.test(value);
    const reason = 'the value of a switch is neither true nor false';
    return BOOLEANS.test(value) ? undefined : { reason, instead: isTrue ? 'true' : 'false' };
  }
  if (name === 'mount') return findMountProblem(value);
  if (name === 'volume') {
    // Without a leading slash or dot, the source is the name of a volume, which has no slashes.
    const [source = '', target, ...rest] = value.split(':');
    const instead = '/PATH:/PATH';
    if (rest.length > 1) return { reason: 'the value has more than two colons', instead };
    if (target === undefined) return undefined;
    if (!target.startsWith('/')) return { reason: 'the path in the container is not absolute', instead };
    if (source.startsWith('/') || source.startsWith('.') || !source.includes('/')) return undefined;
    return { reason: 'the path on the host is not absolute', instead };
  }
  if (name === 'name') return findNameProblem(value);
  return findChoiceProblem(ignoresCase.has(name) ? value.toLowerCase() : value, choices[name]);
}

function findChoiceProblem(value: string, values?: readonly string[]): ValueProblem | undefined {
  const isKnown = values?.some((known) => (known.endsWith(':') ? value.startsWith(known) : value === known));
  if (values === undefined || isKnown === true || value === '') return undefined;
  const fixed = values.filter((known) => !known.endsWith(':'));
  const reason = `the value is not one of the allowed values: ${fixed.join(', ')}`;
  return { reason, instead: nearestName(value.toLowerCase(), fixed) ?? fixed[0] ?? '' };
}

const mountTypes = ['artifact', 'bind', 'devpts', 'glob', 'image', 'ramfs', 'tmpfs', 'volume'];

const bindOptions = new Set(
  `type src source dst dest destination target bind rbind bind-nonrecursive bind-propagation chown consistency dev
  exec idmap no-dereference nodev noexec nosuid private readonly relabel ro rprivate rshared rslave runbindable rw
  shared slave subpath suid unbindable volume-subpath U Z z`.split(/\s+/),
);

function findMountProblem(value: string): ValueProblem | undefined {
  if (value.includes('"')) return undefined;
  const fields = value.split(',').map((field) => cutText(field, '='));
  const type = fields.find(([name]) => name === 'type')?.[1];
  if (type === undefined) return undefined;
  const instead = `type=${nearestName(type, mountTypes) ?? 'bind'},src=PATH,dst=PATH`;
  if (!mountTypes.includes(type)) return { reason: 'the type of the mount is unknown', instead };
  if (type !== 'bind') return undefined;
  const unknown = fields.find(([name]) => !bindOptions.has(name))?.[0];
  if (unknown?.trim() === '') {
    return { reason: 'a comma has no option behind it; a blank ends the value', instead };
  }
  if (unknown !== undefined) {
    const shown = /^[\w-]{1,40}$/.test(unknown) ? unknown : 'a part';
    return { reason: `${shown} is not an option of a bind mount`, instead };
  }
  const hasTarget = fields.some(([name]) => /^(?:dst|dest|destination|target)$/.test(name));
  return hasTarget ? undefined : { reason: 'the mount has no path in the container', instead };
}

function findNameProblem(value: string): ValueProblem | undefined {
  if (/^[A-Za-z0-9][\w.-]*$/.test(value)) return undefined;
  const reason = 'the name contains other characters than letters, digits, dots, dashes and underscores';
  return { reason, instead: 'ironic-agent' };
}
