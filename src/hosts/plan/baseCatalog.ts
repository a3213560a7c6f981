/**
 * The catalog of base images by stream and architecture, and the choice of the images of a host. A stream has any name,
 * such as `rhel-10`: the label `coreos.openshift.io/stream` and the setting `image.stream` select it. Images without a
 * stream are the default.
 */

import type { Problem } from '../../core/finding.ts';
import { quoteText } from '../../core/foreignText.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { type Architecture, architectures } from '../../core/architecture.ts';
import { CliError } from '../../core/errors.ts';
import type { RenderSource } from '../settings/settings.ts';

/** `x86_64`, or `rhel-10/x86_64` for the images of a stream. */
export type ImagesName = Architecture | `${string}/${Architecture}`;

/** In the order given. */
export type BaseCatalog<T> = ReadonlyMap<ImagesName, T>;

export interface ImagesKey {
  readonly architecture: Architecture;
  /** Undefined for the default. */
  readonly stream: string | undefined;
}

export function imagesName({ architecture, stream }: ImagesKey): ImagesName {
  return stream === undefined ? architecture : `${stream}/${architecture}`;
}

export function imagesKey(name: ImagesName): ImagesKey {
  const end = name.lastIndexOf('/');
  const architecture = architectures.find((known) => known === name.slice(end + 1)) ?? 'x86_64';
  return { architecture, stream: end < 0 ? undefined : name.slice(0, end) };
}

/** The architectures of all images, without duplicates. */
export function architecturesOf(catalog: BaseCatalog<unknown>): readonly Architecture[] {
  return [...new Set([...catalog.keys()].map((name) => imagesKey(name).architecture))];
}

export function hasStreams(catalog: BaseCatalog<unknown>): boolean {
  return [...catalog.keys()].some((name) => imagesKey(name).stream !== undefined);
}

interface ChosenImages<T> extends ImagesKey {
  readonly images: T;
}

/**
 * Without a stream, a host gets the images without a stream or, if its architecture has none, those of the only stream.
 * Without an architecture, it gets the only architecture of these images, otherwise x86_64.
 */
export function chooseImages<T>(
  { architecture: wanted, stream }: { readonly [Part in keyof ImagesKey]: ImagesKey[Part] | undefined },
  catalog: BaseCatalog<T>,
): ChosenImages<T> | Problem {
  const all = Array.from(catalog, ([name, images]) => ({ ...imagesKey(name), images }));
  const possible = all.filter((one) => wanted === undefined || one.architecture === wanted);
  const ofStream = possible.filter((one) => one.stream === stream);
  const isOnly = stream === undefined && new Set(possible.map((one) => one.stream)).size === 1;
  const found = ofStream.length === 0 && isOnly ? possible : ofStream;
  const likely = found.length === 0 ? possible : found;
  const architecture = wanted ?? onlyOne(likely.map((one) => one.architecture)) ?? 'x86_64';
  const chosen = found.find((one) => one.architecture === architecture);
  if (chosen !== undefined) return chosen;
  const available = `available: ${[...catalog.keys()].join(', ') || 'none'}`;
  if (stream !== undefined) {
    const message = `no images of the stream ${quoteText(stream)} for ${architecture}; ${available}`;
    return {
      message,
      hint: `pass --iso ${imagesName({ architecture, stream })}=FILE, or use another stream`,
    };
  }
  if (!all.some((one) => one.architecture === architecture)) {
    const hint = `pass --iso ${architecture}=FILE, or --kernel, --initramfs and --rootfs`;
    return { message: `no images for ${architecture}; ${available}`, hint };
  }
  return {
    message: `the images for ${architecture} are of several streams, and none is selected; ${available}`,
    hint: `set image.stream to one of them, or pass images without a stream: --iso ${architecture}=FILE`,
  };
}

/** The item that a list has, perhaps several times, and no other one. */
export function onlyOne<T>(list: readonly (T | undefined)[]): T | undefined {
  const [first, ...others] = new Set(list.filter((item) => item !== undefined));
  return others.length === 0 ? first : undefined;
}

/** The setting `image.stream` of a host, or of all hosts. Only an inventory sets it. */
export function streamSetting({ files = [] }: RenderSource): InputValue | undefined {
  return files
    .map((inputs) => inputs.get('image.stream'))
    .find((values) => values !== undefined)
    ?.at(-1);
}

/**
 * The images of a host with these settings.
 * @throws CliError at the place of the setting `image.stream` if they are missing
 */
export function requireImages<T>(
  source: RenderSource,
  architecture: Architecture | undefined,
  catalog: BaseCatalog<T>,
): ChosenImages<T> {
  const stream = streamSetting(source);
  const chosen = chooseImages({ architecture, stream: stream?.text }, catalog);
  if (!('message' in chosen)) return chosen;
  const message = stream === undefined ? chosen.message : `image.stream: ${chosen.message}`;
  throw new CliError(message, { code: 'ERR_SETTING', hint: chosen.hint, at: stream?.at });
}
