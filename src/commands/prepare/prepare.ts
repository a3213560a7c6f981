/**
 * `prepare`: creates a folder for a web server from an inventory and base images. Files that boot scripts name have new
 * paths if their content changes. When all of them are written, the scripts, the manifest and the checksums are replaced
 * together; files are removed last. If it is interrupted at any time, each host boots either the previous or the new files.
 */

import { resolve } from 'node:path';
import { type ConfigArtifact, hostArtifacts } from '../../core/artifacts.ts';
import { formatCount } from '../../formats/messageText.ts';
import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { onInterrupt } from '../../io/interrupts.ts';
import { openPreparedFolder, type PreparedFolder } from './folder/preparedFolder.ts';
import { needsSharedImages, startedArtifact, type Wanted } from '../../hosts/plan/artifacts.ts';
import {
  ID_DIGITS,
  imagePath,
  isFetched,
  ownedScripts,
  refuseSharedPaths,
} from '../../hosts/plan/servedPaths.ts';
import { formatInvalid, type MadeHost, makeHosts, startRun, writeMade } from '../../hosts/hostRun.ts';
import { createAddressCheck } from '../../hosts/settings/renderHosts.ts';
import { printable } from '../../core/foreignText.ts';
import { dhcpFiles, renderDhcpClasses } from '../../kargs/dhcpServers.ts';
import {
  DNSMASQ,
  readDhcpRange,
  requireDhcpBoot,
  scriptSecrets,
  sharedBootFiles,
} from '../../hosts/plan/hostBoot.ts';
import { hasUnknown, planUnknown } from '../../hosts/plan/planUnknown.ts';
import { type PublishArchive, readAgentArchives } from '../../hosts/plan/agentArchives.ts';
import { checkNewFile } from '../../io/files/newFile.ts';
import { readBundle } from './bundle.ts';
import { finishRun } from './finish.ts';
import type { Layout, PrepareRun } from './run.ts';
import { architecturesOf, type BaseCatalog, type ImagesName } from '../../hosts/plan/baseCatalog.ts';
import { readImageInputs } from '../../hosts/plan/imageInputs.ts';
import { publishIn, putEfiLoaders, putFile, withInitramfsIn } from './putFiles.ts';
import { recipeOf } from '../../hosts/artifacts/hostArtifacts.ts';
import { hostFile, hostScripts, partFiles, scriptFile } from '../../hosts/artifacts/site.ts';
import {
  type BaseSet,
  closeBaseSets,
  type ImageSet,
  imageSetOf,
  openBaseSets,
} from '../../hosts/plan/baseImages.ts';
import type { ImagePart } from '../../image/bootParts.ts';
import { readAccess, readSource, readWanted } from './setup.ts';
import type { PrepareOptions } from './options.ts';
import { isDeepStrictEqual } from 'node:util';
import { type DhcpRange, usualRange } from '../../kargs/dnsmasq.ts';
import type { NetworkHost } from '../../kargs/loaders/loader.ts';
import { plannedHardware } from '../../hosts/artifacts/hostHardware.ts';
import { createHardwareCheck } from '../../hosts/settings/hardwareCheck.ts';
import { memoryNeeds } from '../../hosts/artifacts/hostMemory.ts';
import type { ManifestHost } from '../../hosts/artifacts/manifest.ts';
import { report } from '../../io/report/report.ts';
import { type HostPlan, planHost, type PlanJob } from '../../hosts/plan/planHost.ts';
import { createHash } from 'node:crypto';
import { fixedLayout } from './fixedLayout.ts';

/**
 * The exit code is 1 if a host is invalid; the other hosts are prepared, and invalid hosts keep their previous files.
 * @throws CliError if an input is invalid or a file cannot be written
 */
export async function prepare(given: PrepareOptions, io: Io): Promise<ExitCode> {
  // Metal3's design selects the layout by the environment.
  const { layout: name = io.env['IRONIC_USE_COREOS_IPA'] === 'true' ? 'metal3' : 'folder' } = given;
  const layout = name === 'folder' ? folderLayout(given) : fixedLayout(name, given, io);
  const { baseUrl, options, served, shown } = layout;
  const bundle = readBundle(options, io);
  const access = readAccess(options);
  const read = await readSource(options, io);
  layout.check?.(read.inventory);
  const folder = await openPreparedFolder(resolve(io.cwd, shown), { ...access, ...layout });
  const forget = onInterrupt(() => {
    const written = formatCount(folder.counts.written, 'file');
    io.stderr.write(
      `${printable(shown)}: interrupted after ${written}; each machine boots its previous or its new files, and the next run continues with them\n`,
    );
  });
  try {
    if (bundle !== undefined) await checkNewFile(bundle.output); // images take long
    const archives = await readAgentArchives(options.agentArchive, io);
    try {
      const publish = publishIn(folder, baseUrl, served);
      const growth = options.grow === true ? 'usual' : 'refused';
      return await layout.write({ ...layout, folder, read, archives, publish, growth, bundle, io });
    } finally {
      await archives.close();
    }
  } finally {
    forget();
    await folder.release();
  }
}

