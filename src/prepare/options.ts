/** The options of `prepare`, under the names of the command line, and what they ask for. */

import {
  defaultArtifacts,
  needsBaseUrl,
  needsSharedImages,
  parseArtifacts,
  type Wanted,
  type WantedArtifacts,
} from '../hosts/artifacts/artifacts.ts';
import { parseBaseUrl } from '../hosts/artifacts/servedPaths.ts';
import { UsageError } from '../core/errors.ts';
import { parseMode } from '../io/images/imageOutput.ts';
import type { Io } from '../io/io.ts';
import { findGroup } from './folder/userGroup.ts';
import type { Access } from './folder/preparedFolder.ts';
import { parseChoice } from '../io/report/choices.ts';
import type { ImageOptions } from '../hosts/plan/imageInputs.ts';
import { type LayoutName, layoutNames } from './layoutNames.ts';

export interface PrepareOptions extends ImageOptions {
  /** A folder. */
  readonly output?: string;
  readonly inventory?: string;
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly artifacts?: string;
  /** `folder`, `metal3` or `bifrost`. */
  readonly layout?: string;
  /** A config for machines that the inventory does not list. */
  readonly discovery?: boolean;
  /** Images may become longer where a config does not fit. */
  readonly grow?: boolean;
  readonly mode?: string;
  readonly group?: string;
  readonly prune?: boolean;
  readonly force?: boolean;
  readonly failFast?: boolean;
  /** A tar archive of the folder. */
  readonly bundle?: string;
  /** Each `FILE` or `ARCHITECTURE=FILE`. */
  readonly agentArchive?: readonly string[];
}

/** Who asks for CoreOS by the variable of Metal3's design asks for its folder. Throws UsageError for other names. */
export function chooseLayout({ layout }: PrepareOptions, { env }: Pick<Io, 'env'>): LayoutName {
  const usual = env['IRONIC_USE_COREOS_IPA'] === 'true' ? 'metal3' : 'folder';
  return parseChoice('--layout', layout, layoutNames) ?? usual;
}

/** Permissions of files, whether they hold a secret or not. */
export interface FileAccess {
  readonly open: Access;
  readonly secret: Access;
}

/** Throws UsageError for a mode that is none, CliError for a group that is not there. */
export async function readAccess({ mode, group }: PrepareOptions): Promise<FileAccess> {
  const bits = mode === undefined ? undefined : parseMode(mode);
  const id = group === undefined ? undefined : await findGroup(group);
  return {
    open: { mode: 0o666 & ~process.umask() },
    secret: { mode: bits ?? (id === undefined ? 0o600 : 0o640), group: id },
  };
}

/** Throws UsageError for what does not go together. */
export function readWanted(options: PrepareOptions): Wanted {
  const { artifacts, baseUrl: url } = options;
  const baseUrl = url === undefined ? undefined : parseBaseUrl(url);
  const asked = artifacts === undefined ? usualArtifacts(baseUrl) : parseArtifacts(artifacts);
  if (baseUrl === undefined && needsBaseUrl(asked)) {
    throw new UsageError('under which URL will the folder be served? --base-url is missing', {
      hint: 'for example --base-url http://192.0.2.1/boot, or --artifacts ign for configs alone',
    });
  }
  const { iso = [], kernel = [], initramfs = [], images } = options;
  if (asked.configs.includes('iso') || asked.configs.includes('minimal-iso')) {
    if (iso.length === 0 && images === undefined) {
      throw new UsageError('--artifacts asks for ISOs, and no live ISO is given', {
        hint: 'give it with --iso FILE',
      });
    }
  }
  const hasImages = iso.length > 0 || images !== undefined || (kernel.length > 0 && initramfs.length > 0);
  if (hasImages || !needsSharedImages(asked)) return { ...asked, baseUrl };
  throw new UsageError('hosts need a kernel, an initramfs and a root filesystem to boot', {
    hint: 'give --iso FILE, or --kernel, --initramfs and --rootfs, or --images FOLDER of downloads',
  });
}

/** Neither GRUB nor PXELINUX fetches by https, so their scripts are not made for such a folder unless asked for. */
function usualArtifacts(baseUrl: string | undefined): WantedArtifacts {
  if (baseUrl?.startsWith('https:') !== true) return defaultArtifacts;
  return { ...defaultArtifacts, loaders: ['ipxe'] };
}
