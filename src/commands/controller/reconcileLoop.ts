/**
 * The reconcile loop of the leader: it updates finalizer and status of each object when objects, Secrets or settings change.
 */

import { once } from 'node:events';
import type { KubernetesClient } from '../../kube/kubernetesClient.ts';
import type { EventRecorder } from '../../kube/eventRecorder.ts';
import { type QueueLoad, type WorkFailure, WorkQueue } from '../../kube/workQueue.ts';
import { plainText } from '../../http/server/textResponse.ts';
import type { ServerLog } from '../../http/server/serverLog.ts';
import {
  type FailedOutcome,
  isPublished,
  type Outcome,
  type StatusPatch,
  statusPatch,
} from './api/outcome.ts';
import {
  type PreprovisioningImage,
  readPreprovisioningImage,
  wantedFinalizers,
} from './api/preprovisioningImage.ts';
import { type Informers, preprovisioningImages } from './informers.ts';
import { keyText } from '../../kube/objects.ts';
import { BuildCache } from './buildCache.ts';
import { inOneLine } from './buildOutcome.ts';
import { diagnosticOf } from '../../core/finding.ts';
import { CliError } from '../../core/errors.ts';
import { SharedProblems } from '../../io/report/sharedProblems.ts';
import { ApiError, isConflict, isNotFound } from '../../kube/apiError.ts';
import { type Clock, systemClock } from '../../io/clock.ts';
import { backOffAfter } from '../../kube/rateLimit.ts';
import { printable } from '../../core/foreignText.ts';

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

/** The number of objects that are reconciled concurrently, as most time is spent waiting for the API server. */
const WORKERS = 8;
/** Milliseconds. */
const BACK_OFF = { first: 1000, longest: 300_000 };
const IDLE: QueueLoad = { waiting: 0, delayed: 0, running: 0 };

export class ReconcileLoop {
  readonly #options: ReconcileLoopOptions;
  #queue: WorkQueue | undefined;
  #outcomes = new BuildCache<Outcome>();

  constructor(options: ReconcileLoopOptions) {
    this.#options = options;
  }

  get load(): QueueLoad {
    return this.#queue?.load ?? IDLE;
  }

  /** Reconciles all objects again, after settings or base images have changed. */
  startOver(): void {
    this.#outcomes = new BuildCache();
    this.#addAll();
  }

  /** Runs until the signal is aborted. Builds that are still running end later, but their results are not written. */
  async lead(signal: AbortSignal): Promise<void> {
    const { queue } = new Term(this.#options, () => this.#outcomes, signal);
    this.#queue = queue;
    const unsubscribe = this.#options.informers.subscribe((owner) => queue.add(owner));
    this.#addAll();
    if (!signal.aborted) await once(signal, 'abort');
    unsubscribe();
    this.#queue = undefined;
    void queue.stop(); // a slow build or a hung request must not delay the release of the Lease
  }

  #addAll(): void {
    for (const image of this.#options.informers.all()) this.#queue?.add(keyText(image));
  }
}

/** Characters. */
const MAX_MESSAGE = 500;

/** The work of a leader, until the signal is aborted: nothing may be written afterwards. */
class Term {
  readonly queue: WorkQueue;
  readonly #options: ReconcileLoopOptions;
  readonly #outcomes: () => BuildCache<Outcome>;
  readonly #signal: AbortSignal;
  readonly #statusWrites = new StatusWrites();
  readonly #problems = new SharedProblems();
  /**
   * The object versions that this replica has overwritten, until the watch has reported the new versions. An object with an
   * overwritten version is not reconciled.
   */
  readonly #overwritten = new Map<string, Set<string>>();

  constructor(options: ReconcileLoopOptions, outcomes: () => BuildCache<Outcome>, signal: AbortSignal) {
    this.#options = options;
    this.#outcomes = outcomes;
    this.#signal = signal;
    this.queue = new WorkQueue({
      workers: WORKERS,
      backOff: BACK_OFF,
      work: async (owner) => this.#work(owner),
      failed: (failure) => this.#reportFailure(failure),
    });
  }

  /**
   * Reconciles one object. If the object was deleted meanwhile, nothing is written. If it was changed (409), the watch reports the
   * change, and the object is reconciled again; without a report, it is retried with the backoff of the queue. Throws ApiError if
   * the work must be retried.
   */
  async #work(owner: string): Promise<void> {
    if (this.#signal.aborted) return;
    const { informers } = this.#options;
    const image = informers.find(owner);
    try {
      if (image !== undefined && !this.#isOutdated(owner, image)) await this.#reconcile(image);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    for (const other of this.#problems.remove(owner)) this.queue.add(other);
    if (informers.find(owner) !== undefined) return;
    this.#outcomes().forget(owner);
    this.#overwritten.delete(owner);
    this.#statusWrites.forget(owner);
  }

  #reportFailure({ key, error, failures, retryIn }: WorkFailure): void {
    if (this.#signal.aborted) return;
    if (isConflict(error) && failures === 1) return; // usually, the report of the watch is on its way
    this.#options.failed();
    if (error instanceof BuildPostponed) return;
    const message = error instanceof Error ? error.message : String(error);
    this.#options.log.note('warning', 'retry', {
      host: key,
      message: plainText(message, MAX_MESSAGE),
      hint: error instanceof CliError ? error.hint : undefined,
      seconds: Math.round(retryIn / 1000),
    });
  }

  /** Whether the latest known version of the object was overwritten. */
  #isOutdated(owner: string, { resourceVersion }: PreprovisioningImage): boolean {
    if (this.#overwritten.get(owner)?.has(resourceVersion) === true) return true;
    this.#overwritten.delete(owner);
    return false;
  }

