/**
 * Ignition configs that are written as YAML: the same data, for those who want comments and several lines. Ignition reads
 * JSON alone, so that is what is embedded; findings have the places of the YAML. Left out: Butane, which is YAML too, but
 * another language.
 */

import { listSecretPaths } from '../../agent/lint/secrets.ts';
import { FormatError } from '../../errors.ts';
import { parseYaml, type ParsedYaml } from '../../formats/yaml.ts';
import { jsonType, readConfig } from '../../ignition/validate.ts';
import type { Finding, Position } from '../../report.ts';
import { type CheckedDocument, type CheckOptions, checkConfig } from './checkConfig.ts';

export interface YamlConfig {
  /** As Ignition reads it: compact, with a line feed at its end. */
  readonly json: Buffer;
  readonly text: Uint8Array;
  readonly locate: ParsedYaml['locate'];
}

/** @throws FormatError where it is no YAML, or no config */
export function parseYamlConfig(text: Uint8Array): YamlConfig {
  const { value, locate } = parseYaml(decodeUtf8(text));
  if (typeof value === 'object' && value !== null && 'variant' in value) {
    throw new FormatError('it is a Butane config', { hint: 'translate it with butane first' });
  }
  return { json: Buffer.from(`${JSON.stringify(value)}\n`), text, locate };
}

/** The check of the JSON, told with lines and columns of the YAML. */
export async function checkYamlConfig(
  config: YamlConfig,
  options: Omit<CheckOptions, 'strict'>,
): Promise<CheckedDocument> {
  const { report } = await checkConfig(config.json, options);
  if (report.findings.length === 0) return { report, shown: config.text };
  const findings = report.findings.map((finding) => relocate(finding, config));
  return { report: { ...report, findings }, shown: maskYaml(config) };
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new FormatError('it is not UTF-8', { hint: 'save the file as UTF-8', cause: error });
  }
}

function relocate(finding: Finding, config: YamlConfig): Finding {
  const { position: ofJson, ...placeless } = finding;
  const position = ofJson === undefined ? undefined : findPosition(finding, config);
  return position === undefined ? placeless : { ...placeless, position };
}

/** Of a value with a wrong type, Ignition knows only where it stands in the JSON. */
function findPosition({ path, rule }: Finding, { json, locate }: YamlConfig): Position | undefined {
  if (path.length > 0 || rule !== jsonType.id) return locate(path);
  const read = readConfig(json);
  return locate(read.status === 'refused' ? (read.mismatch?.path ?? []) : []);
}

/**
 * Comments are nobody's business, and of data URLs only the start is shown. Where there may be secrets, keys are all that
 * is shown, as values may be written in many ways.
 */
function maskYaml({ json, text }: YamlConfig): Uint8Array {
  const read = readConfig(json);
  const isHarmless = read.status === 'read' && listSecretPaths(read.config).length === 0;
  const lines = Buffer.from(text).toString('latin1');
  const masked = isHarmless
    ? lines.replaceAll(/(?<=data:[^,\s]{0,200},\S{6})\S+|(?<=\s#).+|(?<=^#).+/gm, hide)
    : lines.replaceAll(/^([ \t]*(?:- +)*(?:[A-Za-z]\w*:(?=[ \t\r\n]|$))?)(.*)$/gm, maskValue);
  return Buffer.from(masked, 'latin1');
}

function maskValue(_line: string, key: string, value: string): string {
  return key + hide(value);
}

/** As many bytes as before. */
function hide(text: string): string {
  return text.replaceAll(/\S/g, '*');
}
