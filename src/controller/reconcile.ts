/** Brings one object from what it is to what it should be: finalizer, image, status. For the leader alone, as it writes. */

import { isConflict, isNotFound } from './kube/apiError.ts';
import type { KubernetesClient } from './kube/client.ts';
import type { EventRecorder } from './kube/eventRecorder.ts';
import type { ServerLog } from '../serve/http/serverLog.ts';
import { wantedFinalizers } from './api/finalizer.ts';
import type { Outcome } from './api/outcome.ts';
import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import { type StatusPatch, statusPatch } from './api/statusPatch.ts';
import { printable } from '../io/report/printable.ts';
import { type ClusterView, preprovisioningImages, type StoredImage, storedImage } from './clusterView.ts';
import { ownerOf } from './imageOrder.ts';
import type { OwnWrites } from './ownWrites.ts';

export interface ReconcileTools {
  readonly client: KubernetesClient;
  readonly view: Pick<ClusterView, 'find'>;
  /** Throws ApiError. */
  readonly outcomeOf: (image: PreprovisioningImage) => Promise<Outcome>;
  readonly recorder: EventRecorder;
  readonly log: ServerLog;
  readonly ownWrites: OwnWrites;
  /** Is told of what was written. */
  readonly wrote: (outcome: Outcome) => void;
  /** After it nothing may be written. */
  readonly signal: AbortSignal;
}

/**
 * Where the object has become another one meanwhile, or is gone, nothing is written: the cluster tells of that, and then it
 * has its turn again. Throws ApiError where it has to be tried again.
 */
export async function reconcile(owner: string, tools: ReconcileTools): Promise<void> {
  const stored = tools.view.find(owner);
  if (stored === undefined || tools.ownWrites.isOutdated(owner, stored.image.resourceVersion)) return;
  try {
    await settle(stored, tools);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

async function settle(stored: StoredImage, tools: ReconcileTools): Promise<void> {
  if (stored.image.isForeign) return;
  const finalized = await settleFinalizers(stored, tools);
  if (finalized.image.isDeleted) return;
  const outcome = await tools.outcomeOf(finalized.image);
  await writeStatus(finalized, outcome, tools);
}

async function settleFinalizers(stored: StoredImage, tools: ReconcileTools): Promise<StoredImage> {
  const finalizers = wantedFinalizers(stored.image);
  if (finalizers === undefined) return stored;
  return write(stored, { metadata: { finalizers } }, tools);
}

async function writeStatus(stored: StoredImage, outcome: Outcome, tools: ReconcileTools): Promise<void> {
  const { image, reference } = stored;
  const { log, recorder, wrote } = tools;
  const patch = statusPatch(image, outcome, new Date());
  if (patch === undefined) return;
  await write(stored, { subresource: 'status', ...patch }, tools);
  wrote(outcome);
  const host = ownerOf(image);
  if (outcome.kind === 'ready') {
    log.note('info', 'image', { host, format: outcome.attempt.format, generation: image.generation });
    return;
  }
  const { message, reason } = outcome;
  log.note('error', 'no image', { host, reason, message: printable(message) });
  const about = { resource: preprovisioningImages, object: reference };
  recorder.record({ ...about, type: 'Warning', reason, action: 'MakeImage', message });
}

interface Change {
  readonly subresource?: 'status';
  readonly metadata?: { readonly finalizers: readonly string[] };
  readonly status?: StatusPatch['status'];
}

/** Refused (`isConflict`) where the object has become another one. */
async function write(
  { image }: StoredImage,
  { subresource, metadata, ...fields }: Change,
  { client, ownWrites, signal }: ReconcileTools,
): Promise<StoredImage> {
  const { resourceVersion } = image;
  const body = { metadata: { resourceVersion, ...metadata }, ...fields };
  const written = await client.patch(preprovisioningImages, image, {
    subresource,
    body,
    signal,
  });
  // What the API server does not keep, changes nothing, and nothing will be told.
  if (written.metadata.resourceVersion !== resourceVersion)
    ownWrites.overwrote(ownerOf(image), resourceVersion);
  return storedImage(written);
}
