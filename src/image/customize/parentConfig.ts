/**
 * The Ignition configs that a customisation makes. The user's own configs are merge children of theirs, so they may be of
 * a newer version of the spec. Unlike coreos-installer's, these say nothing of fields that are not set, where it has null.
 */

import { base64DataUrl } from '../../ignition/dataFile.ts';
import { CliError } from '../../core/errors.ts';
import { encodeGzip } from '../../formats/gzip.ts';
import type { Config, File, IgnitionSection, Resource, Unit } from '../../ignition/config.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';

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
