/**
 * The reconcile loop of the leader: it updates finalizer and status of each object when objects, Secrets or settings change.
 */

import type { KubernetesClient } from '../../kube/kubernetesClient.ts';
import { type QueueLoad, type WorkFailure, WorkQueue } from '../../kube/workQueue.ts';
import { plainText } from '../../http/server/textResponse.ts';
import type { ServerLog } from '../../http/server/serverLog.ts';
import { isPublished, type Outcome, type StatusPatch, statusPatch } from './api/outcome.ts';
import {
  type PreprovisioningImage,
  readPreprovisioningImage,
  wantedFinalizers,
} from './api/preprovisioningImage.ts';
import { type Informers, preprovisioningImages } from './informers.ts';
import { keyText } from '../../kube/objects.ts';
import { CliError } from '../../core/errors.ts';
import { isConflict, isNotFound } from '../../kube/apiError.ts';
import { printable } from '../../core/foreignText.ts';

interface ReconcileLoopOptions {
  readonly client: KubernetesClient;
  readonly informers: Informers;
  readonly log: ServerLog;
  readonly build: (image: PreprovisioningImage) => Promise<Outcome>;
  readonly wrote: (outcome: Outcome) => void;
  readonly failed: () => void;
}

/** The number of objects that are reconciled concurrently, as most time is spent waiting for the API server. */
const WORKERS = 8;
/** Milliseconds. */
const BACK_OFF = { first: 1000, longest: 300_000 };
/** Characters of a message in the log. */
const MAX_MESSAGE = 500;
const IDLE: QueueLoad = { waiting: 0, delayed: 0, running: 0 };

/** The last outcome of each object, valid as long as its inputs are unchanged: the leader receives its own update as a change. */
type Outcomes = Map<string, { readonly inputs: string; readonly outcome: Outcome }>;

export class ReconcileLoop {
  readonly #options: ReconcileLoopOptions;
  /** Undefined while this replica does not lead. */
  #queue: WorkQueue | undefined;
  #outcomes: Outcomes = new Map();

  constructor(options: ReconcileLoopOptions) {
    this.#options = options;
  }

  get load(): QueueLoad {
    return this.#queue?.load ?? IDLE;
  }

  changed(owner: string): void {
    this.#queue?.add(owner);
  }

  startOver(): void {
    this.#outcomes = new Map();
    this.#addAll();
  }

  /** Works until the signal is aborted. Builds that are still running end later, but their results are not written. */
  lead(signal: AbortSignal): void {
    const queue = new WorkQueue({
      workers: WORKERS,
      backOff: BACK_OFF,
      work: async (owner) => this.#work(owner, signal),
      failed: (failure) => this.#reportFailure(failure, signal),
    });
    this.#queue = queue;
    this.#addAll();
    signal.addEventListener('abort', () => {
      this.#queue = undefined;
      void queue.stop(); // a slow build or a hung request must not delay the release of the Lease
    });
  }

  #addAll(): void {
    for (const image of this.#options.informers.all()) this.changed(keyText(image));
  }

  /**
   * Reconciles one object. If the object was deleted meanwhile, nothing is written. If it was changed (409), the watch reports the
   * change, and the object is reconciled again; without a report, it is retried with the backoff of the queue. Throws ApiError if
   * the work must be retried.
   */
  async #work(owner: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { informers } = this.#options;
    const image = informers.find(owner);
    try {
      if (image !== undefined) await this.#reconcile(image, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (informers.find(owner) === undefined) this.#outcomes.delete(owner);
  }

  #reportFailure({ key, error, failures, retryIn }: WorkFailure, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (isConflict(error) && failures === 1) return; // usually, the report of the watch is on its way
    this.#options.failed();
    const message = error instanceof Error ? error.message : String(error);
    this.#options.log.note('warning', 'retry', {
      host: key,
      message: plainText(message, MAX_MESSAGE),
      hint: error instanceof CliError ? error.hint : undefined,
      seconds: Math.round(retryIn / 1000),
    });
  }

  /** @param signal nothing is written after it */
  async #reconcile(image: PreprovisioningImage, signal: AbortSignal): Promise<void> {
    // A service that took the object over later does not remove our finalizer, so the object would never be gone.
    if (image.isForeign && !image.isDeleted) return;
    const finalizers = wantedFinalizers(image);
    const finalized =
      finalizers === undefined ? image : await this.#write(image, { metadata: { finalizers } }, signal);
    if (finalized.isDeleted) return;
    const outcome = await this.#outcomeOf(finalized);
    if (signal.aborted) return;
    if (outcome.kind === 'failed' && outcome.controllerError !== undefined) {
      // A published image stays valid, and other replicas may build it.
      if (!isPublished(image, this.#options.informers.networkVersion(image)))
        await this.#writeStatus(finalized, outcome, signal);
      throw outcome.controllerError;
    }
    await this.#writeStatus(finalized, outcome, signal);
  }

  async #outcomeOf(image: PreprovisioningImage): Promise<Outcome> {
    const outcomes = this.#outcomes; // `startOver` may replace it during the build
    const owner = keyText(image);
    const known = outcomes.get(owner);
    if (known?.inputs === inputsOf(image, this.#options.informers.networkVersion(image)))
      return known.outcome;
    const outcome = await this.#options.build(image);
    if (outcome.kind === 'failed' && outcome.controllerError !== undefined) return outcome;
    outcomes.set(owner, { inputs: inputsOf(image, outcome.attempt?.networkData?.version), outcome });
    return outcome;
  }

  async #writeStatus(image: PreprovisioningImage, outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { log, wrote } = this.#options;
    const patch = statusPatch(image, outcome, new Date());
    if (patch === undefined) return;
    const host = keyText(image);
    await this.#write(image, { subresource: 'status', ...patch }, signal);
    wrote(outcome);
    if (outcome.kind === 'ready') {
      const { generation, stream } = image;
      log.note('info', 'image', { host, format: outcome.attempt.format, stream, generation });
      return;
    }
    const { message, reason } = outcome;
    if (outcome.controllerError === undefined)
      log.note('error', 'build failed', { host, reason, message: printable(message) });
  }

  /** The API server refuses the patch (`isConflict`) if the object was changed meanwhile. */
  async #write(
    image: PreprovisioningImage,
    { subresource, metadata, ...fields }: Change,
    signal: AbortSignal,
  ): Promise<PreprovisioningImage> {
    const { resourceVersion } = image;
    const patch = { subresource, body: { metadata: { resourceVersion, ...metadata }, ...fields } };
    const { client } = this.#options;
    const written = await client.patch(preprovisioningImages, image, patch, signal);
    return readPreprovisioningImage(written);
  }
}

type Change = Partial<StatusPatch> & {
  readonly subresource?: 'status';
  readonly metadata?: { readonly finalizers: readonly string[] };
};

/** @param version the resource version of the Secret that the object names; undefined without one */
function inputsOf({ spec, stream }: PreprovisioningImage, version: string | undefined): string {
  return JSON.stringify([spec, stream, version]);
}
