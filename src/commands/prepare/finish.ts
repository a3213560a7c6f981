/** Finishes a run: writes manifest and checksums, removes files of earlier runs, and reports memory and exposed secrets. */

import { formatCount, formatWordList, formatSizeInWords } from '../../formats/messageText.ts';
import type { Io } from '../../io/io.ts';
import { type PrepareRun, urlOf } from './run.ts';
import type { BootWay } from '../../core/artifacts.ts';
import type { UnlistedMemory, MemoryNeed } from '../../hosts/artifacts/hostMemory.ts';
import {
  GENERATOR,
  listInputs,
  type Manifest,
  type ManifestHost,
  type ManifestFile,
} from '../../hosts/artifacts/manifest.ts';
import { hasArtifactId, isFetched } from '../../hosts/plan/servedPaths.ts';
import { programVersion } from '../../core/programVersion.ts';
import { UNPACKED_IMAGE } from '../../agent/agentArchive.ts';
import { ADVISED_FOR_AGENT } from '../../image/inspection/memoryNeed.ts';
import { report } from '../../io/report/report.ts';
import { type HostRun, reportGroups } from '../../hosts/hostRun.ts';
import type { BaseCatalog } from '../../hosts/plan/baseCatalog.ts';
import type { InputImages } from '../../hosts/plan/imageInputs.ts';
import { writeBundle } from './bundle.ts';
import { archiveInputs } from './putFiles.ts';
import { groupBy } from '../../core/lists.ts';
import { formatNames } from '../../io/report/problemGroups.ts';

/**
 * Finishes the folder, reports what concerns all of its files, and writes the bundle.
 * @param artifacts for the manifest
 * @param images for the manifest
 * @param memory for machines that are not listed
 * @param invalid names of hosts that keep their files of earlier runs
 * @throws CliError if the folder cannot be written; it is then unchanged, except for new files
 */
export async function finishRun(
  run: PrepareRun,
  artifacts: readonly string[],
  images: BaseCatalog<InputImages>,
  memory: readonly UnlistedMemory[],
  hosts: readonly ManifestHost[] = [],
  invalid: ReadonlySet<string> = new Set(),
  hostRun?: HostRun,
): Promise<void> {
  const { archives, baseUrl, bundle, folder, io, layout, options, read } = run;
  const { files, previous } = folder;
  const prune = options.prune === true;
  const left = findLeftovers(previous, {
    paths: files,
    hosts: new Set(hosts.map(({ name }) => name)),
    invalidHosts: invalid,
    prune,
  });
  const manifest: Manifest = {
    version: 1,
    generator: { name: GENERATOR, version: programVersion() },
    layout,
    baseUrl: baseUrl ?? null,
    artifacts,
    inputs: [...read.input, ...listInputs(images), ...(await archiveInputs(archives, folder))],
    hosts: [...hosts, ...left.hosts],
    memory,
    files: [...files.values(), ...left.files],
  };
  const abandoned = folder.abandoned();
  const removed = [...left.removed, ...abandoned.filter((path) => prune || isFetched(path))];
  await folder.finish(manifest, removed);
  if (removed.length > 0) io.stderr.write(`${formatCount(removed.length, 'file')} of earlier runs removed\n`);
  const unneeded = left.unneeded + (prune ? 0 : abandoned.length - abandoned.filter(isFetched).length);
  if (unneeded > 0) {
    const count = formatCount(unneeded, 'file');
    io.stderr.write(`${count} of earlier runs no longer needed; use --prune to remove them\n`);
  }
  if (hostRun !== undefined) reportGroups(hostRun);
  reportMemory(hosts, memory, io);
  reportExposed(run);
  if (bundle !== undefined) await writeBundle(bundle, folder, manifest);
}

export interface PreparedNow {
  readonly paths: Pick<ReadonlySet<string>, 'has'>;
  readonly hosts: ReadonlySet<string>;
  /** Invalid hosts of the inventory, which keep their files of earlier runs. */
  readonly invalidHosts: ReadonlySet<string>;
  readonly prune: boolean;
}

export interface Leftovers {
  readonly files: readonly ManifestFile[];
  readonly hosts: readonly ManifestHost[];
  readonly removed: readonly string[];
  /** The number of files that stay only because `prune` is not set. */
  readonly unneeded: number;
}

/**
 * Finds files of earlier runs. A kept host keeps its files, and the images and the archive that it boots. Files that this
 * run replaces with files at other paths stay as the previous version, for machines that have read the previous boot
 * script. Versions before it are removed: of a host when its files are replaced again, others with `prune`.
 */
