/**
 * `ignition merge`, `ignition translate` and `ignition from-butane`: merge configs into one, or translate a config to another
 * spec version or to Ignition.
 */

import { maskSecrets } from '../../agent/lint/secrets.ts';
import { CliError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import type { Config } from '../../ignition/config.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { bootIssues } from '../../ignition/contents.ts';
import { mergeConfigs } from '../../ignition/merge.ts';
import { remarkMerge } from '../../ignition/mergeRemarks.ts';
import { locateFindings, validateConfig } from '../../ignition/validate.ts';
import { newestOf } from '../../ignition/versions.ts';
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
import type { FromButaneOptions, MergeOptions, TranslateOptions, WriteOptions } from './options.ts';

export async function merge(
  { parent: first, child: others, to, filesDir, ...options }: MergeOptions,
  io: Io,
): Promise<ExitCode> {
  const documents = await readConfigFiles([first, ...others], io, { filesDir });
  const version = to ?? newestOf(documents.map((document) => document.version));
  const config = documents
    .map((document) => ({ document, config: translateTo(version, document, io) }))
    .reduce((parent, child) => {
      reportFindings(remarkMerge(parent.config, child.config, version), child.document, io);
      return { ...child, config: mergeConfigs(parent.config, child.config, version) };
    }).config;
  await writeConfig('merged config', config, documents, options, io);
  return 0;
}

export async function translate(
  { file, to, filesDir, ...options }: TranslateOptions,
  io: Io,
): Promise<ExitCode> {
  const sources = await readConfigFiles([file], io, { filesDir });
  for (const document of sources) {
    const config = translateTo(to, document, io);
    await writeConfig('translated config', config, sources, options, io);
  }
  return 0;
}

/** Writes a Butane config as Ignition JSON. */
export async function fromButane(
  { file, filesDir, ...options }: FromButaneOptions,
  io: Io,
): Promise<ExitCode> {
  const sources = await readConfigFiles([file], io, { filesDir });
  for (const { config } of sources) await writeConfig('translated config', config, sources, options, io);
  return 0;
}

/**
 * Checks a config and writes it. An invalid config is only written to standard output, so that it can be examined.
 * @param name for messages: `merged config`
 * @param sources what it was made from
 */
async function writeConfig(
  name: string,
  config: Config,
  sources: readonly ValidConfig[],
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
