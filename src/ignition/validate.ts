/**
 * Checks a config as `ignition-validate` does: the same verdict, messages, paths and positions, in the same order, with
 * hints of our own. Nothing is fetched, merged or translated.
 */

import type { Finding, Report } from '../core/finding.ts';
import { locatePaths, positionsOf } from '../formats/json/locate.ts';
import { checkSyntax } from '../formats/json/syntax.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { asString, decode, type TypeMismatch } from './decode.ts';
import { findDuplicates } from './duplicates.ts';
import { syntaxHint, typeHint, versionHint } from './hints.ts';
import { errorRule, findingOf, type Issue } from './rule.ts';
import { checks, walkConfig } from './rules.ts';
import { configType, type StructType } from './schema.ts';
import { findUnusedKeys, type OffsetIssue } from './unusedKeys.ts';
import { type SpecVersion, specVersions } from './versions.ts';

export const emptyConfig = errorRule(
  'empty',
  'not a config (empty)',
  'the smallest config is {"ignition": {"version": "3.4.0"}}',
);

export const jsonSyntax = errorRule(
  'json-syntax',
  'invalid character',
  'the config has to be JSON: no comments, no trailing commas, double quotes, UTF-8 without a byte order mark',
);

export const jsonType = errorRule(
  'json-type',
  'json: cannot unmarshal',
  'give a value of the right type; Ignition stops at the first that is wrong',
);

export const versionMalformed = errorRule(
  'version-malformed',
  "invalid config version (couldn't parse)",
  'name the version of the spec: {"ignition": {"version": "3.4.0"}}',
);

export const versionUnsupported = errorRule(
  'version-unsupported',
  'unsupported config version',
  'use a version of the spec from 3.0.0 to 3.6.0, or 3.7.0-experimental',
);

export const tooManyValues = errorRule(
  'too-many-values',
  'not checked: the config has too many objects and list items',
  'is this really an Ignition config?',
);

/** More findings than anybody reads are not kept, so that a hostile document cannot use up the memory. */
export const maxFindings = 50_000;

const tooManyFindings: Finding = {
  severity: 'info',
  rule: 'too-many-findings',
  path: [],
  message: `there are more than the ${maxFindings} findings that are shown`,
  hint: 'fix the others first',
};

/** A document that can be decoded, or what Ignition says about one that cannot. */
export type ReadResult = (DocumentRead & { readonly status: 'read' }) | RefusedConfig;

export interface RefusedConfig {
  readonly status: 'refused';
  readonly finding: Finding;
  /** The value of a wrong type, if that is the reason. */
  readonly mismatch?: TypeMismatch;
  /** Absent if the version could not be read. */
  readonly version?: SpecVersion;
}

export interface DocumentRead {
  readonly version: SpecVersion;
  readonly type: StructType;
  readonly config: Config;
  /** Keys with another spelling than their field, unknown ones, or nulls in place of objects. */
  readonly hasOddities: boolean;
  /** False if the document has a number that no float64 can hold: then Ignition knows no positions. */
  readonly hasPositions: boolean;
}

/** Checks a whole document, given as it is in its file. */
export function validateConfig(bytes: Uint8Array): Report {
  return examineConfig(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).report;
}

/** The same for those who need the decoded config as well. */
export function examineConfig(document: Buffer): { readonly report: Report; readonly read: ReadResult } {
  const read = readConfig(document);
  return { report: reportOn(document, read), read };
}

function reportOn(document: Buffer, read: ReadResult): Report {
  if (read.status === 'refused') return { valid: false, findings: [read.finding] };
  const found: Collected = { issues: [], isFull: false, valid: true };
  collectRules(found, read);
  collectDuplicates(found, read);
  if (read.hasPositions && read.hasOddities) collectUnusedKeys(found, document, read);
  const findings = read.hasPositions ? withPositions(document, found.issues) : found.issues.map(findingOf);
  if (found.isFull) findings.push(tooManyFindings);
  return { valid: found.valid, findings };
}

/**
 * What the rules of the types say of a config that has no document, such as a merged one, for which Ignition does not
 * look for duplicates and unused keys.
 */
export function checkMergedConfig(config: Config, version: SpecVersion): readonly Finding[] {
  const found: Collected = { issues: [], isFull: false, valid: true };
  collectRules(found, { config, type: configType(version), version });
  return found.issues.map(findingOf);
}

/** Decodes a document without checking what it says. Only the first thing that is wrong is reported, as Ignition does. */
export function readConfig(bytes: Buffer): ReadResult {
  if (bytes.length === 0) return refuse({ rule: emptyConfig });
  const { problem, overflows } = checkSyntax(bytes);
  if (problem !== undefined) {
    const hint = syntaxHint(problem, bytes) ?? jsonSyntax.hint;
    return refuse(
      { rule: jsonSyntax, message: problem.message, hint },
      positionsOf(bytes, [problem.offset])[0],
    );
  }
  const version = readVersion(bytes);
  if (version.status === 'mismatch') return refuseMismatch(bytes, version.mismatch);
  if (version.status !== 'supported') {
    const rule = version.status === 'malformed' ? versionMalformed : versionUnsupported;
    return refuse({ rule, hint: versionHint(version.text) ?? rule.hint });
  }
  const type = configType(version.version);
  const { value: config, mismatch, hasTooMany, hasOddities } = decode(bytes, type);
  if (hasTooMany) return refuse({ rule: tooManyValues });
  if (mismatch !== undefined) return { ...refuseMismatch(bytes, mismatch), version: version.version };
  return { status: 'read', version: version.version, type, config, hasOddities, hasPositions: !overflows };
}

