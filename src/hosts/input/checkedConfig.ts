/** Reads the Ignition config to embed, and checks it with Ignition's rules. */

import { mayBeButane } from '../../butane/mayBeButane.ts';
import { CliError, FormatError, only } from '../../core/errors.ts';
import { readStdin, readUserFile } from '../../io/files/files.ts';
import type { Finding, Problem } from '../../core/finding.ts';
import type { Io } from '../../io/io.ts';
import { nameInput } from './nameInput.ts';
import type { TargetSystem } from '../../agent/lint/subject.ts';
import type { CheckedDocument, CheckOptions } from './checkConfig.ts';
import { reasonNotToCheck } from './refuse.ts';
import type { FilesDir } from './filesDir.ts';
import type { YamlConfig } from './yamlConfig.ts';

export interface ConfigOptions {
  /** Path of the config (default: standard input). */
  readonly ignitionFile?: string | undefined;
  /** False accepts any bytes. */
  readonly validate?: boolean;
  /** Folder of the local files of a Butane config (default: local files are refused). */
  readonly filesDir?: string | undefined;
}

const CONFIG = { what: 'Ignition config', maxBytes: 64 * 1024 * 1024 };

/**
 * Returns the config unchanged, or the JSON of a Butane config or a YAML file (`*.yaml`, `*.yml`). Findings are reported on
 * standard error.
 * @throws CliError if the config cannot be read, or if Ignition would reject it
 */
export async function readCheckedConfig(options: ConfigOptions, io: Io): Promise<Uint8Array> {
  const { ignitionFile } = options;
  const name = ignitionFile ?? 'standard input';
  const bytes = await (ignitionFile === undefined ? readStdin(io, CONFIG) : readConfigFile(ignitionFile, io));
  return checkGivenConfig(bytes, name, options, io);
}

/** The same for the content of the file. */
export async function checkGivenConfig(
  bytes: Uint8Array,
  name: string,
  options: Omit<ConfigOptions, 'ignitionFile'>,
  io: Io,
): Promise<Uint8Array> {
  const source = await nameInput(name, () => readConfigSource(name, bytes, filesDirOf(options, io)));
  const reason = reasonNotToCheck(options, io);
  if (reason === undefined || source.yaml?.isRefused === true) {
    const { explainContent, noteChecked } = await import('./checkConfig.ts');
    const checked = await explainContent(name, bytes, await checkConfigSource(source, embedOptions()));
    await requireValid(checked, name, io);
    await noteChecked(name, source.json, embedOptions(), io);
  } else {
    io.note?.(`config not validated: ${reason}`);
  }
  return source.json;
}

/** An Ignition config in a file of the user. */
export interface ConfigSource {
  /** The file itself, or the JSON of a Butane config or of a YAML file (`*.yaml`, `*.yml`). */
  readonly json: Buffer;
  readonly yaml?: YamlConfig;
  /** The Butane documents that the config inlined, by their references; in `json` they are translated. */
  readonly inlined?: ReadonlyMap<string, YamlConfig>;
}

/** @throws FormatError if YAML cannot be parsed */
export async function readConfigSource(
  path: string,
  content: Uint8Array,
  filesDir?: FilesDir,
): Promise<ConfigSource> {
  const source = await readSource(path, await unwrapConfig(content), filesDir);
  if (!mayInline(source.json)) return source;
  const { translateInlined } = await import('./inlinedButane.ts');
  const { json, documents } = translateInlined(source.json, filesDir);
  return documents.size === 0 ? source : { ...source, json, inlined: documents };
}

async function readSource(path: string, bytes: Uint8Array, filesDir?: FilesDir): Promise<ConfigSource> {
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (mayBeButane(path, json)) {
    const { readButaneConfig } = await import('./butaneConfig.ts');
    const { openFilesDir } = await import('./filesDir.ts');
    const yaml = readButaneConfig(json, () => filesDir && openFilesDir(filesDir));
    if (yaml !== undefined) return { json: yaml.json, yaml };
  }
  if (!/\.ya?ml$/i.test(path)) return { json };
  const { parseYamlConfig } = await import('./yamlConfig.ts');
  const yaml = parseYamlConfig(bytes);
  return { json: yaml.json, yaml };
}

