/**
 * `manifest.json`: what a prepared folder was made from and what is in it; its shape is that of `schemas/manifest.json`.
 * It holds no times and no paths of the machine that made it, so that equal input gives an equal manifest.
 */

import { FormatError } from '../../core/errors.ts';
import { isMapping } from '../../formats/mapping.ts';
import type { MemoryNeed, UnlistedMemory } from './hostMemory.ts';

export interface Manifest {
  readonly version: 1;
  readonly generator: { readonly name: string; readonly version: string };
  readonly layout: 'folder' | 'metal3' | 'bifrost';
  /** Null where no file names another by URL. */
  readonly baseUrl: string | null;
  readonly artifacts: readonly string[];
  readonly inputs: readonly ManifestInput[];
  readonly hosts: readonly ManifestHost[];
  /** What machines need that are not listed; absent where nothing is made for them, or nothing known. */
  readonly memory?: readonly UnlistedMemory[];
  /** All files of the folder but the manifest and the checksums, by path. */
  readonly files: readonly ManifestFile[];
}

export interface ManifestInput {
  readonly role: 'inventory' | 'iso' | 'kernel' | 'initramfs' | 'rootfs' | 'agent-archive';
  /** Without folders. */
  readonly name: string;
  readonly architecture?: string;
  /** Volume ID of an ISO, which names its release. */
  readonly label?: string;
  readonly size: number;
  readonly sha256: string;
}

export interface ManifestHost {
  readonly name: string;
  readonly macs: readonly string[];
  readonly architecture: string;
  /** `kept` is what an earlier run made: the host has left the inventory, or is wrong there now. */
  readonly state: 'prepared' | 'kept';
  /** The shared images that it boots, as their folder is called. */
  readonly images?: string;
  /** The archive of the agent's image that it loads, as its folder is called. */
  readonly agentArchive?: string;
  /** What it needs, by the way in which it boots; absent where it is not known. */
  readonly memory?: readonly MemoryNeed[];
}

export interface ManifestFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** Permission bits in octal. */
  readonly mode: string;
  /** The host that it is for. */
  readonly host?: string;
  /** What of it others must not see, as nouns. */
  readonly secrets?: readonly string[];
  /** Of what a large file was made: the digest of all that decides what is in it. */
  readonly recipe?: string;
}

export const GENERATOR = 'ironic-coreos';

/** Members in the order of the schema, lists by name. */
export function formatManifest(manifest: Manifest): string {
  const { version, generator, layout, baseUrl, artifacts, inputs, hosts, memory = [], files } = manifest;
  const sorted = {
    version,
    generator,
    layout,
    baseUrl,
    artifacts,
    inputs,
    hosts: hosts.toSorted((one, other) => compareBytes(one.name, other.name)),
    ...(memory.length > 0 && { memory }),
    files: files.toSorted((one, other) => compareBytes(one.path, other.path)),
  };
  return `${JSON.stringify(sorted, undefined, 2)}\n`;
}

/** For `sha256sum --check`. */
export function formatChecksums(files: readonly Pick<ManifestFile, 'path' | 'sha256'>[]): string {
  return files
    .toSorted((one, other) => compareBytes(one.path, other.path))
    .map(({ path, sha256 }) => `${sha256}  ${path}\n`)
    .join('');
}

/**
 * Reads a manifest of an earlier run, which may have been edited: its paths decide what is removed.
 * @throws FormatError where it is none, or names files outside of its folder
 */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (!isMapping(value) || !isMapping(value['generator']) || value['generator']['name'] !== GENERATOR) {
    throw new FormatError('it was not written by this program');
  }
  if (value['version'] !== 1) throw new FormatError('it is of a newer version of this program');
  const { hosts, files, inputs } = value;
  if (!isListOf(hosts, isHost) || !isListOf(files, isFile) || !Array.isArray(inputs)) {
    throw new FormatError('it is damaged');
  }
  const outside = files.find(({ path }) => !isInside(path));
  if (outside !== undefined)
    throw new FormatError(`it names a file outside: ${JSON.stringify(outside.path)}`);
  return {
    version: 1,
    generator: { name: GENERATOR, version: String(value['generator']['version']) },
    layout: value['layout'] === 'metal3' || value['layout'] === 'bifrost' ? value['layout'] : 'folder',
    baseUrl: typeof value['baseUrl'] === 'string' ? value['baseUrl'] : null,
    artifacts: [],
    inputs: [],
    hosts,
    files,
  };
}

/** Whether a path stays in the folder that it starts from. */
export function isInside(path: string): boolean {
  const steps = path.split('/');
  return !path.includes('\0') && steps.every((step) => step !== '' && step !== '.' && step !== '..');
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new FormatError('it is not JSON', { cause });
  }
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isHost(value: unknown): value is ManifestHost {
  if (!isMapping(value)) return false;
  const { name, macs, architecture, state, images, agentArchive } = value;
  return (
    typeof name === 'string' &&
    isListOf(macs, isText) &&
    typeof architecture === 'string' &&
    (state === 'prepared' || state === 'kept') &&
    (images === undefined || isText(images)) &&
    (agentArchive === undefined || isText(agentArchive))
  );
}

function isFile(value: unknown): value is ManifestFile {
  if (!isMapping(value)) return false;
  const { path, size, sha256, mode, host, secrets, recipe } = value;
  return (
    isText(path) &&
    typeof size === 'number' &&
    isText(sha256) &&
    isText(mode) &&
    (host === undefined || isText(host)) &&
    (secrets === undefined || isListOf(secrets, isText)) &&
    (recipe === undefined || isText(recipe))
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** As the bytes of UTF-8 come, on any machine. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
