/** A snapshot of everything that is served, from one state of the inventory and the images. A reload creates a new one. */

import { groupBy } from '../core/lists.ts';
import { knownDigests } from '../io/files/fileDigests.ts';
import { type Io, ioWith } from '../io/io.ts';
import { type ConfigArtifact, hostArtifacts } from '../core/artifacts.ts';
import { type WantedArtifacts, parseArtifacts } from '../hosts/plan/artifacts.ts';
import { createPacker, packPlan, planHosts, type ServedHost } from './servedHosts.ts';
import { readDhcpRange, scriptSecrets, sharedBootFiles } from '../hosts/plan/hostBoot.ts';
import { readImageInputs } from '../hosts/plan/imageInputs.ts';
import type { HostPlan, PlanJob } from '../hosts/plan/planHost.ts';
import { hasUnknown, planUnknown } from '../hosts/plan/planUnknown.ts';
import { readAgentArchives } from '../hosts/plan/agentArchives.ts';
import { createAddressCheck } from '../hosts/settings/renderHosts.ts';
import { openBaseSets, type BaseSet } from '../hosts/plan/baseImages.ts';
import { createCatalog } from './catalog.ts';
import { createModifiedDates } from '../http/server/answer/modifiedDates.ts';
import { shareOpenFiles } from './openFiles.ts';
import { givenOrIccImages } from './iccImages.ts';
import type { Links } from '../hosts/plan/links.ts';
import { unknownPlaces, unknownStem, unknownStems } from './places.ts';
import type { ServiceOptions } from './options.ts';
import type { Servable } from './serviceState.ts';
import { readServeSource, type ServeSource } from './source.ts';
import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import { ownedFiles, ownedScripts, refuseSharedPaths } from '../hosts/plan/servedPaths.ts';
import { CliError, UsageError } from '../core/errors.ts';
import { makeArtifact, possibleArtifacts } from '../hosts/artifacts/hostArtifacts.ts';
import { knownError, report } from '../io/report/report.ts';
import type { NetworkLoader } from '../kargs/folder.ts';
import { formatWordList } from '../formats/messageText.ts';
import { UNKNOWN_MACHINES } from '../http/server/answer/access.ts';

