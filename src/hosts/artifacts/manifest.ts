/**
 * `manifest.json` (`schemas/manifest.json`): inputs and files of a prepared folder. It contains no times and no paths of
 * the machine that wrote it, so that the same input always produces the same manifest.
 */

import { basename } from 'node:path';
import { architectures } from '../../core/architecture.ts';
import { type ArtifactKind, artifacts } from '../../core/artifacts.ts';
import { quoteText } from '../../core/foreignText.ts';
import { FormatError } from '../../core/errors.ts';
import { asMapping, mappingAt, parseJsonObject, stringOf } from '../../formats/mapping.ts';
import { imageParts } from '../../image/bootParts.ts';
import type { BaseCatalog } from '../plan/baseCatalog.ts';
import type { InputImages } from '../plan/imageInputs.ts';
import type { MemoryNeed, UnlistedMemory } from './hostMemory.ts';

/** Bytes; that of thousands of hosts has some MiB. */
export const MAX_MANIFEST = 64 * 1024 * 1024;

export interface Manifest {
  readonly version: 1;
  readonly generator: { readonly name: string; readonly version: string };
  readonly layout: 'folder' | 'metal3' | 'bifrost';
  /** Null if no file contains the URL of another file. */
  readonly baseUrl: string | null;
  readonly artifacts: readonly string[];
  readonly inputs: readonly ManifestInput[];
  readonly hosts: readonly ManifestHost[];
  /** Memory for machines that are not listed; absent if nothing is prepared for them, or if it is unknown. */
  readonly memory?: readonly UnlistedMemory[];
  /** All files except the manifest and the checksums, sorted by path. */
  readonly files: readonly ManifestFile[];
}

export interface ManifestInput {
  readonly role: 'inventory' | 'iso' | 'kernel' | 'initramfs' | 'rootfs' | 'agent-archive';
  /** File name without folder. */
  readonly name: string;
  readonly architecture?: string;
  /** Stream of an image; absent for the default. */
  readonly stream?: string | undefined;
  /** Volume ID of an ISO, which contains its release. */
  readonly label?: string | undefined;
  readonly size: number;
  readonly sha256: string;
}

export interface ManifestHost {
  readonly name: string;
  readonly macs: readonly string[];
  readonly architecture: string;
  /** The stream of its images; absent for the default. */
  readonly stream?: string | undefined;
  /** `kept`: files of an earlier run; the host is now missing from the inventory, or invalid. */
  readonly state: 'prepared' | 'kept';
  /** Folder name of the base images that the host boots. */
  readonly images?: string | undefined;
  /** Folder name of the agent archive that the host loads. */
  readonly agentArchive?: string | undefined;
  readonly memory?: readonly MemoryNeed[] | undefined;
}

export interface ManifestFile {
  /** Relative to the folder, separated by slashes. */
  readonly path: string;
  /** `script` for all files of boot loaders and their servers. */
  readonly kind: ArtifactKind;
  readonly size: number;
  /** Absent for a changed copy of a whole image, which has only a recipe. */
  readonly sha256?: string;
  /** Permission bits in octal. */
  readonly mode: string;
  /** The host that boots from the file. */
  readonly host?: string | undefined;
  /** Kinds of secrets in the file, as nouns. */
  readonly secrets?: readonly string[];
  /** Digest of all inputs of a large file. */
  readonly recipe?: string;
  /** A later run has replaced it. It stays for machines that have read the previous boot script. */
  readonly superseded?: true;
}

/** The base images, by architecture and stream, those without a stream first. */
export function listInputs(catalog: BaseCatalog<InputImages>): ManifestInput[] {
  const images = [...catalog.values()].flatMap((set) =>
    (['iso', ...imageParts] as const).flatMap((role) => set.get(role) ?? []),
  );
  return images
    .toSorted(
      (one, other) =>
        architectures.indexOf(one.architecture) - architectures.indexOf(other.architecture) ||
        compareTexts(one.stream ?? '', other.stream ?? ''),
    )
    .map(({ role, name, architecture, stream, label, size, sha256 }) => ({
      role,
      name: basename(name),
      architecture,
      stream,
      label,
      size,
      sha256,
    }));
}

