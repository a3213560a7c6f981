/** The image that is wanted, out of all that a stream has. An image is one file, or several, as `pxe` is. */

import { CliError } from '../../core/errors.ts';
import type { StreamArtifact, StreamMetadata } from './streamMetadata.ts';

/** Which image: `x86_64`, `metal`, `iso`. */
interface ImageChoice {
  readonly architecture: string;
  readonly platform: string;
  readonly format: string;
}

export interface StreamImage extends ImageChoice {
  /** By name; at least one. */
  readonly artifacts: readonly StreamArtifact[];
}

/** By architecture, platform and format. */
export function listImages({ artifacts }: StreamMetadata): readonly StreamImage[] {
  const images = new Map<string, StreamArtifact[]>();
  for (const artifact of artifacts) {
    const { architecture, platform, format } = artifact;
    const key = [architecture, platform, format].join('\0');
    const image = images.get(key);
    if (image === undefined) images.set(key, [artifact]);
    else image.push(artifact);
  }
  return [...images.values()].flatMap((files) => {
    const [first] = files;
    if (first === undefined) return [];
    const { architecture, platform, format } = first;
    return [{ architecture, platform, format, artifacts: files }];
  });
}

/** @throws CliError that says what there is instead */
export function selectImage(metadata: StreamMetadata, choice: ImageChoice): StreamImage {
  const images = listImages(metadata);
  const { architecture, platform, format } = choice;
  const ofArchitecture = images.filter((image) => image.architecture === architecture);
  const ofPlatform = ofArchitecture.filter((image) => image.platform === platform);
  const image = ofPlatform.find((candidate) => candidate.format === format);
  if (image !== undefined) return image;
  const stream = metadata.stream === '' ? 'the stream' : `stream ${metadata.stream}`;
  if (ofArchitecture.length === 0) {
    throw missing(`${stream} has no images for ${architecture}`, images, 'architecture');
  }
  if (ofPlatform.length === 0) {
    throw missing(`${stream} has no ${platform} images for ${architecture}`, ofArchitecture, 'platform');
  }
  throw missing(`${stream} has no ${format} of ${platform} for ${architecture}`, ofPlatform, 'format');
}

function missing(
  problem: string,
  images: readonly StreamImage[],
  field: 'architecture' | 'platform' | 'format',
): CliError {
  const values = new Set(images.map((image) => image[field]));
  const hint =
    values.size === 0
      ? 'is this the right stream? list-stream shows what it has'
      : `use one of these with --${field}: ${[...values].join(', ')}`;
  return new CliError(`No such image: ${problem}`, { hint });
}

/** @param arch as Node names it: `x64`, `arm64` */
export function machineName(arch: string): string {
  return NAMES.get(arch) ?? arch;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['x64', 'x86_64'],
  ['arm64', 'aarch64'],
  ['ppc64', 'ppc64le'], // Node has no big-endian build for it any more
]);
