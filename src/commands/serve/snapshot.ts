/** A snapshot of everything that is served, from one state of the inventory and the images. A reload creates a new one. */

import { deflateRawSync } from 'node:zlib';
import type { KnownDigests } from '../../io/files/fileDigests.ts';
import type { Io } from '../../io/io.ts';
import {
  type WantedArtifacts,
  type ConfigArtifact,
  parseArtifacts,
} from '../../hosts/artifacts/artifacts.ts';
import {
  createPackedConfigs,
  buildHostEntries,
  type EntryJob,
  type HostState,
  buildDiscoveryEntries,
} from './hostEntries.ts';
import { readDhcpRange, sharedBootFiles } from '../../hosts/plan/hostBoot.ts';
import { readImageInputs } from '../../hosts/plan/imageInputs.ts';
import { hasUnknown } from '../../hosts/plan/planUnknown.ts';
import { readAgentArchives } from '../../hosts/plan/agentArchives.ts';
import { createAddressCheck } from '../../hosts/settings/renderHosts.ts';
import { openBaseSets, type BaseSet } from '../../hosts/artifacts/baseImages.ts';
import type { BaseCatalog } from '../../hosts/plan/baseCatalog.ts';
import { type ServedHost, createCatalog, type HostCatalog } from './catalog.ts';
import { createModifiedDates, type ModifiedDates } from '../../http/server/answer/modifiedDates.ts';
import { type OpenFiles, shareOpenFiles } from './openFiles.ts';
import type { HostNames } from '../../core/diagnostic.ts';
import { givenOrIccImages } from './iccImages.ts';
import type { Links } from './links.ts';
import type { ServeOptions } from './options.ts';
import { unknownStems } from './servedPlaces.ts';
import { readServeSource, type ServeSource } from './source.ts';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { ownedFiles, ownedScripts, refuseSharedPaths } from '../../hosts/artifacts/servedPaths.ts';
import { CliError, onCliError, UsageError } from '../../core/errors.ts';
import { type ImageArtifact, makeHostImage } from '../../hosts/artifacts/hostArtifacts.ts';
import { report } from '../../io/report/report.ts';
import { MINISO_PATH } from '../../image/minimalIso/minisoData.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import type { NetworkLoader } from '../../kargs/network/networkBoot.ts';
import { formatWordList } from '../../formats/messageText.ts';
import { unknownMachines } from '../../http/server/answer/access.ts';
import { addHost } from '../../hosts/hostRun.ts';

export interface Snapshot {
  readonly catalog: HostCatalog;
  /** The hosts of the inventory, in its order. */
  readonly hosts: readonly HostState[];
  readonly bases: BaseCatalog<BaseSet>;
  readonly wanted: WantedArtifacts;
  /** The kinds of secrets that the files contain, with their hosts. */
  readonly secrets: ReadonlyMap<string, HostNames>;
  /** The entries of the served hosts; the next snapshot keeps those of hosts that become invalid. */
  readonly entries: readonly ServedHost[];
  /** Closes all files that no other snapshot uses. */
  close(): Promise<void>;
}

/** The part that all snapshots of a service share. */
export interface SnapshotContext {
  readonly links: Links;
  readonly digests: KnownDigests;
  /** Shared by all snapshots of a service. */
  readonly dates?: ModifiedDates;
  /** Bytes of memory for cached images. */
  readonly cacheSize: number;
  readonly io: Io;
  /** Changes the source before the snapshot is built. */
  readonly changeSource?: ((read: ServeSource) => ServeSource) | undefined;
}

/**
 * Reports invalid hosts. They keep their entries of the previous snapshot; without one, they are skipped.
 * @throws CliError if an image or a setting for all hosts is invalid, or if all hosts have become invalid
 */
export async function takeSnapshot(
  options: ServeOptions,
  context: SnapshotContext,
  earlier: Pick<Snapshot, 'hosts' | 'entries'> = { hosts: [], entries: [] },
): Promise<Snapshot> {
  const { digests, io } = context;
  const source = await readServeSource(options, io);
  const read = context.changeSource?.(source) ?? source;
  // A folder for image-customization-controller comes with its environment.
  const images = options.nmstateDir === undefined ? options : await givenOrIccImages(options, io);
  const inputs = await readImageInputs(images, digests, io);
  const archives = await readAgentArchives(options.agentArchive, io);
  const files = shareOpenFiles(await openBaseSets(inputs), archives);
  const release = files.retain();
  try {
    const built = await buildSnapshot(options, context, read, files, earlier);
    const others = [...new Set(built.entries.map((entry) => entry.files))].filter((used) => used !== files);
    const releases = [release, ...others.map((used) => used.retain())];
    const close = async (): Promise<void> => {
      for (const one of releases) await one();
    };
    return { ...built, bases: files.bases, close };
  } catch (error) {
    await release();
    throw error;
  }
}

