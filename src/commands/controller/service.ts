/** The parts of a running controller: informers, server, and reconcile loop. */

import { CliError } from '../../core/errors.ts';
import { knownDigests } from '../../io/files/fileDigests.ts';
import type { Io } from '../../io/io.ts';
import { ApiClient, type KubernetesClient } from '../../kube/kubernetesClient.ts';
import { EventRecorder } from '../../kube/eventRecorder.ts';
import type { ServerLog } from '../../http/server/serverLog.ts';
import type { Outcome } from './api/outcome.ts';
import { artifactOf, imageFormats, type PreprovisioningImage } from './api/preprovisioningImage.ts';
import type { Links } from '../serve/links.ts';
import { addGauges, type HostCounts } from '../serve/metrics.ts';
import { createModifiedDates } from '../../http/server/answer/modifiedDates.ts';
import { type RunningService, startServiceServer } from '../serve/service.ts';
import type { Servable } from '../serve/serviceState.ts';
import { buildOutcome, type BuildTools } from './buildOutcome.ts';
import { createImageCatalog } from './imageCatalog.ts';
import { type ImageFactory, openImageFactory } from './imageFactory.ts';
import { Informers, secretReader } from './informers.ts';
import type { ControllerPlan } from './plan.ts';
import { ReconcileLoop } from './reconcileLoop.ts';
import { type ControllerOptions, openSettings, type SettingsSource } from './settings.ts';
import { type Clock, systemClock } from '../../io/clock.ts';
import { printable } from '../../core/foreignText.ts';
import type { Finding } from '../../core/finding.ts';
import type { HostStatus, ImageStatus } from '../serve/status/status.ts';
import type { TransferLog } from '../../http/server/answer/transfers.ts';
import { keyText } from '../../kube/objects.ts';
import { Counter, type Registry } from 'prom-client';

/** Rate limit of requests to the API server: enough for a thousand new objects in half a minute. */
const RATE_LIMIT = { perSecond: 100, burst: 200 };
const CONTROLLER = 'metal3.io/ironic-coreos';

export interface ControllerContext {
  readonly io: Io;
  readonly log: ServerLog;
  readonly isLeader: () => boolean;
  /** Called when the settings in the cluster have changed. */
  readonly changed: () => void;
}

/** The parts that watch the cluster and write to it. */
interface ClusterParts {
  readonly onError: (error: Error) => void;
  readonly client: KubernetesClient;
  /** A separate client, so that its requests do not wait behind other requests. */
  readonly electionClient: KubernetesClient;
  readonly recorder: EventRecorder;
  readonly settings: SettingsSource;
  readonly informers: Informers;
}

/** @throws UsageError for invalid settings */
function createParts(
  { settings: text }: ControllerOptions,
  { identity: instance, cluster, namespace: watched }: ControllerPlan,
  { changed, io, log }: ControllerContext,
): ClusterParts {
  const { namespace } = cluster;
  const client = new ApiClient(cluster, { pace: RATE_LIMIT, note: io.note });
  const onError = createErrorLog(log);
  return {
    onError,
    client,
    electionClient: new ApiClient(cluster),
    recorder: new EventRecorder({ client, controller: CONTROLLER, instance, onError }),
    settings: openSettings({ text, client, namespace, changed, onError }, io),
    informers: new Informers(client, watched, onError),
  };
}

export interface ControllerService extends ClusterParts, RunningService<ControllerSnapshot> {
  readonly plan: ControllerPlan;
  readonly reconcileLoop: ReconcileLoop;
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
  const { client, informers, recorder, settings } = parts;
  const { io, isLeader, log } = context;
  const { cacheSize } = plan.setup;
  const readSecret = secretReader(client);
  const digests = knownDigests(new Map());
  const dates = createModifiedDates();
  const take = async (links: Links): Promise<ControllerSnapshot> => {
    const inputs = { settings: await settings.open(), links, digests, dates, cacheSize, io };
    const factory = await openImageFactory(options, inputs);
    const catalog = createImageCatalog({ factory, informers, readSecret, io });
    return { factory, catalog, bases: factory.bases, close: async () => factory.close() };
  };
  let counters: ControllerCounters | undefined;
  const reconcileLoop = new ReconcileLoop({
    client,
    informers,
    recorder,
    log,
    build: (image) => buildServed(image, running, { readSecret, io }),
    wrote: (outcome) => counters?.wrote(outcome),
    failed: () => counters?.failed(),
  });
  const running = await startServiceServer(plan.setup, {
    take,
    log,
    problem: (snapshot) => {
      if (snapshot === undefined) return LOADING;
      return informers.lastContact === undefined ? 'the initial list of objects is still loading' : undefined;
    },
    hosts: (_, transfers) => describeImages(ownImages(informers), transfers),
    countHosts: () => countImages(informers),
    addMetrics: (registry) => {
      counters = addControllerMetrics(registry, isLeader, reconcileLoop, informers);
    },
  }).catch(async (error: unknown) => {
    await closeParts(parts);
    throw error;
  });
  return { ...parts, ...running, plan, reconcileLoop };
}

