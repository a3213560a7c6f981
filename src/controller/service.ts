/** The parts of a running controller: informers, server, and reconcile loop. */

import { CliError } from '../core/errors.ts';
import { knownDigests } from '../io/files/fileDigests.ts';
import type { Io } from '../io/io.ts';
import type { KubernetesClient } from './kube/kubernetesClient.ts';
import type { EventRecorder } from './kube/eventRecorder.ts';
import type { LeaderElection } from './kube/leaderElection.ts';
import type { RunningServer } from '../serve/http/server.ts';
import type { ServerLog } from '../serve/http/serverLog.ts';
import type { Outcome } from './api/outcome.ts';
import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import { createTransferLog } from '../serve/answer/transfers.ts';
import { programVersion } from '../core/programVersion.ts';
import { createLinks } from '../serve/links.ts';
import { createMetrics, type Metrics } from '../serve/metrics.ts';
import { startServiceServer } from '../serve/service.ts';
import { createServiceState, type Servable, type ServiceState } from '../serve/serviceState.ts';
import { buildOutcome } from './buildOutcome.ts';
import { createImageCatalog } from './imageCatalog.ts';
import { type ImageFactory, openImageFactory } from './imageFactory.ts';
import { Informers, secretReader } from './informers.ts';
import type { ControllerPlan } from './plan.ts';
import { addControllerMetrics, type ControllerCounters, describeImages } from './status.ts';
import { ReconcileLoop } from './reconcileLoop.ts';
import type { ControllerOptions, SettingsSource } from './settings.ts';

/** The parts that a service is built from. */
export interface ControllerParts {
  readonly plan: ControllerPlan;
  readonly client: KubernetesClient;
  /** A separate client, so that its requests do not wait behind other requests. */
  readonly electionClient: KubernetesClient;
  readonly recorder: EventRecorder;
  readonly settings: SettingsSource;
  readonly role: Role;
  readonly onError: (error: Error) => void;
  readonly log: ServerLog;
  readonly io: Io;
}

export interface Role {
  /** Load balancers may already use this replica. */
  isAnnounced: boolean;
  current: Pick<LeaderElection, 'isLeader' | 'stop'> | undefined;
}

export interface ControllerService extends ControllerParts {
  readonly informers: Informers;
  readonly state: ServiceState<ControllerSnapshot>;
  readonly server: RunningServer;
  readonly reconcileLoop: ReconcileLoop;
  readonly metrics: Metrics;
}

interface ControllerSnapshot extends Servable {
  readonly factory: ImageFactory;
}

/** Listens and starts to watch the cluster. Throws CliError if it cannot listen. */
export async function startControllerService(
  options: ControllerOptions,
  parts: ControllerParts,
): Promise<ControllerService> {
  const { client, io, log, onError, plan, recorder, role } = parts;
  const { setup } = plan;
  const informers = new Informers(client, plan.namespace, onError);
  const readSecret = secretReader(client);
  const digests = knownDigests(new Map());
  const state = createServiceState(async () => {
    const settings = await parts.settings.open();
    const { cacheSize } = setup;
    const factory = await openImageFactory(options, { settings, links, digests, cacheSize, io });
    const catalog = createImageCatalog({ factory, informers, readSecret, io });
    return { factory, catalog, close: async () => factory.close() };
  });
  const build = async (image: PreprovisioningImage): Promise<Outcome> => {
    const release = state.catalog().acquire();
    try {
      return await buildOutcome(image, { factory: requireFactory(state), links, readSecret, io });
    } finally {
      release();
    }
  };
  let counters: ControllerCounters | undefined;
  const reconcileLoop = new ReconcileLoop({
    client,
    informers,
    recorder,
    log,
    build,
    wrote: (outcome) => counters?.wrote(outcome),
    failed: () => counters?.failed(),
  });
  const metrics = createMetrics(metricsSource(state, informers), (registry) => {
    counters = addControllerMetrics(
      registry,
      () => role.current?.isLeader ?? false,
      () => reconcileLoop.load,
      () => informers.lastContact,
    );
  });
  const service = { ...parts, informers, state, reconcileLoop, metrics };
  const server = await listen(service).catch(async (error: unknown) => {
    await informers.close();
    throw error;
  });
  // The URL of the server is known only now. No image is built earlier.
  const links = createLinks({ ...setup, publicUrl: setup.publicUrl ?? server.origin });
  return { ...service, server };
}

function requireFactory(state: ServiceState<ControllerSnapshot>): ImageFactory {
  const snapshot = state.current();
  if (snapshot !== undefined) return snapshot.factory;
  throw new CliError('settings and images are still loading', {
    code: 'ERR_BUSY',
    hint: 'wait for /readyz',
  });
}

async function listen(service: Omit<ControllerService, 'server'>): Promise<RunningServer> {
  const { informers, state, metrics, log, plan } = service;
  const transfers = createTransferLog([metrics.watcher]);
  const problem = (): string | undefined => {
    if (state.current() === undefined) return 'settings and images are still loading';
    return informers.lastContact === undefined ? 'the initial list of objects is still loading' : undefined;
  };
  return startServiceServer(plan.setup, {
    state,
    metrics,
    transfers,
    log,
    problem,
    bases: () => state.current()?.factory.bases.values() ?? [],
    hosts: () => describeImages(ownImages(informers), transfers),
  });
}

/** The objects for which no other service builds the image. */
function ownImages(informers: Informers): PreprovisioningImage[] {
  return [...informers.all()].filter(({ isForeign }) => !isForeign);
}

function metricsSource(
  state: ServiceState<ControllerSnapshot>,
  informers: Informers,
): Parameters<typeof createMetrics>[0] {
  return {
    version: programVersion(),
    images: () => {
      const { count = 0, size = 0 } = state.current()?.factory.images ?? {};
      return { count, bytes: size };
    },
    hosts: () => {
      const images = ownImages(informers);
      const valid = images.filter(({ status }) => status.imageUrl !== undefined).length;
      return { valid, invalid: images.length - valid };
    },
  };
}
