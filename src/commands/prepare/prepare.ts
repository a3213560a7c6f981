/**
 * `prepare`: creates a folder for a web server from an inventory and base images. Files that boot scripts name have new
 * paths if their content changes. When all of them are written, the scripts, the manifest and the checksums are replaced
 * together; files are removed last. If it is interrupted at any time, each host boots either the previous or the new files.
 */

import { resolve } from 'node:path';
import { formatCount } from '../../formats/messageText.ts';
import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { keepHeapSmall } from '../../io/process.ts';
import { openPreparedFolder, type PreparedFolder } from './folder/preparedFolder.ts';
import {
  type ConfigArtifact,
  needsSharedImages,
  startedArtifact,
  type Wanted,
} from '../../hosts/artifacts/artifacts.ts';
import {
  artifactPath,
  discoveryFolder,
  hostFolder,
  ID_DIGITS,
  imagePath,
  inAnyCase,
  isFetched,
  ownedScripts,
  refuseSharedPaths,
} from '../../hosts/artifacts/servedPaths.ts';
import {
  formatInvalid,
  type HostRun,
  type MadeHost,
  makeHosts,
  startRun,
  writeMade,
} from '../../hosts/hostRun.ts';
import { createAddressCheck } from '../../hosts/settings/renderHosts.ts';
import { printable } from '../../core/foreignText.ts';
import { DNSMASQ, readDhcpRange, scriptSecrets, sharedBootFiles } from '../../hosts/plan/hostBoot.ts';
import { hasUnknown, planUnknown } from '../../hosts/plan/planUnknown.ts';
import { readAgentArchives } from '../../hosts/plan/agentArchives.ts';
import { checkBundle, readBundle } from './bundle.ts';
import { finishRun } from './finish.ts';
import type { Layout, PrepareRun } from './run.ts';
import { architecturesOf, type BaseCatalog, type ImagesName } from '../../hosts/plan/baseCatalog.ts';
import { type InputImages, readImageInputs } from '../../hosts/plan/imageInputs.ts';
import { publishIn, putArtifact, putImages, withInitramfsIn } from './putFiles.ts';
import {
  type BaseSet,
  closeBaseSets,
  type ImageSet,
  imageSetOf,
  openBaseSets,
} from '../../hosts/artifacts/baseImages.ts';
import type { ImagePart } from '../../image/bootParts.ts';
import { chooseLayout, type PrepareOptions, readAccess, readSource, readWanted } from './options.ts';
import { isDeepStrictEqual } from 'node:util';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { hostBootFiles, hostScriptPaths } from '../../kargs/network/bootFiles.ts';
import { type DhcpRange, usualRange } from '../../kargs/network/dnsmasq.ts';
import type { NetworkHost } from '../../kargs/network/networkBoot.ts';
import { memoryNeeds, type UnlistedMemory } from '../../hosts/artifacts/hostMemory.ts';
import type { ManifestHost } from '../../hosts/artifacts/manifest.ts';
import { report } from '../../io/report/report.ts';
import { type HostPlan, planHost, type PlanJob } from '../../hosts/plan/planHost.ts';
import { createHash } from 'node:crypto';
import { programVersion } from '../../core/programVersion.ts';
import type { Growth } from '../../image/growth.ts';

/**
 * The exit code is 1 if a host is invalid; the other hosts are prepared, and invalid hosts keep their previous files.
 * @throws CliError if an input is invalid or a file cannot be written
 */
export async function prepare(given: PrepareOptions, io: Io): Promise<ExitCode> {
  const layout = await readLayout(given, io);
  const { options, shown } = layout;
  const bundle = readBundle(options, io);
  const access = await readAccess(options);
  const read = await readSource(options, io);
  layout.check?.(read.inventory);
  if ((read.inventory.hosts?.length ?? 0) > MANY_HOSTS) keepHeapSmall();
  const folder = await openPreparedFolder(resolve(io.cwd, shown), { ...access, ...layout });
  try {
    await checkBundle(bundle);
    const archives = await readAgentArchives(options.agentArchive, io);
    try {
      const publish = publishIn(folder, layout.baseUrl, layout.served);
      const growth = options.grow === true ? 'usual' : 'refused';
      return await layout.write({ ...layout, folder, read, archives, publish, growth, bundle, io });
    } finally {
      await archives.close();
    }
  } finally {
    await folder.release();
  }
}

const MANY_HOSTS = 1000;

async function readLayout(options: PrepareOptions, io: Io): Promise<Layout> {
  const name = chooseLayout(options, io);
  if (name !== 'folder') {
    const { fixedLayout } = await import('./fixedLayout.ts');
    return fixedLayout(name, options, io);
  }
  const shown = options.output ?? '';
  if (shown === '' || shown === '-') {
    throw new UsageError('--output is missing', {
      hint: 'pass the folder to prepare, for example -o /srv/boot',
    });
  }
  const wanted = readWanted(options);
  const range = readDhcpRange(options.dhcpRange, wanted);
  return {
    layout: name,
    options,
    shown,
    baseUrl: wanted.baseUrl,
    served: '',
    force: options.force === true,
    isStaged: (path) => !isFetched(path),
    write: (run) => fillFolder(run, { wanted, range }),
  };
}

