/**
 * `ignition merge`, `ignition translate` and `ignition from-butane`: merge configs into one, or translate a config to another
 * spec version or to Ignition.
 */

import { mergeConfigs } from '../../ignition/merge.ts';
import { remarkMerge } from '../../ignition/mergeRemarks.ts';
import { newestOf } from '../../ignition/versions.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import {
  type FilesDirOption,
  parseSpecVersion,
  readConfigDocuments,
  reportFindings,
  translateDocument,
  writeConfig,
  type WriteOptions,
} from '../../hosts/input/configDocuments.ts';

export interface MergeOptions extends WriteOptions, FilesDirOption {
  /** At least two files, each merged over the previous ones; `-` is standard input. */
  readonly files: readonly string[];
  /** Spec version of the result (default: the newest version of the configs). */
  readonly to?: string;
}

/** @throws CliError if a config or the merged config is invalid */
export async function merge({ files, to, filesDir, ...options }: MergeOptions, io: Io): Promise<ExitCode> {
  const wanted = to === undefined ? undefined : parseSpecVersion(to);
  const documents = await readConfigDocuments(files, io, { filesDir });
  const version = wanted ?? newestOf(documents.map((document) => document.version));
  const config = documents
    .map((document) => ({ document, config: translateDocument(document, version, io) }))
    .reduce((parent, child) => {
      reportFindings(remarkMerge(parent.config, child.config, version), child.document, io);
      return { ...child, config: mergeConfigs(parent.config, child.config, version) };
    }).config;
  await writeConfig({ name: 'merged config', config, sources: documents }, options, io);
  return 0;
}

export interface TranslateOptions extends WriteOptions, FilesDirOption {
  /** `-` is standard input. */
  readonly file: string;
  /** Spec version, for example `3.4.0`. */
  readonly to: string;
}

/** @throws CliError if the config is invalid, in its own version or after the translation */
export async function translate(
  { file, to, filesDir, ...options }: TranslateOptions,
  io: Io,
): Promise<ExitCode> {
  const version = parseSpecVersion(to);
  const sources = await readConfigDocuments([file], io, { filesDir });
  for (const document of sources) {
    const config = translateDocument(document, version, io);
    await writeConfig({ name: 'translated config', config, sources }, options, io);
  }
  return 0;
}

export interface FromButaneOptions extends WriteOptions, FilesDirOption {
  /** `-` is standard input. */
  readonly file: string;
}

/** Writes a Butane config as Ignition JSON. @throws CliError if the config is invalid */
export async function fromButane(
  { file, filesDir, ...options }: FromButaneOptions,
  io: Io,
): Promise<ExitCode> {
  const sources = await readConfigDocuments([file], io, { filesDir });
  for (const { config } of sources)
    await writeConfig({ name: 'translated config', config, sources }, options, io);
  return 0;
}