export const GENERATOR = 'ironic-coreos';

/**
 * Yields the text of a manifest, with a line for each host and each file. Lists are sorted by name; the fields are in the order of
 * the given ones, which is that of the schema.
 */
export function* formatManifest(manifest: Manifest): Generator<string> {
  const { hosts, memory = [], files } = manifest;
  const sorted = {
    ...manifest,
    hosts: hosts.toSorted((one, other) => compareTexts(one.name, other.name)),
    memory: memory.length > 0 ? memory : undefined,
    files: files.toSorted((one, other) => compareTexts(one.path, other.path)),
  };
  let start = '{\n';
  for (const [key, value] of Object.entries(sorted)) {
    if (value === undefined) continue;
    yield `${start}  ${JSON.stringify(key)}: `;
    start = ',\n';
    if (Array.isArray(value) && value.length > 0) {
      for (const [index, item] of value.entries())
        yield `${index > 0 ? ',' : '['}\n    ${JSON.stringify(item)}`;
      yield '\n  ]';
    } else yield JSON.stringify(value);
  }
  yield '\n}\n';
}

/** Yields checksums for `sha256sum --check`, line by line. Files without a checksum are left out. */
export function* formatChecksums(
  files: readonly { readonly path: string; readonly sha256?: string }[],
): Generator<string> {
  for (const { path, sha256 } of files.toSorted((one, other) => compareTexts(one.path, other.path)))
    if (sha256 !== undefined) yield `${sha256}  ${path}\n`;
}

/**
 * Reads the manifest of an earlier run. It may have been edited, and its paths decide which files are removed.
 * @throws FormatError if it is not a manifest, or contains paths outside of its folder
 */
export function parseManifest(text: string): Manifest {
  const foreign = 'it was not written by this program';
  const value = parseJsonObject(
    text,
    (_, cause) => new FormatError(cause === undefined ? foreign : 'it is not JSON', { cause }),
  );
  const { name, version } = mappingAt(value, ['generator']);
  if (name !== GENERATOR) throw new FormatError(foreign);
  if (value['version'] !== 1) throw new FormatError('it was written by a newer version of this program');
  const { hosts, files, inputs } = value;
  if (!isListOf(hosts, isHost) || !isListOf(files, isFile) || !Array.isArray(inputs)) {
    throw new FormatError('it is damaged');
  }
  const outside = files.find(({ path }) => !isInside(path));
  if (outside !== undefined)
    throw new FormatError(`it contains a path outside of the folder: ${quoteText(outside.path)}`);
  return {
    version: 1,
    generator: { name: GENERATOR, version: stringOf(version) ?? '' },
    layout: value['layout'] === 'metal3' || value['layout'] === 'bifrost' ? value['layout'] : 'folder',
    baseUrl: typeof value['baseUrl'] === 'string' ? value['baseUrl'] : null,
    artifacts: [],
    inputs: [],
    hosts,
    files,
  };
}

/** Whether a relative path stays inside its folder. */
export function isInside(path: string): boolean {
  const steps = path.split('/');
  return !path.includes('\0') && steps.every((step) => step !== '' && step !== '.' && step !== '..');
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isHost(value: unknown): value is ManifestHost {
  const { name, macs, architecture, state, stream = '', images = '', agentArchive = '' } = asMapping(value);
  return (
    [name, architecture, stream, images, agentArchive].every(isText) &&
    isListOf(macs, isText) &&
    (state === 'prepared' || state === 'kept')
  );
}

function isFile(value: unknown): value is ManifestFile {
  const { path, kind, size, sha256 = '', mode, host = '', secrets = [], recipe = '' } = asMapping(value);
  return (
    [path, sha256, mode, host, recipe].every(isText) &&
    Object.hasOwn(artifacts, stringOf(kind) ?? '') &&
    typeof size === 'number' &&
    isListOf(secrets, isText)
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The same order on every machine. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
