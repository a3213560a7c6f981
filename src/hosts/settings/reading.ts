/** Reads the values of settings as their rows in the settings table say, and the files that they name. */

import type { Diagnostic } from '../../core/finding.ts';
import { isAbsolute, join } from 'node:path';
import { CliError, FormatError, located, UsageError } from '../../core/errors.ts';
import { unreplacedIn } from '../../core/placeholders.ts';
import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import type { ProfileName } from '../../agent/settings.ts';
import {
  type SettingFile,
  type Setting,
  type SettingName,
  settingTable,
  type SettingValue,
} from '../../agent/settingTable.ts';
import type { UrlSource } from '../../agent/ironicUrl.ts';
import type { ParseContext } from '../../agent/parseContext.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { parseChoice } from '../../io/report/choices.ts';
import { record, type Recorded, report } from '../../io/report/report.ts';
import type { ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { refuseOther } from '../input/contentKind.ts';
import { readCertificates } from '../input/certificates.ts';
import type { RenderOptions } from './options.ts';

export interface Reading {
  readonly profile: ProfileName;
  readonly inputs: Pick<Inputs, 'get'>;
  /** The flags that are not settings. */
  readonly options: RenderOptions;
  readonly io: Io;
  /** Where the user sets a setting, for hints, if the command has no flags for settings. */
  readonly settingsPlace?: string | undefined;
  /** Reads an archive that many configs share. */
  readonly readArchive?: ReadArchiveFile | undefined;
  /** Whether the settings configure a network for the host (default: false). */
  readonly hasNetwork?: boolean;
  /** What was read of files before, by their inputs: many hosts share them. */
  readonly known?: Map<string, Promise<Recorded<unknown>>>;
}

const rows: ReadonlyMap<SettingName, Setting> = new Map(settingTable.map((row) => [row.name, row]));

/** The inputs of a setting, or its default value. Those of a list are one input, at the place of the first item. */
export function inputsOf({ inputs, profile }: Pick<Reading, 'inputs' | 'profile'>, name: SettingName) {
  const given: readonly InputValue[] = inputs.get(name) ?? [];
  const { fallback, fallbackProfiles, kind, profiles } = rowOf(name);
  if (given.length === 0 && fallback !== undefined && (fallbackProfiles ?? profiles).includes(profile)) {
    return [{ text: fallback, name, origin: 'environment' }] as const;
  }
  const [first] = given;
  if (kind !== 'list' || first === undefined || given.length === 1) return given;
  return [{ ...first, text: given.map(({ text }) => text).join(',') }];
}

function rowOf(name: SettingName): Setting {
  const row = rows.get(name);
  if (row === undefined) throw new TypeError(`no setting ${name}`);
  return row;
}

export function inputOf(reading: Reading, name: SettingName): InputValue | undefined {
  return inputsOf(reading, name).at(-1);
}

/**
 * The value of a setting without a file.
 * @param source what URLs without a port get
 * @throws UsageError for an invalid text, at the place of the input
 */
export function read<N extends SettingName>(
  reading: Reading,
  name: N,
  source?: Pick<UrlSource, 'defaultPort' | 'isPortChosen'>,
): SettingValue<N>;
export function read(reading: Reading, name: SettingName, source = {}): unknown {
  const row = rowOf(name);
  const inputs = inputsOf(reading, name);
  const parse = (input: InputValue): unknown => parseInput(row, input, reading, source);
  if (row.kind === 'switch') return (inputs.at(-1)?.text ?? 'false') !== 'false'; // only a file can contain "false"
  if (row.kind === 'texts' || row.kind === 'files') return inputs.flatMap(parse);
  const items = reading.inputs.get(name) ?? [];
  if (items.length > 1) items.forEach(parse);
  const input = inputs.at(-1);
  return input && parse(input);
}

function parseInput(row: Setting, input: InputValue, reading: Reading, source: object): unknown {
  const { at, name: subject, text } = input;
  return located({ at, subject, code: 'ERR_USAGE' }, () =>
    parseText(row, text, input, { ...reading, subject }, source),
  );
}

/** @param reading with what begins warnings */
function parseText(
  { choices, parse, upstream }: Setting,
  text: string,
  { at, name, origin }: InputValue,
  reading: Reading & { readonly subject: string },
  context: Partial<Pick<ParseContext, 'defaultPort' | 'file' | 'isPortChosen'>>,
): unknown {
  const { hasNetwork = false, io, profile, subject } = reading;
  if (choices !== undefined) return parseChoice(name, text, choices);
  const warn = (warning: Diagnostic): void =>
    void report(
      io,
      warning.at === undefined ? { ...warning, at, message: `${subject} ${warning.message}` } : warning,
    );
  const parseOwn = upstream?.[profile] ?? parse;
  if (parseOwn === undefined) return text;
  try {
    return parseOwn(text, { flag: name, origin, hasNetwork, warn, ...context });
  } catch (error) {
    const unreplaced = error instanceof CliError ? unreplacedIn(text) : undefined;
    throw unreplaced === undefined ? error : new FormatError(unreplaced.problem, unreplaced);
  }
}

/**
 * The value of a setting with files that are read as its row says.
 * @throws CliError for a file that is missing or invalid, UsageError for invalid content that the input itself contains
 */
export async function readFileValue<N extends SettingName>(
  reading: Reading,
  name: N,
): Promise<SettingValue<N>>;
export async function readFileValue(reading: Reading, name: SettingName): Promise<unknown> {
  const row = rowOf(name);
  const { content, kind } = row;
  if (content === undefined) throw new TypeError(`${name} has no content`);
  const values: unknown[] = [];
  for (const input of inputsOf(reading, name)) {
    values.push(
      input.isContent || content.orText?.test(input.text) === true
        ? parseInput(row, input, reading, {})
        : await remember(reading, input, (own) => readContent(row, content, input, own)),
    );
  }
  return kind === 'files' || kind === 'texts' ? values.flat() : values.at(-1);
}

async function readContent(
  row: Setting,
  content: SettingFile,
  input: InputValue,
  reading: Reading,
): Promise<unknown> {
  const { name, text: path } = input;
  const { inline, isCertificate = false, noun, what } = content;
  if (inline?.pattern.test(path) === true) {
    throw new UsageError(`${name} requires the path of a file, not the ${inline.noun}`, {
      hint: `write the ${inline.noun} to a file with mode 0600, or use /dev/stdin`,
    });
  }
  const file = pathIn(input, path);
  const bytes = await readBytes(input, reading.io, what);
  const text = isCertificate ? await readCertificates(bytes, file) : decodeText(bytes, input, what);
  if (noun !== undefined) await refuseOther(noun, file, Buffer.from(text));
  const subject = `${name}: ${path}`;
  try {
    return parseText(row, text, input, { ...reading, subject: `${subject}:` }, { file });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    // Without the cause, whose excerpt may show a secret.
    throw new CliError(`${subject} ${error.message}`, { code: 'ERR_SETTING', hint: error.hint });
  }
}

/** The result of `get` for an input that names a file, which is read once for all hosts, with its warnings. Errors get its place. */
export async function remember<T>(
  reading: Reading,
  input: InputValue,
  get: (reading: Reading) => Promise<T>,
): Promise<T>;
export async function remember(
  reading: Reading,
  input: InputValue,
  get: (reading: Reading) => Promise<unknown>,
): Promise<unknown> {
  const { known = new Map<string, Promise<Recorded<unknown>>>() } = reading;
  const { at, folder, name, text } = input;
  const key = JSON.stringify([name, text, folder, at]);
  const started = known.get(key) ?? record(reading.io, (io) => located(input, () => get({ ...reading, io })));
  known.set(key, started);
  const { reported, result } = await started;
  report(reading.io, reported);
  return result;
}

/** The text of the file that an input names. @param what begins the error message, as in `Pull secret not found` */
export async function readNamedFile(input: InputValue, io: Io, what: string): Promise<string> {
  return located(input, async () => decodeText(await readBytes(input, io, what), input, what));
}

/** A larger file is a mistake, and too large for an Ignition config. */
const MAX_BYTES = 1024 * 1024;

function readBytes(input: InputValue, io: Io, what: string): Promise<Uint8Array> {
  return readUserFile(pathIn(input, input.text), io, {
    maxBytes: MAX_BYTES,
    what: `${what} (${input.name})`,
  });
}

/** The text of the file that an input names. @param what begins the error message */
function decodeText(bytes: Uint8Array, input: InputValue, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CliError(`${what} (${input.name}) is not UTF-8 text: ${pathIn(input, input.text)}`, {
      code: 'ERR_SETTING',
      hint: 'pass a text file encoded in UTF-8',
      cause,
    });
  }
}

/**
 * A path that an input names, relative to the current folder.
 * @throws CliError for the content of a file, and for a path that only a shell expands
 */
export function pathIn({ at, folder, name }: InputValue, path: string): string {
  if (/\p{Cc}/u.test(path)) {
    // Without the value: what a file contains may be secret.
    throw new CliError(`${name} requires the path of a file, without line breaks and control characters`, {
      code: 'ERR_SETTING',
      hint: 'write content to a file, and set its path; in YAML, a backslash has no meaning in single quotes',
      at,
    });
  }
  if (path.startsWith('~/')) {
    throw new CliError(`${name}: "~" is not expanded in ${path}`, {
      code: 'ERR_SETTING',
      hint: `write the full path, such as /root/${path.slice(2)}`,
      at,
    });
  }
  return folder === undefined || path === '' || isAbsolute(path) ? path : join(folder, path);
}
