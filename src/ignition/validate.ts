/**
 * Checks a config like `ignition-validate`: same verdict, messages, paths and positions, in the same order, with
 * additional hints. Nothing is fetched, merged or translated.
 */

import { FormatError } from '../core/errors.ts';
import {
  type Finding,
  limitFindings,
  MAX_FINDINGS,
  type Path,
  type Position,
  type Report,
} from '../core/finding.ts';
import { deepestNode, type DocumentNode } from '../formats/documentTree.ts';
import { type JsonTree, readJsonTree } from '../formats/json/tree.ts';
import { lineColumns } from '../formats/lineColumns.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { asString } from './decode.ts';
import { decodeJson, MAX_MISMATCHES, type TypeMismatch } from './decodeJson.ts';
import { findDuplicates } from './duplicates.ts';
import { syntaxHint, typeHint, versionHint } from './hints.ts';
import { errorRule, findingOf, infoRule, type Issue } from '../core/rule.ts';
import { checks, walkConfig } from './rules.ts';
import { configType, type StructType } from './schema.ts';
import { findUnusedKeys, type OffsetIssue, unusedKeyHint } from './unusedKeys.ts';
import { nameVersions, type SpecVersion, specVersions, versionNamed } from './versions.ts';

export const emptyConfig = errorRule(
  'empty',
  'not a config (empty)',
  'write at least {"ignition": {"version": "3.4.0"}}, the smallest valid config',
);

export const jsonSyntax = errorRule(
  'json-syntax',
  'invalid character',
  'write JSON: no comments, no trailing commas, double quotes, UTF-8 without a byte order mark',
);

export const jsonType = errorRule(
  'json-type',
  'json: cannot unmarshal',
  'use a value of the type of the field; Ignition stops at the first value of an invalid type',
);

export const furtherType = infoRule(
  'json-type-further',
  'this value also has an invalid type',
  'fix this value, too: Ignition stops at the first value of an invalid type and would report this one next',
);

export const versionMalformed = errorRule(
  'version-malformed',
  "invalid config version (couldn't parse)",
  'set the version of the spec: {"ignition": {"version": "3.4.0"}}',
);

export const versionUnsupported = errorRule(
  'version-unsupported',
  'unsupported config version',
  `use a spec version from ${nameVersions(specVersions)}`,
);

export const tooManyValues = errorRule(
  'too-many-values',
  'not checked: the config has too many values',
  'make sure that the file is an Ignition config, or split it with ignition.config.merge',
);

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

/** Like `validateConfig`; also returns the decoded config. */
export function examineConfig(document: Buffer): { readonly report: Report; readonly read: ReadResult } {
  const read = readConfig(document);
  if (read.status === 'refused') return { report: { valid: false, findings: [read.finding] }, read };
  const found: Collected = { issues: [], valid: true };
  collectRules(found, read.type, read.config, read.version);
  for (const { type, value, path } of walkConfig(read.type, read.config)) {
    if (typeof type !== 'string' && isMapping(value)) collectAt(found, path, findDuplicates(type, value));
  }
  if (read.hasPositions) {
    const place = { type: read.type, value: read.config, node: read.root, path: [] };
    const hintOf: Parameters<typeof findUnusedKeys>[1] = (...key) => unusedKeyHint(read.version, ...key);
    for (const issue of findUnusedKeys(place, hintOf)) collect(found, issue);
  }
  const positionOf = placeIn(document);
  const findings = found.issues.map((issue) => {
    const offset = 'offset' in issue ? issue.offset : offsetOf(deepestNode(read.root, issue.path));
    return findingOf(read.hasPositions ? { ...issue, position: positionOf(offset) } : issue);
  });
  return { report: { valid: found.valid, findings: limitFindings(findings) }, read };
}

/**
 * Checks the rules of a config without a document, such as a merged one. Ignition does not check those for duplicates and
 * unused keys.
 */
export function checkMergedConfig(config: Config, version: SpecVersion): readonly Finding[] {
  const found: Collected = { issues: [], valid: true };
  collectRules(found, configType(version), config, version);
  return limitFindings(found.issues.map(findingOf));
}

