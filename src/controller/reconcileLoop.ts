/**
 * The reconcile loop of the leader: it updates finalizer and status of each object when objects, Secrets or settings change.
 */

import type { KubernetesClient } from './kube/kubernetesClient.ts';
import type { EventRecorder } from './kube/eventRecorder.ts';
import { type QueueLoad, WorkQueue } from './kube/workQueue.ts';
import { plainText } from '../serve/http/textResponse.ts';
import type { ServerLog } from '../serve/http/serverLog.ts';
import { type Outcome, type StatusPatch, statusPatch } from './api/outcome.ts';
import {
  type PreprovisioningImage,
  readPreprovisioningImage,
  wantedFinalizers,
} from './api/preprovisioningImage.ts';
import { type Informers, preprovisioningImages } from './informers.ts';
import { keyText } from './kube/objects.ts';
import { createBuildCache, type BuildCache } from './buildCache.ts';
import { CliError } from '../core/errors.ts';
import { isConflict, isNotFound } from './kube/apiError.ts';
import { createStatusWrites, type StatusWrites } from './statusWrites.ts';
import { printable } from '../io/report/terminalText.ts';

interface ReconcileLoopOptions {
  readonly client: KubernetesClient;
  readonly informers: Informers;
  readonly recorder: Pick<EventRecorder, 'record'>;
  readonly log: ServerLog;
  readonly build: (image: PreprovisioningImage) => Promise<Outcome>;
  /** Called after each written status. */
  readonly wrote: (outcome: Outcome) => void;
  readonly failed: () => void;
}

export interface ReconcileLoop {
  /** Runs until the signal is aborted. Builds that are still running end later, but their results are not written. */
  lead(signal: AbortSignal): Promise<void>;
  /** Reconciles all objects again, after settings or base images have changed. */
  startOver(): void;
  readonly load: QueueLoad;
}

/** The number of objects that are reconciled concurrently, as most time is spent waiting for the API server. */
const WORKERS = 8;
/** Milliseconds. */
const BACK_OFF = { first: 1000, longest: 300_000 };
const IDLE: QueueLoad = { waiting: 0, delayed: 0, running: 0 };

export function createReconcileLoop(options: ReconcileLoopOptions): ReconcileLoop {
  const { informers } = options;
  let queue: WorkQueue | undefined;
  let outcomes = createBuildCache<Outcome>();
  const addAll = (): void => {
    for (const image of informers.all()) queue?.add(keyText(image));
  };
  return {
    get load() {
      return queue?.load ?? IDLE;
    },
    startOver: () => {
      outcomes = createBuildCache();
      addAll();
    },
    lead: async (signal) => {
      const started = startQueue(options, signal, () => outcomes);
      queue = started;
      const unsubscribe = informers.subscribe((owner) => started.add(owner));
      addAll();
      await whenAborted(signal);
      unsubscribe();
      queue = undefined;
      void started.stop(); // a slow build or a hung request must not delay the release of the Lease
    },
  };
}

function startQueue(
  options: ReconcileLoopOptions,
  signal: AbortSignal,
  outcomes: () => BuildCache<Outcome>,
): WorkQueue {
  const { informers, log, failed } = options;
  const pendingWrites = createPendingWrites();
  const statusWrites = createStatusWrites();
  const outcomeOf = async (image: PreprovisioningImage): Promise<Outcome> => {
    const cache = outcomes(); // `startOver` may replace it during the build
    const known = cache.recall(image, informers.networkVersion(image));
    if (known !== undefined) return known;
    const outcome = await options.build(image);
    cache.remember(image, outcome.attempt?.networkData?.version, outcome);
    return outcome;
  };
  return new WorkQueue({
    workers: WORKERS,
    backOff: BACK_OFF,
    work: async (owner) => {
      if (signal.aborted) return;
      await reconcile(owner, { ...options, outcomeOf, pendingWrites, statusWrites, signal });
      if (informers.find(owner) !== undefined) return;
      outcomes().forget(owner);
      pendingWrites.forget(owner);
      statusWrites.forget(owner);
    },
    failed: ({ key, error, retryIn }) => {
      if (signal.aborted) return;
      failed();
      const message = error instanceof Error ? error.message : String(error);
      log.note('warning', 'retry', {
        host: key,
        message: plainText(message, MAX_MESSAGE),
        hint: error instanceof CliError ? error.hint : undefined,
        seconds: Math.round(retryIn / 1000),
      });
    },
  });
}

