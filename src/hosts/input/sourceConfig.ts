/**
 * An Ignition config from somewhere: the text that a user wrote as JSON, YAML or Butane, what Ignition gets, and how findings
 * about the one are shown in the other.
 */

import type { LocalFiles } from '../../butane/localFiles.ts';
import { mayBeButane } from '../../butane/mayBeButane.ts';
import { FormatError, only, located } from '../../core/errors.ts';
import { hasErrors, limitFindings } from '../../core/finding.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { detectKind } from '../../image/imageKind.ts';
import { readInitrd } from '../../image/initrd.ts';
import { bytesAccess } from '../../image/overlay.ts';
import type { Expected } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { type CheckedDocument, type CheckOptions, checkConfig, describeCheck } from './checkConfig.ts';
import { hintContent, refuseOther } from './contentKind.ts';
import { openFilesDir } from './filesDir.ts';
import type { ConfigText } from './yamlConfig.ts';

/** Real configs have a few megabytes at most. */
export const CONFIG_FILE: Expected = { what: 'Ignition config', maxBytes: 256 * 1024 * 1024 };

export interface SourceConfig extends ConfigText {
  /** As the user named it, for messages. */
  readonly name: string;
  readonly text: Uint8Array;
}

export interface FilesDirOption {
  /** Folder of the local files of a Butane config (default: local files are refused). */
  readonly filesDir?: string | undefined;
}

/** Opens the folder of local files; undefined: they are refused. */
export type OpenLocalFiles = () => LocalFiles | undefined;

/** The folder of `--files-dir`. */
export function filesDirOf({ filesDir: path }: FilesDirOption, io: Io): OpenLocalFiles {
  return () => (path === undefined ? undefined : openFilesDir(path, io));
}

/**
 * @param name its extension selects the format: `.yaml` and `.yml` are YAML, `.bu` and `.butane` Butane. Butane is also
 *   recognized by its content
 * @param content the text, or an archive of `pxe ignition wrap` that contains it
 * @throws CliError if YAML cannot be parsed
 */
export async function readSourceConfig(
  name: string,
  content: Uint8Array,
  openFiles: OpenLocalFiles = () => undefined,
): Promise<SourceConfig> {
  const bytes = await unwrapConfig(content);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isYaml = /\.ya?ml$/i.test(name);
  const json: SourceConfig = { name, text, json: text, own: [], place: (findings) => findings };
  if (!isYaml && !mayBeButane(name, text)) return json;
  const { parseButaneConfig, parseYamlConfig } = await import('./yamlConfig.ts');
  const yaml = await located({ file: name }, async () => {
    try {
      const butane = mayBeButane(name, text) ? parseButaneConfig(text, openFiles) : undefined;
      return butane ?? (isYaml ? parseYamlConfig(text) : undefined);
    } catch (error) {
      if (error instanceof FormatError) await refuseOther('an Ignition config', name, text);
      throw error;
    }
  });
  return { ...json, ...yaml };
}

/** The config in an archive of `pxe ignition wrap`. Other content is unchanged. */
async function unwrapConfig(content: Uint8Array): Promise<Uint8Array> {
  if (content[0] === '{'.charCodeAt(0)) return content;
  if ((await detectKind(bytesAccess(content))) !== 'initramfs') return content;
  const limits = { maxBytes: CONFIG_FILE.maxBytes, wants: (path: string) => path === CONFIG_NAME };
  const files = await readInitrd(content, limits).catch(
    only(FormatError, () => new Map<string, Uint8Array>()),
  );
  return files.get(CONFIG_NAME) ?? content;
}

/** Whether the text has no JSON that could be used without a check: a Butane document with errors. */
export function lacksJson({ own }: SourceConfig): boolean {
  return hasErrors(own);
}

/** Checks the JSON. Findings have positions in the text, in which secrets are masked. */
export async function checkSourceConfig(
  source: SourceConfig,
  options: CheckOptions,
  { note }: Pick<Io, 'note'> = {},
): Promise<CheckedDocument> {
  const { json, mask, name, own, place, text } = source;
  const checked = lacksJson(source) ? undefined : await checkConfig(json, options);
  if (note !== undefined) note(`${name}: ${describeCheck(json, options)}`);
  const findings = limitFindings([...own, ...place(checked?.report.findings ?? [])]);
  const valid = checked?.report.valid === true;
  const [first] = findings;
  if (first === undefined) return { report: { valid, findings }, bytes: text };
  const isExplained = valid || findings.length > 1;
  const hint = isExplained ? undefined : await hintContent(name, text);
  return {
    ...checked,
    bytes: mask?.() ?? checked?.bytes ?? text,
    report: { valid, findings: hint === undefined ? findings : [{ ...first, hint }] },
  };
}
