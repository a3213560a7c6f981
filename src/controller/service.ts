/** The parts of a running controller: informers, server, and reconcile loop. */

import { CliError } from '../core/errors.ts';
import { knownDigests } from '../io/files/fileDigests.ts';
import type { Io } from '../io/io.ts';
import { ApiClient, type KubernetesClient } from './kube/kubernetesClient.ts';
import { EventRecorder } from './kube/eventRecorder.ts';
import type { LeaderElection } from './kube/leaderElection.ts';
import type { RunningServer } from '../serve/http/server.ts';
import type { ServerLog } from '../serve/http/serverLog.ts';
import type { Outcome } from './api/outcome.ts';
import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import { createTransferLog } from '../serve/answer/transfers.ts';
import { programVersion } from '../core/programVersion.ts';
import { createLinks } from '../serve/links.ts';
import { createMetrics, type Metrics, type MetricsSource } from '../serve/metrics.ts';
import { startServiceServer } from '../serve/service.ts';
import { createServiceState, type Servable, type ServiceState } from '../serve/serviceState.ts';
import { buildOutcome } from './buildOutcome.ts';
import { createImageCatalog } from './imageCatalog.ts';
import { type ImageFactory, openImageFactory } from './imageFactory.ts';
import { Informers, secretReader } from './informers.ts';
import type { ControllerPlan } from './plan.ts';
import { addControllerMetrics, type ControllerCounters, describeImages } from './status.ts';
import { ReconcileLoop } from './reconcileLoop.ts';
import { type ControllerOptions, openSettings, type SettingsSource } from './settings.ts';
import { type Clock, systemClock } from '../io/clock.ts';
import { printable } from '../io/report/terminalText.ts';

/** Rate limit of requests to the API server: enough for a thousand new objects in half a minute. */
const RATE_LIMIT = { perSecond: 100, burst: 200 };
const CONTROLLER = 'metal3.io/ironic-coreos';

export interface Role {
  /** Undefined until load balancers may use this replica. */
  current: Pick<LeaderElection, 'isLeader' | 'stop'> | undefined;
}

export interface ControllerContext {
  readonly io: Io;
  readonly log: ServerLog;
  /** Called when the settings in the cluster have changed. */
  readonly changed: () => void;
}

/** The parts that a service is built from. */
interface ControllerParts extends Pick<ControllerContext, 'io' | 'log'> {
  readonly onError: (error: Error) => void;
  readonly plan: ControllerPlan;
  readonly role: Role;
  readonly client: KubernetesClient;
  /** A separate client, so that its requests do not wait behind other requests. */
  readonly electionClient: KubernetesClient;
  readonly recorder: EventRecorder;
  readonly settings: SettingsSource;
}

/** @throws UsageError for invalid settings */
function createParts(
  options: ControllerOptions,
  plan: ControllerPlan,
  { changed, io, log }: ControllerContext,
): ControllerParts {
  const { identity: instance, cluster } = plan;
  const { namespace } = cluster;
  const client = new ApiClient(cluster, { pace: RATE_LIMIT, note: io.note });
  const onError = createErrorLog(log);
  const role: Role = { current: undefined };
  return {
    io,
    log,
    onError,
    plan,
    role,
    client,
    electionClient: new ApiClient(cluster),
    recorder: new EventRecorder({ client, controller: CONTROLLER, instance, onError }),
    settings: openSettings({ text: options.settings, client, namespace, changed, onError }, io),
  };
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
  plan: ControllerPlan,
  context: ControllerContext,
): Promise<ControllerService> {
  const parts = createParts(options, plan, context);
  const { client, io, log, onError, recorder, role } = parts;
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
      const factory = state.current()?.factory;
      if (factory === undefined) throw new CliError(LOADING, { code: 'ERR_BUSY', hint: 'wait for /readyz' });
      return await buildOutcome(image, { factory, links, readSecret, io });
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
    await closeParts(service);
    throw error;
  });
  // The URL of the server is known only now. No image is built earlier.
  const links = createLinks({ ...setup, publicUrl: setup.publicUrl ?? server.origin });
  return { ...service, server };
}

const LOADING = 'settings and images are still loading';

/** Closes all that is open except the server. */
export async function closeParts(service: Omit<ControllerService, 'server'>): Promise<void> {
  const { client, electionClient, informers, settings, state } = service;
  await Promise.all([informers.close(), settings.close(), state.close()]);
  await Promise.all([client.close(), electionClient.close()]);
}

async function listen(service: Omit<ControllerService, 'server'>): Promise<RunningServer> {
  const { informers, state, metrics, log, plan } = service;
  const transfers = createTransferLog([metrics.watcher]);
  const problem = (): string | undefined => {
    if (state.current() === undefined) return LOADING;
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

function metricsSource(state: ServiceState<ControllerSnapshot>, informers: Informers): MetricsSource {
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

/** Milliseconds until the same message is logged again. */
const REPEAT_INTERVAL = 60_000;
/** The number of messages that are remembered. */
const MAX_MESSAGES = 100;

interface LoggedMessage {
  readonly at: number;
  /** How often the message was suppressed since. */
  suppressed: number;
}

/**
 * Logs problems with the cluster. An unavailable API server causes the same message every second for each request, so a
 * message that was logged recently is only counted.
 */
export function createErrorLog(log: ServerLog, clock: Clock = systemClock): (error: Error) => void {
  const known = new Map<string, LoggedMessage>(); // the oldest message first
  return (error) => {
    const message = printable(error.message);
    const before = known.get(message);
    if (before !== undefined && clock.now() - before.at < REPEAT_INTERVAL) {
      before.suppressed += 1;
      return;
    }
    known.delete(message);
    known.set(message, { at: clock.now(), suppressed: 0 });
    const [oldest = ''] = known.keys();
    if (known.size > MAX_MESSAGES) known.delete(oldest);
    log.note('warning', 'cluster', {
      message,
      hint: error instanceof CliError ? error.hint : undefined,
      suppressed: before?.suppressed === 0 ? undefined : before?.suppressed,
    });
  };
}