async function fillFolder(run: PrepareRun, chosen: Pick<HostJob, 'wanted' | 'range'>): Promise<ExitCode> {
  const { folder, io, options, read } = run;
  const inputs = await readImageInputs(options, folder.digests, io);
  const bases = await openBaseSets(inputs);
  try {
    const images = await putImageSets(folder, bases, chosen.wanted);
    const { source } = read;
    const job = { ...run, ...chosen, images, source, checkAddresses: createAddressCheck() };
    return await prepareAll(inputs, job);
  } finally {
    await closeBaseSets(bases);
  }
}

async function prepareAll(images: BaseCatalog<InputImages>, job: HostJob): Promise<ExitCode> {
  const { folder, io, options, read, shown, wanted } = job;
  const { hosts = [] } = read.inventory;
  refuseSharedPaths(inAnyCase(ownedScripts(hosts, wanted)), 'rename one of the two hosts');
  const hostRun = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const prepared = await prepareHosts(hosts, job, hostRun);
  const memory = await prepareDiscovery(hasUnknown(read.inventory, options, io), prepared.isoBoots, job);
  const artifacts = [...wanted.configs, ...wanted.loaders];
  await finishRun(job, { ...prepared, artifacts, images, memory, hostRun });
  const { written, unchanged } = folder.counts;
  const valid = hosts.length - prepared.invalid.size;
  const made = `${formatCount(valid, 'host')} prepared, ${formatCount(written, 'file')} written`;
  io.stderr.write(`${printable(shown)}: ${made}, ${unchanged} unchanged, ${formatInvalid(hostRun)}\n`);
  return hostRun.counts.invalid > 0 ? 1 : 0;
}

/** Copies the images to the folder, and returns their paths. In `bases`, the images are replaced with those in the folder. */
async function putImageSets(
  folder: PreparedFolder,
  bases: Map<ImagesName, BaseSet>,
  wanted: Wanted,
): Promise<Map<ImagesName, ImageSet>> {
  const sets = new Map<ImagesName, ImageSet>();
  const isServed = needsSharedImages(wanted);
  for (const [name, base] of bases) {
    const same = [...sets.values()].find((set) => set.base.id === base.id);
    const pathOf = (part: ImagePart): string => imagePath(base.id, part);
    if (same !== undefined) {
      bases.set(name, same.base);
      sets.set(name, same);
    } else if (isServed) {
      await putImages(folder, base, pathOf);
      const inFolder = await withInitramfsIn(folder, base, pathOf('initramfs'));
      bases.set(name, inFolder);
      sets.set(name, imageSetOf(inFolder, pathOf));
    } else sets.set(name, { base, paths: {} });
  }
  return sets;
}

// Writes the files of each host: config and images first, then the boot scripts that refer to them.

/** The inputs that all hosts share. */
interface HostJob extends PlanJob, PrepareRun {
  readonly images: BaseCatalog<ImageSet>;
  /** For `dnsmasq.conf`; undefined for the range of the base URL. */
  readonly range: DhcpRange | undefined;
}

/** The written hosts, and the names of invalid hosts. */
interface PreparedHosts {
  readonly hosts: readonly ManifestHost[];
  /** The hosts that boot an ISO, for `dnsmasq.conf`. Of many hosts, the boot settings of the others take too much memory. */
  readonly isoBoots: readonly NetworkHost[];
  readonly invalid: ReadonlySet<string>;
}

/** Invalid hosts are reported and skipped. */
async function prepareHosts(
  hosts: readonly InventoryHost[],
  job: HostJob,
  run: HostRun,
): Promise<PreparedHosts> {
  const written: ManifestHost[] = [];
  const isoBoots: NetworkHost[] = [];
  const plans = makeHosts(
    hosts,
    (host, io) => planHost(host, job, { ...job, file: placesIn(hostFolder(host.name), job) }, io),
    run,
  );
  // Fewer large files at the same time, because of disk throughput.
  const isSmall = job.wanted.configs.every((artifact) => artifact === 'ign' || artifact === 'archive');
  const write = async ({ made: plan }: MadeHost<HostPlan & NetworkHost>): Promise<void> => {
    await putHost(plan, job);
    const { architecture, archive, artifacts, base, macs, name, start, stream } = plan;
    const known = memoryNeeds(artifacts, base, archive);
    const needs = known.length > 0 ? known : undefined;
    const last = written.at(-1)?.memory;
    written.push({
      name,
      macs,
      architecture,
      stream,
      state: 'prepared',
      images: base?.id,
      agentArchive: archive?.id,
      memory: isDeepStrictEqual(needs, last) ? last : needs,
    });
    if (start.kind === 'iso') isoBoots.push({ name, macs, start });
  };
  await writeMade(plans, isSmall ? 16 : 2, write, run);
  const valid = new Set(written.map(({ name }) => name));
  const order = new Map(hosts.map(({ name }, index) => [name, index]));
  return {
    hosts: written,
    isoBoots: isoBoots.toSorted((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0)),
    invalid: new Set(hosts.map(({ name }) => name).filter((name) => !valid.has(name))),
  };
}