/** Characters. */
const MAX_MESSAGE = 500;

async function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

interface ReconcileTools extends Omit<ReconcileLoopOptions, 'build' | 'failed'> {
  /** Throws ApiError. */
  readonly outcomeOf: (image: PreprovisioningImage) => Promise<Outcome>;
  readonly pendingWrites: PendingWrites;
  readonly statusWrites: StatusWrites;
  /** Nothing may be written after it is aborted. */
  readonly signal: AbortSignal;
}

/**
 * Reconciles one object. If the object was changed or deleted meanwhile, nothing is written: the watch reports the change, and
 * the object is reconciled again. Throws ApiError if the work must be retried.
 */
async function reconcile(owner: string, tools: ReconcileTools): Promise<void> {
  const image = tools.informers.find(owner);
  if (image === undefined || tools.pendingWrites.isOutdated(owner, image.resourceVersion)) return;
  try {
    await settle(image, tools);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

async function settle(image: PreprovisioningImage, tools: ReconcileTools): Promise<void> {
  // A service that took the object over later does not remove our finalizer, so the object would never be gone.
  if (image.isForeign && !image.isDeleted) return;
  const finalizers = wantedFinalizers(image);
  const finalized =
    finalizers === undefined ? image : await write(image, { metadata: { finalizers } }, tools);
  if (finalized.isDeleted) return;
  const outcome = await tools.outcomeOf(finalized);
  if (tools.signal.aborted) return;
  await writeStatus(finalized, outcome, tools);
}

async function writeStatus(
  image: PreprovisioningImage,
  outcome: Outcome,
  tools: ReconcileTools,
): Promise<void> {
  const { log, recorder, statusWrites, wrote } = tools;
  const patch = statusPatch(image, outcome, new Date());
  if (patch === undefined) return;
  const host = keyText(image);
  const content = JSON.stringify([image.generation, outcome]);
  statusWrites.check(host, content);
  await write(image, { subresource: 'status', ...patch }, tools);
  statusWrites.wrote(host, content);
  wrote(outcome);
  if (outcome.kind === 'ready') {
    log.note('info', 'image', { host, format: outcome.attempt.format, generation: image.generation });
    return;
  }
  const { message, reason } = outcome;
  log.note('error', 'build failed', { host, reason, message: printable(message) });
  const about = { resource: preprovisioningImages, object: image };
  recorder.record({ ...about, type: 'Warning', reason, action: 'BuildImage', message });
}

type Change = Partial<StatusPatch> & {
  readonly subresource?: 'status';
  readonly metadata?: { readonly finalizers: readonly string[] };
};

/** The API server refuses the patch (`isConflict`) if the object was changed meanwhile. */
async function write(
  image: PreprovisioningImage,
  { subresource, metadata, ...fields }: Change,
  { client, pendingWrites, signal }: ReconcileTools,
): Promise<PreprovisioningImage> {
  const { resourceVersion } = image;
  const body = { metadata: { resourceVersion, ...metadata }, ...fields };
  const written = await client.patch(preprovisioningImages, image, { subresource, body }, signal);
  // If the patch changes nothing, no watch event follows.
  if (written.metadata.resourceVersion !== resourceVersion)
    pendingWrites.overwrote(keyText(image), resourceVersion);
  return readPreprovisioningImage(written);
}

/**
 * The object versions that this replica has overwritten, until the watch has reported the new versions. An object with an
 * overwritten version is not reconciled.
 */
interface PendingWrites {
  /** This version of the object was overwritten. */
  overwrote(owner: string, version: string): void;
  /** Whether this version, the latest known one, was overwritten. */
  isOutdated(owner: string, version: string): boolean;
  forget(owner: string): void;
}

function createPendingWrites(): PendingWrites {
  const overwritten = new Map<string, Set<string>>();
  return {
    overwrote: (owner, version) => {
      overwritten.set(owner, (overwritten.get(owner) ?? new Set()).add(version));
    },
    isOutdated: (owner, version) => {
      if (overwritten.get(owner)?.has(version) === true) return true;
      overwritten.delete(owner);
      return false;
    },
    forget: (owner) => void overwritten.delete(owner),
  };
}
