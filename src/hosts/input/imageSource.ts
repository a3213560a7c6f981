/** Opens a source that may contain a config: a file, a live ISO, an initramfs, a URL of one of these, or standard input. */

import { CliError, located } from '../../core/errors.ts';
import { detectKind, type ImageKind } from '../../image/imageKind.ts';
import { bytesAccess, type ImageAccess } from '../../image/overlay.ts';
import { type Expected, tooLargeError } from '../../io/files/files.ts';
import { openImage } from '../../imagefile/imageFile.ts';
import type { Io } from '../../io/io.ts';
import type { Config } from '../../ignition/config.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { CONFIG_NAME, readIgnition } from '../../image/embeddedIgnition.ts';
import { readInitrdFrom, sourceOfImage } from '../../image/initrd.ts';
import { openLiveIso } from '../../image/liveIso.ts';
import { hintContent } from './contentKind.ts';
import { CONFIG_FILE, readSourceConfig } from './sourceConfig.ts';

export interface ImageInput {
  readonly kind: ImageKind;
  /** The name for messages, without secrets. */
  readonly name: string;
  readonly image: ImageAccess;
}

/**
 * Opens `source`, calls `use` and closes it; `-` is standard input. Bytes have the name `image`.
 * @param what begins a sentence, e.g. `Image`
 * @throws CliError if it cannot be read
 */
export async function readImageSource<T>(
  source: string | Uint8Array,
  what: string,
  io: Pick<Io, 'cwd' | 'note' | 'stdin'>,
  use: (source: ImageInput) => Promise<T>,
): Promise<T> {
  if (typeof source !== 'string') return use(await detected('image', bytesAccess(source), io));
  const image = await openImage(source, io, what);
  try {
    const result = await use(await detected(image.name, image, io));
    await image.checkUnchanged();
    return result;
  } finally {
    await image.close();
  }
}

async function detected(name: string, image: ImageAccess, { note }: Pick<Io, 'note'>): Promise<ImageInput> {
  const kind = await detectKind(image);
  note?.(`${name}: detected ${kind === 'other' ? 'no image' : kind}`);
  return { kind, name, image };
}

/**
 * Reads all bytes of a source that is not an image.
 * @throws CliError if it is too large
 */
export async function readWhole({ image, name }: ImageInput, { maxBytes }: Expected): Promise<Uint8Array> {
  if (image.size <= maxBytes) return image.read(0, image.size);
  throw tooLargeError({ what: name, maxBytes });
}

const onlyConfig = { wants: (path: string) => path === CONFIG_NAME, maxKept: CONFIG_FILE.maxBytes };

/** Reads the config in `source` and the configs that it inlines; `-` is standard input. @throws CliError if it contains none */
export async function readConfigOfImage(source: string, io: Io): Promise<Config> {
  return readImageSource(source, CONFIG_FILE.what, io, (opened) =>
    located({ subject: `${opened.name}:` }, async () => {
      const { json, name, text } = await readSourceConfig(opened.name, await extractDocument(opened));
      const read = readEffectiveConfig(json);
      if (read.status === 'read') return read.config;
      const { message, hint = 'run `ironic-coreos validate FILE` to list its errors' } = read.finding;
      throw new CliError(`not a valid Ignition config: ${name}: ${message}`, {
        code: 'ERR_CONFIG_INVALID',
        hint: (await hintContent(name, text)) ?? hint,
      });
    }),
  );
}

async function extractDocument(source: ImageInput): Promise<Uint8Array> {
  const { kind, image, name } = source;
  if (kind === 'iso') return found(await readIgnition(await openLiveIso(image)), name);
  if (kind === 'kernel' || kind === 'other') return readWhole(source, CONFIG_FILE);
  return found((await readInitrdFrom(sourceOfImage(image), onlyConfig)).get(CONFIG_NAME), name);
}

function found(config: Uint8Array | undefined, name: string): Uint8Array {
  if (config !== undefined) return config;
  throw new CliError(`${name} contains no Ignition config`, {
    code: 'ERR_FORMAT',
    hint: 'embed one with `iso ignition embed`, or pass an image with a config',
  });
}