const LOADING = 'settings and images are still loading';

/** Builds the image of an object from the current snapshot, whose files stay open meanwhile. */
async function buildServed(
  image: PreprovisioningImage,
  { links, state }: RunningService<ControllerSnapshot>,
  tools: Pick<BuildTools, 'io' | 'readSecret'>,
): Promise<Outcome> {
  const release = state.catalog().acquire();
  try {
    const factory = state.current()?.factory;
    if (factory === undefined) throw new CliError(LOADING, { code: 'ERR_BUSY', hint: 'wait for /readyz' });
    return await buildOutcome(image, { ...tools, factory, links });
  } finally {
    release();
  }
}

/** Closes all connections to the cluster. */
export async function closeParts({
  client,
  electionClient,
  informers,
  settings,
}: ClusterParts): Promise<void> {
  await Promise.all([informers.close(), settings.close()]);
  await Promise.all([client.close(), electionClient.close()]);
}

/** The objects for which no other service builds the image. */
function ownImages(informers: Informers): PreprovisioningImage[] {
  return [...informers.all()].filter(({ isForeign }) => !isForeign);
}

function countImages(informers: Informers): HostCounts {
  const images = ownImages(informers);
  const valid = images.filter(({ status }) => status.imageUrl !== undefined).length;
  return { valid, stale: 0, invalid: images.length - valid };
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

// The status page and the metrics of the controller: each object of the cluster with its image.

/** @param images the objects for which the controller builds the image */
function describeImages(
  images: readonly PreprovisioningImage[],
  transfers: TransferLog,
): readonly HostStatus[] {
  return images
    .map((image) => describeImage(image, transfers))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function describeImage(image: PreprovisioningImage, transfers: TransferLog): HostStatus {
  const name = keyText(image);
  return {
    name,
    macs: [],
    architecture: image.status.architecture ?? image.spec.architecture,
    stream: image.stream,
    staleSince: undefined,
    messages: messagesOf(image),
    progress: () => transfers.progressOf(name),
    images: () => publishedImage(image),
  };
}

function messagesOf({ status: { conditions } }: PreprovisioningImage): Finding[] {
  const error = conditions.find(({ type, status }) => type === 'Error' && status === 'True');
  if (error === undefined) return [];
  const { message, reason } = error;
  return [{ severity: 'error', rule: reason, path: [], message, hint: hints[reason] }];
}

/** The messages with the other reasons contain their hints. */
const hints: Readonly<Partial<Record<string, string>>> = {
  ConfigurationError: 'pass base images that fit the object, for example --iso aarch64=FILE',
  MissingNetworkData: 'create the Secret, or fix networkDataName of the object',
};

function publishedImage({ status: { imageUrl, format } }: PreprovisioningImage): ImageStatus[] {
  const known = imageFormats.find((it) => it === format);
  if (imageUrl === undefined || known === undefined) return [];
  const path = imageUrl.split('/').slice(-2).join('/');
  return [{ path, artifact: artifactOf[known], url: imageUrl }];
}

interface ControllerCounters {
  wrote(outcome: Outcome): void;
  failed(): void;
}

/** The values are read at each scrape. */
function addControllerMetrics(
  registry: Registry,
  isLeader: () => boolean,
  reconcileLoop: Pick<ReconcileLoop, 'load'>,
  informers: Pick<Informers, 'lastContact'>,
): ControllerCounters {
  const outcomes = new Counter({
    name: 'ironic_coreos_statuses_written_total',
    help: 'Number of written PreprovisioningImage statuses, by the reason in their conditions.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const retries = new Counter({
    name: 'ironic_coreos_retries_total',
    help: 'Number of reconcile retries after failed API requests.',
    registers: [registry],
  });
  addGauges(registry, [
    ['ironic_coreos_leader', '1 if this replica is the leader, otherwise 0.', () => (isLeader() ? 1 : 0)],
    [
      'ironic_coreos_cluster_contact_timestamp_seconds',
      'Time of the last watch event or bookmark from the API server, which sends one each minute; 0 if none.',
      () => (informers.lastContact?.getTime() ?? 0) / 1000,
    ],
    [
      'ironic_coreos_queue',
      'Number of PreprovisioningImages in the work queue, by state: waiting, delayed or running.',
      () => ({ ...reconcileLoop.load }),
      'state',
    ],
  ]);
  return {
    wrote: (outcome) => outcomes.inc({ reason: outcome.kind === 'ready' ? 'ImageSuccess' : outcome.reason }),
    failed: () => retries.inc(),
  };
}