function folderLayout(options: PrepareOptions): Layout {
  const shown = options.output ?? '';
  if (shown === '' || shown === '-') {
    throw new UsageError('--output is missing', {
      hint: 'pass the folder to prepare, for example -o /srv/boot',
    });
  }
  const wanted = readWanted(options);
  const range = readDhcpRange(options.dhcpRange, wanted);
  if (options.dhcp !== undefined) requireDhcpBoot(wanted);
  if (options.loaders === true && !wanted.loaders.includes('grub')) {
    throw new UsageError('--loaders requires grub in --artifacts', {
      hint: 'add grub to the list, or remove --loaders',
    });
  }
  return {
    layout: 'folder',
    options,
    shown,
    baseUrl: wanted.baseUrl,
    served: '',
    force: options.force === true,
    isStaged: (path) => !isFetched(path),
    write: (run) => fillFolder(run, wanted, range),
  };
}

/**
 * Writes the files of each host: config and images first, then the boot scripts that refer to them. Invalid hosts are reported
 * and skipped.
 * @param range for `dnsmasq.conf`; undefined for the range of the base URL
 */
async function fillFolder(run: PrepareRun, wanted: Wanted, range: DhcpRange | undefined): Promise<ExitCode> {
  const { archives, folder, growth, io, options, publish, read, shown } = run;
  const { hosts = [] } = read.inventory;
  const { baseUrl, configs, loaders } = wanted;
  const inputs = await readImageInputs(options, folder.digests, io);
  const checkHardware = await createHardwareCheck(options.hardware, io);
  const bases = await openBaseSets(inputs);
  try {
    const efiLoaders = options.loaders === true ? await putEfiLoaders(folder, bases) : undefined;
    const images = await putImageSets(folder, bases, wanted);
    refuseSharedPaths(ownedScripts(hosts, wanted), 'rename one of the two hosts');
    const hostRun = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
    const { source } = read;
    const job: PlanJob = { wanted, source, archives, growth, checkAddresses: createAddressCheck() };
    const plans = makeHosts(
      hosts,
      async (host, hostIo) => {
        const file = (kind: ConfigArtifact, plan: HostPlan): string =>
          fileIn(`hosts/${host.name}`, kind, plan, wanted);
        const plan = await planHost(host, job, { images, publish, file }, hostIo);
        const isBootable =
          plan === undefined || checkHardware?.(host, plannedHardware(plan), hostIo) !== false;
        return isBootable ? plan : undefined;
      },
      hostRun,
    );
    const written: ManifestHost[] = [];
    // For `dnsmasq.conf`. Of many hosts, the boot settings of those that boot no ISO take too much memory.
    const isoBoots = new Map<string, NetworkHost>();
    const write = async ({ made: plan }: MadeHost<HostPlan & NetworkHost>): Promise<void> => {
      await putHost(folder, plan, wanted);
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
      if (start.kind === 'iso') isoBoots.set(name, { name, macs, start });
    };
    // Fewer large files at the same time, because of disk throughput.
    const isSmall = configs.every((artifact) => hostArtifacts[artifact].base === undefined);
    await writeMade(plans, isSmall ? 16 : 2, write, hostRun);
    const valid = new Set(written.map(({ name }) => name));
    const isoHosts = hosts.flatMap(({ name }) => isoBoots.get(name) ?? []);

    const unlisted = hasUnknown(read.inventory, options, io)
      ? await putUnlisted(folder, job, images, publish, io)
      : { boots: [], plans: [] };
    if (baseUrl !== undefined && loaders.includes('ipxe') && (range ?? usualRange(baseUrl)) === undefined) {
      report(io, {
        severity: 'info',
        message: `${DNSMASQ} contains no addresses of the hosts, because the base URL contains no IPv4 address`,
        hint: 'use --dhcp-range FIRST,LAST, or --dhcp-range ADDRESS,proxy if the network has a DHCP server',
      });
    }
    const secrets = unlisted.boots.flatMap(scriptSecrets).slice(0, 1);
    const dhcp = { loaderUrl: baseUrl, range, efiLoaders };
    for (const file of sharedBootFiles(unlisted.boots, isoHosts, wanted, dhcp, io)) {
      await putFile(folder, { ...scriptFile(file), secrets: file.path === DNSMASQ ? [] : secrets });
    }
    const { dhcp: server } = options;
    if (server !== undefined && baseUrl !== undefined) {
      const text = renderDhcpClasses(server, { folderUrl: baseUrl, hosts: isoHosts, efiLoaders });
      await folder.put({ path: dhcpFiles[server], kind: 'script' }, Buffer.from(text));
    }

    const memory = unlisted.plans.flatMap(({ architecture, archive, base }) =>
      memoryNeeds(configs, base, archive).map((need) => ({ architecture, ...need })),
    );
    const invalid = new Set(hosts.map(({ name }) => name).filter((name) => !valid.has(name)));
    await finishRun(run, [...configs, ...loaders], inputs, memory, written, invalid, hostRun);
    const counts = `${formatCount(valid.size, 'host')} prepared in hosts/, ${formatCount(folder.counts.written, 'file')} written`;
    const { unchanged } = folder.counts;
    io.stderr.write(`${printable(shown)}: ${counts}, ${unchanged} unchanged, ${formatInvalid(hostRun)}\n`);
    return hostRun.counts.invalid > 0 ? 1 : 0;
  } finally {
    await closeBaseSets(bases);
  }
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
      for (const file of partFiles(base, pathOf)) await putFile(folder, file);
      const inFolder = await withInitramfsIn(folder, base, pathOf('initramfs'));
      bases.set(name, inFolder);
      sets.set(name, imageSetOf(inFolder, pathOf));
    } else sets.set(name, { base, paths: {} });
  }
  return sets;
}

