/** Whose configuration a file `NAME.conf` is, and the check for it. */

import type { Report } from '../core/finding.ts';
import { normalizeSection, parseOsloConfig } from '../formats/osloConfig.ts';
import { findIpaOption, type IpaVersion, isIpaSection, suggestIpaSection } from '../ipa/ipaOptions.ts';
import { checkConfFile, syntaxFinding } from './confCheck.ts';
import { isAgentConfName } from './confName.ts';
import { checkConductorArguments, isIronicConf } from './ironicConf.ts';

/** The report about the conf of the agent, or about an ironic.conf; undefined for that of another program. */
export function checkNamedConf(file: string, bytes: Uint8Array, ipaVersion?: IpaVersion): Report | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  const { document, problems } = parseOsloConfig(text);
  if (!isAgentConfName(file) && isIronicConf(file, document)) {
    const findings = [...problems.map(syntaxFinding), ...checkConductorArguments(document)].toSorted(
      (a, b) => (a.position?.line ?? 0) - (b.position?.line ?? 0),
    );
    return { valid: findings.every(({ severity }) => severity !== 'error'), findings };
  }
  return isAgentConfName(file) || isAgentConf(text) ? checkConfFile(bytes, ipaVersion) : undefined;
}

/** Whether a text has a section or an option of the agent, or nothing but comments. `[[` is TOML, as in registries.conf. */
function isAgentConf(text: string): boolean {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => /^[^\s#;]/.test(line));
  return (
    lines.length === 0 ||
    (!lines.some((line) => line.startsWith('[[')) && lines.some((line) => isSection(line) || isOption(line)))
  );
}

function isSection(line: string): boolean {
  const [, name] = /^\[([^\]]*)/.exec(line) ?? [];
  return (
    name !== undefined && (isIpaSection(normalizeSection(name)) || suggestIpaSection(name) !== undefined)
  );
}

function isOption(line: string): boolean {
  const [, name = ''] = /^([^\s=:]+)/.exec(line) ?? [];
  return findIpaOption('DEFAULT', name.replaceAll('-', '_')) !== undefined;
}
