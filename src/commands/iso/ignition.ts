/**
 * `iso ignition`: embeds, prints or removes the Ignition config of a live ISO. Together with the config, files of the user
 * can be added to the initramfs (`--initrd-file`, `--initrd-archive`) or to the medium (`--iso-file`).
 */

import { CliError, UsageError, located } from '../../core/errors.ts';
import { CONFIG_NAME, embedIgnition, readIgnition, removeIgnition } from '../../image/embeddedIgnition.ts';
import type { ImageChange } from '../../image/imageChange.ts';
import { editLiveIso } from '../../hosts/input/imageContents.ts';
import type { LiveIso } from '../../image/liveIso.ts';
import { outputFile } from '../../imagefile/imageOutput.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type GrowthOptions, readLiveIso, type Rewrite } from '../../imagefile/rewriteImage.ts';
import { decompress } from '../../formats/compression.ts';
import { readArchiveFiles } from '../../formats/tar.ts';
import { readInitrd } from '../../image/initrd.ts';
import type { MediumFile } from '../../image/mediumFiles.ts';
import { readUserFile } from '../../io/files/files.ts';
import { withOpened } from '../../imagefile/imageFile.ts';
import { readConfigToEmbed } from '../../hosts/input/configFiles.ts';
import { writeStdout } from '../../io/stdout.ts';
import type { EmbedOptions, ShowOptions } from './options.ts';

/** What is embedded with the config, and how. */
export interface EmbeddingOptions extends GrowthOptions {
  /** Replaces an embedded config, and permits a large growth of the image. */
  readonly force?: boolean;
  /** Files to add to the initramfs, as `HOST_PATH:IMAGE_PATH`. */
  readonly initrdFile?: readonly string[];
  /** Archives of files to add to the initramfs: tar or cpio, compressed or not. */
  readonly initrdArchive?: readonly string[];
  /** Files to add to the medium, as `HOST_PATH:NAME`. */
  readonly isoFile?: readonly string[];
  /** False accepts any bytes as the config. */
  readonly validate?: boolean;
  /** Folder of the local files of a Butane config (default: local files are refused). */
  readonly filesDir?: string | undefined;
}

/** Reads the config before it opens the image, so that errors of the config are reported first. */
export async function embed(options: EmbedOptions, io: Io): Promise<ExitCode> {
  if (options.iso === '-' && options.ignitionFile === undefined) {
    throw new UsageError('standard input cannot be both the image and the config', {
      hint: 'use -i FILE for the config',
    });
  }
  outputFile(options, io); // a usage error is reported before a file is opened
  const config = await readConfigToEmbed(options, io);
  return planEmbedding(config, options, io, (edit) => editLiveIso(options, edit, io));
}

/** Passes `apply` the edit that embeds a checked config with the files of the options, which are open until it is done. */
export async function planEmbedding<T>(
  config: Uint8Array,
  options: EmbeddingOptions,
  io: Io,
  apply: (edit: (iso: LiveIso) => Promise<ImageChange>) => Promise<T>,
): Promise<T> {
  const existing = options.force === true ? 'replace' : 'refuse';
  const initrdFiles = await readInitrdFiles(options, io);
  return withOpened(io, async (open) => {
    const mediumFiles: MediumFile[] = [];
    for (const option of options.isoFile ?? []) {
      const { hostPath, name } = splitOption('--iso-file', option, './ipa.tar:ipa.tar');
      mediumFiles.push({ name, content: await open(hostPath, 'File for the medium') });
    }
    return apply((iso) => embedIgnition(iso, { config, existing, initrdFiles, mediumFiles }));
  });
}

const MAX_BYTES = 512 * 1024 * 1024;

async function readInitrdFiles(
  { initrdFile = [], initrdArchive = [] }: EmbeddingOptions,
  io: Io,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const add = (path: string, data: Uint8Array): void => {
    const name = imagePath(path);
    if (files.has(name))
      throw new CliError(`${name} is added to the initramfs twice`, {
        code: 'ERR_SETTING',
        hint: 'remove the duplicate --initrd-file or --initrd-archive',
      });
    files.set(name, data);
  };
  for (const option of initrdFile) {
    const { hostPath, name } = splitOption('--initrd-file', option, './ca.crt:etc/pki/ca.crt');
    add(name, await readUserFile(hostPath, io, { what: 'File for the initramfs', maxBytes: MAX_BYTES }));
  }
  for (const path of initrdArchive) {
    const bytes = await readUserFile(path, io, { what: 'Archive for the initramfs', maxBytes: MAX_BYTES });
    const hint = 'use a tar or a cpio archive, compressed or not';
    const archive = await located({ subject: `${path}:`, hint }, async () => {
      const data = await decompress(bytes, MAX_BYTES);
      const isCpio = /^07070[12]/.test(Buffer.from(data.subarray(0, 6)).toString('latin1'));
      return isCpio ? readInitrd(bytes, { maxBytes: MAX_BYTES }) : readArchiveFiles(data);
    });
    for (const [name, data] of archive) add(name, data);
  }
  return files;
}

/** The path on the host may contain colons, the name must not. */
function splitOption(flag: string, option: string, example: string): { hostPath: string; name: string } {
  const colon = option.lastIndexOf(':');
  const [hostPath, name] = [option.slice(0, Math.max(0, colon)), option.slice(colon + 1)];
  if (hostPath !== '' && name !== '') return { hostPath, name };
  throw new UsageError(`invalid value '${option}' for '${flag}': PATH:NAME is required`, {
    hint: `use for example ${flag} ${example}`,
  });
}

/** The path relative to the root, without `.` and `..`, as the kernel unpacks it. */
function imagePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts.includes('..') || path.includes('\0')) {
    throw new CliError(`Invalid path in the initramfs: ${path}`, {
      code: 'ERR_SETTING',
      hint: 'use a path such as etc/pki/ca.crt, without ".."',
    });
  }
  const name = parts.join('/');
  if (name !== CONFIG_NAME) return name;
  throw new CliError(`${CONFIG_NAME} is reserved for the Ignition config`, {
    code: 'ERR_SETTING',
    hint: 'use --ignition-file for the Ignition config',
  });
}

export async function show({ iso }: ShowOptions, io: Io): Promise<ExitCode> {
  const config = await readLiveIso(iso, io, readIgnition);
  if (config === undefined) {
    throw new CliError('No embedded Ignition config.', {
      code: 'ERR_IMAGE',
      hint: 'use `iso ignition embed` to embed a config',
    });
  }
  await writeStdout(io, [config]);
  return 0;
}

/** Embedded network settings are kept. Without network settings, the area gets its original bytes. */
export async function remove(options: Rewrite, io: Io): Promise<ExitCode> {
  return editLiveIso(options, removeIgnition, io);
}
