/** Masks secrets in findings, in a config and in the configs that it inlines. */

import type { Finding } from '../../core/finding.ts';
import { createRedaction, maskSecrets } from '../../agent/lint/secrets.ts';
import { once } from '../../core/once.ts';
import type { Config } from '../../ignition/config.ts';
import { unitRules } from '../../ignition/rules/unit.ts';
import { urlRules } from '../../ignition/rules/url.ts';
import { documentRules } from '../../ignition/validate.ts';

/** Rules with messages that quote the document. */
const quotingRules: ReadonlySet<string> = new Set(
  [
    documentRules['json-type-further'],
    documentRules['json-type'],
    unitRules['unit-syntax'],
    urlRules['data-url'],
  ].map(({ rule }) => rule),
);

/**
 * Returns the documents and findings with masked secrets.
 * @param inlined the configs that the document inlines, by their references
 * @param config the merged config; undefined if the document cannot be decoded
 */
export function maskChecked(
  findings: readonly Finding[],
  document: Buffer,
  inlined: ReadonlyMap<string, Buffer>,
  config: Config | undefined,
) {
  const mask = (original: Buffer) => {
    const bytes = maskSecrets(original, config);
    return { bytes, redact: once(() => createRedaction(original, bytes)) };
  };
  const outer = mask(document);
  const inner = new Map([...inlined].map(([reference, original]) => [reference, mask(original)]));
  const redacted = findings.map((finding): Finding => {
    if (!quotingRules.has(finding.rule)) return finding;
    const { message, hint, reference = '' } = finding;
    const redact = (inner.get(reference) ?? outer).redact();
    return { ...finding, message: redact(message), hint: hint && redact(hint) };
  });
  const references = new Map([...inner].map(([reference, { bytes }]) => [reference, bytes]));
  return { bytes: outer.bytes, references, findings: redacted };
}
