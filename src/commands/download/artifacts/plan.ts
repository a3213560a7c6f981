/** Plans a download: the files, their expected checksums, and their names. */

import { CliError, UsageError } from '../../../core/errors.ts';
import { parseUrl } from '../../../formats/url.ts';
import type { StreamArtifact } from './streamMetadata.ts';

/** One file to download: where it is, and how it is verified. */
export interface PlannedFile {
  readonly name: string;
  readonly url: URL;
  /** Possible URL of the signature; undefined without signature. */
  readonly signatureUrl: URL | undefined;
  readonly sha256: string | undefined;
  /**
   * False if the user accepts unsigned files, or if the metadata is authentic and contains a digest, but no signature, so that
   * the digest suffices.
   */
  readonly needsSignature: boolean;
  /** The file that is wanted instead of this one, which is compressed. */
  readonly unpacked: { readonly name: string; readonly sha256: string | undefined } | undefined;
}

interface PlanOptions {
  readonly decompress: boolean;
  readonly insecure: boolean;
}

export interface MetadataSource {
  /** Base of relative locations. */
  readonly base: URL;
  /** Whether the metadata comes from a file or over authenticated connections. */
  readonly isAuthentic: boolean;
  /** Whether its files are always signed, as those of Fedora CoreOS are. */
  readonly isSigned: boolean;
}

export function planImage(
  artifacts: readonly StreamArtifact[],
  source: MetadataSource,
  options: PlanOptions,
): readonly PlannedFile[] {
  return artifacts.map((artifact) => {
    const { location, sha256, signature, uncompressedSha256 } = artifact;
    const hasDigest = sha256 !== undefined && source.isAuthentic && !source.isSigned;
    const isDigestEnough = hasDigest && signature === undefined;
    const url = parseLocation(location, artifact, source);
    const signatureUrl = signature === undefined ? undefined : parseLocation(signature, artifact, source);
    const needsSignature = !options.insecure && !isDigestEnough;
    return planFile({ url, signatureUrl, sha256, needsSignature }, options.decompress, uncompressedSha256);
  });
}

/**
 * A file that no metadata describes. A given checksum suffices; otherwise, its signature is where coreos-installer looks for
 * it, at the same URL with `.sig`.
 * @param digest the SHA-256 of the file
 */
export function planUrl(text: string, { decompress, insecure }: PlanOptions, digest?: string): PlannedFile {
  const url = parseUrl(text);
  if (url === undefined || !isFetched(url)) {
    throw new UsageError('invalid value for --image-url: not an http:// or https:// URL', {
      hint: 'use a URL like https://example.com/coreos.iso',
    });
  }
  if (digest !== undefined) {
    const sha256 = readDigest(digest);
    return planFile({ url, signatureUrl: undefined, sha256, needsSignature: false }, decompress);
  }
  const signatureUrl = new URL(url);
  signatureUrl.pathname += '.sig';
  return planFile({ url, signatureUrl, sha256: undefined, needsSignature: !insecure }, decompress);
}

function readDigest(text: string): string {
  const digest = text.toLowerCase().replace(/^sha256[:-]/, '');
  if (/^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new UsageError('invalid value for --sha256: not 64 hexadecimal digits', {
    hint: 'pass the SHA-256 of the file, as printed by sha256sum',
  });
}

/** @param unpackedSha256 expected digest of the decompressed file */
function planFile(
  file: Omit<PlannedFile, 'name' | 'unpacked'>,
  decompress: boolean,
  unpackedSha256?: string,
): PlannedFile {
  const name = fileNameOf(file.url);
  const unpackedName = decompress ? unpackedNameOf(name) : undefined;
  const unpacked = unpackedName === undefined ? undefined : { name: unpackedName, sha256: unpackedSha256 };
  return { ...file, name, unpacked };
}

/** The error does not show an invalid location: it may contain a password. */
function parseLocation(location: string, artifact: StreamArtifact, { base }: MetadataSource): URL {
  const url = parseUrl(location, base);
  if (url !== undefined && isFetched(url)) return url;
  const { architecture, platform, format, name } = artifact;
  const what = `${architecture} ${platform} ${format} ${name}`;
  throw new CliError(`The stream metadata contains an invalid location for ${what}`, {
    code: 'ERR_FORMAT',
    hint: 'use http:// or https:// locations in the metadata',
  });
}

function isFetched({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** The last part of the path, its escapes as they are. */
export function fileNameOf(url: URL): string {
  const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  if (name === '' || name.startsWith('.')) {
    throw new CliError(`The URL does not end with a file name: ${url.origin}${url.pathname}`, {
      code: 'ERR_SETTING',
      hint: 'pass the URL of an image, for example https://example.com/coreos.iso',
    });
  }
  return name;
}

/** The file name without the extension of the compression; undefined for uncompressed files and for archives. */
export function unpackedNameOf(name: string): string | undefined {
  const unpackedName = /^(.+)\.(?:gz|xz|zst)$/.exec(name)?.[1];
  return unpackedName?.endsWith('.tar') === true ? undefined : unpackedName;
}
