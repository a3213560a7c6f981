/**
 * `ignition merge`, `ignition translate` and `ignition from-butane`: merge configs into one, or translate a config to another
 * spec version or to Ignition.
 */

import { maskSecrets } from '../../agent/lint/secrets.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import type { Config } from '../../ignition/config.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { bootIssues } from '../../ignition/contents.ts';
import { mergeConfigs } from '../../ignition/merge.ts';
import { remarkMerge } from '../../ignition/mergeRemarks.ts';
import { locateFindings, validateConfig } from '../../ignition/validate.ts';
import { newestOf, type SpecVersion, specVersions } from '../../ignition/versions.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { listEmbeddedSecrets } from '../../agent/embeddedSecrets.ts';
import { modeForSecrets } from '../../imagefile/imageOutput.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import {
  readConfigFiles,
  reportChecked,
  reportFindings,
  translateTo,
  type ValidConfig,
} from '../../hosts/input/configFiles.ts';
import type { FilesDirOption } from '../../hosts/input/sourceConfig.ts';

/** Options of commands that write a config. */
export interface WriteOptions {
  /** File to write; `-` is standard output (default: standard output). */
  readonly output?: string;
  readonly pretty?: boolean;
}

export interface MergeOptions extends WriteOptions, FilesDirOption {
  /** At least two files, each merged over the previous ones; `-` is standard input. */
  readonly files: readonly string[];
  /** Spec version of the result (default: the newest version of the configs). */
  readonly to?: string;
}

/** @throws CliError if a config or the merged config is invalid */
export async function merge({ files, to, filesDir, ...options }: MergeOptions, io: Io): Promise<ExitCode> {
  const wanted = to === undefined ? undefined : parseSpecVersion(to);
  const documents = await readConfigFiles(files, io, { filesDir });
  const version = wanted ?? newestOf(documents.map((document) => document.version));
  const config = documents
    .map((document) => ({ document, config: translateTo(version, document, io) }))
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
  const sources = await readConfigFiles([file], io, { filesDir });
  for (const document of sources) {
    const config = translateTo(version, document, io);
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
  const sources = await readConfigFiles([file], io, { filesDir });
  for (const { config } of sources)
    await writeConfig({ name: 'translated config', config, sources }, options, io);
  return 0;
}

/** @throws UsageError for an unsupported version */
function parseSpecVersion(text: string): SpecVersion {
  const version = specVersions.find((known) => known === text);
  if (version !== undefined) return version;
  throw new UsageError(`unsupported version: ${text}`, { hint: `use one of ${specVersions.join(', ')}` });
}

/** A config that was created from documents. */
interface MadeConfig {
  /** For messages: `merged config`. */
  readonly name: string;
  readonly config: Config;
  readonly sources: readonly ValidConfig[];
}

/**
 * Checks a config and writes it. An invalid config is only written to standard output, so that it can be examined.
 * @throws CliError if the config is invalid
 */
async function writeConfig(
  { name, config, sources }: MadeConfig,
  { output = '-', pretty = false }: WriteOptions,
  io: Io,
): Promise<void> {
  const bytes = Buffer.from(formatIgnition(config, pretty ? 2 : 0));
  const checked = validateConfig(bytes);
  const ofBoot = checked.valid ? locateFindings(bootIssues(config), bytes) : [];
  const findings = [...checked.findings, ...ofBoot];
  const valid = checked.valid && ofBoot.length === 0;
  const reported = new Set(sources.flatMap((source) => source.findings.map(identify)));
  const unreported = findings.filter((finding) => !reported.has(identify(finding)));
  reportChecked({ report: { valid, findings: unreported }, bytes: maskSecrets(bytes, config) }, name, io);
  if (output === '-') await writeStdout(io, [bytes]);
  else if (valid) {
    const mode = modeForSecrets(listEmbeddedSecrets(new Map([[CONFIG_NAME, bytes]])), io);
    await writeOutput(output, bytes, io, mode);
  }
  if (valid) return;
  throw new CliError(`the ${name} is invalid${output === '-' ? '' : '; nothing was written'}`, {
    code: 'ERR_CONFIG_INVALID',
    hint: 'fix the errors above in the source configs',
  });
}

function identify({ rule, message }: Finding): string {
  return `${rule} ${message}`;
}