export function findLeftovers(previous: Manifest | undefined, now: PreparedNow): Leftovers {
  const hosts = (previous?.hosts ?? []).filter(
    ({ name }) => !now.hosts.has(name) && (now.invalidHosts.has(name) || !now.prune),
  );
  const names = new Set(hosts.map(({ name }) => name));
  const shared = new Set(hosts.flatMap(({ images, agentArchive }) => [images, agentArchive]));
  const isKept = ({ host, path, superseded }: ManifestFile): boolean => {
    const id = /^(?:images|agents)\/([^/]+)\//.exec(path)?.[1];
    if (id !== undefined) return shared.has(id);
    return host !== undefined && now.invalidHosts.has(host) && names.has(host) && superseded !== true;
  };
  const isReplaced = ({ host, path }: ManifestFile): boolean =>
    isFetched(path) && (host === undefined || now.hosts.has(host) || now.invalidHosts.has(host));
  const files: ManifestFile[] = [];
  const earlier: ManifestFile[] = [];
  const unneeded: ManifestFile[] = [];
  const replacedHosts = new Set<string | undefined>();
  for (const file of previous?.files ?? []) {
    if (now.paths.has(file.path)) continue;
    if (isKept(file)) files.push(file);
    else if (!isReplaced(file)) unneeded.push(file);
    else if (file.superseded === true) earlier.push(file);
    else {
      files.push({ ...file, superseded: true });
      if (hasArtifactId(file.path)) replacedHosts.add(file.host);
    }
  }
  const removed: string[] = [];
  for (const file of earlier) {
    const { host, path } = file;
    if (!hasArtifactId(path)) unneeded.push(file);
    else if (now.prune || replacedHosts.has(host)) removed.push(path);
    else files.push(file);
  }
  const kept = hosts.map((host) => ({ ...host, state: 'kept' as const }));
  if (now.prune) {
    return { files, hosts: kept, removed: [...removed, ...unneeded.map(({ path }) => path)], unneeded: 0 };
  }
  return { files: [...files, ...unneeded], hosts: kept, removed, unneeded: unneeded.length };
}

/** Reports the memory that hosts need, if it is known. Details for each host are in the log of `--verbose`. */
export function reportMemory(
  hosts: readonly { readonly name: string; readonly memory?: readonly MemoryNeed[] | undefined }[],
  unlisted: readonly UnlistedMemory[],
  { stderr, note }: { readonly stderr: Io['stderr']; readonly note?: Io['note'] },
): void {
  const all = [
    ...hosts.flatMap(({ name, memory = [] }) => memory.map((need) => ({ subject: name, need }))),
    ...unlisted.map((need) => ({ subject: `machines that are not listed (${need.architecture})`, need })),
  ];
  const line = formatNeeds(all.map(({ need }) => need));
  if (line === undefined) return;
  stderr.write(`memory: ${line}\n`);
  for (const { subject, need } of all) {
    const parts = need.parts.map(({ what, bytes }) => `${formatSizeInWords(bytes)} for the ${what}`);
    note?.(`memory of ${subject} ${ways.get(need.boot)}: ${parts.join(', ')}`);
  }
}

const ways: ReadonlyMap<BootWay, string> = new Map([
  ['network', 'over the network'],
  ['minimal-iso', 'from a minimal ISO'],
  ['iso', 'from an ISO'],
]);

/** `at least 2 GiB to boot over the network, 2 GiB to 3.2 GiB from an ISO`; undefined if nothing is known. */
function formatNeeds(needs: readonly MemoryNeed[]): string | undefined {
  if (needs.length === 0) return undefined;
  const byWay = [...ways]
    .map(([boot, way]) => ({ way, sizes: formatRange(needs.filter((need) => need.boot === boot)) }))
    .filter(({ sizes }) => sizes !== '');
  const sizes = [...new Set(byWay.map((one) => one.sizes))];
  const clauses = sizes.map((size, index) => {
    const waysOfSize = byWay.filter((one) => one.sizes === size).map(({ way }) => way);
    return `${size} ${index === 0 ? 'to boot ' : ''}${formatWordList(waysOfSize)}`;
  });
  const isPulled = needs.some(({ parts }) => !parts.some(({ what }) => what === UNPACKED_IMAGE));
  const advice = `; ${formatSizeInWords(ADVISED_FOR_AGENT)} recommended, because the agent image is pulled`;
  return `at least ${clauses.join(', ')}${isPulled ? advice : ''}`;
}

/** `2 GiB`, or `2 GiB to 3.2 GiB` if hosts need different amounts; empty if nothing is known. */
function formatRange(needs: readonly MemoryNeed[]): string {
  const minima = needs.map(({ minimum }) => minimum);
  const sorted = minima.toSorted((one, other) => one - other);
  return [...new Set([...sorted.slice(0, 1), ...sorted.slice(-1)].map(formatSizeInWords))].join(' to ');
}

function reportExposed(run: PrepareRun): void {
  const { folder, io } = run;
  const secret = [...folder.files.values()].filter(({ secrets = [] }) => secrets.length > 0);
  const byPath = secret.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const hint = accessHint(folder.accessOf(secret[0]?.secrets).mode);
  for (const [what, files] of groupBy(byPath, ({ secrets = [] }) => formatWordList(secrets))) {
    const urls = formatNames(files.map(({ path }) => urlOf(run, path) ?? path));
    report(io, {
      severity: 'warning',
      message: `anyone who can fetch these files gets ${what}: ${urls}`,
      hint,
    });
  }
}

/** By the users that can read a file on this machine. */
function accessHint(mode: number): string {
  if ((mode & 0o004) !== 0)
    return 'use --group GROUP instead of --mode: all users of this machine can read these files';
  return (mode & 0o040) === 0
    ? 'use --group GROUP if the web server runs as another user: only the owner can read these files'
    : 'serve them only to the provisioning network, over https if the boot loader supports it';
}
