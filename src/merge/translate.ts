/** `ignition translate`: writes a config in another version of the spec, or says why that version cannot say the same. */

import type { ExitCode, Io } from '../io/io.ts';
import {
  parseSpecVersion,
  readConfigDocuments,
  translateDocument,
  writeConfig,
  type WriteOptions,
} from '../hosts/input/configDocuments.ts';

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
