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
import { findingOf } from '../../ignition/rule.ts';
import { newestVersion } from '../../ignition/versions.ts';
import { type Finding, formatPath } from '../../core/finding.ts';
import { type FileFinding, referenceSeparator } from '../../io/report/reporter.ts';

export interface CheckedConfigs {
  /** All configs, merged as Ignition merges them. */
  readonly config: Config;
  readonly findings: readonly FileFinding[];
  /** The inlined documents by their references. */
  readonly documents: ReadonlyMap<string, Buffer>;
  /** Maps findings in the merged config to the documents that they are about. */
  readonly place: (findings: readonly Finding[]) => readonly FileFinding[];
}

/** @param own findings in the outermost document itself */
export function checkInlined(document: Buffer, read: DocumentRead, own: readonly Finding[]): CheckedConfigs {
  const effective = resolveConfig(read);
  const { config, inlined } = effective;
  const documents = new Map(inlined.map((it) => [nameOf(it.place), it.document]));
  const place = (found: readonly Finding[]): readonly FileFinding[] => {
    const placed = found.map((finding) => {
      const { path, place: inner } = effective.locate(finding.path);
      return { place: inner, finding: { ...finding, path } };
    });
    return locate(placed, document, documents);
  };
  const issues = effective.issues.map(({ place: inner, issue }) => ({
    place: inner,
    finding: findingOf(issue),
  }));
  const ofReferences = locate(issues, document, documents);
  const findings: FileFinding[] = withoutKnown(ofReferences, own);
  for (const { place: inner, document: bytes, read: readInner } of inlined) {
    const found = [...validateConfig(bytes).findings, ...furtherMismatches(bytes, readInner)];
    findings.push(...found.map((finding) => ({ ...finding, reference: nameOf(inner) })));
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

function nameOf(place: ConfigPlace): string {
  return place.join(referenceSeparator);
}

/** Adds positions; the order of the findings is unchanged. */
function locate(
  placed: readonly { readonly place: ConfigPlace; readonly finding: Finding }[],
  document: Buffer,
  documents: ReadonlyMap<string, Buffer>,
): readonly FileFinding[] {
  const located = new Map<Finding, FileFinding>();
  for (const reference of new Set(placed.map(({ place }) => nameOf(place)))) {
    const findings = placed.flatMap(({ place, finding }) => (nameOf(place) === reference ? [finding] : []));
    const bytes = reference === '' ? document : documents.get(reference);
    const withPositions = bytes === undefined ? findings : locateFindings(findings, bytes);
    for (const [index, finding] of findings.entries()) {
      const found = withPositions[index] ?? finding;
      located.set(finding, reference === '' ? found : { ...found, reference });
    }
  }
  return placed.map(({ finding }) => located.get(finding) ?? finding);
}

/** Removes findings of the same rule at the same place. */
function withoutKnown(findings: readonly FileFinding[], known: readonly FileFinding[]): FileFinding[] {
  const ids = new Set(known.map(identify));
  return findings.filter((finding) => !ids.has(identify(finding)));
}

function identify({ path, reference = '', rule }: FileFinding): string {
  return [rule, reference, formatPath(path)].join(' ');
}