async function buildSnapshot(
  options: ServeOptions,
  { cacheSize, dates = createModifiedDates(), io, links }: SnapshotContext,
  read: ServeSource,
  files: OpenFiles,
  earlier: Pick<Snapshot, 'hosts' | 'entries'>,
): Promise<Omit<Snapshot, 'bases' | 'close'>> {
  const { archives, bases } = files;
  const { hosts: listed = [] } = read.inventory;
  const { once } = options;
  const hosts = once === undefined ? listed : listed.filter(({ name }) => name === once);
  const wanted = await chooseArtifacts(options.artifacts, [...bases.values()]);
  const baseUrl = `${links.publicUrl}/${links.path({ kind: 'boot' }, '')}`.replace(/\/$/, '');
  const range = readDhcpRange(options.dhcpRange, { ...wanted, baseUrl });
  const job: EntryJob = {
    io,
    files,
    links,
    configs: createPackedConfigs(),
    growth: options.grow === true ? 'usual' : 'refused',
    plan: {
      wanted: { ...wanted, baseUrl: links.publicUrl },
      source: read.source,
      checkAddresses: createAddressCheck(),
      archives,
    },
  };
  const hasDiscovery = hasUnknown(read.inventory, options, io);
  refuseAmbiguousHosts(options, hosts, hasDiscovery ? unknownStems(bases) : [], wanted);
  const { stale, states, served } = await buildHostEntries(options, hosts, earlier, job);
  const unknown = hasDiscovery ? await buildDiscoveryEntries(job) : { hosts: [], boots: [] };
  await tryImages([...served, ...unknown.hosts], wanted, options, io);
  // Valid hosts are the last ones: they own the boot scripts by MAC address.
  const entries = [...stale, ...served];
  const boots = entries.flatMap(({ boot }) => boot ?? []);
  // No boot loaders are served, so the firmware fetches them only by TFTP.
  const dhcp = { loaderUrl: undefined, range };
  const scripts = sharedBootFiles(unknown.boots, boots, { ...wanted, baseUrl }, dhcp, io);
  const catalog = createCatalog({
    hosts: [...unknown.hosts, ...entries],
    aliases: read.aliases.size === 0 ? new Map() : aliasesOf(entries, read),
    files: [...new Set([...stale.map((entry) => entry.files), files])],
    wanted,
    scripts,
    dateOf: dates.begin(),
    cacheSize,
  });
  return { catalog, hosts: states, wanted, secrets: groupSecrets([...unknown.hosts, ...entries]), entries };
}

/**
 * Builds one image of each kind, so that a base image from which no host can boot is reported at the start, and not with the
 * first request. If the first host fails, the one with the smallest config is tried, for each set of base images.
 * @throws CliError if none of the images can be built for any host: without `--artifacts` the ISO, otherwise all images that
 *   it names. If hosts get one of them, the others are only reported
 */
async function tryImages(
  hosts: readonly ServedHost[],
  wanted: WantedArtifacts,
  { artifacts }: ServeOptions,
  io: Io,
): Promise<void> {
  const { configs } = wanted;
  const failures: CliError[] = [];
  const isRequested = artifacts !== undefined;
  // A minimal ISO takes a while for the first host, so it is only built if it is requested.
  const images = configs.filter(
    (name): name is ImageArtifact => name !== 'ign' && name !== 'archive' && (isRequested || name === 'iso'),
  );
  for (const image of images) {
    const failure = await findFailure(image, hosts);
    if (failure === undefined) continue;
    const text = `no host gets its file ${image}: ${failure.message}`;
    const hint = [failure.hint ?? [], otherFiles(wanted)].flat().join('; or ');
    failures.push(new CliError(text, { code: failure.code, hint, cause: failure }));
  }
  if (failures[0] !== undefined && failures.length === images.length) throw failures[0];
  report(io, ...failures.map(({ hint, message }) => ({ severity: 'warning', message, hint }) as const));
}

/** The error of a host; undefined if the image can be built for one, or there are no hosts. */
async function findFailure(
  image: ImageArtifact,
  hosts: readonly ServedHost[],
): Promise<CliError | undefined> {
  const fails = async (host: ServedHost): Promise<CliError | undefined> =>
    makeHostImage(image, host).then(
      () => undefined,
      onCliError((error) => error),
    );
  const [first] = hosts;
  let failure = first && (await fails(first));
  if (failure === undefined) return undefined;
  for (const host of smallestHosts(hosts)) {
    if (host !== first) failure = await fails(host);
    if (failure === undefined) return undefined;
  }
  return failure;
}

