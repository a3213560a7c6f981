/** The artifacts that `--artifacts` selects, and the artifact that boot scripts start. */

import { quoteText } from '../../core/foreignText.ts';
import { networkLoaders, type NetworkLoader } from '../../kargs/folder.ts';
import { UsageError } from '../../core/errors.ts';
import { type ConfigArtifact, configArtifacts, hostArtifacts } from '../../core/artifacts.ts';

export const artifactNames: readonly string[] = [...configArtifacts, ...networkLoaders];

/** The selected artifacts, without duplicates, in the order of {@link artifactNames}. */
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

/** Boot scripts start the first of these that exists. */
export const startOrder: readonly ConfigArtifact[] = configArtifacts.toSorted(
  (one, other) => hostArtifacts[one].startRank - hostArtifacts[other].startRank,
);

export function startedArtifact(configs: readonly ConfigArtifact[]): ConfigArtifact | undefined {
  return startOrder.find((name) => configs.includes(name));
}

/** Whether a machine that boots the artifact fetches the root filesystem from the folder, without a boot script. */
export function fetchesRootfs(artifact: ConfigArtifact): boolean {
  const { base, way } = hostArtifacts[artifact];
  return base !== undefined && way !== 'iso';
}

/** Whether the folder must contain kernel, initramfs and root filesystem. */
export function needsSharedImages({ configs, loaders }: WantedArtifacts): boolean {
  return configs.some(fetchesRootfs) || (loaders.length > 0 && startedArtifact(configs) !== 'iso');
}

/** Whether files contain URLs of other files. */
export function needsBaseUrl({ configs, loaders }: WantedArtifacts): boolean {
  return loaders.length > 0 || configs.includes('minimal-iso');
}
