/**
 * `prepare`: creates a folder for a web server from an inventory and base images. Files are written before the scripts
 * that refer to them, shared scripts after those of the hosts, then manifest and checksums; files are removed last. If
 * it is interrupted at any time, each host boots either the previous or the new files.
 */

import { resolve } from 'node:path';
import { formatCount } from '../formats/messageText.ts';
import type { Inventory } from '../hosts/settings/inventoryDocument.ts';
import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { openPreparedFolder, type PreparedFolder } from './folder/preparedFolder.ts';
import { needsSharedImages, type Wanted } from '../hosts/artifacts/artifacts.ts';
import type { ManifestInput } from '../hosts/artifacts/manifest.ts';
import { inAnyCase, ownedScripts, refuseSharedPaths, imagePath } from '../hosts/artifacts/servedPaths.ts';
import type { Architecture } from '../core/architecture.ts';
import { formatInvalid, reportGroups, startRun } from '../hosts/run/hostRun.ts';
import { createAddressCheck } from '../hosts/settings/renderHosts.ts';
import { printable } from '../io/report/terminalText.ts';
import { hasUnknown } from '../hosts/plan/planUnknown.ts';
import { openAgentArchives, createOpenArchives } from '../hosts/plan/agentArchives.ts';
import { type Bundle, checkBundle, readBundle, writeBundle } from './bundle.ts';
import { prepareDiscovery, type HostJob, prepareHosts } from './hosts.ts';
import { finishFolder, reportMemory, reportExposed } from './finish.ts';
import { listInputs, readImageInputs } from '../hosts/plan/imageInputs.ts';
import { withInitramfsIn, putImages, archiveInputs, publishIn } from './putFiles.ts';
import {
  type BaseSet,
  closeBaseSets,
  type ImageSet,
  imageSetOf,
  openBaseSets,
} from '../hosts/artifacts/baseImages.ts';
import type { ImagePart } from '../image/bootParts.ts';
import { chooseLayout, type PrepareOptions, readAccess, readWanted, readSource } from './options.ts';

/**
 * The exit code is 1 if a host is invalid; the other hosts are prepared, and invalid hosts keep their previous files.
 * @throws CliError if an input is invalid or a file cannot be written
 */
export async function prepare(options: PrepareOptions, io: Io): Promise<ExitCode> {
  const layout = chooseLayout(options, io);
  if (layout !== 'folder') {
    const { prepareLayout } = await import('./fixedLayout.ts');
    return prepareLayout(layout, options, io);
  }
  const shown = requireOutput(options);
  const wanted = readWanted(options);
  const bundle = readBundle(options, io);
  const access = await readAccess(options);
  const { inventory, source, input } = await readSource(options, io);
  const folder = await openPreparedFolder(resolve(io.cwd, shown), {
    ...access,
    shown,
    force: options.force === true,
    naming: 'immediate',
  });
  try {
    await checkBundle(bundle);
    const inputs = await readImageInputs(options, folder.digests, io);
    const agents = await openAgentArchives(options.agentArchive, wanted.configs, io);
    const bases = await openBaseSets(inputs);
    const archives = createOpenArchives();
    try {
      const images = await putImageSets(folder, bases, wanted);
      const { baseUrl } = wanted;
      const growth = options.grow === true ? 'usual' : 'refused';
      const job: PrepareJob = {
        wanted,
        folder,
        images,
        source,
        archives: agents,
        checkAddresses: createAddressCheck(),
        publish: publishIn(folder, baseUrl, ''),
        openArchives: archives,
        growth,
        bundle,
        io,
      };
      return await prepareAll(options, inventory, [...input, ...listInputs(inputs)], job);
    } finally {
      await archives.close();
      await closeBaseSets(bases);
    }
  } finally {
    await folder.release();
  }
}

interface PrepareJob extends HostJob {
  readonly bundle: Bundle | undefined;
}

async function prepareAll(
  options: PrepareOptions,
  inventory: Inventory,
  inputs: readonly ManifestInput[],
  job: PrepareJob,
): Promise<ExitCode> {
  const { hosts = [] } = inventory;
  const { bundle, folder, io, wanted } = job;
  refuseSharedPaths(inAnyCase(ownedScripts(hosts, wanted)), 'rename one of the two hosts');
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const prepared = await prepareHosts(hosts, job, run);
  const memory = await prepareDiscovery(hasUnknown(inventory, options, io), prepared.boots, job);
  const content = {
    layout: 'folder',
    baseUrl: wanted.baseUrl ?? null,
    artifacts: [...wanted.configs, ...wanted.loaders],
    inputs: [...inputs, ...(await archiveInputs(job.archives, folder))],
    hosts: prepared.hosts,
    memory,
  } as const;
  const prune = options.prune === true;
  const manifest = await finishFolder(folder, content, { invalid: prepared.invalid, prune, io });
  reportGroups(run);
  reportMemory(prepared.hosts, memory, io);
  reportExposed(folder, wanted.baseUrl, '', io);
  if (bundle !== undefined) await writeBundle(bundle, folder, manifest, job.archives);
  const { written, unchanged } = folder.counts;
  const valid = hosts.length - prepared.invalid.size;
  const made = `${formatCount(valid, 'host')} prepared, ${formatCount(written, 'file')} written`;
  const end = `${made}, ${unchanged} unchanged, ${formatInvalid(run)}`;
  io.stderr.write(`${printable(requireOutput(options))}: ${end}\n`);
  return run.counts.invalid > 0 ? 1 : 0;
}

function requireOutput({ output }: PrepareOptions): string {
  if (output !== undefined && output !== '' && output !== '-') return output;
  throw new UsageError('--output is missing', {
    hint: 'pass the folder to prepare, for example -o /srv/boot',
  });
}

/** Copies the images to the folder, and returns their paths. In `bases`, the images are replaced with those in the folder. */
async function putImageSets(
  folder: PreparedFolder,
  bases: Map<Architecture, BaseSet>,
  wanted: Wanted,
): Promise<Map<Architecture, ImageSet>> {
  const sets = new Map<Architecture, ImageSet>();
  const isServed = needsSharedImages(wanted);
  for (const [architecture, base] of bases) {
    const pathOf = (part: ImagePart): string => imagePath(base.id, part);
    if (isServed) {
      await putImages(folder, base, pathOf);
      const inFolder = await withInitramfsIn(folder, base, pathOf('initramfs'));
      bases.set(architecture, inFolder);
      sets.set(architecture, imageSetOf(inFolder, pathOf));
    } else sets.set(architecture, { base, paths: {} });
  }
  return sets;
}
