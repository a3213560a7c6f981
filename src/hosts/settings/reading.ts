/** Shared by the readers of single settings: access to the inputs, and errors that name the source of an input. */

import { quoteText } from '../../core/foreignText.ts';
import { isAbsolute, join } from 'node:path';
import type { InputParsers } from '../../agent/inputParsers.ts';
import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import type { ProfileName } from '../../agent/settings.ts';
import type { KnownSetting, SettingName } from '../../agent/settingTable.ts';
import { checkCallbackUrl } from '../../agent/ironicUrl.ts';
import { CliError, FormatError, type InputSource, locateError, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import type { ReadArchiveFile } from '../input/containerArchiveFile.ts';
import type { RenderOptions, Warn } from './options.ts';
import { readUserFile } from '../../io/files/files.ts';

export interface Reading {
  readonly profile: ProfileName;
  readonly inputs: Pick<Inputs, 'get'>;
  /** The flags that are not settings. */
  readonly options: RenderOptions;
  readonly parse: InputParsers;
  readonly io: Io;
  readonly warn: Warn;
  /** Where the user sets a setting, for hints, if the command has no flags for settings. */
  readonly settingsPlace?: string | undefined;
  /** Reads an archive that many configs share. */
  readonly readArchive?: ReadArchiveFile | undefined;
}

type ListName = Extract<KnownSetting, { readonly kind: 'list' }>['name'];

/** Check single items of a list. @throws UsageError for an invalid item */
const itemChecks: { readonly [N in ListName]: (item: InputValue, reading: Reading) => unknown } = {
  'ironic.apiUrls': ({ text, name }, { parse }) => parse.apiUrls(text, { flag: name }),
  'ironic.inspectionCallbackUrls': ({ text, name }) => checkCallbackUrl(text, name),
  'ironic.inspectorUrls': ({ text, name }, { parse }) => parse.inspectorUrls(text, { flag: name }),
  'agent.vlanInterfaces': (item, { parse }) => inPlace(item, (text) => parse.vlanInterfaces(text, false)),
  'proxy.none': (item, { parse }) => inPlace(item, parse.noProxy),
};

/**
 * The values of a setting. Those of a list setting are joined to one value, with the place of the first item.
 * @throws UsageError for an invalid item of a list
 */
export function valuesOf(reading: Reading, name: SettingName): readonly InputValue[] {
  const values = reading.inputs.get(name) ?? [];
  const [first, ...others] = values;
  if (first === undefined || others.length === 0 || !isListName(name)) return values;
  for (const item of values) atSource(item, () => itemChecks[name](item, reading));
  return [{ ...first, text: values.map(({ text }) => text).join(',') }];
}

function isListName(name: SettingName): name is ListName {
  return Object.hasOwn(itemChecks, name);
}

export function valueOf(reading: Reading, name: SettingName): InputValue | undefined {
  return valuesOf(reading, name).at(-1);
}

export function isSwitchedOn(reading: Reading, name: SettingName): boolean {
  return (valueOf(reading, name)?.text ?? 'false') !== 'false'; // only a file can contain "false"
}

/** The parsed input, or undefined if it is not given. @throws UsageError that names the source of the input */
export function parsed<T>(reading: Reading, name: SettingName, parse: (text: string) => T): T | undefined {
  const value = valueOf(reading, name);
  return value && inPlace(value, parse);
}

/** Like {@link parsed}, for a setting with several values. */
export function parsedAll<T>(reading: Reading, name: SettingName, parse: (text: string) => T): T[] {
  return valuesOf(reading, name).map((value) => inPlace(value, parse));
}

/** Adds the place of the input to errors of `read`, whose messages name the input. */
export function atSource<T>({ at }: InputSource, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw locateError(error, at);
  }
}

/** A handler for `catch` of a promise, like {@link atSource}. */
export function throwAt({ at }: InputSource): (error: unknown) => never {
  return (error) => {
    throw locateError(error, at);
  };
}

/** Parses or checks a value, and adds its name and place to an error. */
export function inPlace<T>(
  { at, name, text }: Pick<InputValue, 'at' | 'name' | 'text'>,
  parse: (text: string) => T,
): T {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new UsageError(`${name} ${error.message}`, { hint: error.hint, at });
  }
}

/** Like {@link inPlace} for the content of a file: an invalid file is not a usage error. */
export function inFile<T>({ at, name, text }: InputValue, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${name}: ${text} ${error.message}`, { code: 'ERR_SETTING', hint: error.hint, at });
  }
}

/** The text of the file that an input names. @param what begins the error message, as in `Pull secret not found` */
export async function readNamedFile(value: InputValue, io: Io, what: string): Promise<string> {
  return readText(pathIn(value, value.text), io, `${what} (${value.name})`).catch(throwAt(value));
}

/**
 * A path that an input names, relative to the current folder.
 * @throws CliError for a path that only a shell expands, or that no file has
 */
export function pathIn({ at, folder, name }: InputValue, path: string): string {
  if (/\p{Cc}/u.test(path)) {
    throw new CliError(`${name}: the path ${quoteText(path)} contains a control character`, {
      code: 'ERR_SETTING',
      hint: 'remove the character; in YAML, put a path in single quotes, in which a backslash has no meaning',
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

/** A larger file is a mistake, and too large for an Ignition config. */
const MAX_BYTES = 1024 * 1024;

/** The text of a UTF-8 file. @param what begins the error message, as in `Pull secret not found` */
export async function readText(path: string, io: Io, what: string): Promise<string> {
  const bytes = await readUserFile(path, io, { maxBytes: MAX_BYTES, what });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CliError(`${what} is not UTF-8 text: ${path}`, {
      code: 'ERR_SETTING',
      hint: 'pass a text file encoded in UTF-8',
      cause,
    });
  }
}
