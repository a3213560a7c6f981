/** Reads the Ignition configs of the user for `iso customize` and `pxe customize`, as JSON or YAML. */

import { CliError, type ErrorDetails, FormatError } from '../core/errors.ts';
import { parseUserConfig } from '../image/customize/parentConfig.ts';
import { validateConfig } from '../ignition/validate.ts';
import { unusedKey } from '../ignition/unusedKeys.ts';
import { readUserFile } from '../io/files/files.ts';
import type { Io } from '../io/io.ts';
import { formatPath } from '../core/finding.ts';
import { printable } from '../io/report/terminalText.ts';
import { report } from '../io/report/report.ts';
import { withoutIgnored } from '../io/report/ruleBook.ts';
import { checkConfig, type CheckedDocument } from '../hosts/input/checkConfig.ts';
import { reportChecked } from '../hosts/input/reportChecked.ts';
import type { YamlConfig } from '../hosts/input/yamlConfig.ts';
import { isYamlFile } from '../hosts/input/nameInput.ts';

const CONFIG = { what: 'Ignition config', maxBytes: 64 * 1024 * 1024 };

/**
 * Returns the config as a document without unused keys, after it reports the findings.
 * @param validates whether an invalid config is an error
 * @throws CliError `parsing Ignition config …`
 */
export async function readUserConfig(path: string, validates: boolean, io: Io): Promise<Uint8Array> {
  const source = await readSource(path, io);
  const config = parseUserConfig(source.json, path);
  if ('newerVersion' in config) {
    reportNewerVersion(path, config.newerVersion, io);
    return config.document;
  }
  if (validates) await refuseInvalid(source, io);
  if (config instanceof CliError) throw config;
  if (!validates) reportUnusedKeys(source, io);
  return config.document;
}

interface Source {
  readonly path: string;
  readonly json: Buffer;
  /** The file of the user, if it is YAML. */
  readonly yaml?: YamlConfig;
}

async function readSource(path: string, io: Io): Promise<Source> {
  const { buffer, byteOffset, byteLength } = await readUserFile(path, io, CONFIG);
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (!isYamlFile(path)) return { path, json: bytes };
  const { parseYamlConfig } = await import('../hosts/input/yamlConfig.ts');
  try {
    const yaml = parseYamlConfig(bytes);
    return { path, json: yaml.json, yaml };
  } catch (error) {
    if (error instanceof FormatError) throw refusal(path, error.message, error);
    throw error;
  }
}

function refusal(path: string, problem: string, { hint, excerpt }: ErrorDetails): CliError {
  return new CliError(`parsing Ignition config ${path}: ${problem}`, {
    code: 'ERR_CONFIG_INVALID',
    hint,
    excerpt,
  });
}

function reportNewerVersion(path: string, version: string | undefined, io: Io): void {
  const message = `${path}: unsupported spec version ${version}; the config is embedded without validation`;
  const hint = `verify that Ignition in the image supports version ${version}`;
  report(io, { severity: 'warning', message, hint });
}

/** Only findings of Ignition make a config invalid; findings of this program are warnings. */
async function refuseInvalid(source: Source, io: Io): Promise<void> {
  const checked = await checkSource(source);
  reportChecked(checked, source.path, io);
  if (checked.report.valid) return;
  throw refusal(source.path, 'the config is invalid; nothing was written', {
    hint: 'fix the reported errors, or use --no-validate to embed the config anyway',
  });
}

async function checkSource({ json, yaml }: Source): Promise<CheckedDocument> {
  const options = { lint: 'auto', now: new Date(), isEmbedded: true } as const;
  if (yaml === undefined) return checkConfig(json, options);
  const { checkYamlConfig } = await import('../hosts/input/yamlConfig.ts');
  return checkYamlConfig(yaml, options);
}

/** With the messages of coreos-installer, because scripts that were written for it use `--no-validate` implicitly. */
function reportUnusedKeys({ json, path }: Source, io: Io): void {
  for (const finding of withoutIgnored(validateConfig(json).findings, io)) {
    if (finding.rule !== unusedKey.id) continue;
    io.stderr.write(printable(`Warning parsing ${path}: unused key: ${formatPath(finding.path)}`) + '\n');
  }
}
