/**
 * Ignition configs of the user on their way into another config: written anew without what Ignition ignores. Configs of a
 * newer version of the spec than this program knows are passed on as they are.
 */

import { CliError } from '../../core/errors.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { readConfig, versionUnsupported } from '../../ignition/validate.ts';
import { readVersion } from '../../ignition/version.ts';
import { specVersions } from '../../ignition/versions.ts';

/** `unknown version` has not been looked into; `version` is what it names. */
export type UserConfig =
  | { readonly kind: 'read'; readonly document: Uint8Array }
  | { readonly kind: 'unknown version'; readonly document: Uint8Array; readonly version: string }
  | { readonly kind: 'refused'; readonly error: CliError };

/**
 * Reads a JSON document. What it says is not checked, only that Ignition could decode it.
 * @param name of the file, for the error `parsing Ignition config …`
 */
export function parseUserConfig(json: Buffer, name: string): UserConfig {
  const read = readConfig(json);
  if (read.status === 'read') return { kind: 'read', document: Buffer.from(formatIgnition(read.config)) };
  const { rule, message, hint } = read.finding;
  if (rule !== versionUnsupported.id) return refused(name, message, hint);
  const version = versionOf(json);
  if (isNewer(version)) return { kind: 'unknown version', document: json, version };
  return refused(name, `${message}: ${version}`, hint);
}

function refused(name: string, problem: string, hint?: string): UserConfig {
  const details = hint === undefined ? {} : { hint };
  return { kind: 'refused', error: new CliError(`parsing Ignition config ${name}: ${problem}`, details) };
}

function versionOf(json: Buffer): string {
  const result = readVersion(json);
  return 'text' in result ? result.text.slice(0, LONGEST_VERSION) : '';
}

const LONGEST_VERSION = 100;

/** Only the second number grows with the spec; a change of the first is another language. */
function isNewer(version: string): boolean {
  return (
    minorVersion(version) >
    Math.max(...specVersions.filter((known) => !known.includes('-')).map(minorVersion))
  );
}

function minorVersion(version: string): number {
  return Number(/^3\.(\d{1,4})\.\d+(?:-[0-9A-Za-z.-]+)?$/.exec(version)?.[1] ?? -1);
}
