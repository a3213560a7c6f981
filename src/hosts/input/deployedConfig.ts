/** What is deployed: the Ignition config in a file, in a live ISO, in an initramfs, or at a URL of one of them. */

import { CliError, FormatError } from '../../core/errors.ts';
import type { Config } from '../../ignition/config.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { CONFIG_NAME, readIgnition } from '../../image/embeddedIgnition.ts';
import { readInitrdFrom, sourceOfImage } from '../../image/initrd.ts';
import { openLiveIso } from '../../image/liveIso.ts';
import type { Io } from '../../io/io.ts';
import { type ExpectedSource, type ImageInput, readImageSource, readWhole } from './imageSource.ts';

/** Of a config; images are read in parts. */
const expected: ExpectedSource = { what: 'Deployed config (--diff)', maxBytes: 64 * 1024 * 1024 };
const onlyConfig = { wants: (path: string) => path === CONFIG_NAME, maxKept: expected.maxBytes };

/** Reads the config that `source` names, with what is inlined in it; `-` is standard input. Throws CliError where there is none. */
export async function readDeployedConfig(source: string, io: Io): Promise<Config> {
  return readImageSource(source, expected, { io, use: extractConfig });
}

async function extractConfig(source: ImageInput): Promise<Config> {
  try {
    return decodeConfig(await extractDocument(source), source.name);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint = 'give an Ignition config, a live ISO or an initramfs with one in it' } = error;
    throw new CliError(`${source.name}: ${error.message}`, { hint, cause: error });
  }
}

async function extractDocument(source: ImageInput): Promise<Uint8Array> {
  const { kind, image, name } = source;
  if (kind === 'iso') return found(await readIgnition(await openLiveIso(image)), name);
  if (kind === 'other') return readWhole(source, expected);
  return found((await readInitrdFrom(sourceOfImage(image), onlyConfig)).get(CONFIG_NAME), name);
}

function found(config: Uint8Array | undefined, name: string): Uint8Array {
  if (config !== undefined) return config;
  throw new CliError(`${name} holds no Ignition config`, {
    hint: 'embed one with `iso ignition embed`, or give the file that is deployed',
  });
}

function decodeConfig(document: Uint8Array, name: string): Config {
  const read = readEffectiveConfig(document);
  if (read.status === 'read') return read.config;
  const { message, hint = 'check it with `validate`' } = read.finding;
  throw new CliError(`${name} is no Ignition config that can be read: ${message}`, { hint });
}
