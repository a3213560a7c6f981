/** The check of one document: what Ignition or the agent would say, then what only this program knows about agents. */

import type { IpaVersion } from '../agent/ipaOptions.ts';
import type { Config } from '../ignition/config.ts';
import { locateFindings } from '../ignition/findingPositions.ts';
import { findingOf } from '../ignition/rule.ts';
import { jsonType, readConfig, validateConfig } from '../ignition/validate.ts';
import type { Issue } from '../ignition/rule.ts';
import type { Finding, Report } from '../report.ts';
import { isYamlFile } from './yamlName.ts';

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

/** Files of this kind are the agent's configuration, all others Ignition configs. */
export function isConfFile(file: string): boolean {
  return file.endsWith('.conf');
}

/**
 * Checks a document by the name of its file.
 * @throws FormatError for YAML that cannot be read
 */
export async function checkDocument(
  file: string,
  bytes: Uint8Array,
  options: CheckOptions,
): Promise<CheckedDocument> {
  const { report, shown } = await checkByKind(file, bytes, options);
  return { report: { ...report, valid: isValid(report, options) }, shown };
}

/** The verdict where warnings may count. */
export function isValid({ valid, findings }: Report, { strict }: Pick<CheckOptions, 'strict'>): boolean {
  return valid && !(strict && findings.some(isWarning));
}

/** What only this program says, with the severity that the user wants. */
export function lintFindings(
  issues: readonly Issue[],
  { lint: mode }: Pick<CheckOptions, 'lint'>,
): Finding[] {
  return issues.map(findingOf).map((finding) => {
    return mode === 'error' && isWarning(finding) ? { ...finding, severity: 'error' } : finding;
  });
}

async function checkByKind(file: string, bytes: Uint8Array, options: CheckOptions): Promise<CheckedDocument> {
  if (isConfFile(file)) return checkConf(bytes, options);
  if (!isYamlFile(file)) return checkConfig(bytes, options);
  const { checkYamlConfig, parseYamlConfig } = await import('./yamlConfig.ts');
  return checkYamlConfig(parseYamlConfig(bytes), options);
}

function isWarning({ severity }: Finding): boolean {
  return severity === 'warning';
}

/** `ironic-python-agent.conf`; valid if the agent would start. */
async function checkConf(bytes: Uint8Array, { ipaVersion }: CheckOptions): Promise<CheckedDocument> {
  const { checkConfFile } = await import('../agent/confCheck.ts');
  const report = checkConfFile(bytes, ipaVersion === undefined ? {} : { ipaVersion });
  if (report.findings.length === 0) return { report, shown: bytes };
  const { maskConfSecrets } = await import('../agent/lint/secrets.ts');
  return { report, shown: maskConfSecrets(bytes) };
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
  const { maskSecrets } = await import('../agent/lint/secrets.ts');
  const valid = findings.every(({ severity }) => severity !== 'error');
  return { report: { valid, findings }, shown: maskSecrets(document, config) };
}

async function checkIgnition(document: Buffer): Promise<Report> {
  const report = validateConfig(document);
  if (report.findings[0]?.rule !== jsonType.id) return report;
  const { explainMismatches } = await import('../ignition/shape.ts');
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
  const { isAgentConfig, lintConfig } = await import('../agent/lint/lintConfig.ts');
  if (mode === 'auto' && !isAgentConfig(config)) return [];
  const issues = lintConfig(config, { now, document, ...(ipaVersion === undefined ? {} : { ipaVersion }) });
  return locateFindings(lintFindings(issues, options), document);
}
