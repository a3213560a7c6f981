/** Scripts that all machines read, and the config and boot of those that no inventory lists. */

import type { NetworkBoot, NetworkHost, RamdiskBoot } from '../../boot/network/networkBoot.ts';
import { networkBootFiles } from '../../boot/network/bootFiles.ts';
import { renderDnsmasq } from '../../boot/network/dnsmasq.ts';
import { withDiscovery } from '../../boot/discovery.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { Architecture } from '../../boot/checkForms.ts';
import { CliError } from '../../errors.ts';
import { startedArtifact } from '../../prepare/artifacts.ts';
import { isoArguments } from '../../prepare/isoArguments.ts';
import { discoveryPath } from '../../prepare/servedPaths.ts';
import { createSettingsReader, readInputs } from '../render/settings.ts';
import { putConfigFiles } from './configFiles.ts';
import { readBootSettings, scriptSecrets, tellBoot } from './hostBoot.ts';
import type { HostJob } from './hosts.ts';
import type { ImageSet } from './imageSets.ts';

/** @throws CliError where what is said of all hosts does not give a config, or scripts cannot be written */
export async function prepareDiscovery(
  isForUnknown: boolean,
  hosts: readonly NetworkHost[],
  job: HostJob,
): Promise<void> {
  const { access, maker, wanted } = job;
  const { baseUrl, loaders } = wanted;
  const discovery = isForUnknown ? await putDiscovery(job) : [];
  if (loaders.length === 0) return;
  const boot: NetworkBoot = { hosts: [], discovery, loaders };
  const folder = baseUrl === undefined ? {} : { folderUrl: baseUrl };
  if (!tellBoot({ ...boot, ...folder }, wanted, maker.io)) {
    throw new CliError('The scripts for all machines cannot be written', {
      hint: 'mend what is reported above',
    });
  }
  const secrets = discovery.flatMap(scriptSecrets).slice(0, 1);
  const permissions = secrets.length > 0 ? access.secret : access.open;
  for (const { path, text } of networkBootFiles(boot)) {
    await maker.folder.put({ path, secrets, ...permissions }, Buffer.from(text));
  }
  if (baseUrl === undefined || !loaders.includes('ipxe')) return;
  await maker.folder.put(
    { path: 'dnsmasq.conf', ...access.open },
    Buffer.from(renderDnsmasq(baseUrl, hosts)),
  );
}

/** One config, and a boot for each architecture that there are images of. */
async function putDiscovery(job: HostJob): Promise<RamdiskBoot[]> {
  const { access, images, layers, maker, render, source, wanted } = job;
  const config = await render(source);
  if (config === undefined) {
    throw new CliError('There is no config for machines that are not listed', {
      hint: 'mend what is reported above, or leave --discovery out',
    });
  }
  const permissions = config.secrets.length > 0 ? access.secret : access.open;
  const boots: RamdiskBoot[] = [];
  const sets: readonly (ImageSet | undefined)[] = images.size === 0 ? [undefined] : [...images.values()];
  for (const [index, set] of sets.entries()) {
    const pathOf = architecturePaths(set, images.size);
    const subject = { architecture: set?.architecture ?? 'x86_64', images: set, layers, pathOf };
    const settings = readBootSettings(subject, wanted, maker.io);
    await putConfigFiles(
      {
        config: config.document,
        // The config itself is the same for all of them.
        artifacts: index === 0 ? wanted.configs : wanted.configs.filter((artifact) => artifact !== 'ign'),
        isoArguments: isoArguments(settings),
        images: set,
        purposeOf: (artifact) => ({ path: pathOf(artifact), secrets: config.secrets, ...permissions }),
      },
      maker,
    );
    // An ISO is started by the firmware, and that of an unknown machine asks for a script.
    const started = startedArtifact(wanted.configs);
    if (set === undefined || started === 'iso' || started === 'minimal-iso') continue;
    const agent = await readAgent(job);
    boots.push({ kind: 'ramdisk', architecture: set.architecture, settings: withCallback(settings, agent) });
  }
  return boots;
}

/** With several architectures, images and archives of each have a folder of their own. */
function architecturePaths(set: ImageSet | undefined, count: number): typeof discoveryPath {
  const folder: Architecture | undefined = count > 1 ? set?.architecture : undefined;
  if (folder === undefined) return discoveryPath;
  return (artifact) => (artifact === 'ign' ? discoveryPath(artifact) : discoveryPath(artifact, folder));
}

async function readAgent({ source }: HostJob): Promise<AgentSettings> {
  return createSettingsReader()(source, readInputs(source), () => undefined); // warnings came with the config
}

/** Of the agent's configuration only what an inspection starts with; all the rest is in its config. */
function withCallback(settings: RamdiskBoot['settings'], agent: AgentSettings): RamdiskBoot['settings'] {
  const { apiUrls, callbackUrls, debug, verifyIronicTls } = agent;
  const apiUrl = apiUrls.find((url) => url !== 'mdns');
  const callbackUrl =
    callbackUrls[0] ?? (apiUrl === undefined ? undefined : `${apiUrl}/v1/continue_inspection`);
  if (callbackUrl === undefined) return settings;
  return withDiscovery(settings, {
    callbackUrl,
    ...(apiUrl !== undefined && { apiUrl }),
    collectors: [],
    vlanInterfaces: [],
    dhcpAllInterfaces: true,
    collectLldp: true,
    insecure: !verifyIronicTls,
    debug,
  });
}