export interface Snapshot extends Servable {
  /** The hosts of the inventory, in its order; the next snapshot keeps the plans of those that become invalid. */
  readonly hosts: readonly ServedHost[];
  /** The file names, without suffix, for machines that are not listed; empty if they get no files. */
  readonly unlisted: readonly string[];
  readonly wanted: WantedArtifacts;
  /** The kinds of secrets that the files contain, with their hosts. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
}

/**
 * The snapshots of a service.
 * @param cacheSize bytes of memory for cached images
 * @param changeSource changes the source before a snapshot is built
 * @returns takes a snapshot. Invalid hosts are reported; they keep what `before`, the previous one, serves for them. Throws
 *   CliError if an image or a setting for all hosts is invalid, or if all hosts have become invalid
 */
export function createSnapshots(
  options: ServiceOptions,
  cacheSize: number,
  changeSource: ((read: ServeSource) => ServeSource) | undefined,
  serviceIo: Io,
): (links: Links, before?: Snapshot, signal?: AbortSignal) => Promise<Snapshot> {
  const digests = knownDigests(new Map());
  const beginDates = createModifiedDates();
  return async (links, before, signal) => {
    const io = ioWith(serviceIo, { signal });
    const source = await readServeSource(options, io);
    const read = changeSource?.(source) ?? source;
    const { inventory } = read;
    // A folder for image-customization-controller comes with its environment.
    const images =
      options.nmstateDir === undefined ? options : await givenOrIccImages(options, io.env, io.cwd);
    const inputs = await readImageInputs(images, digests, io);
    const archives = await readAgentArchives(options.agentArchive, io);
    const bases = await openBaseSets(inputs);
    const files = shareOpenFiles(bases, archives);
    const release = files.retain();
    try {
      const { artifacts, failFast = false, grow } = options;
      const { hosts: listed = [] } = inventory;
      const wanted = await chooseArtifacts(artifacts, [...bases.values()]);
      const baseUrl = `${links.publicUrl}/${links.path({ kind: 'boot' }, '')}`.replace(/\/$/, '');
      const range = readDhcpRange(options.dhcpRange, { ...wanted, baseUrl });
      const job: PlanJob = {
        wanted: { ...wanted, baseUrl: links.publicUrl },
        source: read.source,
        archives,
        growth: grow === true ? 'usual' : 'refused',
        checkAddresses: createAddressCheck(),
      };
      const hasDiscovery = hasUnknown(inventory, options, io);
      refuseAmbiguousHosts(options, listed, hasDiscovery ? unknownStems(bases) : [], wanted);
      const pack = createPacker();
      const hosts = await planHosts(listed, before?.hosts ?? [], job, files, links, pack, failFast, io);
      const unknown = hasDiscovery
        ? await planUnknown(job, unknownPlaces(files, links), io)
        : { plans: [], boots: [] };
      const unlisted = unknown.plans.map((plan) => packPlan(plan, pack));
      const stale = [...new Set(hosts.filter(({ staleSince }) => staleSince !== undefined))];
      const valid = [...new Set(hosts.flatMap(({ plan, staleSince }) => (staleSince ? [] : (plan ?? []))))];
      await tryImages([...valid, ...unlisted], wanted, options, io);
      // Valid hosts are the last ones: they own the boot scripts by MAC address.
      const known = [...stale.flatMap(({ plan }) => plan ?? []), ...valid];
      const stemOf = ({ base, name }: HostPlan): string =>
        name === UNKNOWN_MACHINES ? unknownStem(base?.architecture, bases) : name;
      const plans = groupBy([...unlisted, ...known], stemOf);
      // No boot loaders are served, so the firmware fetches them only by TFTP.
      const dhcp = { loaderUrl: undefined, range };
      const boots = known.flatMap(({ macs, name, start }) =>
        start === undefined ? [] : [{ name, macs, start }],
      );
      const scripts = sharedBootFiles(unknown.boots, boots, { ...wanted, baseUrl }, dhcp, io);
      const opened = [...new Set([...stale.map((host) => host.files), files])];
      const catalog = await createCatalog(plans, opened, scripts, wanted, beginDates(), cacheSize);
      const secrets = groupSecrets([...unlisted, ...known]);
      const releases = [release, ...opened.filter((used) => used !== files).map((used) => used.retain())];
      const close = async (): Promise<void> => {
        for (const one of releases) await one();
      };
      const stems = [...new Set(unlisted.map(stemOf))];
      return { catalog, hosts, unlisted: stems, bases, wanted, secrets, close };
    } catch (error) {
      await release();
      throw error;
    }
  };
}

/**
 * Builds one image of each kind, so that a base image from which no host can boot is reported at the start, and not with the
 * first request. The hosts are tried until one succeeds.
 * @throws CliError if none of the images can be built for any host: without `--artifacts` the ISO, otherwise all images that
 *   it names. If hosts get one of them, the others are only reported
 */
async function tryImages(
  plans: readonly HostPlan[],
  { configs, loaders }: WantedArtifacts,
  { artifacts }: ServiceOptions,
  io: Io,
): Promise<void> {
  const failures: CliError[] = [];
  const isRequested = artifacts !== undefined;
  // A minimal ISO takes a while for the first host, so it is only built if it is requested.
  const images = configs.filter(
    (name) => hostArtifacts[name].base !== undefined && (isRequested || name === 'iso'),
  );
  for (const image of images) {
    const failure = await findFailure(image, plans, io);
    if (failure === undefined) continue;
    const text = `no host gets its file ${image}: ${failure.message}`;
    const others = [...configs.filter((name) => hostArtifacts[name].base !== 'iso'), ...loaders];
    const withoutIsos = others.length === 0 ? [] : [`pass --artifacts ${others.join()} to serve no ISOs`];
    const hint = [failure.hint ?? [], withoutIsos].flat().join('; or ');
    failures.push(new CliError(text, { code: failure.code, hint, cause: failure }));
  }
  if (failures[0] !== undefined && failures.length === images.length) throw failures[0];
  report(
    io,
    failures.map(({ hint, message }) => ({ severity: 'warning', message, hint }) as const),
  );
}

/** The error of the first host; undefined if the image can be built for one, or there are no hosts. */
async function findFailure(
  image: ConfigArtifact,
  plans: readonly HostPlan[],
  io: Io,
): Promise<CliError | undefined> {
  let first: CliError | undefined;
  for (const plan of plans) {
    try {
      await makeArtifact(image, plan);
      return undefined;
    } catch (error) {
      first ??= knownError(error, io);
    }
  }
  return first;
}

/**
 * @param unlisted the file names, without suffix, for machines that are not listed; empty without discovery
 * @throws CliError that names both hosts
 */
function refuseAmbiguousHosts(
  { open }: ServiceOptions,
  hosts: readonly InventoryHost[],
  unlisted: readonly string[],
  wanted: WantedArtifacts,
): void {
  // The boot scripts of all hosts have one token.
  refuseSharedPaths(ownedScripts(hosts, wanted), 'rename one of the two hosts');
  if (open !== true) return;
  const owners = [
    ...hosts.map(({ name }) => ({ stem: name, owner: name })),
    ...unlisted.map((stem) => ({ stem, owner: 'the machines that are not listed' })),
  ];
  refuseSharedPaths(
    ownedFiles(owners, wanted),
    'rename one of them, select fewer files with --artifacts, or remove --open to use a token for each host',
  );
}

/** Throws UsageError for an unknown artifact, and for one that cannot be built from the given images. */
async function chooseArtifacts(
  asked: string | undefined,
  bases: readonly BaseSet[],
): Promise<WantedArtifacts> {
  const loaders = bases.some(canNetboot) ? usualLoaders : [];
  const possible = { configs: await possibleArtifacts(bases), loaders };
  if (asked === undefined) return possible;
  const wanted = parseArtifacts(asked);
  const missing = wanted.configs.find((name) => !possible.configs.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`--artifacts ${missing}: no base image contains what ${missing} requires`, {
      hint: `pass ${hostArtifacts[missing].source}`,
    });
  }
  if (wanted.loaders.length > 0 && !bases.some(canNetboot)) {
    throw new UsageError('boot scripts require a kernel, an initramfs and a root filesystem', {
      hint: 'pass --iso FILE, --images FOLDER, or --kernel, --initramfs and --rootfs',
    });
  }
  return wanted;
}

/** GRUB and PXELINUX mostly use TFTP: GRUB supports only port 80, and PXELINUX no long URLs. */
const usualLoaders: readonly NetworkLoader[] = ['ipxe'];

function canNetboot({ parts }: BaseSet): boolean {
  return parts.kernel !== undefined && parts.initramfs !== undefined;
}

function groupSecrets(plans: readonly HostPlan[]): Map<string, readonly string[]> {
  const groups = groupBy(plans, ({ secrets, start }) => {
    const all = [...secrets, ...(start === undefined ? [] : scriptSecrets(start))];
    return formatWordList([...new Set(all)]);
  });
  groups.delete('');
  return new Map(
    Array.from(groups, ([what, owners]) => [
      what,
      owners.map(({ name }) => (name === UNKNOWN_MACHINES ? 'machines that are not listed' : name)),
    ]),
  );
}
