/** The parts of a running controller: informers, server, and reconcile loop. */

import { CliError } from '../core/errors.ts';
import { knownDigests } from '../io/files/fileDigests.ts';
import type { Io } from '../io/io.ts';
import type { KubernetesClient } from './kube/kubernetesClient.ts';
import type { EventRecorder } from './kube/eventRecorder.ts';
import type { RunningServer } from '../serve/http/server.ts';
import type { ServerLog } from '../serve/http/serverLog.ts';
import type { Outcome } from './api/outcome.ts';
import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import { createTransferLog, type TransferLog } from '../serve/answer/transfers.ts';
import { programVersion } from '../core/programVersion.ts';
import { createLinks } from '../serve/links.ts';
import { createMetrics, type Metrics } from '../serve/metrics.ts';
import { withLog } from '../serve/serviceLog.ts';
import { startServiceServer } from '../serve/service.ts';
import { createServiceState, type ServiceState } from '../serve/serviceState.ts';
import type { Setup } from '../serve/setup.ts';
import type { Status } from '../serve/status/status.ts';
import { buildOutcome } from './buildOutcome.ts';
import { type Informers, openInformers, secretReader } from './informers.ts';
import { addControllerMetrics, type ControllerCounters, describeController } from './status.ts';
import { createReconcileLoop, type ReconcileLoop } from './reconcileLoop.ts';
import type { ControllerOptions, SettingsSource } from './settings.ts';
import { type ControllerSnapshot, type ControllerContext, takeControllerSnapshot } from './snapshot.ts';

export interface ControllerService {
  readonly informers: Informers;
  readonly state: ServiceState<ControllerSnapshot>;
  readonly server: RunningServer;
  readonly reconcileLoop: ReconcileLoop;
  readonly metrics: Metrics;
  readonly log: ServerLog;
}

/** The context of a controller service. */
export interface ControllerParts {
  readonly onError: (error: Error) => void;
  readonly setup: Setup;
  readonly client: KubernetesClient;
  readonly namespace: string | undefined;
  readonly settings: SettingsSource;
  readonly recorder: EventRecorder;
  readonly isLeader: () => boolean;
  readonly log: ServerLog;
  readonly io: Io;
}

/** Listens and starts to watch the cluster. Throws CliError if it cannot listen. */
export async function startControllerService(
  options: ControllerOptions,
  parts: ControllerParts,
): Promise<ControllerService> {
  const { client, io, log, namespace, recorder, setup, onError } = parts;
  const informers = openInformers({ client, namespace, onError });
  const readSecret = secretReader(client);
  const findImage = (owner: string): PreprovisioningImage | undefined => informers.find(owner);
  const networkVersion = (image: PreprovisioningImage): string | undefined => informers.networkVersion(image);
  const state = createServiceState(
    snapshotTaker(options, parts, () => ({ links, findImage, networkVersion })),
  );
  const build = async (image: PreprovisioningImage): Promise<Outcome> => {
    const release = state.catalog().acquire();
    try {
      return await buildOutcome(image, { factory: requireFactory(state), links, readSecret, io });
    } finally {
      release();
    }
  };
  let counters: ControllerCounters | undefined;
  const reconcileLoop = createReconcileLoop({
    client,
    informers,
    recorder,
    log,
    build,
    wrote: (outcome) => counters?.wrote(outcome),
    failed: () => counters?.failed(),
  });
  const metrics = createMetrics(metricsSource(state, informers), (registry) => {
    counters = addControllerMetrics(registry, {
      isLeader: parts.isLeader,
      load: () => reconcileLoop.load,
      lastContact: () => informers.lastContact,
    });
  });
  const transfers = createTransferLog({ watchers: [metrics.watcher] });
  const server = await listen(setup, { state, informers, metrics, transfers, log }).catch(
    async (error: unknown) => {
      await informers.close();
      throw error;
    },
  );
  // The URL of the server is known only now. No image is built earlier.
  const links = createLinks({ ...setup, publicUrl: setup.publicUrl ?? server.origin });
  return { informers, state, server, reconcileLoop, metrics, log };
}

/** Returns the function that takes snapshots. */
function snapshotTaker(
  options: ControllerOptions,
  { client, io, log, settings, setup }: ControllerParts,
  sources: () => Pick<ControllerContext, 'links' | 'findImage' | 'networkVersion'>,
): () => Promise<ControllerSnapshot> {
  const digests = knownDigests(new Map());
  const { cacheSize, log: form } = setup;
  return async () =>
    takeControllerSnapshot(options, {
      ...sources(),
      settings: await settings.open(),
      digests,
      cacheSize,
      readSecret: secretReader(client),
      io: withLog(io, { log, form }),
    });
}

function requireFactory(state: ServiceState<ControllerSnapshot>): ControllerSnapshot['factory'] {
  const snapshot = state.current();
  if (snapshot !== undefined) return snapshot.factory;
  throw new CliError('settings and images are still loading', {
    code: 'ERR_BUSY',
    hint: 'wait for /readyz',
  });
}

interface ListenParts extends Pick<ControllerService, 'informers' | 'state' | 'metrics' | 'log'> {
  readonly transfers: TransferLog;
}

async function listen(
  setup: Setup,
  { informers, state, metrics, transfers, log }: ListenParts,
): Promise<RunningServer> {
  const started = new Date();
  let isSynced = false;
  informers.synced.then(
    () => (isSynced = true),
    () => undefined,
  );
  const problem = (): string | undefined => {
    if (state.current() === undefined) return 'settings and images are still loading';
    return isSynced ? undefined : 'the initial list of objects is still loading';
  };
  const describe = (): Status =>
    describeController({
      snapshot: state.current(),
      problem: state.problem(),
      images: [...informers.all()],
      transfers,
      started,
      connections: server.connections(),
    });
  const server = await startServiceServer(setup, { state, metrics, transfers, log, problem, describe });
  return server;
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
      const images = [...informers.all()].filter(({ isForeign }) => !isForeign);
      const valid = images.filter(({ status }) => status.imageUrl !== undefined).length;
      return { valid, invalid: images.length - valid };
    },
  };
}
