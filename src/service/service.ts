/** The running service: the server, the snapshot that it serves, and its reload. */

import { CliError } from '../core/errors.ts';
import { diagnosticOf } from '../core/finding.ts';
import { isDiskFull } from '../io/files/fileErrors.ts';
import { createAnswerer } from '../http/server/requests.ts';
import { type RunningServer, startServer } from '../http/server/server.ts';
import { noteFailedReload, type ServerLog } from '../http/server/serverLog.ts';
import type { HostStatus, ImageStatus } from './status/hostStatus.ts';
import {
  createTransferLog,
  type TransferLog,
  type TransferWatcher,
} from '../http/server/answer/transfers.ts';
import { formatCount } from '../formats/messageText.ts';
import { loadPackage } from '../core/assets.ts';
import { programVersion } from '../core/programVersion.ts';
import { createLinks, type Links } from '../hosts/plan/links.ts';
import type { Registry } from 'prom-client';
import { createMetrics, type HostCounts } from './metrics.ts';
import type { ImageCounts } from '../hosts/artifacts/imageCache.ts';
import type { ServiceOptions } from './options.ts';
import { createRefusals, type RequestedFile, type Refusals } from './refusals.ts';
import { createServiceState, type Servable, type ServiceState, keptInputs } from './serviceState.ts';
import type { Setup } from './setup.ts';
import { createAccessCheck } from '../http/server/accessCheck.ts';
import { createSnapshots, type Snapshot } from './snapshot.ts';
import type { ServeSource } from './source.ts';
import type { Io } from '../io/io.ts';
import { createReadyPage, healthPage, type Page } from '../http/server/pages.ts';
import { type Status, statusAnswer } from './status/statusPage.ts';
import { hostFileName, parseHostFileName } from '../hosts/plan/servedPaths.ts';
import { isUnchanged } from '../hosts/plan/baseImages.ts';

export interface RunningService<S extends Servable = Snapshot> {
  readonly log: ServerLog;
  readonly links: Links;
  readonly state: ServiceState<S>;
  readonly server: RunningServer;
  readonly transfers: TransferLog;
}

/** What a program gives to a service that runs as a part of it. */
interface ServiceContext {
  readonly command: string;
  readonly log: ServerLog;
  /** They receive all transfers. */
  readonly watchers?: readonly TransferWatcher[];
  /** Receives requests for files that are answered with 401 or 404. */
  readonly refused?: (noted: ReturnType<Refusals['note']>) => void;
  /** Returns the public URL once the port is known. The public URL of the setup overrides it. */
  readonly publicUrl?: ((server: RunningServer) => string) | undefined;
}

/** The parts in which services differ. The snapshot is undefined until the first one is loaded. */
interface ServiceParts<S extends Servable> extends ServiceContext {
  /** What is loaded, as a noun: `inventory`. */
  readonly inputs: string;
  /** @param before the previous snapshot, which is still served @param signal cancels it */
  readonly take: (links: Links, before: S | undefined, signal: AbortSignal) => Promise<S>;
  /** Why the service is not ready, as a clause; undefined if it is ready. */
  readonly problem: (snapshot: S | undefined) => string | undefined;
  readonly hosts: (snapshot: S | undefined, transfers: TransferLog, links: Links) => readonly HostStatus[];
  readonly countHosts: (snapshot: S | undefined) => HostCounts;
  /** Undefined for a path that is of no host. */
  readonly ownerOf: (snapshot: S | undefined, path: string) => RequestedFile | undefined;
  readonly addMetrics?: (registry: Registry) => void;
}

/**
 * Listens first, so that an address in use is reported before thousands of configs are rendered.
 * @param context with the change of the source for each snapshot
 * @throws CliError
 */
export async function startService(
  options: ServiceOptions,
  setup: Setup,
  {
    changeSource,
    io,
    ...context
  }: ServiceContext & {
    readonly io: Io;
    readonly changeSource?: (read: ServeSource) => ServeSource;
  },
): Promise<RunningService> {
  return startServiceServer(setup, {
    ...context,
    inputs: 'inventory',
    take: createSnapshots(options, setup.cacheSize, changeSource, io),
    problem: readyProblem,
    hosts: describeHosts,
    countHosts,
    ownerOf,
  });
}

/** A service without any valid host would answer all requests for hosts with 404. */
export function readyProblem(snapshot: Snapshot | undefined): string | undefined {
  if (snapshot === undefined) return 'the inventory is still loading';
  const { hosts } = snapshot;
  return hosts.length > 0 && hosts.every(({ plan }) => plan === undefined)
    ? 'all hosts are invalid'
    : undefined;
}

