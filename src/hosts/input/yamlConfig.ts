/**
 * Ignition configs written as YAML: the same data, with comments and multi-line strings. Ignition does not read them, so
 * JSON is embedded; findings have positions in the YAML. Butane documents (`butaneConfig.ts`) are checked here, too.
 */

import { spansOf, findSecretNodes, joinSpans, overwrite, secretFilesOf } from '../../agent/lint/secrets.ts';
import { FormatError } from '../../core/errors.ts';
import type { DocumentNode, Span } from '../../formats/documentTree.ts';
import { parseYaml, type ParsedYaml } from '../../formats/yaml.ts';
import { placedYamlText, scalarSpans } from '../../formats/yaml/scalars.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { jsonType, readConfig } from '../../ignition/validate.ts';
import { type Finding, limitFindings, type Path, type Position } from '../../core/finding.ts';
import type { FileFinding } from '../../io/report/reporter.ts';
import { type CheckedDocument, type CheckOptions, checkConfig } from './checkConfig.ts';

export interface YamlConfig {
  /** Compact JSON for Ignition, with a final line feed. */
  readonly json: Buffer;
  readonly text: Uint8Array;
  /** The document as a string. */
  readonly source: string;
  /** Undefined for an empty text. */
  readonly root: DocumentNode | undefined;
  readonly locate: ParsedYaml['locate'];
  readonly locateInText: ParsedYaml['locateInText'];
  /** The path in the YAML of a path in the JSON (default: the same). */
  readonly pathOf?: (path: Path) => Path;
  /** The hint for the YAML (default: that for the JSON). */
  readonly hintOf?: (finding: Finding) => string | undefined;
  /** What the translation to JSON found. */
  readonly own?: readonly Finding[];
  /** There is no JSON, because of errors in `own`. */
  readonly isRefused?: boolean;
}

/** @throws FormatError if it is not YAML */
export function parseYamlConfig(text: Uint8Array): YamlConfig {
  const source = decodeUtf8(text);
  const { value, ...places } = parseYaml(source);
  return { json: Buffer.from(`${JSON.stringify(value)}\n`), text, source, ...places };
}

/** Checks the JSON. Findings have positions in the YAML; those of inlined configs in their own JSON. */
export async function checkYamlConfig(config: YamlConfig, options: CheckOptions): Promise<CheckedDocument> {
  const { isRefused = false, json, own = [] } = config;
  const ofJson = isRefused ? undefined : await checkConfig(json, options);
  const placed = placeInYaml(ofJson?.report.findings ?? [], config);
  const findings = limitFindings([...own, ...placed]);
  const report = { valid: !isRefused && ofJson?.report.valid === true, findings };
  if (findings.length === 0) return { report, bytes: config.text };
  const references = ofJson?.references ?? new Map<string, Uint8Array>();
  return { report, bytes: maskYaml(config), references };
}

/** Findings in the JSON, with their places in the YAML. */
export function placeInYaml(findings: readonly FileFinding[], config: YamlConfig): readonly FileFinding[] {
  return findings.map((finding) => (finding.reference === undefined ? relocate(finding, config) : finding));
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new FormatError('it is not UTF-8', { hint: 'save the file as UTF-8', cause: error });
  }
}

function relocate(finding: Finding, config: YamlConfig): Finding {
  const { position: ofJson, line, column, ...others } = finding;
  const { hintOf = ({ hint }: Finding) => hint } = config;
  const placeless = { ...others, hint: hintOf(finding) };
  const path = config.pathOf?.(finding.path) ?? finding.path;
  const inText = line === undefined ? undefined : config.locateInText(path, { line, column });
  const position = inText ?? (ofJson === undefined ? undefined : findPosition({ ...finding, path }, config));
  return position === undefined ? { ...placeless, path } : { ...placeless, path, position };
}

/** For a value of an unexpected type, Ignition only reports the position in the JSON. */
function findPosition({ path, rule }: Finding, { json, locate }: YamlConfig): Position | undefined {
  if (path.length > 0 || rule !== jsonType.id) return locate(path);
  const read = readConfig(json);
  return locate(read.status === 'refused' ? (read.mismatches?.[0]?.path ?? []) : []);
}

/**
 * Replaces secrets with stars, and everything that may contain secrets: comments, and the data of data URLs after their
 * first characters. The positions of all other bytes are unchanged.
 */
export function maskYaml({ json, root, source, text }: YamlConfig): Uint8Array {
  const read = readEffectiveConfig(json);
  const config = read.status === 'read' ? read.config : undefined;
  const secrets =
    root === undefined
      ? []
      : findSecretNodes(root, (node) => placedYamlText(source, node), secretFilesOf(config));
  const spans = joinSpans([...secrets, ...findComments(source, root), ...spansOf(source, DATA_OF_URLS)]);
  return spans.length === 0 ? text : Buffer.from(overwrite(source, spans, hide));
}

/** The data after the first characters. */
const DATA_OF_URLS = /(?<=data:[^,\s"']{0,200},[^\s"']{6})[^\s"']+/g;

/** Comments, without `#` in scalars. */
function findComments(source: string, root: DocumentNode | undefined): Span[] {
  const scalars = root === undefined ? [] : [...scalarSpans(root)];
  const rest = overwrite(source, scalars, (scalar) => 'x'.repeat(scalar.length));
  return spansOf(rest, /(?<=\s|^)(?<before>#[ \t]*)(?<value>\S.*)/gm);
}

/** Replaces each line with stars; the number of bytes and lines is unchanged. */
function hide(text: string): string {
  return text.replaceAll(/[^\r\n]+/g, (line) => '*'.repeat(Buffer.byteLength(line)));
}
