/** What the readers of single settings share: the inputs, and errors that name the place of an input. */

import { isAbsolute, join } from 'node:path';
import type { InputParsers } from '../../agent/inputParsers.ts';
import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import type { ProfileName } from '../../agent/settings.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import { CliError, FormatError, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import type { ReadArchiveFile } from '../input/containerArchiveFile.ts';
import type { RenderOptions, Warn } from './options.ts';
import { readUserFile } from '../../io/files/files.ts';

export interface Reading {
  readonly profile: ProfileName;
  readonly inputs: Pick<Inputs, 'get'>;
  /** The flags that are no settings. */
  readonly options: RenderOptions;
  readonly parse: InputParsers;
  readonly io: Io;
  readonly warn: Warn;
  /** What to do where Ironic's URL is missing; without, `--api-url` and its substitutes are named. */
  readonly addressHint?: string;
  /** For archives that many configs name. */
  readonly readArchive?: ReadArchiveFile;
}

export function valuesOf({ inputs }: Reading, name: SettingName): readonly InputValue[] {
  return inputs.get(name) ?? [];
}

export function valueOf(reading: Reading, name: SettingName): InputValue | undefined {
  return valuesOf(reading, name).at(-1);
}

export function isSwitchedOn(reading: Reading, name: SettingName): boolean {
  return (valueOf(reading, name)?.text ?? 'false') !== 'false'; // only a file can say so
}

/** What a parser makes of an input; undefined where there is none. Throws UsageError that names the place. */
export function parsed<T>(reading: Reading, name: SettingName, parse: (text: string) => T): T | undefined {
  const value = valueOf(reading, name);
  return value === undefined ? undefined : inPlace(value.place, () => parse(value.text));
}

/** The same for each of several. */
export function parsedAll<T>(reading: Reading, name: SettingName, parse: (text: string) => T): T[] {
  return valuesOf(reading, name).map(({ place, text }) => inPlace(place, () => parse(text)));
}

/** Runs a check of a value, and adds its place to what the check says. */
export function inPlace<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new UsageError(`${place} ${error.message}`, details(error));
  }
}

/** The same for the content of a file, which is no wrong usage. */
export function inFile<T>({ place, text }: InputValue, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${place}: ${text} ${error.message}`, { code: 'ERR_SETTING', hint: error.hint });
  }
}

/** The text of the file that an input names; `what` begins a sentence, as in `Pull secret not found`. */
export async function readNamedFile(value: InputValue, io: Io, what: string): Promise<string> {
  return readText(pathIn(value, value.text), io, `${what} (${value.place})`);
}

/** A path that an input names, from where the user is. */
export function pathIn({ folder }: InputValue, path: string): string {
  return folder === undefined || path === '' || isAbsolute(path) ? path : join(folder, path);
}

function details({ hint }: FormatError): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}

/** Whatever is larger is not the file that was meant, and an Ignition config could hardly hold it. */
const maxBytes = 1024 * 1024;

/** The text of a UTF-8 file; `what` begins a sentence, as in `Pull secret not found`. */
export async function readText(path: string, io: Io, what: string): Promise<string> {
  const bytes = await readUserFile(path, io, { maxBytes, what });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CliError(`${what} is not a text in UTF-8: ${path}`, {
      code: 'ERR_SETTING',
      hint: 'is this the right file?',
      cause,
    });
  }
}
