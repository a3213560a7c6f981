/** Checks one document according to the type of its file. */

import type { Report } from '../core/finding.ts';
import {
  type CheckedDocument,
  type CheckOptions,
  checkConfig,
  explainContent,
} from '../hosts/input/checkConfig.ts';
import { isYamlFile } from '../hosts/input/nameInput.ts';

/** Such files are configuration of the agent, all other files are Ignition configs. */
export function isConfFile(file: string): boolean {
  return file.endsWith('.conf');
}

/**
 * Checks a document by the name of its file.
 * @throws FormatError if the document is YAML that cannot be parsed
 */
export async function checkDocument(
  file: string,
  bytes: Uint8Array,
  options: CheckOptions,
): Promise<CheckedDocument> {
  const { report, ...documents } = await checkByKind(file, bytes, options);
  return { report: { ...report, valid: isValid(report, options) }, ...documents };
}

/** The verdict; depends on the options if there are warnings. */
export function isValid({ valid, findings }: Report, { strict }: Pick<CheckOptions, 'strict'>): boolean {
  return valid && !(strict && findings.some(({ severity }) => severity === 'warning'));
}

async function checkByKind(file: string, bytes: Uint8Array, options: CheckOptions): Promise<CheckedDocument> {
  if (isConfFile(file)) return checkConf(bytes, options);
  if (!isYamlFile(file)) return explainContent(file, bytes, await checkConfig(bytes, options));
  const { checkYamlConfig, parseYamlConfig } = await import('../hosts/input/yamlConfig.ts');
  return explainContent(file, bytes, await checkYamlConfig(parseYamlConfig(bytes), options));
}

/** `ironic-python-agent.conf`; valid if the agent starts with it. */
async function checkConf(bytes: Uint8Array, { ipaVersion }: CheckOptions): Promise<CheckedDocument> {
  const { checkConfFile } = await import('../agent/confCheck.ts');
  const report = checkConfFile(bytes, { ipaVersion });
  if (report.findings.length === 0) return { report, shown: bytes };
  const { maskConfSecrets } = await import('../agent/lint/secrets.ts');
  return { report, shown: maskConfSecrets(bytes) };
}
