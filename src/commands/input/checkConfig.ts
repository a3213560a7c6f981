/** The check of an Ignition config, wherever one is given: what Ignition would say, then what we know besides. */

import type { IpaVersion } from '../../agent/ipaOptions.ts';
import type { Config } from '../../ignition/config.ts';
import { locateFindings } from '../../ignition/findingPositions.ts';
import { findingOf, type Issue } from '../../ignition/rule.ts';
import { jsonType, readConfig, validateConfig } from '../../ignition/validate.ts';
import type { Finding, Report } from '../../report.ts';

/**
 * Whether to look further than Ignition: never, at configs that run the agent, at all, or at all with warnings that are
 * errors.
 */
export type LintMode = 'none' | 'auto' | 'agent' | 'error';

export interface CheckOptions {
  readonly lint: LintMode;
  /** Warnings make a document not valid. */
  readonly strict: boolean;
  /** The release of the agent that the document is for; without, the newest. */
  readonly ipaVersion?: IpaVersion;
  /** By which certificates are judged. */
  readonly now: Date;
}

export interface CheckedDocument {
  readonly report: Report;
  /** The document as it may be shown: secrets are masked, and nothing has moved. */
  readonly shown: Uint8Array;
}

/** An Ignition config, whatever its file is called; `strict` is left to the caller. */
export async function checkConfig(
  bytes: Uint8Array,
  options: Omit<CheckOptions, 'strict'>,
): Promise<CheckedDocument> {
  const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ofIgnition = await checkIgnition(document);
  const config =
    ofIgnition.findings.length > 0 || wantsLint(document, options) ? decode(document) : undefined;
  if (config === undefined) return { report: ofIgnition, shown: bytes };
  const remarks = ofIgnition.valid ? await lint(document, config, options) : [];
  const findings = [...ofIgnition.findings, ...remarks];
  if (findings.length === 0) return { report: ofIgnition, shown: bytes };
  const { maskSecrets } = await import('../../agent/lint/secrets.ts');
  const valid = findings.every(({ severity }) => severity !== 'error');
  return { report: { valid, findings }, shown: maskSecrets(document, config) };
}

/** The same, with a better hint where the document is something else than an Ignition config. */
export async function explainContent(
  file: string,
  bytes: Uint8Array,
  checked: CheckedDocument,
): Promise<CheckedDocument> {
  const [first, ...others] = checked.report.findings;
  if (first === undefined || checked.report.valid || others.length > 0) return checked;
  const { detectContent } = await import('./contentKind.ts');
  const kind = await detectContent(file, bytes);
  if (kind === undefined) return checked;
  const hint = `this is ${kind.noun}, not an Ignition config: ${kind.use}`;
  return { ...checked, report: { ...checked.report, findings: [{ ...first, hint }] } };
}

async function checkIgnition(document: Buffer): Promise<Report> {
  const report = validateConfig(document);
  if (report.findings[0]?.rule !== jsonType.id) return report;
  const { explainMismatches } = await import('../../ignition/shape.ts');
  return explainMismatches(report, document);
}

function decode(document: Buffer): Config | undefined {
  const read = readConfig(document);
  return read.status === 'read' ? read.config : undefined;
}

/** Nothing that runs the agent lacks this word, unless it is written in escapes. */
function wantsLint(document: Buffer, { lint: mode }: Pick<CheckOptions, 'lint'>): boolean {
  if (mode !== 'auto') return mode !== 'none';
  return document.includes('ironic') || document.includes('\\u');
}

async function lint(
  document: Buffer,
  config: Config,
  options: Omit<CheckOptions, 'strict'>,
): Promise<readonly Finding[]> {
  const { lint: mode, now, ipaVersion } = options;
  if (!wantsLint(document, options)) return [];
  const { isAgentConfig, lintConfig } = await import('../../agent/lint/lintConfig.ts');
  if (mode === 'auto' && !isAgentConfig(config)) return [];
  const issues = lintConfig(config, { now, document, ...(ipaVersion === undefined ? {} : { ipaVersion }) });
  return locateFindings(lintFindings(issues, options), document);
}

/** What only this program says, with the severity that the user wants. */
export function lintFindings(
  issues: readonly Issue[],
  { lint: mode }: Pick<CheckOptions, 'lint'>,
): Finding[] {
  return issues.map(findingOf).map((finding) => {
    return mode === 'error' && finding.severity === 'warning' ? { ...finding, severity: 'error' } : finding;
  });
}
