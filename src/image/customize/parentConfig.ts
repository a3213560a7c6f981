/**
 * The Ignition configs that a customization creates. They contain the configs of the user as merge children, which may have a
 * newer spec version. Unset fields are omitted, while coreos-installer writes null.
 */

import { largest } from '../../core/lists.ts';
import { CliError } from '../../core/errors.ts';
import { encodeGzip } from '../../formats/gzip.ts';
import { readJsonTree } from '../../formats/json/tree.ts';
import type { Config, Resource, Unit } from '../../ignition/config.ts';
import { type AddedFile, base64DataUrl } from '../../ignition/dataFile.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { documentRules, readConfig } from '../../ignition/validate.ts';
import { readVersion } from '../../ignition/readVersion.ts';
import { specVersions } from '../../ignition/versions.ts';

export interface ConfigParts {
  /** CA certificates as PEM, which Ignition trusts while it fetches files. */
  readonly authorities: readonly Uint8Array[];
  readonly files: readonly AddedFile[];
  readonly units: readonly Unit[];
  /** Configs as documents, merged in this order. */
  readonly children: readonly Uint8Array[];
}

/** The version that coreos-installer uses; all images with support for installer configs support it. */
const VERSION = '3.3.0';

export function isEmptyConfig({ authorities, files, units, children }: ConfigParts): boolean {
  return [authorities, files, units, children].every((list) => list.length === 0);
}

/**
 * Returns a config with these parts as a document.
 * @throws CliError if two files or units have the same name
 */
export function formatParentConfig(parts: ConfigParts): Uint8Array {
  const files = parts.files.map(({ path, mode, content }) => ({
    path,
    mode,
    contents: dataResource(content),
  }));
  const paths = files.map(({ path }) => path);
  const units = parts.units.map(({ name }) => name);
  refuseDuplicates('path', paths);
  refuseDuplicates('unit', units);
  const config: Config = {
    ignition: {
      version: VERSION,
      ...(parts.children.length > 0 && { config: { merge: parts.children.map(dataResource) } }),
      ...(parts.authorities.length > 0 && {
        security: { tls: { certificateAuthorities: parts.authorities.map(dataResource) } },
      }),
    },
    ...(files.length > 0 && { storage: { files } }),
    ...(parts.units.length > 0 && { systemd: { units: parts.units } }),
  };
  return Buffer.from(formatIgnition(config));
}

/** @throws CliError if two files have the same name */
export function refuseDuplicates(what: string, names: readonly (string | undefined)[]): void {
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate === undefined) return;
  throw new CliError(`config already specifies ${what} ${duplicate}`, {
    code: 'ERR_SETTING',
    hint: `rename one of the two files that become ${duplicate}`,
  });
}

function dataResource(content: Uint8Array): Resource {
  return { compression: 'gzip', source: base64DataUrl(encodeGzip(content)) };
}

export interface UserConfig {
  readonly document: Uint8Array;
  /** Set if the spec version is newer than the supported ones; then the document is not parsed. */
  readonly newerVersion?: string;
}

/**
 * Decodes a JSON document, and formats it without unused keys. The values are not validated. A document with an unsupported
 * newer spec version is returned unchanged.
 * @param name name of the file for the error `parsing Ignition config …`, which is returned
 */
export function parseUserConfig(json: Buffer, name: string): UserConfig | CliError {
  const read = readConfig(json);
  if (read.status === 'read') return { document: Buffer.from(formatIgnition(read.config)) };
  const { rule, message, hint } = read.finding;
  const version = rule === documentRules['version-unsupported'].rule ? versionOf(json) : '';
  if (isNewer(version)) return { document: json, newerVersion: version };
  const problem = version === '' ? message : `${message}: ${version}`;
  return new CliError(`parsing Ignition config ${name}: ${problem}`, { code: 'ERR_CONFIG_INVALID', hint });
}

function versionOf(json: Buffer): string {
  const result = readVersion(readJsonTree(json).root);
  return 'text' in result ? result.text.slice(0, LONGEST_VERSION) : '';
}

const LONGEST_VERSION = 100;

/** Only the minor version is compared; another major version is incompatible. */
function isNewer(version: string): boolean {
  return (
    minorVersion(version) > largest(specVersions.filter((known) => !known.includes('-')).map(minorVersion))
  );
}

function minorVersion(version: string): number {
  return Number(/^3\.(\d{1,4})\.\d+(?:-[0-9A-Za-z.-]+)?$/.exec(version)?.[1] ?? -1);
}