/** The config in an archive of `pxe ignition wrap`. Other content is unchanged. */
async function unwrapConfig(content: Uint8Array): Promise<Uint8Array> {
  if (content[0] === '{'.charCodeAt(0)) return content;
  const { detectKind } = await import('../../image/imageKind.ts');
  const { bytesAccess } = await import('../../image/overlay.ts');
  if ((await detectKind(bytesAccess(content))) !== 'initramfs') return content;
  const { readInitrd } = await import('../../image/initrd.ts');
  const { CONFIG_NAME } = await import('../../image/embeddedIgnition.ts');
  const limits = { maxBytes: CONFIG.maxBytes, wants: (path: string) => path === CONFIG_NAME };
  const files = await readInitrd(content, limits).catch(
    only(FormatError, () => new Map<string, Uint8Array>()),
  );
  return files.get(CONFIG_NAME) ?? content;
}

/** Without parsing it: most configs inline no other config. */
function mayInline(json: Buffer): boolean {
  return json.includes('data:') && (json.includes('"merge"') || json.includes('"replace"'));
}

/** The folder of `--files-dir`. */
export function filesDirOf(
  { filesDir: path }: Pick<ConfigOptions, 'filesDir'>,
  io: Io,
): FilesDir | undefined {
  return path === undefined ? undefined : { path, io };
}

/** Checks the JSON. Findings have positions in the file. */
export async function checkConfigSource(
  { inlined, json, yaml }: ConfigSource,
  options: CheckOptions,
): Promise<CheckedDocument> {
  const checked = await (yaml === undefined
    ? (await import('./checkConfig.ts')).checkConfig(json, options)
    : (await import('./yamlConfig.ts')).checkYamlConfig({ ...yaml, json }, options));
  if (inlined === undefined) return checked;
  return (await import('./inlinedButane.ts')).placeInlined(checked, inlined);
}

/** As in coreos-installer, `-` is a file name. */
async function readConfigFile(path: string, io: Io): Promise<Uint8Array> {
  return readUserFile(path, io, CONFIG).catch((error: unknown) => {
    if (path !== '-' || !(error instanceof CliError) || error.code !== 'ERR_FILE_MISSING') throw error;
    const { code, message: problem } = error;
    const hint = 'omit the option to read the config from standard input';
    throw new CliError(problem, { code, hint, cause: error });
  });
}

/** The options for a config that is embedded in an image, by default for the live system of the image. */
export function embedOptions(machine: TargetSystem = 'live'): CheckOptions {
  return { lint: 'auto', machine, now: new Date(), isEmbedded: true };
}

/** Warnings are reported, errors are fatal. */
async function requireValid(checked: CheckedDocument, name: string, io: Io): Promise<void> {
  const { reportChecked } = await import('./reportChecked.ts');
  const { findings, valid } = reportChecked(checked, name, io);
  if (valid) return;
  const { hint, message } = refusalOf(findings);
  throw new CliError(`${message}; nothing was written`, { code: 'ERR_CONFIG_INVALID', hint });
}

/** Why a config with errors is refused, and how to use it anyway. */
export function refusalOf(findings: readonly Finding[]): Problem {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.every(({ isLint }) => isLint === true)) {
    const rules = new Set(errors.map(({ rule }) => rule));
    return {
      message: 'with this Ignition config, the agent or a part of the system does not start',
      hint: `fix the errors above, or use --ignore ${[...rules].join(',')} if they do not apply`,
    };
  }
  return {
    message: 'the Ignition config is invalid',
    hint: 'fix the errors above, or use --no-validate to embed it anyway',
  };
}