/** For each set of base images, the host whose config is the smallest one after compression. */
function smallestHosts(hosts: readonly ServedHost[]): ServedHost[] {
  const smallest = new Map<string | undefined, { readonly host: ServedHost; readonly size: number }>();
  for (const host of hosts) {
    const size = deflateRawSync(host.isoConfig()).length;
    const id = host.bases?.id;
    if (size < (smallest.get(id)?.size ?? Infinity)) smallest.set(id, { host, size });
  }
  return Array.from(smallest.values(), ({ host }) => host);
}

/** How to serve everything except ISOs; empty if nothing else is wanted. */
function otherFiles({ configs, loaders }: WantedArtifacts): string[] {
  const names = [...configs.filter((name) => name !== 'iso' && name !== 'minimal-iso'), ...loaders];
  return names.length === 0 ? [] : [`pass --artifacts ${names.join()} to serve no ISOs`];
}

/** An alias counts only if no host has this name, not even an invalid host. */
function aliasesOf(
  served: readonly ServedHost[],
  { aliases, inventory }: ServeSource,
): Map<string, readonly ServedHost[]> {
  const listed = new Set(inventory.hosts?.map(({ name }) => name));
  const byName = new Map(served.map((host) => [host.name, host]));
  const found = new Map<string, readonly ServedHost[]>();
  for (const [alias, name] of aliases) {
    const host = byName.get(name);
    if (host !== undefined && !listed.has(alias)) found.set(alias, [host]);
  }
  return found;
}

/**
 * @param unlisted the file names, without suffix, for machines that are not listed; empty without discovery
 * @throws CliError that names both hosts
 */
function refuseAmbiguousHosts(
  { open }: ServeOptions,
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
  const possible = await possibleArtifacts(bases);
  if (asked === undefined) return possible;
  const wanted = parseArtifacts(asked);
  const missing = wanted.configs.find((name) => !possible.configs.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`--artifacts ${missing}: no base image contains what ${missing} requires`, {
      hint: imageHints[missing] ?? 'pass a live ISO with --iso FILE',
    });
  }
  if (wanted.loaders.length > 0 && !bases.some(canNetboot)) {
    throw new UsageError('boot scripts require a kernel, an initramfs and a root filesystem', {
      hint: 'pass --iso FILE, --images FOLDER, or --kernel, --initramfs and --rootfs',
    });
  }
  return wanted;
}

const imageHints: Readonly<Partial<Record<ConfigArtifact, string>>> = {
  initramfs: 'pass --initramfs FILE, or a live ISO that contains it',
  'minimal-iso': 'pass a live ISO of 2022 or later with --iso FILE',
};

/** GRUB and PXELINUX mostly use TFTP: GRUB supports only port 80, and PXELINUX no long URLs. */
const usualLoaders: readonly NetworkLoader[] = ['ipxe'];

async function possibleArtifacts(bases: readonly BaseSet[]): Promise<WantedArtifacts> {
  const configs: ConfigArtifact[] = ['ign'];
  if (bases.length > 0) configs.push('archive');
  if (bases.some(({ parts }) => parts.initramfs !== undefined)) configs.push('initramfs');
  if (bases.some(({ iso }) => iso !== undefined)) configs.push('iso');
  for (const base of bases) {
    if (!configs.includes('minimal-iso') && (await hasMinimalIso(base))) configs.push('minimal-iso');
  }
  return { configs, loaders: bases.some(canNetboot) ? usualLoaders : [] };
}

function canNetboot({ parts }: BaseSet): boolean {
  return parts.kernel !== undefined && parts.initramfs !== undefined;
}

async function hasMinimalIso({ iso, parts }: BaseSet): Promise<boolean> {
  if (iso === undefined || parts.rootfs === undefined) return false;
  return (await (await openIsoTree(iso.bytes)).find(MINISO_PATH)) !== undefined;
}

/** Groups the hosts by the kinds of their secrets. */
function groupSecrets(hosts: Iterable<Pick<ServedHost, 'name' | 'secrets'>>): Map<string, HostNames> {
  const groups = new Map<string, HostNames>();
  for (const { name, secrets } of hosts) {
    const owner = name === unknownMachines ? 'machines that are not listed' : name;
    const what = formatWordList([...new Set(secrets)]);
    if (what !== '') groups.set(what, addHost(groups.get(what), owner));
  }
  return groups;
}
