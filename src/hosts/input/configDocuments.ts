/** Reads, checks, translates and writes the configs of the `ignition` commands. */

import { CliError, UsageError } from '../../core/errors.ts';
import { maskSecrets } from '../../agent/lint/secrets.ts';
import type { Config } from '../../ignition/config.ts';
import { bootIssues } from '../../ignition/inlinedConfig.ts';
import { findingOf } from '../../core/rule.ts';
import { locateFindings, readConfig, validateConfig } from '../../ignition/validate.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { translateConfig } from '../../ignition/translate.ts';
import { type SpecVersion, specVersions } from '../../ignition/versions.ts';
import { type Expected, readStdin, readUserFile } from '../../io/files/files.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { listSecrets, modeForSecrets } from '../../imagefile/imageOutput.ts';
import type { Io } from '../../io/io.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import { writeStdout } from '../../io/stdout.ts';
import type { Finding } from '../../core/finding.ts';
import { printable } from '../../core/foreignText.ts';
import { type CheckOptions, explainContent } from './checkConfig.ts';
import {
  checkConfigSource,
  type ConfigOptions,
  type ConfigSource,
  filesDirOf,
  readConfigSource,
} from './checkedConfig.ts';
import { nameInput } from './nameInput.ts';
import { reportChecked } from './reportChecked.ts';
import { maskYaml, placeInYaml } from './yamlConfig.ts';

export type FilesDirOption = Pick<ConfigOptions, 'filesDir'>;

/** A valid config and its document. */
export interface ConfigDocument {
  /** The file name as the user gave it. */
  readonly name: string;
  /** The JSON, which is translated if the file is a Butane config or YAML. */
  readonly bytes: Buffer;
  /** Adds positions in the file to findings about the config. */
  readonly place: (findings: readonly Finding[]) => readonly Finding[];
  /** The file with masked secrets. */
  readonly shown: Uint8Array;
  readonly version: SpecVersion;
  readonly config: Config;
  /** Warnings of Ignition's rules, already reported. */
  readonly findings: readonly Finding[];
}

/** @throws UsageError for an unsupported version */
export function parseSpecVersion(text: string): SpecVersion {
  const version = specVersions.find((known) => known === text);
  if (version !== undefined) return version;
  throw new UsageError(`unsupported version: ${text}`, { hint: `use one of ${specVersions.join(', ')}` });
}

type CheckScope = Partial<Pick<CheckOptions, 'lint' | 'machine'>>;

/**
 * Reads configs and reports the findings of Ignition's rules; `-` is standard input.
 * @param options the folder of local files of Butane, and how far the check goes (default: what Ignition checks)
 * @throws CliError if one of them is invalid, after all of them have been checked
 */
export async function readConfigDocuments(
  files: readonly string[],
  io: Io,
  { filesDir, ...scope }: FilesDirOption & CheckScope = {},
): Promise<readonly ConfigDocument[]> {
  if (files.filter((file) => file === '-').length > 1) {
    throw new UsageError('standard input can be read only once', { hint: 'use "-" only once' });
  }
  const documents: ConfigDocument[] = [];
  const invalid: string[] = [];
  for (const file of files) {
    const name = file === '-' ? 'standard input' : file;
    const content = file === '-' ? await readStdin(io, expected) : await readUserFile(file, io, expected);
    const source = await nameInput(name, () => readConfigSource(name, content, filesDirOf({ filesDir }, io)));
    const document = await checkDocument(name, source, scope, io);
    if (document === undefined) invalid.push(printable(name));
    else documents.push(document);
  }
  if (invalid.length === 0) return documents;
  throw new CliError(`not a valid config: ${invalid.join(', ')}`, {
    code: 'ERR_CONFIG_INVALID',
    hint: 'fix the errors above',
  });
}

/** Configs have a few megabytes at most. */
const expected: Expected = { what: 'Ignition config', maxBytes: 256 * 1024 * 1024 };

async function checkDocument(
  name: string,
  source: ConfigSource,
  scope: CheckScope,
  io: Io,
): Promise<ConfigDocument | undefined> {
  const found = await checkConfigSource(source, {
    lint: 'boot',
    ...scope,
    now: new Date(),
    isEmbedded: true,
  });
  const { json: bytes } = source;
  const checked = await explainContent(name, source.yaml?.text ?? bytes, found);
  const { valid } = reportChecked(checked, name, io);
  const read = readConfig(bytes);
  if (!valid || read.status === 'refused') return undefined;
  return {
    name,
    bytes,
    ...placesOf(source, read.config),
    version: read.version,
    config: read.config,
    findings: checked.report.findings,
  };
}

function placesOf({ json, yaml }: ConfigSource, config: Config): Pick<ConfigDocument, 'place' | 'shown'> {
  const place = (findings: readonly Finding[]): readonly Finding[] => locateFindings(findings, json);
  if (yaml === undefined) return { place, shown: maskSecrets(json, config) };
  return { place: (findings) => placeInYaml(place(findings), yaml), shown: maskYaml(yaml) };
}

/**
 * Translates the config to another version, and reports what is lost.
 * @throws CliError if the version does not support a part of the config, after reporting the errors
 */
export function translateDocument(document: ConfigDocument, to: SpecVersion, io: Io): Config {
  const { name, config, version: from } = document;
  const translation = translateConfig(config, { from, to });
  reportFindings(translation.findings, document, io);
  if (translation.status === 'translated') return translation.config;
  throw new CliError(`${printable(name)} cannot be translated from ${from} to ${to} without loss`, {
    code: 'ERR_CONFIG_VERSION',
    hint: 'fix the errors above, or translate to a newer version',
  });
}

/** Reports findings about a config, with positions in its document. */
export function reportFindings(
  findings: readonly Finding[],
  { name, place, shown }: ConfigDocument,
  io: Io,
): void {
  reportChecked({ report: { valid: true, findings: place(findings) }, bytes: shown }, name, io);
}

/** Options of commands that write a config. */
export interface WriteOptions {
  /** File to write; `-` is standard output (default: standard output). */
  readonly output?: string;
  readonly pretty?: boolean;
}

/** A config that was created from documents. */
export interface MadeConfig {
  /** For messages: `merged config`. */
  readonly name: string;
  readonly config: Config;
  readonly sources: readonly ConfigDocument[];
}

/**
 * Checks a config and writes it. An invalid config is only written to standard output, so that it can be examined.
 * @throws CliError if the config is invalid
 */
export async function writeConfig(
  { name, config, sources }: MadeConfig,
  { output = '-', pretty = false }: WriteOptions,
  io: Io,
): Promise<void> {
  const bytes = Buffer.from(formatIgnition(config, pretty ? 2 : 0));
  const checked = validateConfig(bytes);
  const ofBoot = checked.valid ? locateFindings(bootIssues(config).map(findingOf), bytes) : [];
  const findings = [...checked.findings, ...ofBoot];
  const valid = checked.valid && ofBoot.length === 0;
  const reported = new Set(sources.flatMap((source) => source.findings.map(identify)));
  const unreported = findings.filter((finding) => !reported.has(identify(finding)));
  reportChecked({ report: { valid, findings: unreported }, bytes: maskSecrets(bytes, config) }, name, io);
  if (output === '-') await writeStdout(io, [bytes]);
  else if (valid) {
    const mode = modeForSecrets(listSecrets(new Map([[CONFIG_NAME, bytes]])), io);
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
