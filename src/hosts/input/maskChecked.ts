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

/**
 * Returns the documents and findings with masked secrets.
 * @param inlined the configs that the document inlines, by their references
 * @param config the merged config; undefined if the document cannot be decoded
 */
export function maskChecked(
  findings: readonly FileFinding[],
  document: Buffer,
  inlined: ReadonlyMap<string, Buffer>,
  config: Config | undefined,
) {
  const bytes = maskSecrets(document, config);
  const references = new Map<string, Uint8Array>();
  for (const [name, inner] of inlined) references.set(name, maskSecrets(inner, config));
  const redactions = new Map<string | undefined, Redaction>();
  const redactionOf = (reference: string | undefined): Redaction => {
    const known = redactions.get(reference);
    if (known !== undefined) return known;
    const original = reference === undefined ? document : inlined.get(reference);
    const masked = reference === undefined ? bytes : references.get(reference);
    const redaction = createRedaction(original ?? document, masked ?? bytes);
    redactions.set(reference, redaction);
    return redaction;
  };
  const redacted = findings.map((finding): FileFinding => {
    if (!quotingRules.has(finding.rule)) return finding;
    const redact = redactionOf(finding.reference);
    const { message, hint } = finding;
    return { ...finding, message: redact(message), hint: hint && redact(hint) };
  });
  return { bytes, references, findings: redacted };
}