/** If one of the files cannot be created, the host keeps all of its previous files. */
async function putHost(folder: PreparedFolder, plan: HostPlan & NetworkHost, wanted: Wanted): Promise<void> {
  const { artifacts, name, start } = plan;
  const secrets = scriptSecrets(start);
  const files = [
    ...artifacts.map((kind) => hostFile(plan, kind, fileIn(`hosts/${name}`, kind, plan, wanted))),
    ...Array.from(hostScripts(plan, wanted.loaders), (file) => ({ secrets, ...file })),
  ];
  try {
    for (const file of files) await putFile(folder, file);
  } catch (error) {
    await folder.withdraw(files.map(({ path }) => path));
    throw error;
  }
}

/**
 * Writes the config for machines that are not listed, and plans a boot for each architecture with images.
 * @throws CliError if the settings of all hosts do not result in a valid config
 */
async function putUnlisted(
  folder: PreparedFolder,
  job: PlanJob,
  images: BaseCatalog<ImageSet>,
  publish: PublishArchive,
  io: Io,
): ReturnType<typeof planUnknown> {
  // With several architectures, the images and archives of each have their own folder.
  const file = (kind: ConfigArtifact, plan: HostPlan): string => {
    const isShared = architecturesOf(images).length < 2 || (kind === 'ign' && plan.isCommon === true);
    const folderName = isShared ? 'discovery' : `discovery/${plan.base?.architecture}`;
    return fileIn(folderName, kind, plan, job.wanted);
  };
  const planned = await planUnknown(job, { images, file, publish }, io);
  for (const [index, plan] of planned.plans.entries()) {
    const isOwn = index === 0 || plan.isCommon !== true;
    for (const kind of plan.artifacts.filter((artifact) => isOwn || artifact !== 'ign')) {
      await putFile(folder, hostFile(plan, kind, file(kind, plan)));
    }
  }
  return planned;
}

/**
 * The path of an artifact in this subfolder. It contains an ID if boot scripts name the file, and for an initramfs, which only
 * boots with its own kernel. The ID changes with the content, so a script and the files that it names are always of one build.
 * Other files have no ID: Ironic and BMCs find an ISO at a path that stays the same.
 */
function fileIn(subfolder: string, kind: ConfigArtifact, plan: HostPlan, { loaders }: Wanted): string {
  const isNamed = kind === 'initramfs' || (loaders.length > 0 && kind === startedArtifact(plan.artifacts));
  const { fileName } = hostArtifacts[kind];
  if (!isNamed) return `${subfolder}/${fileName}`;
  const digest =
    kind === 'ign' ? createHash('sha256').update(plan.config()).digest('hex') : recipeOf(kind, plan);
  return `${subfolder}/${digest.slice(0, ID_DIGITS)}/${fileName}`;
}