function refuseMismatch(bytes: Buffer, mismatch: TypeMismatch): RefusedConfig {
  const issue = { rule: jsonType, message: mismatch.message, hint: typeHint(mismatch) };
  return { ...refuse(issue, positionsOf(bytes, [mismatch.offset])[0]), mismatch };
}

function refuse(issue: Omit<Issue, 'path'>, position?: Finding['position']): RefusedConfig {
  const finding = findingOf({ ...issue, path: [] });
  return { status: 'refused', finding: position === undefined ? finding : { ...finding, position } };
}

/** What has been found so far, with paths from the root. */
interface Collected {
  readonly issues: (Issue | OffsetIssue)[];
  /** There were more. */
  isFull: boolean;
  valid: boolean;
}

function collect(found: Collected, issue: Issue | OffsetIssue): void {
  if (issue.rule.severity === 'error') found.valid = false;
  if (found.issues.length < maxFindings) found.issues.push(issue);
  else found.isFull = true;
}

function collectRules(
  found: Collected,
  { config, type, version }: Pick<DocumentRead, 'config' | 'type' | 'version'>,
): void {
  walkConfig(config, type, (visited) => {
    const check = checks[typeof visited.type === 'string' ? visited.type : visited.type.name];
    if (check === undefined) return;
    for (const issue of check(visited.value, version)) {
      collect(found, { ...issue, path: [...visited.path, ...issue.path] });
    }
  });
}

function collectDuplicates(found: Collected, { config, type }: DocumentRead): void {
  walkConfig(config, type, (visited) => {
    if (typeof visited.type === 'string' || !isMapping(visited.value)) return;
    for (const issue of findDuplicates(visited.type, visited.value)) {
      collect(found, { ...issue, path: [...visited.path, ...issue.path] });
    }
  });
}

function collectUnusedKeys(found: Collected, bytes: Buffer, { config, type, version }: DocumentRead): void {
  for (const issue of findUnusedKeys({ bytes, config, type, version })) collect(found, issue);
}

function withPositions(bytes: Buffer, issues: readonly (Issue | OffsetIssue)[]): Finding[] {
  if (issues.length === 0) return [];
  const unplaced = issues.filter((issue) => !('offset' in issue));
  const located = locatePaths(
    bytes,
    unplaced.map((issue) => issue.path),
  ).values();
  const offsets = issues.map((issue) => ('offset' in issue ? issue.offset : (located.next().value ?? 0)));
  const positions = positionsOf(bytes, offsets);
  return issues.map((issue, index) => {
    const position = positions[index];
    return position === undefined ? findingOf(issue) : { ...findingOf(issue), position };
  });
}

/** Gives each finding the position of what its path leads to; `bytes` are valid JSON. */
export function locateFindings(findings: readonly Finding[], bytes: Buffer): readonly Finding[] {
  if (findings.length === 0) return findings;
  const paths = findings.map(({ path }) => path);
  const positions = positionsOf(bytes, locatePaths(bytes, paths));
  return findings.map((finding, index) => {
    const position = positions[index];
    return position === undefined || finding.path.length === 0 ? finding : { ...finding, position };
  });
}

// The version of the spec that a config names, read before anything else as Ignition does: only `ignition.version` is
// decoded, with Go's error texts. Versions compare by Ignition's lax reading of SemVer, so `03.04.00` is 3.4.0.

/** `text` is what stands in the config, empty if nothing does. */
export type VersionResult =
  | { readonly status: 'supported'; readonly version: SpecVersion }
  | { readonly status: 'unsupported' | 'malformed'; readonly text: string }
  | { readonly status: 'mismatch'; readonly mismatch: TypeMismatch };

/** Reads `ignition.version` of a document that is valid JSON. */
export function readVersion(bytes: Buffer): VersionResult {
  const { value, mismatch } = decode(bytes, stubType);
  if (mismatch !== undefined) return { status: 'mismatch', mismatch };
  const section = value['Ignition'];
  const text = isMapping(section) ? asString(section['Version']) : '';
  const parsed = parseSemver(text);
  if (parsed === undefined) return { status: 'malformed', text };
  const version = specVersions.find((candidate) => candidate === parsed);
  return version === undefined ? { status: 'unsupported', text } : { status: 'supported', version };
}

/** Ignition decodes into a struct without tags, so Go's messages show its field names. */
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
 * The version in its normal form, e.g. `3.4.0` for `03.4.0-+`; undefined if it is none. Source: go-semver v0.3.1, which
 * lets empty pre-releases, empty metadata and leading zeros pass.
 */
function parseSemver(text: string): string | undefined {
  const [withoutMetadata, metadata] = splitAt(text, '+');
  const [core, preRelease] = splitAt(withoutMetadata, '-');
  const parts = core.split('.', 4);
  if (parts.length !== 3 || !parts.every((part) => /^\d+$/.test(part))) return undefined;
  const numbers = parts.map((part) => part.replace(/^0+(?=\d)/, ''));
  if (!numbers.every(fitsInt64)) return undefined;
  if (
    ![preRelease, metadata].every((identifier) => identifier === '' || identifierPattern.test(identifier))
  ) {
    return undefined;
  }
  return numbers.join('.') + (preRelease && `-${preRelease}`) + (metadata && `+${metadata}`);
}

const identifierPattern = /^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/;

function fitsInt64(digits: string): boolean {
  return digits.length <= 19 && BigInt(digits) < 1n << 63n;
}

function splitAt(text: string, separator: string): readonly [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
