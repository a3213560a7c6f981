/**
 * The Ignition configs that a customization makes, and the user's configs in them. Those are merge children, so they may be
 * of a newer version of the spec. Unlike coreos-installer's, these configs omit fields that are not set, where it has null.
 */

import { CliError } from '../../core/errors.ts';
import { encodeGzip } from '../../formats/gzip.ts';
import type { Config, File, IgnitionSection, Resource, Unit } from '../../ignition/config.ts';
import { base64DataUrl } from '../../ignition/dataFile.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import { readConfig, readVersion, versionUnsupported } from '../../ignition/validate.ts';
import { specVersions } from '../../ignition/versions.ts';

/** A file of the user, by the last part of its path. */
export interface NamedFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** A file on the system that Ignition sets up. */
export interface PlacedFile {
  /** Absolute. */
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

export interface ConfigParts {
  /** Certificates as PEM, to trust while fetching what the config refers to. */
  readonly authorities: readonly Uint8Array[];
  readonly files: readonly PlacedFile[];
  readonly units: readonly Unit[];
  /** Documents of configs, merged in this order. */
  readonly children: readonly Uint8Array[];
}

/** The oldest version that every image with an installer configuration understands, as coreos-installer has it. */
const VERSION = '3.3.0';

export function isEmptyConfig({ authorities, files, units, children }: ConfigParts): boolean {
  return [authorities, files, units, children].every((list) => list.length === 0);
}

/**
 * The document of a config with these parts.
 * @throws CliError where two files or units have one name
 */
export function formatParentConfig(parts: ConfigParts): Uint8Array {
  refuseTwins(
    'path',
    parts.files.map(({ path }) => path),
  );
  refuseTwins(
    'unit',
    parts.units.map(({ name = '' }) => name),
  );
  const config: Config = {
    ignition: ignitionSection(parts),
    ...(parts.files.length > 0 && { storage: { files: parts.files.map(renderFile) } }),
    ...(parts.units.length > 0 && { systemd: { units: parts.units } }),
  };
  return Buffer.from(formatIgnition(config));
}

function refuseTwins(what: 'path' | 'unit', names: readonly string[]): void {
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin === undefined) return;
  throw new CliError(`config already specifies ${what} ${twin}`, {
    code: 'ERR_SETTING',
    hint: 'the names of the files are kept: rename one of them',
  });
}

function ignitionSection({ authorities, children }: ConfigParts): IgnitionSection {
  return {
    version: VERSION,
    ...(children.length > 0 && { config: { merge: children.map(dataResource) } }),
    ...(authorities.length > 0 && {
      security: { tls: { certificateAuthorities: authorities.map(dataResource) } },
    }),
  };
}

function renderFile({ path, mode, content }: PlacedFile): File {
  return { path, mode, contents: dataResource(content) };
}

function dataResource(content: Uint8Array): Resource {
  return { compression: 'gzip', source: base64DataUrl(encodeGzip(content)) };
}

// Ignition configs of the user on their way into another config: written anew without what Ignition ignores. Configs of a
// newer version of the spec than this program knows are passed on as they are.

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
  return {
    kind: 'refused',
    error: new CliError(`parsing Ignition config ${name}: ${problem}`, {
      code: 'ERR_CONFIG_INVALID',
      ...details,
    }),
  };
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
