/** The resources that clients can fetch: images, configs and scripts. */

import type { ArtifactKind } from '../../../core/artifacts.ts';
import type { ImageBytes } from '../../../image/overlay.ts';

export interface DescribedResource {
  readonly artifact: ArtifactKind;
  /** The host that owns it; undefined for shared files. */
  readonly host: string | undefined;
  /** File name for `Content-Disposition`: `worker-0.iso`. */
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** A strong entity tag of the content, including its quotes (RFC 9110, section 8.8.3). */
  readonly etag: string;
  /** Unchanged as long as the content is unchanged, and later after each change. */
  readonly lastModified: Date;
}

/** An immutable resource. After a change, a new resource has the same path. */
export interface ServedResource extends DescribedResource {
  /** Throws CliError if the underlying file was changed. For answers without a body. */
  check?(): Promise<void>;
  /** Opens the resource for one transfer. Throws CliError if the bytes can no longer be read. */
  open(): Promise<ResourceBytes>;
}

interface ResourceBytes extends ImageBytes {
  close(): Promise<void>;
}

export interface Catalog {
  /**
   * Finds the entry of a path such as `worker-0.iso`.
   * @param path decoded, without a slash at its start
   * @param owner the host whose files the request may fetch, or `*` for machines that are not listed; undefined for all
   * @returns `ambiguous` if several hosts have a file with this path and `owner` is undefined
   */
  find(path: string, owner?: string): CatalogEntry | 'ambiguous' | undefined;
  /**
   * Keeps the files of this catalog open, also after a newer catalog has replaced it.
   * @returns releases them; to be called once
   */
  acquire(): () => void;
}

/** The part of a resource that is known before it is built, for access control. */
export interface CatalogEntry {
  readonly artifact: ArtifactKind;
  /** The host that owns it; undefined for shared files. */
  readonly host: string | undefined;
  /** Builds the resource. Undefined if it does not exist. Throws CliError if it cannot be built. */
  resource(): Promise<ServedResource | undefined>;
}

export function entryOf(resource: ServedResource): CatalogEntry {
  const { artifact, host } = resource;
  return { artifact, host, resource: async () => resource };
}