  async #reconcile(image: PreprovisioningImage): Promise<void> {
    // A service that took the object over later does not remove our finalizer, so the object would never be gone.
    if (image.isForeign && !image.isDeleted) return;
    const finalizers = wantedFinalizers(image);
    const finalized =
      finalizers === undefined ? image : await this.#write(image, { metadata: { finalizers } });
    if (finalized.isDeleted) return;
    const outcome = await this.#outcomeOf(finalized);
    if (this.#signal.aborted) return;
    if (outcome.kind === 'failed' && outcome.controllerError !== undefined) {
      return this.#postpone(finalized, outcome, outcome.controllerError);
    }
    await this.#writeStatus(finalized, outcome);
  }

  /** Reports that a problem of the controller prevents the build, and throws, so that it is retried. */
  async #postpone(image: PreprovisioningImage, outcome: FailedOutcome, error: CliError): Promise<never> {
    const { informers, log } = this.#options;
    const { first, isNew } = this.#problems.add(keyText(image), error);
    if (isNew) {
      const message = printable(first.message);
      log.note('error', 'build failed', { reason: outcome.reason, message, hint: first.hint });
    }
    // A published image stays valid, and other replicas may build it.
    if (!isPublished(image, informers.networkVersion(image))) {
      await this.#writeStatus(image, { ...outcome, message: inOneLine(diagnosticOf(first)) });
    }
    throw new BuildPostponed();
  }

  async #outcomeOf(image: PreprovisioningImage): Promise<Outcome> {
    const cache = this.#outcomes(); // `startOver` may replace it during the build
    const known = cache.recall(image, this.#options.informers.networkVersion(image));
    if (known !== undefined) return known;
    const outcome = await this.#options.build(image);
    if (outcome.kind === 'failed' && outcome.controllerError !== undefined) return outcome;
    cache.remember(image, outcome.attempt?.networkData?.version, outcome);
    return outcome;
  }

  async #writeStatus(image: PreprovisioningImage, outcome: Outcome): Promise<void> {
    const { log, recorder, wrote } = this.#options;
    const patch = statusPatch(image, outcome, new Date());
    if (patch === undefined) return;
    const host = keyText(image);
    const content = JSON.stringify([image.generation, outcome]);
    this.#statusWrites.check(host, content);
    await this.#write(image, { subresource: 'status', ...patch });
    this.#statusWrites.wrote(host, content);
    wrote(outcome);
    if (outcome.kind === 'ready') {
      const { generation, stream } = image;
      log.note('info', 'image', { host, format: outcome.attempt.format, stream, generation });
      return;
    }
    const { message, reason } = outcome;
    if (outcome.controllerError === undefined)
      log.note('error', 'build failed', { host, reason, message: printable(message) });
    const about = { resource: preprovisioningImages, object: image };
    recorder.record({ ...about, type: 'Warning', reason, action: 'BuildImage', message });
  }

  /** The API server refuses the patch (`isConflict`) if the object was changed meanwhile. */
  async #write(
    image: PreprovisioningImage,
    { subresource, metadata, ...fields }: Change,
  ): Promise<PreprovisioningImage> {
    const { resourceVersion } = image;
    const patch = { subresource, body: { metadata: { resourceVersion, ...metadata }, ...fields } };
    const { client } = this.#options;
    const written = await client.patch(preprovisioningImages, image, patch, this.#signal);
    const owner = keyText(image);
    // If the patch changes nothing, no watch event follows.
    if (written.metadata.resourceVersion !== resourceVersion) {
      this.#overwritten.set(owner, (this.#overwritten.get(owner) ?? new Set()).add(resourceVersion));
    }
    return readPreprovisioningImage(written);
  }
}

/** The cause is reported for all objects together. */
class BuildPostponed extends Error {}

type Change = Partial<StatusPatch> & {
  readonly subresource?: 'status';
  readonly metadata?: { readonly finalizers: readonly string[] };
};

/** The same content may be written so often without a wait. */
const FREE_WRITES = 3;
/** Milliseconds. */
const STATUS_BACK_OFF = { first: 10_000, longest: 300_000 };

interface LastWrite {
  readonly content: string;
  readonly at: number;
  /** How often this content was written. */
  readonly count: number;
}

/**
 * The status writes of each object. If another controller overwrites the same status repeatedly, such as a second image
 * builder during a migration, both would write as fast as they can. So after a few writes this replica waits longer each time.
 */
export class StatusWrites {
  readonly #clock: Clock;
  readonly #writes = new Map<string, LastWrite>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** @throws ApiError if the content was written too often; it names the time until the next write */
  check(owner: string, content: string): void {
    const last = this.#lastOf(owner, content);
    if (last === undefined || last.count < FREE_WRITES) return;
    const wait = backOffAfter(STATUS_BACK_OFF, last.count - FREE_WRITES + 1);
    const retryAfter = last.at + wait - this.#clock.now();
    if (retryAfter <= 0) return;
    throw new ApiError('Another controller overwrites the status of this object', {
      reason: 'Overwritten',
      retryAfter,
      hint: 'stop other image builders, such as image-customization-controller, or use another --namespace',
    });
  }

  wrote(owner: string, content: string): void {
    const count = (this.#lastOf(owner, content)?.count ?? 0) + 1;
    this.#writes.set(owner, { content, at: this.#clock.now(), count });
  }

  forget(owner: string): void {
    this.#writes.delete(owner);
  }

  #lastOf(owner: string, content: string): LastWrite | undefined {
    const last = this.#writes.get(owner);
    if (last?.content !== content) return undefined;
    return this.#clock.now() - last.at < 2 * STATUS_BACK_OFF.longest ? last : undefined;
  }
}
