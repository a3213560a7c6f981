/** The catalog entries of all hosts. All configs are rendered and validated before the first request. */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { CliError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { keepRemarks, reportGroups, startRun, makeHosts } from '../hosts/run/hostRun.ts';
import { scriptSecrets } from '../hosts/plan/hostBoot.ts';
import { type HostPlan, planHost, type PlanJob } from '../hosts/plan/planHost.ts';
import type { ServedHost } from './catalog.ts';
import type { ServeOptions } from './options.ts';
import type { NetworkHost, RamdiskBoot } from '../boot/network/networkBoot.ts';
import type { Growth } from '../image/growth.ts';
import { materialOf } from '../hosts/artifacts/hostArtifacts.ts';
import { hostPlaces, type ServeContext, unknownPlaces, unknownStem } from './servedPlaces.ts';
import type { ServeSource } from './source.ts';
import type { HostStatus } from './status/status.ts';
import { unknownMachines } from './answer/access.ts';
import { planUnknown } from '../hosts/plan/planUnknown.ts';

/** The state of a host for the status page. */
export interface HostState extends Pick<
  HostStatus,
  'name' | 'macs' | 'architecture' | 'stream' | 'messages'
> {
  readonly isServed: boolean;
}

/** The inputs for the entries of all hosts. */
export interface EntryJob {
  readonly read: ServeSource;
  readonly things: ServeContext;
  readonly plan: PlanJob;
  readonly configs: PackedConfigs;
  readonly growth: Growth;
  readonly io: Io;
}

/** Reports invalid hosts and skips them. With `--fail-fast`, throws CliError for an invalid host. */
export async function buildHostEntries(
  options: ServeOptions,
  hosts: readonly InventoryHost[],
  job: EntryJob,
): Promise<{ readonly states: readonly HostState[]; readonly served: readonly ServedHost[] }> {
  const { io, plan, things } = job;
  const invalid = new Map<string, readonly Diagnostic[]>();
  const states = new Map<string, HostState>();
  const served: ServedHost[] = [];
  const run = startRun(
    {
      io,
      done: 'served',
      failFast: options.failFast,
      onProblem: ({ name }, problems) => invalid.set(name, problems),
    },
    hosts.length,
  );
  const planned = makeHosts(
    hosts,
    (host, hostIo) => planHost(host, plan, hostPlaces(things, host.name), hostIo),
    run,
  );
  for await (const { host, made, remarks } of planned) {
    keepRemarks(remarks, host.name, run);
    const { architecture, boot, macs, name, stream } = made;
    served.push(await buildEntry(made, name, boot, job));
    states.set(name, { name, macs, architecture, stream, isServed: true, messages: remarks });
  }
  reportGroups(run);
  if (options.failFast === true && run.counts.invalid > 0) {
    throw new CliError('Nothing is served: a host is invalid', {
      code: 'ERR_HOST',
      hint: 'fix the errors reported above',
    });
  }
  return {
    served,
    states: hosts.map(({ name, mac, architecture }) => {
      const macs = mac === undefined ? [] : [mac];
      const messages = invalid.get(name) ?? [];
      return states.get(name) ?? { name, macs, architecture, stream: undefined, isServed: false, messages };
    }),
  };
}

/**
 * Stores the configs and returns the entry. The config on the ISO has its own key only if it differs.
 * @param stem the file name without its suffix
 * @param boot undefined for all machines that are not listed
 */
async function buildEntry(
  plan: Pick<HostPlan, 'configs' | 'images' | 'isoArguments'>,
  stem: string,
  boot: NetworkHost | undefined,
  { configs, growth, read, things }: EntryJob,
): Promise<ServedHost> {
  const name = boot?.name ?? unknownMachines;
  const { fetched, onIso } = plan.configs;
  const key = `${name} ${stem}`;
  const isoKey = fetched === onIso ? key : `${key} iso`;
  configs.add(key, fetched.document);
  if (isoKey !== key) configs.add(isoKey, onIso.document);
  return {
    ...(await materialOf(plan, things.archives, things.links.publicUrl, growth)),
    name,
    stem,
    boot,
    config: () => configs.get(key) ?? Buffer.alloc(0),
    isoConfig: () => configs.get(isoKey) ?? Buffer.alloc(0),
    modified: read.modified,
    secrets: [...fetched.secrets, ...(boot === undefined ? [] : scriptSecrets(boot.start))],
  };
}

/** @throws CliError if the settings for all hosts do not result in a valid config */
export async function buildDiscoveryEntries(
  job: EntryJob,
): Promise<{ readonly hosts: readonly ServedHost[]; readonly boots: readonly RamdiskBoot[] }> {
  const { io, plan, things } = job;
  const plans = await planUnknown(plan, unknownPlaces(things), io);
  const hosts: ServedHost[] = [];
  for (const one of plans) {
    const stem = unknownStem(one.images?.base.architecture, things.bases);
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
      return inflateRawSync(found.bytes, { dictionary, maxOutputLength: Math.max(1, found.length) });
    },
    get size() {
      return size;
    },
  };
}
