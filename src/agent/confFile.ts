/** Whose configuration a file `NAME.conf` is, and the check for it. */

import { basename, dirname } from 'node:path/posix';
import { comparePositions } from '../core/errors.ts';
import { hasErrors, type Report } from '../core/finding.ts';
import { parseOsloConfig } from '../formats/osloConfig.ts';
import { findIpaOption, type IpaVersion, suggestIpaOption, suggestIpaSection } from '../ipa/ipaOptions.ts';
import { checkConfFile, syntaxFinding } from './confCheck.ts';
import { checkConductor, isIronicConf } from './ironicConf.ts';

/** Whether a file has a name of the agent's configuration files: other programs have files named *.conf, too. */
export function isAgentConfName(file: string): boolean {
  const name = `${basename(dirname(file))}/${basename(file)}`;
  return /^(?:ironic-python-agent(?:\.d)?\/|[^/]*\/ironic-python-agent).*\.conf$/.test(name);
}

/** The report about the conf of the agent, or about an ironic.conf; undefined for that of another program. */
export function checkNamedConf(file: string, bytes: Uint8Array, ipaVersion?: IpaVersion): Report | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  const parsed = parseOsloConfig(text);
  if (!isAgentConfName(file) && isIronicConf(file, parsed)) {
    const findings = [...parsed.problems.map(syntaxFinding), ...checkConductor(parsed)].toSorted((a, b) =>
      comparePositions(a.position, b.position),
    );
    return { valid: !hasErrors(findings), findings };
  }
  return isAgentConfName(file) || isAgentConf(text) ? checkConfFile(bytes, ipaVersion) : undefined;
}

/**
 * Whether a text has an option of the agent, also a misspelled one, or a section that few other programs have, or nothing but
 * comments and [DEFAULT], which all services of OpenStack have. `[[` is TOML, as in registries.conf.
 */
function isAgentConf(text: string): boolean {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => /^[^\s#;]/.test(line));
  const others = lines.filter((line) => !/^\[DEFAULT\]\s*$/.test(line));
  if (others.length === 0) return true;
  if (others.some((line) => line.startsWith('[['))) return false;
  const mayBeMisspelled = others.length < lines.length;
  return others.some((line) => {
    const [, section] = /^\[([^\]]*)/.exec(line) ?? [];
    if (section !== undefined) return suggestIpaSection(section) !== undefined;
    const [, name = ''] = /^([^\s=:]+)/.exec(line) ?? [];
    const isKnown = findIpaOption('DEFAULT', name.replaceAll('-', '_')) !== undefined;
    return isKnown || (mayBeMisspelled && suggestIpaOption('DEFAULT', name) !== undefined);
  });
}
