/** `deploy baremetalhost` for the hosts of an inventory. */

import { holdsSecrets, type HostSettings, renderHostManifests } from './documents/bareMetalHost.ts';
import type { PlainConfig } from './documents/installedConfig.ts';
import { CliError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { formatManifests } from './deployDocument.ts';
import { formatItem, manifestList, plainFrame } from './hostFrames.ts';
import { type DeployJob, isFolder, writeHosts } from './hosts.ts';
import { type BareMetalHostOptions, readHostSettings } from './hostSettings.ts';

/** Ends with 1 where a host is wrong; the others are written. */
export async function bareMetalHosts(
  options: BareMetalHostOptions & { readonly inventory: string },
  format: 'yaml' | 'json',
  io: Io,
): Promise<ExitCode> {
  const shared = rememberShared();
  const { formatYaml } = await import('../formats/yamlText.ts');
  const formatPart = (manifests: readonly object[]): string =>
    format === 'json'
      ? manifests.map(formatItem).join(',\n')
      : manifests.map((manifest) => `---\n${formatYaml([manifest])}`).join('');
  const make: DeployJob<BareMetalHostOptions>['make'] = async (host, context) => {
    const settings = await readHostSettings(host, context);
    if (settings === undefined) return undefined;
    const isKnown = shared(settings) === 'known';
    const manifests = renderHostManifests(settings);
    const content = holdsSecrets(settings) ? 'secret' : 'public';
    if (isFolder(options)) return { text: await formatManifests(manifests, format), content };
    const isRepeated = ({ kind, metadata }: (typeof manifests)[number]): boolean =>
      isKnown && kind === 'Secret' && metadata.name === settings.userData;
    return { text: formatPart(manifests.filter((manifest) => !isRepeated(manifest))), content };
  };
  const frame = format === 'json' ? manifestList : plainFrame;
  return writeHosts({ options, extension: `.${format}`, frame, make }, io);
}

/** A Secret that several hosts have for their config. */
interface SharedConfig {
  readonly config: PlainConfig;
  readonly host: string;
}

/** Tells whether a host's Secret was there before; one name for two configs would leave one host without its own. */
function rememberShared(): (settings: HostSettings) => 'new' | 'known' {
  const known = new Map<string, SharedConfig>();
  return ({ host, namespace = '', userData, config }) => {
    if (userData === undefined || config === undefined) return 'new';
    const key = `${namespace}/${userData}`;
    const other = known.get(key);
    if (other === undefined) {
      known.set(key, { config, host: host.name });
      return 'new';
    }
    if (other.config === config || JSON.stringify(other.config) === JSON.stringify(config)) return 'known';
    throw new CliError(`the Secret ${userData} would hold another config than for ${other.host}`, {
      hint: 'leave --user-data-name out, or put {name} into it',
    });
  };
}
