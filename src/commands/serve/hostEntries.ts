/** The catalog entries of all hosts. All configs are rendered and validated before the first request. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { keepRemarks, reportGroups, startRun, makeHosts } from '../../hosts/hostRun.ts';
import { scriptSecrets } from '../../hosts/plan/hostBoot.ts';
import { type HostPlan, planHost, type PlanJob } from '../../hosts/plan/planHost.ts';
import { formatSentence } from '../../io/report/diagnosticText.ts';
import { report } from '../../io/report/report.ts';
import type { ServedHost } from './catalog.ts';
import { hasSameFiles, type OpenFiles } from './openFiles.ts';
import type { ServeOptions } from './options.ts';
import type { NetworkHost, RamdiskBoot } from '../../kargs/network/networkBoot.ts';
import type { Growth } from '../../image/growth.ts';
import { materialOf } from '../../hosts/artifacts/hostArtifacts.ts';
import type { Links } from './links.ts';
import { hostPlaces, unknownPlaces, unknownStem } from './servedPlaces.ts';
import type { HostStatus } from './status/status.ts';
import { unknownMachines } from '../../http/server/answer/access.ts';
import { planUnknown } from '../../hosts/plan/planUnknown.ts';

/** The state of a host for the status page. */
export interface HostState extends Pick<
  HostStatus,
  'name' | 'macs' | 'architecture' | 'stream' | 'staleSince' | 'messages'
> {
  readonly isServed: boolean;
}

/** The inputs for the entries of all hosts. */
export interface EntryJob {
  readonly plan: PlanJob;
  readonly files: OpenFiles;
  readonly links: Links;
  readonly configs: PackedConfigs;
  readonly growth: Growth;
  readonly io: Io;
}

/**
 * Reports invalid hosts. An invalid host keeps its last valid entry (`stale`); without one, it is skipped.
 * @throws CliError if all hosts have become invalid, and with `--fail-fast` for an invalid host
 */
export async function buildHostEntries(
  options: ServeOptions,
  hosts: readonly InventoryHost[],
  earlier: { readonly hosts: readonly HostState[]; readonly entries: readonly ServedHost[] },
  job: EntryJob,
) {
  const { files, io, links, plan } = job;
  const invalid = new Map<string, readonly Diagnostic[]>();
  const states = new Map<string, HostState>();
  const served: ServedHost[] = [];
  const before = new Map(earlier.entries.map((entry) => [entry.name, entry]));
  const run = startRun(
    {
      io,
      done: 'served',
      failFast: options.failFast,
      onProblem: ({ name }, problems) => invalid.set(name, problems),
      kept: before.size === 0 ? undefined : before,
    },
    hosts.length,
  );
  const planned = makeHosts(
    hosts,
    (host, hostIo) => planHost(host, plan, hostPlaces(files, links, host.name), hostIo),
    run,
  );
  for await (const { host, made, remarks } of planned) {
    keepRemarks(remarks, host.name, run);
    const { architecture, boot, macs, name, stream } = made;
    served.push(await buildEntry(made, name, boot, job));
    states.set(name, {
      name,
      macs,
      architecture,
      stream,
      isServed: true,
      staleSince: undefined,
      messages: remarks,
    });
  }
  reportGroups(run);
  if (options.failFast === true && run.counts.invalid > 0) {
    throw new CliError('Nothing is served: a host is invalid', {
      code: 'ERR_HOST',
      hint: 'fix the errors reported above',
    });
  }
  const names = [...invalid.keys()].filter((name) => before.has(name) && !states.has(name));
  if (served.length === 0 && names.length > 0) throw allInvalid(invalid);
  const kept = names.flatMap((name) => before.get(name) ?? []);
  const macs = new Set(served.flatMap(({ boot }) => boot?.macs ?? []));
  const stale = kept.map((entry) => keepEntry(entry, macs, job));
  reportStale(names, io);
  const known = new Map(earlier.hosts.map((state) => [state.name, state]));
  const staleState = (name: string, messages: readonly Diagnostic[]): HostState | undefined => {
    const last = before.has(name) ? known.get(name) : undefined;
    return last && { ...last, staleSince: last.staleSince ?? new Date(), messages };
  };
  return {
    served,
    stale,
    states: hosts.map(({ name, mac, architecture }) => {
      const messages = invalid.get(name) ?? [];
      const none = { stream: undefined, isServed: false, staleSince: undefined };
      return (
        states.get(name) ??
        staleState(name, messages) ?? {
          ...none,
          name,
          macs: mac === undefined ? [] : [mac],
          architecture,
          messages,
        }
      );
    }),
  };
}

/** The error names one host and its first error, as the cause is often a setting of all hosts. */
function allInvalid(invalid: ReadonlyMap<string, readonly Diagnostic[]>): CliError {
  const [[name, problems] = ['', []]] = invalid;
  const first = problems.find(({ severity }) => severity === 'error');
  const cause = first === undefined ? '' : `, for example ${name}: ${formatSentence(first)}`;
  return new CliError(`All hosts are invalid${cause}`, { code: 'ERR_HOST', hint: first?.hint });
}

