/** The hosts of an inventory as they can be served: all are rendered and checked before the first is asked for. */

import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import type { Architecture } from '../core/architecture.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { CliError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import type { PackedConfigs } from './answer/packedConfigs.ts';
import { keepRemarks, reportGroups, startRun } from '../hosts/run/hostRun.ts';
import { makeHosts } from '../hosts/run/makeHosts.ts';
import { scriptSecrets } from '../hosts/plan/hostBoot.ts';
import { listPlannable, planHost, type PlanJob } from '../hosts/plan/planHost.ts';
import type { CatalogHost } from './catalog.ts';
import type { ServeOptions } from './options.ts';
import { planSource, type StockPlan } from './planSource.ts';
import { hostPlaces, type ServedThings } from './servedPlaces.ts';
import type { ServeSource } from './source.ts';

/** What a page or a program is told of a host. */
export interface HostState {
  readonly name: string;
  readonly macs: readonly string[];
  readonly architecture: Architecture | undefined;
  readonly isServed: boolean;
  /** What there is to say of a host that is served, or why it is not. */
  readonly remarks: readonly Diagnostic[];
}

/** Where hosts are put, and what they are made from. */
export interface StockJob {
  readonly read: ServeSource;
  readonly things: ServedThings;
  readonly plan: PlanJob;
  readonly configs: PackedConfigs;
  readonly io: Io;
}

export interface HostStock {
  /** All hosts, in the order of the inventory. */
  readonly states: readonly HostState[];
  readonly served: readonly CatalogHost[];
}

/** Hosts that are wrong are told, and stay out. Throws CliError where that ends it. */
export async function stockHosts(options: ServeOptions, job: StockJob): Promise<HostStock> {
  const { io, plan, read, things } = job;
  const listed = read.inventory.hosts ?? [];
  const wrong = new Map<string, readonly Diagnostic[]>();
  const states = new Map<string, HostState>();
  const served: CatalogHost[] = [];
  const run = startRun(
    {
      io,
      done: 'served',
      failFast: options.failFast,
      onProblem: ({ name }, problems) => wrong.set(name, problems),
    },
    listed.length,
  );
  const hosts = listPlannable(listed, read.source).filter(({ name }) => (options.once ?? name) === name);
  const planned = { ...plan, places: hostPlaces(things) };
  for await (const { host, made, remarks } of makeHosts(
    hosts,
    (it, hostIo) => planHost(it, planned, hostIo),
    run,
  )) {
    keepRemarks(remarks, host.name, run);
    const { boot } = made;
    const secrets = [...made.configs.fetched.secrets, ...scriptSecrets(boot.start)];
    served.push({ ...(await stock(made.name, made, job)), boot, secrets });
    const { macs, architecture } = made;
    states.set(made.name, { name: made.name, macs, architecture, isServed: true, remarks });
  }
  reportGroups(run);
  if (options.failFast === true && run.counts.wrong > 0) {
    throw new CliError('Nothing is served: a host is wrong', { hint: 'mend what is reported above' });
  }
  return {
    served,
    states: listed
      .filter(({ name }) => states.has(name) || wrong.has(name))
      .map((host) => states.get(host.name) ?? wrongHost(host, wrong)),
  };
}

function wrongHost(
  { name, mac, architecture }: InventoryHost,
  problems: ReadonlyMap<string, readonly Diagnostic[]>,
): HostState {
  const macs = mac === undefined ? [] : [mac];
  return { name, macs, architecture, isServed: false, remarks: problems.get(name) ?? [] };
}

/** Keeps the configs, under the name or one that begins with it, and gives what files are made from. */
export async function stock(
  name: string,
  plan: StockPlan,
  { configs, read, things }: StockJob,
): Promise<Omit<CatalogHost, 'boot'>> {
  const { fetched, onIso } = plan.configs;
  const isoName = fetched === onIso ? name : `${name} iso`;
  configs.add(name, fetched.document);
  if (isoName !== name) configs.add(isoName, onIso.document);
  return {
    ...(await planSource(plan, things)),
    name,
    config: () => configs.get(name) ?? Buffer.alloc(0),
    isoConfig: () => configs.get(isoName) ?? Buffer.alloc(0),
    modified: read.modified,
    secrets: fetched.secrets,
  };
}
