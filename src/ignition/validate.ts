/**
 * Checks a config like `ignition-validate`: same verdict, messages, paths and positions, in the same order, with
 * additional hints. Nothing is fetched, merged or translated.
 */

import { FormatError, orFormatError, type Position } from '../core/errors.ts';
import { type Finding, hasErrors, limitFindings, type Path, type Report } from '../core/finding.ts';
import { append } from '../core/lists.ts';
import { deepestNode, type DocumentNode } from '../formats/documentTree.ts';
import { readJsonTree } from '../formats/json/tree.ts';
import { lineColumns } from '../formats/lineColumns.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { decodeJson, type TypeMismatch } from './decodeJson.ts';
import { findDuplicates } from './duplicates.ts';
import { syntaxHint, versionHint } from './hints.ts';
import { readVersion } from './readVersion.ts';
import { errorRules, infoRules, type Rule } from '../core/rule.ts';
import { checks } from './rules.ts';
import { configType, type StructType } from './schema.ts';
import { typeHint } from './typeHints.ts';
import { findUnusedKeys, type OffsetFinding, unusedKeyHint } from './unusedKeys.ts';
import { nameVersions, type SpecVersion, specVersions } from './versions.ts';
import { walkConfig } from './walkConfig.ts';

export const documentRules = {
  ...errorRules({
    empty: [
      'not a config (empty)',
      'write at least {"ignition": {"version": "3.4.0"}}, the smallest valid config',
    ],
    'json-syntax': [
      'invalid character',
      'write JSON: no comments, no trailing commas, double quotes, UTF-8 without a byte order mark',
    ],
    'json-type': [
      'json: cannot unmarshal',
      'use a value of the type of the field; Ignition stops at the first value of an invalid type',
    ],
    'version-malformed': [
      "invalid config version (couldn't parse)",
      'set the version of the spec: {"ignition": {"version": "3.4.0"}}',
    ],
    'version-unsupported': [
      'unsupported config version',
      `use a spec version from ${nameVersions(specVersions)}`,
    ],
    'too-many-values': [
      'not checked: the config has too many values',
      'make sure that the file is an Ignition config, or split it with ignition.config.merge',
    ],
  }),
  ...infoRules({
    'json-type-further': [
      'this value also has an invalid type',
      'fix this value, too: Ignition stops at the first value of an invalid type and would report this one next',
    ],
  }),
};

/** The decoded document, or the reason why Ignition refuses it. */
export type ReadResult = (DocumentRead & { readonly status: 'read' }) | RefusedConfig;

export interface RefusedConfig {
  readonly status: 'refused';
  readonly finding: Finding;
  /** The values of an invalid type, if they are the reason; Ignition reports the first. */
  readonly mismatches?: readonly TypeMismatch[];
}

export interface DocumentRead {
  readonly root: DocumentNode;
  readonly version: SpecVersion;
  readonly type: StructType;
  readonly config: Config;
  /** False if the document contains a number outside the range of float64: then Ignition reports no positions. */
  readonly hasPositions: boolean;
}

/** Checks a whole document, given as the bytes of its file. */
export function validateConfig(bytes: Uint8Array): Report {
  return examineConfig(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).report;
}

export function examineConfig(document: Buffer): { readonly report: Report; readonly read: ReadResult } {
  const read = readConfig(document);
  if (read.status === 'refused') return { report: { valid: false, findings: [read.finding] }, read };
  const { config, hasPositions, root, type, version } = read;
  const issues: OffsetFinding[] = [...ruleIssues(type, config, version)];
  for (const { type: inner, value, path } of walkConfig(type, config)) {
    if (typeof inner === 'string' || !isMapping(value)) continue;
    append(issues, placedAt(path, findDuplicates(inner, value)));
  }
  if (hasPositions) {
    const place = { type, value: config, node: root, path: [] };
    append(
      issues,
      findUnusedKeys(place, (...key) => unusedKeyHint(version, ...key)),
    );
  }
  const positionOf = placeIn(document);
  const findings = issues.map((issue) => {
    const { offset = offsetOf(deepestNode(root, issue.path)), ...finding } = issue;
    return hasPositions ? { ...finding, position: positionOf(offset) } : finding;
  });
  return { report: { valid: !hasErrors(findings), findings: limitFindings(findings) }, read };
}

