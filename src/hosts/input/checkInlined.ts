/**
 * Checks the configs that a config inlines, each one alone and all of them merged, with Ignition's rules. Findings have
 * positions in the document that they are about.
 */

import type { Config } from '../../ignition/config.ts';
import { type ConfigPlace, resolveConfig } from '../../ignition/effectiveConfig.ts';
import {
  checkMergedConfig,
  type DocumentRead,
  furtherMismatches,
  locateFindings,
  validateConfig,
} from '../../ignition/validate.ts';
import { newestVersion } from '../../ignition/versions.ts';
import { type Finding, formatPath } from '../../core/finding.ts';
import { groupBy } from '../../core/lists.ts';
import { REFERENCE_SEPARATOR } from '../../io/report/reporter.ts';

export interface CheckedConfigs {
  /** All configs, merged as Ignition merges them. */
  readonly config: Config;
  readonly findings: readonly Finding[];
  readonly documents: ReadonlyMap<string, Buffer>;
  /** Maps findings in the merged config to the documents that they are about. */
  readonly place: (findings: readonly Finding[]) => readonly Finding[];
}

/**
 * The config, merged with the configs that it inlines, and the findings in these.
 * @param own findings in the outermost document itself
 */
export function checkInlined(document: Buffer, read: DocumentRead, own: readonly Finding[]): CheckedConfigs {
  const effective = resolveConfig(read);
  const { config, inlined } = effective;
  const documents = new Map(inlined.map((it) => [referenceName(it.place), it.document]));
  const place = (found: readonly Finding[]): readonly Finding[] => {
    const placed = found.map((finding) => {
      const { path, place: inner } = effective.locate(finding.path);
      return inConfig({ ...finding, path }, inner);
    });
    return locate(placed, document, documents);
  };
  const issues = effective.issues.map(({ place: inner, issue }) => inConfig(issue, inner));
  const ofReferences = locate(issues, document, documents);
  const findings: Finding[] = withoutKnown(ofReferences, own);
  for (const { place: inner, document: bytes, read: readInner } of inlined) {
    const found = [...validateConfig(bytes).findings, ...furtherMismatches(bytes, readInner)];
    for (const finding of found) findings.push(inConfig(finding, inner));
  }
  const known = [...own, ...findings];
  if (inlined.length > 0 && known.every(({ severity }) => severity !== 'error')) {
    const ofMerged = place(checkMergedConfig(config, newestVersion));
    for (const finding of withoutKnown(ofMerged, known)) {
      findings.push({ ...finding, message: `${finding.message}, once all configs are merged` });
    }
  }
  return { config, findings, documents, place };
}

/** The name of a config in findings: `ignition.config.merge.0 > ignition.config.replace`. */
export function referenceName(place: ConfigPlace): string {
  return place.map((reference) => reference.join('.')).join(REFERENCE_SEPARATOR);
}

function inConfig(finding: Finding, place: ConfigPlace): Finding {
  return place.length === 0 ? finding : { ...finding, reference: referenceName(place) };
}

/** Adds positions. The findings of a config are located together, and taken from there in their original order. */
function locate(
  findings: readonly Finding[],
  document: Buffer,
  documents: ReadonlyMap<string, Buffer>,
): readonly Finding[] {
  const located = new Map<Finding, Finding>();
  for (const [name, own] of groupBy(findings, ({ reference }) => reference)) {
    const bytes = name === undefined ? document : documents.get(name);
    const placed = bytes === undefined ? own : locateFindings(own, bytes);
    for (const [index, finding] of own.entries()) located.set(finding, placed[index] ?? finding);
  }
  return findings.map((finding) => located.get(finding) ?? finding);
}

function withoutKnown(findings: readonly Finding[], known: readonly Finding[]): Finding[] {
  const ids = new Set(known.map(identify));
  return findings.filter((finding) => !ids.has(identify(finding)));
}

function identify({ path, reference = '', rule }: Finding): string {
  return [rule, reference, formatPath(path)].join(' ');
}
