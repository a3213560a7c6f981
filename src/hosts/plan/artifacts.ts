/** The artifacts that `--artifacts` selects, and the artifact that boot scripts start. */

import { quoteText } from '../../core/foreignText.ts';
import { networkLoaders, type NetworkLoader } from '../../kargs/folder.ts';
import { UsageError } from '../../core/errors.ts';
import type { ArtifactKind } from '../../http/server/answer/resource.ts';

/**
 * `archive`: the config as a small archive that is loaded after the shared initramfs. `initramfs`: both in one file, for
 * Ironic and other programs that load only one.
 */
export const configArtifacts = [
  'ign',
  'archive',
  'initramfs',
  'iso',
  'minimal-iso',
] as const satisfies readonly ArtifactKind[];

export type ConfigArtifact = (typeof configArtifacts)[number];

const artifactNames: readonly string[] = [...configArtifacts, ...networkLoaders];

/** The selected artifacts, without duplicates, in the order of the lists above. */
export interface WantedArtifacts {
  readonly configs: readonly ConfigArtifact[];
  /** The same for hosts with a static network; undefined if it does not differ. */
  readonly staticConfigs?: readonly ConfigArtifact[];
  readonly loaders: readonly NetworkLoader[];
}

/** The selected artifacts, and the URL of their folder. */
export interface Wanted extends WantedArtifacts {
  /** Without a final slash; undefined if no file contains the URL of another file. */
  readonly baseUrl: string | undefined;
}

/**
 * The default: configs that hosts fetch, and the scripts of all boot loaders. A host with a static network may have no DHCP to
 * fetch its config: its boot loader loads the archive, which contains the config and the network.
 */
export const defaultArtifacts: WantedArtifacts = {
  configs: ['ign'],
  staticConfigs: ['ign', 'archive'],
  loaders: networkLoaders,
};

/** @throws UsageError for an unknown name, and for boot scripts without an artifact to start */
export function parseArtifacts(text: string): WantedArtifacts {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !artifactNames.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`invalid value ${quoteText(unknown)} for --artifacts`, {
      hint: `use a comma-separated list of ${artifactNames.join(', ')}`,
    });
  }
  const configs = configArtifacts.filter((name) => names.includes(name));
  const loaders = networkLoaders.filter((name) => names.includes(name));
  if (configs.length > 0) return { configs, loaders };
  throw new UsageError('--artifacts contains only boot scripts, without a config to start', {
    hint: `add one of ${configArtifacts.join(', ')}`,
  });
}

/** Boot scripts start the first of these that exists: the smallest download first, ISOs last. */
const started = ['archive', 'initramfs', 'ign', 'minimal-iso', 'iso'] as const;

/** The artifact that the boot scripts of a host start. */
export function startedArtifact(configs: readonly ConfigArtifact[]): ConfigArtifact | undefined {
  return started.find((name) => configs.includes(name));
}

/** Whether the folder must contain kernel, initramfs and root filesystem. */
export function needsSharedImages({ configs, loaders }: WantedArtifacts): boolean {
  if (configs.includes('initramfs') || configs.includes('minimal-iso')) return true;
  return loaders.length > 0 && startedArtifact(configs) !== 'iso';
}

/** Whether files contain URLs of other files. */
export function needsBaseUrl({ configs, loaders }: WantedArtifacts): boolean {
  return loaders.length > 0 || configs.includes('minimal-iso');
}
