/** What the commands of `ignition` take. */

import { nameVersions, specVersions } from '../../ignition/versions.ts';
import { choice, file, FILES_DIR, toggle, folder, type OptionsOf, required } from '../../io/commandLine.ts';

const writeOptions = {
  '-d, --files-dir <folder>': folder(FILES_DIR),
  '-o, --output <file>': file('file to write (default: standard output)'),
  '--pretty': toggle('indent the JSON'),
};

export const mergeOptions = {
  '<PARENT>': file('Ignition config; "-" is standard input'),
  '<CHILD...>': file('configs to merge over the parent, in this order'),
  '--to <version>': choice(
    specVersions,
    `spec version of the result: ${nameVersions(specVersions)} (default: the newest version of the configs)`,
  ),
  ...writeOptions,
};

export const translateOptions = {
  '<FILE>': file('Ignition config; "-" is standard input'),
  '--to <version>': required(choice(specVersions, `spec version: ${nameVersions(specVersions)}`)),
  ...writeOptions,
};

export const fromButaneOptions = {
  '<FILE>': file('Butane config; "-" is standard input'),
  ...writeOptions,
};

export type WriteOptions = OptionsOf<typeof writeOptions>;
export type MergeOptions = OptionsOf<typeof mergeOptions>;
export type TranslateOptions = OptionsOf<typeof translateOptions>;
export type FromButaneOptions = OptionsOf<typeof fromButaneOptions>;
