/** What can be fetched from `serve`: images, configs, scripts. Where the bytes come from is left to whoever made it. */

import type { RandomAccess } from '../../image/overlay.ts';

export type Artifact =
  | 'iso'
  | 'minimal-iso'
  | 'initramfs'
  | 'ign'
  | 'archive'
  | 'script'
  | 'kernel'
  | 'rootfs'
  | 'agent';

/** Bytes under a name. What they are never changes: after a change there is another resource under the same path. */
export interface ServedResource {
  readonly artifact: Artifact;
  /** Whose it is; undefined for what all hosts share. */
  readonly host: string | undefined;
  /** Name of the file for whoever saves it: `worker-0.iso`. */
  readonly fileName: string;
  /** Media type. */
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** A strong entity tag with its quotes, made from the content (RFC 9110, section 8.8.3). */
  readonly etag: string;
  /** In whole seconds; the same as long as the content is. */
  readonly lastModified: Date;
  /** Throws CliError where the bytes are not what they were: for answers that tell of them and send none. */
  check?(): Promise<void>;
  /** For one transfer, independent of all others. Throws CliError where the bytes cannot be read any more. */
  open(): Promise<ResourceBytes>;
}

/** The bytes of a resource for one transfer. */
export interface ResourceBytes extends RandomAccess {
  /** Like `read`, of as many bytes as `target` has, into memory of the reader. */
  readInto(target: Uint8Array, offset: number): Promise<void>;
  close(): Promise<void>;
}

/** Everything that is served at one moment. */
export interface Catalog {
  /**
   * What is under a path like `worker-0.iso`, or undefined.
   * @param path decoded, without a slash at its start
   * @param owner whose files the request may fetch: a host, or `*` for machines that no inventory lists; undefined for all
   * @returns `ambiguous` where the path leads to files of several owners, and the request does not say which one it means
   * @throws CliError where nothing can be served yet
   */
  find(path: string, owner?: string): CatalogEntry | 'ambiguous' | undefined;
  /**
   * Keeps readable what is found, also when another catalog has taken its place meanwhile.
   * @returns ends that; to be called once
   */
  hold(): () => void;
}

/** What is known of a resource before it is made: whether it may be fetched. */
export interface CatalogEntry extends Pick<ServedResource, 'artifact' | 'host'> {
  /** Undefined where it is not there after all. Throws CliError where it cannot be made. */
  resource(): Promise<ServedResource | undefined>;
}

/** One that is there already. */
export function entryOf(resource: ServedResource): CatalogEntry {
  const { artifact, host } = resource;
  return { artifact, host, resource: async () => resource };
}

const bytes = 'application/octet-stream';
/** By it, UEFI HTTP boot knows a disk image (UEFI 2.10, section 24.7.3.1, and EDK II, which asks for this spelling). */
const efiIso = 'application/vnd.efi-iso';

export const mediaTypes: Readonly<Record<Artifact, string>> = {
  iso: efiIso,
  'minimal-iso': efiIso,
  initramfs: bytes,
  ign: 'application/vnd.coreos.ignition+json',
  archive: bytes,
  script: 'text/plain; charset=utf-8',
  kernel: bytes,
  rootfs: bytes,
  agent: 'application/x-tar',
};
