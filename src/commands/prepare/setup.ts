/** The setup of `prepare` from its command line and its inventory, read and checked before anything is written. */

import { hostArtifacts } from '../../core/artifacts.ts';
import type { PrepareOptions } from './options.ts';
import { basename, resolve } from 'node:path';
import {
  defaultArtifacts,
  needsBaseUrl,
  needsSharedImages,
  parseArtifacts,
  type Wanted,
  type WantedArtifacts,
} from '../../hosts/plan/artifacts.ts';
import { parseBaseUrl } from '../../hosts/plan/servedPaths.ts';
import { UsageError } from '../../core/errors.ts';
import { parseMode } from '../../imagefile/imageOutput.ts';
import type { Io } from '../../io/io.ts';
import type { Access } from './folder/preparedFolder.ts';
import { findGroup } from './folder/userGroup.ts';
import type { Inventory } from '../../hosts/settings/inventoryDocument.ts';
import { hashFile } from '../../io/files/fileDigests.ts';
import { statsOf } from '../../io/files/fileStates.ts';
import type { ManifestInput } from '../../hosts/artifacts/manifest.ts';
import { reportUrlAddresses } from '../../hosts/plan/bootInputs.ts';
import { readInventoryFile } from '../../hosts/settings/inventory.ts';
import { INVENTORY_SETTINGS_PLACE, readInputs, type RenderSource } from '../../hosts/settings/settings.ts';

/** @throws UsageError for an invalid mode, CliError for an unknown group */
export function readAccess({ mode, group }: PrepareOptions) {
  const bits = mode === undefined ? undefined : parseMode(mode);
  const id = group === undefined ? undefined : findGroup(group);
  const open: Access = { mode: 0o666 & ~process.umask() };
  const secret: Access = { mode: bits ?? (id === undefined ? 0o600 : 0o640), group: id };
  return { open, secret };
}

/** @throws UsageError for options that cannot be combined, or if an option is missing */
export function readWanted(options: PrepareOptions): Wanted {
  const { artifacts, baseUrl: url } = options;
  const baseUrl = url === undefined ? undefined : parseBaseUrl(url);
  // GRUB and PXELINUX do not support https.
  const usual: WantedArtifacts =
    baseUrl?.startsWith('https:') === true ? { ...defaultArtifacts, loaders: ['ipxe'] } : defaultArtifacts;
  const asked = artifacts === undefined ? usual : parseArtifacts(artifacts);
  if (baseUrl === undefined && needsBaseUrl(asked)) {
    throw new UsageError('--base-url is missing', {
      hint: 'pass the URL of the folder, for example --base-url http://192.0.2.1/boot, or use --artifacts ign for configs only',
    });
  }
  const { iso = [], kernel = [], initramfs = [], images } = options;
  const hasIso = iso.length > 0 || images !== undefined;
  if (!hasIso && asked.configs.some((name) => hostArtifacts[name].base === 'iso')) {
    throw new UsageError('--artifacts contains ISOs, but no live ISO is given', {
      hint: 'pass it with --iso FILE',
    });
  }
  const hasImages = hasIso || (kernel.length > 0 && initramfs.length > 0);
  if (hasImages || !needsSharedImages(asked)) return { ...asked, baseUrl };
  throw new UsageError('boot scripts require a kernel, an initramfs and a root filesystem', {
    hint: 'pass --iso FILE, or --kernel, --initramfs and --rootfs, or a folder of downloads with --images FOLDER',
  });
}

export interface ReadSource {
  readonly inventory: Inventory;
  readonly source: RenderSource;
  readonly input: readonly ManifestInput[];
}

/** Reports errors that concern all hosts before anything is written. */
export async function readSource(options: PrepareOptions, io: Io): Promise<ReadSource> {
  const { baseUrl = '', inventory: name, profile } = options;
  reportUrlAddresses([[{ name: '--base-url' }, baseUrl]], io);
  const given = { inventory: name, profile, failFast: options.failFast };
  const input = name === undefined ? [] : await describeFile(name, io);
  const { inventory, source } = await readInventoryFile(name, given, io);
  readInputs(source);
  return { inventory, source: { ...source, settingsPlace: INVENTORY_SETTINGS_PLACE }, input };
}

/** A pipe can be read only once. */
async function describeFile(name: string, io: Io): Promise<ManifestInput[]> {
  const path = resolve(io.cwd, name);
  const stats = await statsOf(path);
  if (stats?.isFile() !== true) return [];
  const sha256 = (await hashFile(path)).digest('hex');
  return [{ role: 'inventory', name: basename(name), size: stats.size, sha256 }];
}
