/** Checks an Ignition config with Ignition's own rules, then with the lint rules of this program. */

import type { IpaVersion } from '../../ipa/ipaOptions.ts';
import { examineConfig, furtherMismatches } from '../../ignition/validate.ts';
import { bootIssues } from '../../ignition/contents.ts';
import { type Finding, hasErrors, limitFindings } from '../../core/finding.ts';
import type { CheckedFile } from '../../io/report/reporter.ts';
import type { TargetSystem } from '../../agent/lint/subject.ts';
import { isAgentConfig, lintConfig, lintHost } from '../../agent/lint/lintConfig.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { type CheckedConfigs, checkInlined } from './checkInlined.ts';
import { maskChecked } from './maskChecked.ts';
import type { CheckUnits } from './unitTools.ts';

/**
 * How far the check goes beyond ignition-validate: `none` not at all, `boot` to everything else that Ignition checks on boot,
 * `auto` also to the lint rules of every config, and to those of the agent if the config runs it, `agent` to all of them.
 */
export type LintMode = 'none' | 'boot' | 'auto' | 'agent';

export interface CheckOptions {
  readonly lint: LintMode;
  /** The agent release that the document is for (default: the newest release). */
  readonly ipaVersion?: IpaVersion;
  readonly now: Date;
  /** The system that applies the config (default: a live system if the config runs the agent, else unknown). */
  readonly machine?: TargetSystem;
  /** The document is embedded in an image, or the command checks itself whether it fits: its size is not checked here. */
  readonly isEmbedded?: boolean;
  /** Asks the systemd and the podman of this machine (default: units and quadlets are not checked). */
  readonly checkUnits?: CheckUnits;
}

/** The secrets in all documents are masked; all positions are unchanged. */
export type CheckedDocument = Omit<CheckedFile, 'file'>;

export async function checkConfig(bytes: Uint8Array, options: CheckOptions): Promise<CheckedDocument> {
  const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { report, read } = examineConfig(document);
  const isDeep = options.lint !== 'none';
  const configs =
    isDeep && read.status === 'read' ? checkInlined(document, read, report.findings) : undefined;
  const further = configs?.findings ?? (isDeep ? furtherMismatches(document, read) : []);
  const found: readonly Finding[] = [...report.findings, ...further];
  const remarks = configs === undefined || hasErrors(found) ? [] : await lint(document, configs, options);
  if (found.length + remarks.length === 0) return { report, bytes };
  const all: readonly Finding[] = [...found, ...remarks];
  const {
    documents: inlined = new Map<string, Buffer>(),
    config = read.status === 'read' ? read.config : undefined,
  } = configs ?? {};
  const { findings, ...masked } = maskChecked(limitFindings(all), document, inlined, config);
  return { report: { valid: !hasErrors(all), findings }, ...masked };
}

/** For `--verbose`: as what a config is checked. */
export function describeCheck(bytes: Uint8Array, { lint: mode }: CheckOptions): string {
  const read = readEffectiveConfig(bytes);
  if (read.status !== 'read') return 'not a readable Ignition config';
  const runs = isAgentConfig(read.config) ? 'a unit runs the agent' : 'no unit runs the agent';
  return `checked as Ignition ${read.version}; lint ${mode}: ${runs}`;
}

/** What Ignition and the agent would run into on boot. */
async function lint(
  document: Buffer,
  { config, place }: CheckedConfigs,
  options: CheckOptions,
): Promise<readonly Finding[]> {
  const { isEmbedded = false, lint: mode, machine } = options;
  const ofBoot = bootIssues(config);
  const hasParts = [config.storage, config.systemd, config.passwd, config.kernelArguments].some(Boolean);
  if (mode === 'boot' || (mode === 'auto' && !hasParts)) return place(ofBoot);
  const isAgent = mode === 'agent' || isAgentConfig(config);
  const findings = isAgent
    ? lintConfig(config, { ...options, document: isEmbedded ? undefined : document })
    : lintHost(config, options);
  const ofUnits = (await options.checkUnits?.(config)) ?? [];
  // What runs a config that neither starts the agent nor is for a known machine is unknown: only Ignition's rules refuse it.
  const isKnown = isAgent || machine !== undefined;
  const weakened = findings.map((finding) =>
    finding.severity === 'error' && !isKnown ? { ...finding, severity: 'warning' as const } : finding,
  );
  return place([...ofBoot, ...weakened, ...ofUnits]);
}
