/** The running service: the server, the snapshot that it serves, and its reload. */

import { knownDigests } from '../io/files/fileDigests.ts';
import type { Io } from '../io/io.ts';
import { createAnswerer } from './http/requests.ts';
import { type RunningServer, startServer } from './http/server.ts';
import { noteFailedReload, type ServerLog } from './http/serverLog.ts';
import type { Status, BaseStatus, HostStatus, ImageStatus } from './status/status.ts';
import { createTransferLog, type TransferLog, type TransferWatcher } from './answer/transfers.ts';
import { programVersion } from '../core/programVersion.ts';
import { createLinks, type Links } from './links.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { ServeOptions } from './options.ts';
import { createServiceState, type Servable, type ServiceState } from './serviceState.ts';
import type { Setup } from './setup.ts';
import { createAccessCheck } from './http/accessCheck.ts';
import { type Snapshot, type SnapshotContext, takeSnapshot } from './snapshot.ts';
import { createReadyPage, healthPage, type Page } from './http/pages.ts';
import { statusAnswer } from './status/statusPage.ts';
import { hostFileName } from '../hosts/artifacts/servedPaths.ts';
import type { BaseSet } from '../hosts/artifacts/baseImages.ts';

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
  const metrics = createMetrics({
    version: programVersion(),
    images: () => {
      const { count = 0, size = 0 } = state.current()?.catalog.images ?? {};
      return { count, bytes: size };
    },
    hosts: () => countHosts(state),
  });
  const transfers = createTransferLog([metrics.watcher, ...watchers]);
  const server = await startServiceServer(setup, {
    state,
    metrics,
    transfers,
    log,
    problem: () => (state.current() === undefined ? 'the inventory is still loading' : undefined),
    bases: () => state.current()?.bases.values() ?? [],
    hosts: () => describeHosts(state.current(), transfers, links),
  });
  // The URL of the server is known only now. No request and no reload needs it earlier.
  const publicUrl = setup.publicUrl ?? own.publicUrl?.(server) ?? server.origin;
  const links = createLinks({ ...setup, publicUrl });
  return { log, links, state, server, transfers, metrics };
}

/** The parts of a service that its server needs. */
interface ServerParts {
  readonly state: Pick<ServiceState<Servable>, 'catalog' | 'current' | 'problem'>;
  readonly metrics: Metrics;
  readonly transfers: TransferLog;
  readonly log: ServerLog;
  /** Why the service is not ready, as a clause; undefined if it is ready. */
  readonly problem: () => string | undefined;
  /** The base images and the hosts for the status page. */
  readonly bases: () => Iterable<BaseSet>;
  readonly hosts: () => readonly HostStatus[];
}

/** Starts the HTTP server of a service. Throws CliError if it cannot listen. */
export async function startServiceServer(setup: Setup, parts: ServerParts): Promise<RunningServer> {
  const { state, metrics, transfers, log } = parts;
  const started = new Date();
  const describe = (): Status => ({
    service: {
      version: programVersion(),
      now: new Date(),
      started,
      loaded: state.current()?.loaded ?? started,
      loadError: state.problem(),
      connections: server.connections(),
      transfers: transfers.running(),
    },
    baseImages: [...parts.bases()].flatMap(describeBases),
    hosts: parts.hosts(),
    shared: transfers.progressOf(undefined),
    recent: transfers.recent(),
  });
  const pages = new Map<string, Page>([
    ['healthz', healthPage],
    ['readyz', createReadyPage(parts.problem)],
    [
      '',
      {
        isPublic: false,
        answer: (request) => ({ status: 200, ...statusAnswer(describe(), request) }),
      },
    ],
    [
      'metrics',
      {
        isPublic: false,
        answer: async ({ accept }) => {
          const { body, contentType } = await metrics.render(accept);
          return { status: 200, headers: { 'Content-Type': contentType }, body };
        },
      },
    ],
  ]);
  const server = await startServer({
    listen: setup.listen,
    tls: setup.tls,
    limits: setup.limits,
    log,
    answer: createAnswerer({
      catalog: state.catalog,
      access: createAccessCheck({ ...setup, isOpen: setup.signer === undefined }),
      transfers,
      log,
      idleTimeout: setup.limits.idleTime,
      watch: metrics.requestAnswered,
      pages,
    }),
  });
  return server;
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

function describeBases({ architecture, inputs }: BaseSet): BaseStatus[] {
  return [...inputs.values()].map(({ name, size, sha256, label }) => ({
    name,
    architecture,
    size,
    digest: sha256,
    build: label,
  }));
}

function describeHosts(snapshot: Snapshot | undefined, transfers: TransferLog, links: Links): HostStatus[] {
  if (snapshot === undefined) return [];
  const imagesOf = (host: string): ImageStatus[] =>
    snapshot.wanted.configs.map((artifact) => {
      const path = hostFileName(host, artifact);
      return { path, artifact, url: links.url({ kind: 'host', host }, path) };
    });
  return snapshot.hosts.map(({ isServed, ...host }) => ({
    ...host,
    progress: () => transfers.progressOf(host.name),
    images: () => (isServed ? imagesOf(host.name) : []),
  }));
}
