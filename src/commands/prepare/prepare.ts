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
import { needsSharedImages, type Wanted } from '../../hosts/artifacts/artifacts.ts';
import {
  inAnyCase,
  isFetched,
  ownedScripts,
  refuseSharedPaths,
  imagePath,
} from '../../hosts/artifacts/servedPaths.ts';
import { formatInvalid, startRun } from '../../hosts/hostRun.ts';
import { createAddressCheck } from '../../hosts/settings/renderHosts.ts';
import { printable } from '../../core/foreignText.ts';
import { readDhcpRange } from '../../hosts/plan/hostBoot.ts';
import { hasUnknown } from '../../hosts/plan/planUnknown.ts';
import { readAgentArchives } from '../../hosts/plan/agentArchives.ts';
import { checkBundle, readBundle } from './bundle.ts';
import { prepareDiscovery, type HostJob, prepareHosts } from './hosts.ts';
import { finishRun } from './finish.ts';
import type { Layout, PrepareRun } from './run.ts';
import type { BaseCatalog, ImagesName } from '../../hosts/plan/baseCatalog.ts';
import { type InputImages, readImageInputs } from '../../hosts/plan/imageInputs.ts';
import { withInitramfsIn, putImages, publishIn } from './putFiles.ts';
import {
  type BaseSet,
  closeBaseSets,
  type ImageSet,
  imageSetOf,
  openBaseSets,
} from '../../hosts/artifacts/baseImages.ts';
import type { ImagePart } from '../../image/bootParts.ts';
import { chooseLayout, type PrepareOptions, readAccess, readWanted, readSource } from './options.ts';

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