/** The path of an artifact in a folder of the prepared folder. */
function placesIn(folder: string, { growth, wanted }: HostJob) {
  return (artifact: ConfigArtifact, plan: HostPlan): string =>
    artifactPath(folder, artifact, artifactId(artifact, plan, wanted, growth));
}

/** If one of the files cannot be created, the host keeps all of its previous files. */
async function putHost(plan: HostPlan & NetworkHost, job: HostJob): Promise<void> {
  const { name, start } = plan;
  const { folder, wanted } = job;
  const fileOf = placesIn(hostFolder(name), job);
  try {
    for (const kind of plan.artifacts) {
      await putArtifact(folder, { path: fileOf(kind, plan), host: name, secrets: plan.secrets }, kind, plan);
    }
    const secrets = scriptSecrets(start);
    for (const { path, text } of hostBootFiles(plan, wanted.loaders)) {
      await folder.put({ path, host: name, secrets }, Buffer.from(text));
    }
  } catch (error) {
    const paths = plan.artifacts.map((kind) => fileOf(kind, plan));
    await folder.withdraw([...paths, ...hostScriptPaths(plan, wanted.loaders)]);
    throw error;
  }
}

/**
 * Returns the memory that machines need that are not listed.
 * @throws CliError if the settings of all hosts do not result in a valid config, or scripts cannot be written
 */
async function prepareDiscovery(
  isForUnknown: boolean,
  hosts: readonly NetworkHost[],
  job: HostJob,
): Promise<readonly UnlistedMemory[]> {
  const { folder, io, range, wanted } = job;
  const { boots, plans } = isForUnknown ? await putDiscovery(job) : { boots: [], plans: [] };
  const secrets = boots.flatMap(scriptSecrets).slice(0, 1);
  const { baseUrl, loaders } = wanted;
  const dhcp = { loaderUrl: baseUrl, range };
  if (baseUrl !== undefined && loaders.includes('ipxe') && (range ?? usualRange(baseUrl)) === undefined) {
    report(io, {
      severity: 'info',
      message: `${DNSMASQ} contains no addresses of the hosts, because the base URL contains no IPv4 address`,
      hint: 'use --dhcp-range FIRST,LAST, or --dhcp-range ADDRESS,proxy if the network has a DHCP server',
    });
  }
  for (const { path, text } of sharedBootFiles(boots, hosts, wanted, dhcp, io)) {
    await folder.put(path === DNSMASQ ? { path } : { path, secrets }, Buffer.from(text));
  }
  return plans.flatMap(({ architecture, archive, base }) =>
    memoryNeeds(wanted.configs, base, archive).map((need) => ({ architecture, ...need })),
  );
}

/** Writes the config, and plans a boot for each architecture with images. */
async function putDiscovery(job: HostJob): ReturnType<typeof planUnknown> {
  const { images, io, publish } = job;
  // With several architectures, the images and archives of each have their own folder.
  const file = (artifact: ConfigArtifact, plan: HostPlan): string => {
    const isShared = architecturesOf(images).length < 2 || (artifact === 'ign' && plan.isCommon === true);
    const subfolder = isShared ? undefined : plan.base?.architecture;
    return placesIn(discoveryFolder(subfolder), job)(artifact, plan);
  };
  const planned = await planUnknown(job, { images, file, publish }, io);
  for (const [index, plan] of planned.plans.entries()) {
    const isOwn = index === 0 || plan.isCommon !== true;
    for (const kind of plan.artifacts.filter((artifact) => isOwn || artifact !== 'ign')) {
      await putArtifact(job.folder, { path: file(kind, plan), secrets: plan.secrets }, kind, plan);
    }
  }
  return planned;
}

// IDs in the paths of files that change together with a boot script.

/**
 * The ID of a file that boot scripts name, and of an initramfs, which only boots with its own kernel. It changes with the
 * content, so a script and the files that it names are always of one build. Undefined for other files: Ironic and BMCs find
 * an ISO at a path that stays the same.
 */
function artifactId(
  artifact: ConfigArtifact,
  { archive, artifacts, base, config, isoConfig, kargs }: HostPlan,
  { baseUrl, loaders }: Wanted,
  growth: Growth,
): string | undefined {
  const isNamed = artifact === 'initramfs' || (loaders.length > 0 && artifact === startedArtifact(artifacts));
  if (!isNamed) return undefined;
  const isIso = artifact === 'iso' || artifact === 'minimal-iso';
  const hash = createHash('sha256').update(artifact === 'iso' ? isoConfig() : config());
  if (artifact !== 'ign') {
    const ofIso = isIso ? [kargs, growth, baseUrl, archive?.content.sha512] : [];
    hash.update(JSON.stringify([artifact, programVersion(), base?.id, ...ofIso]));
  }
  return hash.digest('hex').slice(0, ID_DIGITS);
}
