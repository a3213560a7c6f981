/**
 * Stream metadata: which files a release of CoreOS consists of, and where they are (stream-metadata-go). Both Fedora
 * CoreOS, with signatures, and RHCOS, without. Left out: cloud images and extensions, which cannot be downloaded as files.
 */

import { CliError, FormatError, UsageError } from '../../../core/errors.ts';
import { isLoopbackHost } from '../../../formats/hostName.ts';
import { asMapping, isMapping, type Mapping, parseIfJson } from '../../../formats/mapping.ts';
import { decodePercent, parseUrl } from '../../../formats/url.ts';

/** Which image: `x86_64`, `metal`, `iso`. */
interface ImageChoice {
  readonly architecture: string;
  readonly platform: string;
  readonly format: string;
}

export interface StreamArtifact extends ImageChoice {
  /** `disk`, or of `pxe`: `kernel`, `initramfs`, `rootfs`. */
  readonly name: string;
  readonly release: string | undefined;
  readonly location: string;
  /** URL of a detached OpenPGP signature. */
  readonly signature: string | undefined;
  /** 64 hexadecimal digits, lower case. */
  readonly sha256: string | undefined;
  readonly uncompressedSha256: string | undefined;
}

export interface StreamImage extends ImageChoice {
  /** By name; at least one. */
  readonly artifacts: readonly StreamArtifact[];
}

export interface StreamMetadata {
  readonly stream: string;
  /** By architecture, platform and format. */
  readonly images: readonly StreamImage[];
}

/** @param name what the metadata is called in messages, such as its URL */
export function parseStreamMetadata(text: string, name: string): StreamMetadata {
  try {
    const root = membersOf(JSON.parse(text), 'the document');
    const images = listImages(root['architectures'], textOf(root, 'release'));
    return { stream: textOf(root, 'stream') ?? '', images };
  } catch (error) {
    if (!(error instanceof FormatError || error instanceof SyntaxError)) throw error;
    const what = error instanceof FormatError ? error.message : 'it is not JSON';
    const isIndex = Array.isArray(asMapping(parseIfJson(text))['releases']);
    throw new FormatError(
      isIndex
        ? `${name} is an index of releases, not stream metadata`
        : `${name} is not valid stream metadata: ${what}`,
      {
        hint: isIndex
          ? 'pass the URL in "metadata" of one release'
          : 'pass the base URL or a file with the output of "openshift-install coreos print-stream-json"',
      },
    );
  }
}

/**
 * Also of the metadata of one release, `release.json` (release.go of stream-metadata-go), which has the same files under
 * other keys.
 * @param releaseOfAll the release of images that do not name their own
 */
function listImages(architectures: unknown, releaseOfAll: string | undefined): readonly StreamImage[] {
  const images: StreamImage[] = [];
  for (const [architecture, entry] of entriesOf(architectures, 'architectures')) {
    const { artifacts: platforms = {}, media } = membersOf(entry, architecture);
    for (const [platform, build] of entriesOf(media ?? platforms, `${architecture} artifacts`)) {
      const place = `${architecture} ${platform}`;
      const members = membersOf(build, place);
      const release = textOf(members, 'release') ?? releaseOfAll;
      const formats = media === undefined ? members['formats'] : (members['artifacts'] ?? {});
      for (const [format, files] of entriesOf(formats, `${place} formats`)) {
        const choice = { architecture, platform, format };
        const artifacts = entriesOf(files, `${place} ${format}`).flatMap(([name, file]) => {
          const fields = membersOf(file, `${place} ${format} ${name}`);
          const read = readFile(fields);
          return read === undefined ? [] : [{ ...choice, name, release, ...read }];
        });
        if (artifacts.length > 0) images.push({ ...choice, artifacts });
      }
    }
  }
  return images;
}

function readFile(fields: Mapping) {
  const location = textOf(fields, 'location');
  if (location === undefined) return undefined; // it cannot be downloaded; all others can
  return {
    location,
    signature: textOf(fields, 'signature'),
    sha256: digestOf(fields, 'sha256'),
    uncompressedSha256: digestOf(fields, 'uncompressed-sha256'),
  };
}