/** Starts the HTTP server of a service, which has no snapshot yet. Throws CliError if it cannot listen. */
export async function startServiceServer<S extends Servable>(
  setup: Setup,
  parts: ServiceParts<S>,
): Promise<RunningService<S>> {
  const { log, watchers = [] } = parts;
  const state = createServiceState<S>(async (before, signal) => {
    try {
      const snapshot = await parts.take(links, before, signal);
      await loadPackage();
      metrics.catalogReloaded('success');
      return snapshot;
    } catch (error) {
      metrics.catalogReloaded('failure');
      throw error;
    }
  });
  const images = (): ImageCounts => state.current()?.catalog.images ?? { count: 0, size: 0 };
  const hosts = (): HostCounts => parts.countHosts(state.current());
  const isReloaded = (): boolean => state.problem() === undefined;
  const metrics = createMetrics({ version: programVersion(), images, hosts, isReloaded }, parts.addMetrics);
  const transfers = createTransferLog([metrics.watcher, ...watchers]);
  const refusals = createRefusals((path) => parts.ownerOf(state.current(), path));
  const started = new Date();
  const status = (): Status => {
    const snapshot = state.current();
    const described = parts.hosts(snapshot, transfers, links);
    const problem = state.problem();
    return {
      command: parts.command,
      service: {
        version: programVersion(),
        now: new Date(),
        started,
        loaded: snapshot?.loaded ?? started,
        connections: server.connections(),
        transfers: transfers.running(),
        inputs: parts.inputs,
      },
      loadError:
        problem &&
        (problem instanceof CliError
          ? diagnosticOf(problem)
          : { severity: 'error', message: problem.message }),
      baseImages: [...(snapshot?.bases.values() ?? [])].flatMap(({ architecture, inputs }) =>
        [...inputs.values()].map(({ name, size, sha256, stream, label }) => ({
          name,
          architecture,
          stream,
          size,
          digest: sha256,
          build: label,
        })),
      ),
      hosts: described.map((host) => ({ ...host, refusal: refusals.of(host.name) })),
      shared: transfers.progressOf(undefined),
      recent: transfers.recent(),
    };
  };
  // After a failed reload, the previous snapshot is served, but only as long as its images are what they were.
  const imageProblem = async (): Promise<string | undefined> => {
    const release = state.catalog().acquire();
    try {
      const bases = [...(state.current()?.bases.values() ?? [])];
      for (const base of bases) if (await isUnchanged(base)) return undefined;
      return bases.length === 0 ? undefined : 'the images have changed, and the last reload failed';
    } finally {
      release();
    }
  };
  const readyPage = createReadyPage(
    () => parts.problem(state.current()) ?? (isReloaded() ? undefined : imageProblem()),
    () => degradations(hosts(), state.problem()),
  );
  const statusPage: Page = {
    isPublic: false,
    answer: ({ accept, query }) => statusAnswer(status(), query, accept),
  };
  const metricsPage: Page = {
    isPublic: false,
    answer: async () => {
      const { body, contentType } = await metrics.render();
      return { status: 200, headers: { 'Content-Type': contentType }, body };
    },
  };
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
      watch: metrics.requestAnswered,
      refused: (request) => {
        const noted = refusals.note(request);
        parts.refused?.(noted);
      },
      pages: new Map([
        ['healthz', healthPage],
        ['readyz', readyPage],
        ['', statusPage],
        ['metrics', metricsPage],
      ]),
    }),
  });
  // The URL of the server is known only now. No request and no reload needs it earlier.
  const publicUrl = setup.publicUrl ?? parts.publicUrl?.(server) ?? server.origin;
  const links = createLinks(publicUrl, setup.signer, setup.lifetime);
  return { log, links, state, server, transfers };
}

function countHosts(snapshot: Snapshot | undefined): HostCounts {
  const hosts = snapshot?.hosts ?? [];
  const served = hosts.filter(({ plan }) => plan !== undefined).length;
  const stale = hosts.filter(({ staleSince }) => staleSince !== undefined).length;
  return { valid: served - stale, stale, invalid: hosts.length - served };
}

/** What a ready service does not serve as requested, as clauses without names. */
function degradations({ stale, invalid }: HostCounts, problem: Error | undefined): string[] {
  // Other errors may quote files of the operator.
  const cause = isDiskFull(problem) ? ` (${problem?.message})` : '';
  return [
    ...(problem === undefined ? [] : [`the last reload failed${cause}`]),
    ...(stale === 0 ? [] : [`${formatCount(stale, 'host')} with an older image`]),
    ...(invalid === 0 ? [] : [`${formatCount(invalid, 'host')} without an image`]),
  ];
}

export async function loadSnapshot({ log, state }: RunningService): Promise<void> {
  await state.load();
  const { valid: hosts, stale, invalid } = countHosts(state.current());
  log.note('info', 'loaded', { hosts, stale, invalid });
}

/** Reloads all files. If they are invalid, the service keeps the previous inventory. Never rejects. */
export async function reload(service: RunningService): Promise<void> {
  const { log, server, state } = service;
  await server.reloadCertificates();
  await state.reload(
    () => loadSnapshot(service),
    (error) => noteFailedReload(log, 'reload', error, keptInputs(state, 'inventory')),
  );
}

function ownerOf(snapshot: Snapshot | undefined, path: string): RequestedFile | undefined {
  if (snapshot === undefined) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const file = parseHostFileName(name).find(({ host }) => snapshot.hosts.some((one) => one.name === host));
  return file && { ...file, isServed: snapshot.wanted.configs.includes(file.artifact) };
}

function describeHosts(snapshot: Snapshot | undefined, transfers: TransferLog, links: Links): HostStatus[] {
  if (snapshot === undefined) return [];
  const imagesOf = (host: string): ImageStatus[] =>
    snapshot.wanted.configs.map((artifact) => {
      const path = hostFileName(host, artifact);
      return { path, artifact, url: links.url({ kind: 'host', host }, path) };
    });
  return snapshot.hosts.map((host) => ({
    ...host,
    progress: () => transfers.progressOf(host.name),
    images: () => (host.plan === undefined ? [] : imagesOf(host.name)),
  }));
}
