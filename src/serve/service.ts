/** The running service: the server, the snapshot that it serves, and its reload. */

import { knownDigests } from '../io/files/fileDigests.ts';
import type { Io } from '../io/io.ts';
import { createAnswerer } from './http/requests.ts';
import { type RunningServer, startServer } from './http/server.ts';
import { noteFailedReload, type ServerLog } from './http/serverLog.ts';
import type { Status, BaseStatus, HostStatus, ImageStatus } from './status/status.ts';
import type { Catalog } from './answer/resource.ts';
import { createTransferLog, type TransferLog, type TransferWatcher } from './answer/transfers.ts';
import { programVersion } from '../core/programVersion.ts';
import { createLinks, type Links } from './links.ts';
import { createMetrics, type Metrics, type MetricsSource } from './metrics.ts';
import type { ServeOptions } from './options.ts';
import { createServiceState, type ServiceState, type Loaded } from './serviceState.ts';
import type { Setup } from './setup.ts';
import { createAccessCheck } from './http/accessCheck.ts';
import { type Snapshot, type SnapshotContext, takeSnapshot } from './snapshot.ts';
import { createReadyPage, healthPage, type Page } from './http/pages.ts';
import { statusAnswer } from './status/statusPage.ts';
import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import { hostFileName } from '../hosts/artifacts/servedPaths.ts';
import type { BaseSet } from '../hosts/artifacts/baseImages.ts';
import type { HostState } from './hostEntries.ts';

export interface RunningService {
  readonly log: ServerLog;
  readonly links: Links;
  readonly state: ServiceState<Snapshot>;
  readonly server: RunningServer;
  readonly transfers: TransferLog;
  readonly metrics: Metrics;
}

/** The context of a service, and what a program overrides that runs it as a part of something else (`try`). */
export interface ServiceContext extends Pick<SnapshotContext, 'changeSource'> {
  readonly io: Io;
  readonly log: ServerLog;
  /** They receive all transfers. */
  readonly watchers?: readonly TransferWatcher[];
  /** Returns the public URL once the port is known. The public URL of the setup overrides it. */
  readonly publicUrl?: ((server: RunningServer) => string) | undefined;
}

/** Listens first, so that an address in use is reported before thousands of configs are rendered. Throws CliError. */
export async function startService(
  options: ServeOptions,
  setup: Setup,
  { io, log, watchers = [], ...own }: ServiceContext,
): Promise<RunningService> {
  const digests = knownDigests(new Map());
  const state = createServiceState(() =>
    takeSnapshot(options, { links, digests, cacheSize: setup.cacheSize, io, changeSource: own.changeSource }),
  );
  const metrics = createMetrics(metricsSource(state));
  const transfers = createTransferLog({ watchers: [metrics.watcher, ...watchers] });
  const started = new Date();
  const describe = (): Status =>
    describeService({
      links,
      snapshot: state.current(),
      problem: state.problem(),
      transfers,
      started,
      connections: server.connections(),
    });
  const problem = (): string | undefined =>
    state.current() === undefined ? 'the inventory is still loading' : undefined;
  const server = await startServiceServer(setup, { state, metrics, transfers, log, problem, describe });
  // The URL of the server is known only now. No request and no reload needs it earlier.
  const publicUrl = setup.publicUrl ?? own.publicUrl?.(server) ?? server.origin;
  const links = createLinks({ ...setup, publicUrl });
  return { log, links, state, server, transfers, metrics };
}

/** The parts of a service that its server needs. */
interface ServerParts extends PageSources {
  readonly state: { readonly catalog: () => Catalog };
  readonly metrics: Metrics;
  readonly transfers: TransferLog;
  readonly log: ServerLog;
}

/** Starts the HTTP server of a service. Throws CliError if it cannot listen. */
export async function startServiceServer(setup: Setup, parts: ServerParts): Promise<RunningServer> {
  const { state, metrics, transfers, log } = parts;
  return startServer({
    listen: setup.listen,
    tls: setup.tls,
    limits: setup.limits,
    log,
    answer: createAnswerer({
      catalog: () => state.catalog(),
      access: createAccessCheck({ ...setup, isOpen: setup.signer === undefined }),
      transfers,
      log,
      idleTimeout: setup.limits.idleTime,
      watch: (event) => metrics.requestAnswered(event),
      pages: servicePages(parts),
    }),
  });
}