/** Sorted by name. */
function entriesOf(value: unknown, what: string): readonly (readonly [string, unknown])[] {
  return Object.entries(membersOf(value, what)).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function membersOf(value: unknown, what: string): Mapping {
  if (!isMapping(value)) throw new FormatError(`${what} is not an object`);
  return value;
}

/** Undefined for an empty text. */
function textOf(members: Mapping, name: string): string | undefined {
  const value = members[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new FormatError(`\`${name}\` is not a string`);
  return value;
}

function digestOf(members: Mapping, name: string): string | undefined {
  const value = textOf(members, name)?.toLowerCase();
  if (value !== undefined && !/^[0-9a-f]{64}$/.test(value))
    throw new FormatError(`\`${name}\` is not a SHA-256 digest`);
  return value;
}

export const FEDORA_STREAMS = 'https://builds.coreos.fedoraproject.org/streams/';

/**
 * Returns the URL of the metadata, or its path. A URL or a path that ends in `.json` is the metadata itself. Other URLs lose
 * their last part unless that ends in a slash, as URLs are joined. Any other path is a folder with `<stream>.json`.
 * @param name of the option or variable with the base, for messages
 */
export function locateStream(base: string, stream: string, name = '--stream-base-url'): URL | string {
  if (!/^[A-Za-z0-9][\w.+-]*$/.test(stream)) {
    throw new UsageError(`invalid stream name: ${stream}`, {
      hint: 'use a name like stable, testing or next',
    });
  }
  if (base === '') throw new UsageError(`${name} is empty`, { hint: 'pass a URL or a path' });
  if (/^https?:\/\//i.test(base)) {
    const url = parseUrl(base);
    if (url === undefined) {
      throw new UsageError(`invalid URL for ${name}`, { hint: `use a URL like ${FEDORA_STREAMS}` });
    }
    return url.pathname.endsWith('.json') ? url : new URL(`${stream}.json`, url);
  }
  const path = pathOf(base, name);
  return path.endsWith('.json') ? path : `${path.replace(/\/$/, '')}/${stream}.json`;
}

function pathOf(base: string, name: string): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(base)) return base;
  const url = parseUrl(base);
  if (url?.protocol !== 'file:' || url.host !== '') {
    throw new UsageError(`unsupported URL scheme for ${name}`, {
      hint: 'use an http://, https:// or file:// URL, or a path',
    });
  }
  const path = decodePercent(url.pathname);
  if (path !== undefined) return path;
  throw new UsageError(`invalid percent escape in ${name}`, {
    hint: 'write %25 for each literal percent sign, or pass the path without file://',
  });
}

/** Whether all URLs are authentic: TLS, or this machine. */
export function isAuthentic(urls: readonly URL[]): boolean {
  return urls.every(({ protocol, hostname }) => protocol === 'https:' || isLoopbackHost(hostname));
}

export function selectImage(metadata: StreamMetadata, choice: ImageChoice): StreamImage {
  const { architecture, platform, format } = choice;
  const stream = metadata.stream === '' ? 'the stream' : `stream ${metadata.stream}`;
  const problems = {
    architecture: `${stream} has no images for ${architecture}`,
    platform: `${stream} has no ${platform} images for ${architecture}`,
    format: `${stream} has no ${platform} image in the format ${format} for ${architecture}`,
  };
  let { images } = metadata;
  for (const field of ['architecture', 'platform', 'format'] as const) {
    const matching = images.filter((image) => image[field] === choice[field]);
    if (matching.length === 0) {
      const values = new Set(images.map((image) => image[field]));
      const hint =
        values.size === 0
          ? 'use another stream; list-stream lists its images'
          : `use one of these with --${field}: ${[...values].join(', ')}`;
      throw new CliError(`No such image: ${problems[field]}`, { code: 'ERR_SETTING', hint });
    }
    images = matching;
  }
  return { ...choice, artifacts: images.flatMap(({ artifacts }) => artifacts) };
}
