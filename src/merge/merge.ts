/** `ignition merge` and `ignition translate`: write one config out of several, or a config in another version of the spec. */

import { mergeConfigs } from '../ignition/merge.ts';
import { remarkMerge } from '../ignition/mergeRemarks.ts';
import { type SpecVersion, specVersions } from '../ignition/versions.ts';
import type { ExitCode, Io } from '../io/io.ts';
import {
  type ConfigDocument,
  parseSpecVersion,
  readConfigDocuments,
  reportFindings,
  translateDocument,
  writeConfig,
  type WriteOptions,
} from '../hosts/input/configDocuments.ts';

export interface MergeOptions extends WriteOptions {
  /** At least two, each merged over those before it; `-` is standard input. */
  readonly files: readonly string[];
  /** Version of the result; without, the newest of the configs. */
  readonly to?: string;
}

/** @throws CliError where a config, or what they give together, is not valid */
export async function merge({ files, to, ...options }: MergeOptions, io: Io): Promise<ExitCode> {
  const wanted = to === undefined ? undefined : parseSpecVersion(to);
  const documents = await readConfigDocuments(files, io);
  const version = wanted ?? newestVersion(documents);
  const config = documents
    .map((document) => ({ document, config: translateDocument(document, version, io) }))
    .reduce((parent, child) => {
      reportFindings(remarkMerge(parent.config, child.config, version), child.document, io);
      return { ...child, config: mergeConfigs(parent.config, child.config, version) };
    }).config;
  await writeConfig({ name: 'merged config', config, sources: documents }, options, io);
  return 0;
}

function newestVersion(documents: readonly ConfigDocument[]): SpecVersion {
  const used = new Set(documents.map(({ version }) => version));
  return specVersions.findLast((version) => used.has(version)) ?? specVersions[0];
}

export interface TranslateOptions extends WriteOptions {
  /** `-` is standard input. */
  readonly file: string;
  /** A version of the spec, e.g. `3.4.0`. */
  readonly to: string;
}

/** @throws CliError where the config is not valid, or not in that version */
export async function translate({ file, to, ...options }: TranslateOptions, io: Io): Promise<ExitCode> {
  const version = parseSpecVersion(to);
  const sources = await readConfigDocuments([file], io);
  for (const document of sources) {
    const config = translateDocument(document, version, io);
    await writeConfig({ name: 'translated config', config, sources }, options, io);
  }
  return 0;
}