/** Limit for names in the message. */
const MAX_NAMES = 20;

function reportStale(names: readonly string[], io: Io): void {
  if (names.length === 0) return;
  report(io, {
    severity: 'warning',
    message: 'stale: the last valid image is still served',
    hint: 'fix the errors reported above; to stop serving a host, remove it from the inventory',
    hosts: { names: names.slice(0, MAX_NAMES), count: names.length },
  });
}

/**
 * Stores the configs and returns the entry.
 * @param stem the file name without its suffix
 * @param boot undefined for all machines that are not listed
 */
async function buildEntry(
  plan: Pick<HostPlan, 'configs' | 'images' | 'isoArguments'>,
  stem: string,
  boot: NetworkHost | undefined,
  { configs, files, growth, links }: EntryJob,
): Promise<ServedHost> {
  const name = boot?.name ?? unknownMachines;
  const { fetched, onIso } = plan.configs;
  return {
    ...(await materialOf(plan, files.archives, links.publicUrl, growth)),
    ...packConfigs(`${name} ${stem}`, fetched.document, onIso.document, configs),
    name,
    stem,
    boot,
    files,
    secrets: [...fetched.secrets, ...(boot === undefined ? [] : scriptSecrets(boot.start))],
  };
}

/** The config on the ISO has its own key only if it differs. */
function packConfigs(
  key: string,
  fetched: Uint8Array,
  onIso: Uint8Array,
  configs: PackedConfigs,
): Pick<ServedHost, 'config' | 'isoConfig'> {
  const isoKey = Buffer.compare(fetched, onIso) === 0 ? key : `${key} iso`;
  configs.add(key, fetched);
  if (isoKey !== key) configs.add(isoKey, onIso);
  return {
    config: () => configs.get(key) ?? Buffer.alloc(0),
    isoConfig: () => configs.get(isoKey) ?? Buffer.alloc(0),
  };
}

/**
 * The entry of an earlier snapshot for the new one. It uses the new base images and archives if these are the same, so that the
 * old files can be closed.
 * @param taken MAC addresses of valid hosts, which get the boot scripts by these addresses
 */
function keepEntry(entry: ServedHost, taken: ReadonlySet<string>, { configs, files }: EntryJob): ServedHost {
  const { archive, bases, boot, name, stem } = entry;
  const own = {
    ...entry,
    ...packConfigs(`${name} ${stem}`, entry.config(), entry.isoConfig(), configs),
    boot: boot && { ...boot, macs: boot.macs.filter((mac) => !taken.has(mac)) },
  };
  if (!hasSameFiles(files, entry.files)) return own;
  return {
    ...own,
    files,
    bases: bases && [...files.bases.values()].find(({ id }) => id === bases.id),
    archive: archive && [...files.archives.byPath.values()].find(({ sha512 }) => sha512 === archive.sha512),
  };
}

/** @throws CliError if the settings for all hosts do not result in a valid config */
export async function buildDiscoveryEntries(
  job: EntryJob,
): Promise<{ readonly hosts: readonly ServedHost[]; readonly boots: readonly RamdiskBoot[] }> {
  const { files, io, links, plan } = job;
  const plans = await planUnknown(plan, unknownPlaces(files, links), io);
  const hosts: ServedHost[] = [];
  for (const one of plans) {
    const stem = unknownStem(one.images?.base.architecture, files.bases);
    hosts.push(await buildEntry(one, stem, undefined, job));
  }
  return { hosts, boots: plans.flatMap(({ start }) => start ?? []) };
}

/** Compressed configs by host name. */
export interface PackedConfigs {
  add(host: string, config: Uint8Array): void;
  /** Undefined for an unknown host. */
  get(host: string): Uint8Array | undefined;
  /** The total size in bytes. */
  readonly size: number;
}

/** The window of deflate: of a longer dictionary only the end is used. */
const WINDOW = 32 * 1024;

interface Packed {
  readonly bytes: Uint8Array;
  /** Bytes after decompression. */
  readonly length: number;
}

export function createPackedConfigs(): PackedConfigs {
  const packed = new Map<string, Packed>();
  let dictionary: Buffer | undefined;
  let size = 0;
  return {
    add: (host, config) => {
      dictionary ??= Buffer.from(config.subarray(-WINDOW));
      // A copy: the result of zlib has unused space, or is a part of the buffer pool and would keep the whole pool in memory.
      const bytes = new Uint8Array(deflateRawSync(config, { dictionary }));
      size += bytes.length - (packed.get(host)?.bytes.length ?? 0);
      packed.set(host, { bytes, length: config.length });
    },
    get: (host) => {
      const found = packed.get(host);
      if (found === undefined || dictionary === undefined) return undefined;
      // A copy, too: zlib puts any result into 16 KiB, which a cached config would keep in memory.
      return new Uint8Array(
        inflateRawSync(found.bytes, { dictionary, maxOutputLength: Math.max(1, found.length) }),
      );
    },
    get size() {
      return size;
    },
  };
}
