/**
 * Ignition configs written as YAML: the same data, with comments and multi-line strings; and Butane documents. Ignition reads
 * JSON, which is made from them; findings about the JSON get positions in the YAML.
 */

import { findSecretNodes, secretFilesOf } from '../../agent/lint/secrets.ts';
import { butaneHint } from '../../butane/hints.ts';
import type { LocalFiles } from '../../butane/localFiles.ts';
import { translateButane } from '../../butane/translate.ts';
import { ifWellFormed, type Position } from '../../core/errors.ts';
import type { DocumentNode } from '../../formats/documentTree.ts';
import { readJsonTree } from '../../formats/json/tree.ts';
import { joinSpans, overwrite, type Span, spansOf } from '../../core/spans.ts';
import { decodeUtf8 } from '../../formats/utf8.ts';
import { parseYaml, type YamlDocument } from '../../formats/yaml.ts';
import { makeLocateInText } from '../../formats/yaml/innerPlaces.ts';
import { scalarSpans, yamlScalarText } from '../../formats/yaml/scalars.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { documentRules, readConfig } from '../../ignition/validate.ts';
import { readVersion } from '../../ignition/readVersion.ts';
import type { Finding, Path } from '../../core/finding.ts';

/** What is made from the text of a config. */
export interface ConfigText {
  /** What Ignition gets: compact JSON with a final line feed; empty if the translation found errors. */
  readonly json: Buffer;
  /** What the translation to JSON found. */
  readonly own: readonly Finding[];
  /** Moves findings about the JSON to their places in the text; those about inlined configs have places in these. */
  readonly place: (findings: readonly Finding[]) => readonly Finding[];
  /**
   * The YAML, with stars in place of secrets and of all that may contain secrets: comments, and the data of data URLs after
   * their first characters. The positions of all other bytes are unchanged. Undefined for JSON.
   */
  readonly mask?: () => Uint8Array;
}

/** @throws FormatError if it is not YAML in UTF-8 */
export function parseYamlConfig(text: Uint8Array): ConfigText {
  const source = decodeUtf8(text);
  const { value, ...places } = parseYaml(source);
  const json = Buffer.from(`${JSON.stringify(value)}\n`);
  return yamlConfig(
    { json, text, source, ...places, pathOf: (path) => path, hintOf: ({ hint }) => hint },
    [],
  );
}

/**
 * Translates a Butane document. Undefined for Ignition JSON that contains the word `variant`.
 * @param openFiles is only called for Butane; undefined: local files are refused
 * @throws FormatError if it is not YAML in UTF-8
 */
export function parseButaneConfig(
  text: Buffer,
  openFiles: () => LocalFiles | undefined,
): ConfigText | undefined {
  if (isIgnition(text)) return undefined;
  const source = decodeUtf8(text);
  const { config, findings, pathOf, positionOf, root } = translateButane(source, openFiles());
  const json = Buffer.from(config === undefined ? '' : formatIgnition(config));
  const locateInText = makeLocateInText(source, root);
  return yamlConfig(
    { json, text, source, root, locate: positionOf, locateInText, pathOf, hintOf: butaneHint },
    findings,
  );
}

/** Ignition reads a document as JSON first. */
function isIgnition(document: Buffer): boolean {
  const json = ifWellFormed(() => readJsonTree(document));
  if (json === undefined) return false;
  const version = readVersion(json.root);
  return 'text' in version ? version.text !== '' : version.status === 'supported';
}

interface Places extends Omit<YamlDocument, 'value'> {
  readonly json: Buffer;
  readonly text: Uint8Array;
  readonly source: string;
  /** The path in the YAML of a path in the JSON. */
  readonly pathOf: (path: Path) => Path;
  readonly hintOf: (finding: Finding) => string | undefined;
}

function yamlConfig(places: Places, own: readonly Finding[]): ConfigText {
  return {
    json: places.json,
    own,
    place: (findings) =>
      findings.map((finding) => (finding.reference === undefined ? relocate(finding, places) : finding)),
    mask: () => maskYaml(places),
  };
}

function relocate(finding: Finding, places: Places): Finding {
  const { position: ofJson, line, column, ...others } = finding;
  const path = places.pathOf(finding.path);
  const placeless = { ...others, path, hint: places.hintOf(finding) };
  const inText = line === undefined ? undefined : places.locateInText(path, { line, column });
  const position = inText ?? (ofJson === undefined ? undefined : findPosition({ ...finding, path }, places));
  return position === undefined ? placeless : { ...placeless, position };
}

/** For a value of an unexpected type, Ignition only reports the position in the JSON. */
function findPosition({ path, rule }: Finding, { json, locate }: Places): Position | undefined {
  if (path.length > 0 || rule !== documentRules['json-type'].rule) return locate(path);
  const read = readConfig(json);
  return locate(read.status === 'refused' ? (read.mismatches?.[0]?.path ?? []) : []);
}

function maskYaml({ json, root, source, text }: Places): Uint8Array {
  const read = readEffectiveConfig(json);
  const config = read.status === 'read' ? read.config : undefined;
  const secrets =
    root === undefined
      ? []
      : findSecretNodes(root, (node) => yamlScalarText(source, node), secretFilesOf(config));
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
