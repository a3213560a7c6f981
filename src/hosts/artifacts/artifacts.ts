/** What can be made for a host, by the names that `--artifacts` takes, and what its boot scripts then start. */

import { networkLoaders, type NetworkLoader } from '../../boot/network/networkBoot.ts';
import { UsageError } from '../../core/errors.ts';

/**
 * `archive`: the config as a small archive that is loaded behind the shared initramfs. `initramfs`: both in one file, for
 * whoever takes only one, such as Ironic.
 */
const configArtifacts = ['ign', 'archive', 'initramfs', 'iso', 'minimal-iso'] as const;

export type ConfigArtifact = (typeof configArtifacts)[number];
type Artifact = ConfigArtifact | NetworkLoader;

const artifactNames: readonly Artifact[] = [...configArtifacts, ...networkLoaders];

/** What is to be made, each once, in the order of the lists above. */
export interface WantedArtifacts {
  readonly configs: readonly ConfigArtifact[];
  readonly loaders: readonly NetworkLoader[];
}

/** With the URL of the folder that they are in. */
export interface Wanted extends WantedArtifacts {
  /** Without a final slash; undefined where no file names another. */
  readonly baseUrl: string | undefined;
}

/** Where nothing is said: configs that are fetched, and the scripts of all loaders. */
export const defaultArtifacts: WantedArtifacts = { configs: ['ign'], loaders: networkLoaders };

/** @throws UsageError for a name that is not known, and for scripts that would have nothing to start */
export function parseArtifacts(text: string): WantedArtifacts {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !artifactNames.some((known) => known === name));
  if (unknown !== undefined) {
    throw new UsageError(`--artifacts: ${JSON.stringify(unknown)} is not known`, {
      hint: `use names of ${artifactNames.join(', ')}, with commas between them`,
    });
  }
  const configs = configArtifacts.filter((name) => names.includes(name));
  const loaders = networkLoaders.filter((name) => names.includes(name));
  if (configs.length > 0) return { configs, loaders };
  throw new UsageError('--artifacts: boot scripts alone have no config to start', {
    hint: `add one of ${configArtifacts.join(', ')}`,
  });
}

/** What scripts start, the first that is there: what travels least, but images only where there is nothing else. */
const started = ['archive', 'initramfs', 'ign', 'minimal-iso', 'iso'] as const;

/** The artifact that the boot scripts of a host start. */
export function startedArtifact(configs: readonly ConfigArtifact[]): ConfigArtifact | undefined {
  return started.find((name) => configs.includes(name));
}

/** Whether kernel, initramfs and root filesystem have to be in the folder. */
export function needsSharedImages({ configs, loaders }: WantedArtifacts): boolean {
  if (configs.includes('initramfs') || configs.includes('minimal-iso')) return true;
  return loaders.length > 0 && startedArtifact(configs) !== 'iso';
}

/** Whether files name others by their URL. */
export function needsBaseUrl({ configs, loaders }: WantedArtifacts): boolean {
  return loaders.length > 0 || configs.includes('minimal-iso');
}
