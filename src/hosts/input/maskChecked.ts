/** Masks secrets in findings, in a config and in the configs that it inlines. */

import { createRedaction, maskSecrets, type Redaction } from '../../agent/lint/secrets.ts';
import type { Config } from '../../ignition/config.ts';
import { unitRules } from '../../ignition/rules/unit.ts';
import { urlRules } from '../../ignition/rules/url.ts';
import { furtherType, jsonType } from '../../ignition/validate.ts';
import type { FileFinding } from '../../io/report/reporter.ts';

/** Rules with messages that quote the document. */
const quotingRules: ReadonlySet<string> = new Set(
  [furtherType, jsonType, unitRules.syntax, urlRules.dataUrl].map(({ id }) => id),
);

/** A config, and the configs that it inlines by their references. */
export interface FoundDocuments {
  readonly document: Buffer;
  readonly inlined: ReadonlyMap<string, Buffer>;
  /** The merged config; undefined if the document cannot be decoded. */
  readonly config: Config | undefined;
}

/** The documents and findings with masked secrets. */
export interface ShownDocuments {
  readonly shown: Uint8Array;
  readonly references: ReadonlyMap<string, Uint8Array>;
  readonly findings: readonly FileFinding[];
}

export function maskChecked(
  findings: readonly FileFinding[],
  { document, inlined, config }: FoundDocuments,
): ShownDocuments {
  const shown = maskSecrets(document, config);
  const references = new Map<string, Uint8Array>();
  for (const [name, inner] of inlined) references.set(name, maskSecrets(inner, config));
  const redactions = new Map<string | undefined, Redaction>();
  const redactionOf = (reference: string | undefined): Redaction => {
    const known = redactions.get(reference);
    if (known !== undefined) return known;
    const original = reference === undefined ? document : inlined.get(reference);
    const masked = reference === undefined ? shown : references.get(reference);
    const redaction = createRedaction(original ?? document, masked ?? shown);
    redactions.set(reference, redaction);
    return redaction;
  };
  const redacted = findings.map((finding) => {
    if (!quotingRules.has(finding.rule)) return finding;
    const redact = redactionOf(finding.reference);
    const { message, hint } = finding;
    return { ...finding, message: redact(message), hint: hint && redact(hint) };
  });
  return { shown, references, findings: redacted };
}
