/**
 * Checks the configs that a config inlines, each one alone and all of them merged, with Ignition's rules. Findings have
 * positions in the document that they are about.
 */

import type { Config } from '../../ignition/config.ts';
import {
  type ConfigPlace,
  type EffectiveConfig,
  type PlacedIssue,
  resolveConfig,
} from '../../ignition/effectiveConfig.ts';
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
  const place = (found: readonly Finding[]): readonly FileFinding[] =>
    locate(found.map(placeBy(effective)), document, documents);
  const ofReferences = locate(effective.issues.map(placedFinding), document, documents);
  const findings: FileFinding[] = withoutKnown(ofReferences, own);
  for (const { place: inner, document: bytes, read: readInner } of inlined) {
    const found = [...validateConfig(bytes).findings, ...furtherMismatches(bytes, readInner)];
    findings.push(...found.map((finding) => ({ ...finding, reference: nameOf(inner) })));
  }
  const known = [...own, ...findings];
  if (inlined.length > 0 && known.every(({ severity }) => severity !== 'error')) {
    const ofMerged = place(checkMergedConfig(config, newestVersion));
    findings.push(...withoutKnown(ofMerged, known).map(logMerged));
  }
  return { config, findings, documents, place };
}

interface PlacedFinding {
  readonly place: ConfigPlace;
  readonly finding: Finding;
}

function placedFinding({ place, issue }: PlacedIssue): PlacedFinding {
  return { place, finding: findingOf(issue) };
}

function placeBy({ locate: find }: EffectiveConfig): (finding: Finding) => PlacedFinding {
  return (finding) => {
    const { path, place } = find(finding.path);
    return { place, finding: { ...finding, path } };
  };
}

function nameOf(place: ConfigPlace): string {
  return place.join(referenceSeparator);
}

function logMerged(finding: FileFinding): FileFinding {
  return { ...finding, message: `${finding.message}, once all configs are merged` };
}

/** Adds positions; the order of the findings is unchanged. */
function locate(
  placed: readonly PlacedFinding[],
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