function metricsSource(state: ServiceState<Snapshot>): MetricsSource {
  return {
    version: programVersion(),
    images: () => {
      const { count = 0, size = 0 } = state.current()?.catalog.images ?? {};
      return { count, bytes: size };
    },
    hosts: () => countHosts(state),
  };
}

function countHosts(state: ServiceState<Snapshot>): { readonly valid: number; readonly invalid: number } {
  const hosts = state.current()?.hosts ?? [];
  const valid = hosts.filter(({ isServed }) => isServed).length;
  return { valid, invalid: hosts.length - valid };
}

/** Reads all files. Throws CliError if they are invalid. */
export async function loadSnapshot({ log, metrics, state }: RunningService): Promise<void> {
  try {
    await state.load();
  } catch (error) {
    metrics.catalogReloaded('failure');
    throw error;
  }
  metrics.catalogReloaded('success');
  const { valid, invalid } = countHosts(state);
  log.note('info', 'loaded', { hosts: valid, invalid });
}

/** Reloads all files. If they are invalid, the service keeps the previous inventory. Never rejects. */
export async function reload(service: RunningService): Promise<void> {
  const { log, server } = service;
  await server.reloadCertificates();
  await loadSnapshot(service).catch((error: unknown) =>
    noteFailedReload(log, 'reload', error, 'still serving the previous inventory'),
  );
}

interface PageSources {
  /** Why the service is not ready, as a clause; undefined if it is ready. */
  readonly problem: () => string | undefined;
  readonly metrics: Pick<Metrics, 'render'>;
  readonly describe: () => Status;
}

function servicePages({ problem, metrics, describe }: PageSources): ReadonlyMap<string, Page> {
  const ready = createReadyPage(problem);
  const status: Page = {
    isPublic: false,
    answer: (request) => ({ status: 200, ...statusAnswer(describe(), request) }),
  };
  const metricsPage: Page = {
    isPublic: false,
    answer: async ({ accept }) => {
      const { body, contentType } = await metrics.render(accept);
      return { status: 200, headers: { 'Content-Type': contentType }, body };
    },
  };
  return new Map([
    ['healthz', healthPage],
    ['readyz', ready],
    ['', status],
    ['metrics', metricsPage],
  ]);
}

interface StatusSource extends CommonSource {
  readonly snapshot: Loaded<Snapshot> | undefined;
  readonly links: Links;
}

function describeService(source: StatusSource): Status {
  const { snapshot } = source;
  return {
    ...describeCommon(source, snapshot?.bases.values() ?? []),
    hosts: (snapshot?.hosts ?? []).map((host) => describeHost(host, source)),
  };
}

/** The sources of the status that do not depend on the kind of service. */
export interface CommonSource {
  readonly snapshot: { readonly loaded: Date } | undefined;
  readonly problem: string | undefined;
  readonly transfers: TransferLog;
  readonly started: Date;
  /** Client connections, including idle ones. */
  readonly connections: number;
}

/** The status of a service without its hosts. */
export function describeCommon(source: CommonSource, bases: Iterable<BaseSet>): Omit<Status, 'hosts'> {
  const { connections, problem, snapshot, started, transfers } = source;
  return {
    service: {
      version: programVersion(),
      now: new Date(),
      started,
      loaded: snapshot?.loaded ?? started,
      loadError: problem,
      connections,
      transfers: transfers.running(),
    },
    baseImages: [...bases].flatMap(describeBases),
    shared: transfers.progressOf(undefined),
    recent: transfers.recent(),
  };
}

function describeBases({ architecture, inputs }: BaseSet): BaseStatus[] {
  return [...inputs.values()].map(({ name, size, sha256, label }) => ({
    name,
    architecture,
    size,
    digest: sha256,
    build: label,
  }));
}

function describeHost(
  { name, macs, architecture, isServed, messages }: HostState,
  source: StatusSource,
): HostStatus {
  return {
    name,
    macs,
    architecture,
    messages,
    progress: () => source.transfers.progressOf(name),
    images: () => (isServed ? hostImages(name, source) : []),
  };
}

function hostImages(host: string, { snapshot, links, transfers }: StatusSource): ImageStatus[] {
  const sizes = new Map(transfers.progressOf(host).map(({ path, size }) => [path, size]));
  return (snapshot?.wanted.configs ?? []).map((artifact: ConfigArtifact) => {
    const path = hostFileName(host, artifact);
    return { path, artifact, size: sizes.get(path), url: links.url({ kind: 'host', host }, path) };
  });
}