/**
 * Checks the rules of a config without a document, such as a merged one. Ignition does not check those for duplicates and
 * unused keys.
 */
export function checkMergedConfig(config: Config, version: SpecVersion): readonly Finding[] {
  return limitFindings(Array.from(ruleIssues(configType(version), config, version)));
}

function* ruleIssues(root: StructType, config: Config, version: SpecVersion): Iterable<Finding> {
  for (const { type, value, path } of walkConfig(root, config)) {
    const check = checks[typeof type === 'string' ? type : type.name];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- decoding ensures that the value has this type
    if (check !== undefined) yield* placedAt(path, check(value as never, version));
  }
}

/** Issues of the object at `path`, with paths from the root. */
function* placedAt(path: Path, issues: Iterable<Finding>): Iterable<Finding> {
  for (const issue of issues) yield { ...issue, path: [...path, ...issue.path] };
}

/** Decodes a document without checking its values. Like Ignition, reports only the first error. */
export function readConfig(bytes: Buffer): ReadResult {
  if (bytes.length === 0) return refuse(documentRules.empty);
  const parsed = orFormatError(() => readJsonTree(bytes));
  if (parsed instanceof FormatError) {
    const { message, offset } = parsed;
    if (offset === undefined) return refuse(documentRules['too-many-values']);
    const hint = syntaxHint(message, offset, bytes) ?? documentRules['json-syntax'].hint;
    return refuse({ ...documentRules['json-syntax'], message, hint }, placeIn(bytes)(offset));
  }
  const { root, overflows } = parsed;
  const version = readVersion(root);
  if (version.status === 'mismatch') return refuseMismatch(bytes, version.mismatch);
  if (version.status !== 'supported') {
    const rule = documentRules[`version-${version.status}`];
    return refuse({ ...rule, hint: versionHint(version.text) ?? rule.hint });
  }
  const type = configType(version.version);
  const { value: config, mismatches } = decodeJson(root, type);
  const [first] = mismatches;
  if (first !== undefined) return { ...refuseMismatch(bytes, first), mismatches };
  return {
    status: 'read',
    version: version.version,
    root,
    type,
    config,
    hasPositions: !overflows,
  };
}

function refuseMismatch(bytes: Buffer, mismatch: TypeMismatch): RefusedConfig {
  const issue = { ...documentRules['json-type'], message: mismatch.message, hint: typeHint(mismatch) };
  return { ...refuse(issue, placeIn(bytes)(mismatch.offset)), mismatches: [mismatch] };
}

/** The values of an invalid type after the one at which Ignition stops. */
export function furtherMismatches(document: Buffer, read: ReadResult): readonly Finding[] {
  const mismatches = (read.status === 'refused' && read.mismatches) || [];
  const positionOf = placeIn(document);
  return mismatches.slice(1).map((mismatch) => {
    const { found, path } = mismatch;
    return {
      ...documentRules['json-type-further'],
      path,
      hint: typeHint(mismatch),
      position: positionOf(offsetOf(found)),
    };
  });
}

function refuse(rule: Rule, position?: Finding['position']): RefusedConfig {
  return { status: 'refused', finding: { ...rule, path: [], position } };
}

/** Adds to each finding the position of its path; `bytes` must be valid JSON. */
export function locateFindings<F extends Finding>(findings: readonly F[], bytes: Buffer): readonly F[] {
  if (findings.length === 0) return findings;
  const { root } = readJsonTree(bytes);
  const positionOf = placeIn(bytes);
  return findings.map((finding) => {
    const position = positionOf(offsetOf(deepestNode(root, finding.path)));
    return position === undefined || finding.path.length === 0 ? finding : { ...finding, position };
  });
}

/** Where Ignition's vcontext places a value: an object or list just behind its bracket. */
function offsetOf(node: DocumentNode): number {
  return node.kind === 'scalar' ? node.start : node.start + 1;
}

/** Like Ignition, it has no position for the end of the document. */
function placeIn(bytes: Buffer): (offset: number) => Position | undefined {
  const positionOf = lineColumns(bytes);
  return (offset) => (offset < bytes.length ? positionOf(offset) : undefined);
}