/** Decodes a document without checking its values. Like Ignition, reports only the first error. */
export function readConfig(bytes: Buffer): ReadResult {
  if (bytes.length === 0) return refuse({ rule: emptyConfig });
  let parsed: JsonTree;
  try {
    parsed = readJsonTree(bytes);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { message, offset } = error;
    if (offset === undefined) return refuse({ rule: tooManyValues });
    const hint = syntaxHint(message, offset, bytes) ?? jsonSyntax.hint;
    return refuse({ rule: jsonSyntax, message, hint }, placeIn(bytes)(offset));
  }
  const { root, overflows } = parsed;
  const version = readVersion(root);
  if (version.status === 'mismatch') return refuseMismatch(bytes, version.mismatch);
  if (version.status !== 'supported') {
    const rule = version.status === 'malformed' ? versionMalformed : versionUnsupported;
    return refuse({ rule, hint: versionHint(version.text) ?? rule.hint });
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
  const issue = { rule: jsonType, message: mismatch.message, hint: typeHint(mismatch) };
  return { ...refuse(issue, placeIn(bytes)(mismatch.offset)), mismatches: [mismatch] };
}

/** The values of an invalid type after the one at which Ignition stops; none if there are too many to be mistakes. */
export function furtherMismatches(document: Buffer, read: ReadResult): readonly Finding[] {
  const mismatches = (read.status === 'refused' && read.mismatches) || [];
  if (mismatches.length === MAX_MISMATCHES) return [];
  const findings = mismatches
    .slice(1, 1 + MAX_FINDINGS)
    .map((mismatch) => findingOf({ rule: furtherType, path: mismatch.path, hint: typeHint(mismatch) }));
  return locateFindings(findings, document);
}

function refuse(issue: Omit<Issue, 'path'>, position?: Finding['position']): RefusedConfig {
  return { status: 'refused', finding: findingOf({ ...issue, path: [], position }) };
}

/** The issues found so far, with paths from the root. */
interface Collected {
  readonly issues: (Issue | OffsetIssue)[];
  valid: boolean;
}

function collect(found: Collected, issue: Issue | OffsetIssue, parent: Path = []): void {
  if (issue.rule.severity === 'error') found.valid = false;
  found.issues.push(parent.length === 0 ? issue : { ...issue, path: [...parent, ...issue.path] });
}

/** Collects what was found in the object at `path`, with paths that are relative to it. */
function collectAt(found: Collected, path: Path, issues: Iterable<Issue>): void {
  for (const issue of issues) collect(found, issue, path);
}

function collectRules(found: Collected, root: StructType, config: Config, version: SpecVersion): void {
  for (const { type, value, path } of walkConfig(root, config)) {
    const check = checks[typeof type === 'string' ? type : type.name];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- decoding ensures that the value has this type
    if (check !== undefined) collectAt(found, path, check(value as never, version));
  }
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

// The spec version of a config, read first as in Ignition: only `ignition.version` is decoded, with the error texts of
// Go. The comparison follows Ignition's lax reading of SemVer, so `03.04.00` is 3.4.0.

/** `text` is the version in the config; empty if it is missing. */
export type VersionResult =
  | { readonly status: 'supported'; readonly version: SpecVersion }
  | { readonly status: 'unsupported' | 'malformed'; readonly text: string }
  | { readonly status: 'mismatch'; readonly mismatch: TypeMismatch };

/** Reads `ignition.version`. */
export function readVersion(root: DocumentNode): VersionResult {
  const { value, mismatches } = decodeJson(root, stubType);
  const [mismatch] = mismatches;
  if (mismatch !== undefined) {
    const path = mismatch.path.map((step) => String(step).toLowerCase());
    return { status: 'mismatch', mismatch: { ...mismatch, path } };
  }
  const section = value['Ignition'];
  const text = isMapping(section) ? asString(section['Version']) : '';
  const parsed = versionNamed(text) ?? parseSemver(text);
  if (parsed === undefined) return { status: 'malformed', text };
  const version = versionNamed(parsed);
  return version === undefined ? { status: 'unsupported', text } : { status: 'supported', version };
}

/** Ignition decodes into a struct without tags, so the messages of Go contain its field names. */
const stubType: StructType = {
  name: 'versionStub',
  goType: 'util.versionStub',
  fields: [
    {
      name: 'Ignition',
      kind: 'struct',
      goType: 'struct { Version string }',
      pointer: false,
      struct: {
        name: '',
        goType: 'struct { Version string }',
        fields: [{ name: 'Version', kind: 'string', goType: 'string', pointer: false, always: true }],
        keyFields: [],
      },
    },
  ],
  keyFields: [],
};

/**
 * The version in its normal form, e.g. `3.4.0` for `03.4.0-+`; undefined if it is malformed. Source: go-semver v0.3.1,
 * which accepts empty pre-releases, empty metadata and leading zeros.
 */
export function parseSemver(text: string): string | undefined {
  const [, core, preRelease = '', metadata = ''] = SEMVER_PATTERN.exec(text) ?? [];
  if (core === undefined || BAD_IDENTIFIERS.test(preRelease) || BAD_IDENTIFIERS.test(metadata))
    return undefined;
  const numbers = core.replaceAll(/(?<!\d)0+(?=\d)/g, '');
  for (const number of numbers.split('.')) {
    if (number.length > 19 || BigInt(number) >= 1n << 63n) return undefined;
  }
  return numbers + (preRelease && `-${preRelease}`) + (metadata && `+${metadata}`);
}

// Three numbers, a pre-release and metadata. No expression repeats a group, which would require a deep stack.
const SEMVER_PATTERN = /^(\d+\.\d+\.\d+)(?:-([^+]*))?(?:\+(.*))?$/s;
/** Identifiers are separated by dots. An empty identifier is invalid, but an empty list of them is valid. */
const BAD_IDENTIFIERS = /[^0-9A-Za-z.-]|^\.|\.\.|\.$/;
