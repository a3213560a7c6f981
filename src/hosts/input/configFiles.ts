/** Ignition configs in files of the user: read, checked, reported, and refused if Ignition would reject them. */

import { CliError, UsageError } from '../../core/errors.ts';
import type { Finding, Report } from '../../core/finding.ts';
import { printable } from '../../core/foreignText.ts';
import { maskSecrets } from '../../agent/lint/secrets.ts';
import type { TargetSystem } from '../../agent/lint/subject.ts';
import type { Config } from '../../ignition/config.ts';
import { translateConfig } from '../../ignition/translate.ts';
import { locateFindings, readConfig } from '../../ignition/validate.ts';
import type { SpecVersion } from '../../ignition/versions.ts';
import { inputName, readInput, readStdin, readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { applyIgnored } from '../../io/report/ignored.ts';
import { reportDiagnostics } from '../../io/report/text.ts';
import type { CheckedDocument, CheckOptions } from './checkConfig.ts';
import { type CheckChoice, reasonNotToCheck } from './refuse.ts';
import { createUnitCheck } from './unitTools.ts';
import {
  checkSourceConfig,
  CONFIG_FILE,
  filesDirOf,
  type FilesDirOption,
  lacksJson,
  readSourceConfig,
  type SourceConfig,
} from './sourceConfig.ts';

export interface ConfigOptions extends FilesDirOption, CheckChoice {
  /** Path of the config (default: standard input). */
  readonly ignitionFile?: string | undefined;
}

/**
 * Returns the config unchanged, or the JSON of a Butane config or a YAML file (`*.yaml`, `*.yml`). Findings are reported on
 * standard error.
 * @throws CliError if the config cannot be read, or if Ignition would reject it
 */
export async function readConfigToEmbed(options: ConfigOptions, io: Io): Promise<Uint8Array> {
  const { ignitionFile: path } = options;
  if (path === undefined) {
    return checkConfigToEmbed(await readStdin(io, CONFIG_FILE), 'standard input', options, io);
  }
  const bytes = await readUserFile(path, io, CONFIG_FILE).catch((error: unknown) => {
    // As in coreos-installer, `-` is a file name.
    if (path !== '-' || !(error instanceof CliError) || error.code !== 'ERR_FILE_MISSING') throw error;
    const hint = 'omit the option to read the config from standard input';
    throw new CliError(error.message, { code: error.code, hint, cause: error });
  });
  return checkConfigToEmbed(bytes, path, options, io);
}

/** The same for the content of the file. */
export async function checkConfigToEmbed(
  bytes: Uint8Array,
  name: string,
  options: FilesDirOption & CheckChoice,
  io: Io,
): Promise<Uint8Array> {
  const source = await readSourceConfig(name, bytes, filesDirOf(options, io));
  const reason = reasonNotToCheck(options, io);
  if (reason === undefined || lacksJson(source)) await requireValid(source, 'live', io);
  else io.note?.(`config not validated: ${reason}`);
  return source.json;
}

/**
 * Reports the findings about a config that is embedded in an image, and returns them.
 * @param machine the system that applies the config
 * @throws CliError if it is invalid
 */
export async function requireValid(
  source: SourceConfig,
  machine: TargetSystem,
  io: Io,
): Promise<readonly Finding[]> {
  const checkUnits = createUnitCheck(io);
  const options: CheckOptions = { lint: 'auto', machine, now: new Date(), isEmbedded: true, checkUnits };
  const { findings, valid } = reportChecked(await checkSourceConfig(source, options, io), source.name, io);
  if (valid) return findings;
  throw invalidConfig([source.name], findings, ', or use --no-validate to embed it anyway');
}

/** The error for configs whose findings have been reported. @param otherwise what else helps, as the end of a sentence */
function invalidConfig(names: readonly string[], findings: readonly Finding[], otherwise = ''): CliError {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const rules = new Set(errors.map(({ rule }) => rule));
  const isIgnorable = errors.every(({ isLint }) => isLint === true);
  const ignore = `, or use --ignore ${[...rules].join(',')} if they do not apply`;
  return new CliError(`not a valid Ignition config: ${names.map(printable).join(', ')}`, {
    code: 'ERR_CONFIG_INVALID',
    hint: `fix the errors above${isIgnorable ? ignore : otherwise}`,
  });
}

export interface ValidConfig extends SourceConfig {
  readonly version: SpecVersion;
  readonly config: Config;
  /** What Ignition's rules found, already reported. */
  readonly findings: readonly Finding[];
}

/**
 * Reads configs and reports the findings of Ignition's rules; `-` is standard input.
 * @param options the folder of local files of Butane, and how far the check goes (default: what Ignition checks)
 * @throws CliError if one of them is invalid, after all of them have been checked
 */
export async function readConfigFiles(
  files: readonly string[],
  io: Io,
  { filesDir, ...scope }: FilesDirOption & Partial<Pick<CheckOptions, 'lint' | 'machine'>> = {},
): Promise<readonly ValidConfig[]> {
  if (files.filter((file) => file === '-').length > 1) {
    throw new UsageError('standard input can be read only once', { hint: 'use "-" only once' });
  }
  const configs: ValidConfig[] = [];
  const invalid: string[] = [];
  const errors: Finding[] = [];
  for (const file of files) {
    const name = inputName(file);
    const content = await readInput(file, io, CONFIG_FILE);
    const source = await readSourceConfig(name, content, filesDirOf({ filesDir }, io));
    const options = { lint: 'boot', ...scope, now: new Date(), isEmbedded: true } as const;
    const checked = await checkSourceConfig(source, options);
    const { findings, valid } = reportChecked(checked, name, io);
    const read = readConfig(source.json);
    if (valid && read.status === 'read') {
      configs.push({
        ...source,
        version: read.version,
        config: read.config,
        findings: checked.report.findings,
      });
    } else {
      invalid.push(name);
      for (const finding of findings) errors.push(finding);
    }
  }
  if (invalid.length > 0) throw invalidConfig(invalid, errors);
  return configs;
}

/**
 * Translates the config to another version, and reports what is lost.
 * @throws CliError if the version does not support a part of the config, after reporting the errors
 */
export function translateTo(to: SpecVersion, source: ValidConfig, io: Io): Config {
  const { name, config, version: from } = source;
  const translation = translateConfig(config, { from, to });
  reportFindings(translation.findings, source, io);
  if (translation.status === 'translated') return translation.config;
  throw new CliError(`${printable(name)} cannot be translated from ${from} to ${to} without loss`, {
    code: 'ERR_CONFIG_VERSION',
    hint: 'fix the errors above, or translate to a newer version',
  });
}

/** Reports findings about a config, with positions in its text. */
export function reportFindings(findings: readonly Finding[], source: ValidConfig, io: Io): void {
  if (findings.length === 0) return;
  const { config, json, mask, name, place } = source;
  const placed = place(locateFindings(findings, json));
  const bytes = mask?.() ?? maskSecrets(json, config);
  reportChecked({ report: { valid: true, findings: placed }, bytes }, name, io);
}

/**
 * Reports the findings that are not ignored, and returns them.
 * @param name of the document, for messages
 */
export function reportChecked(
  { report: { findings }, ...documents }: CheckedDocument,
  name: string,
  io: Io,
): Report {
  const counted = applyIgnored(findings, io);
  report(io, reportDiagnostics(counted, { name, ...documents }));
  return counted;
}
