/** What the one replica does that leads: it looks after each object, as objects, Secrets and settings change. */

import type { KubernetesClient } from './kube/client.ts';
import type { EventRecorder } from './kube/eventRecorder.ts';
import { createWorkQueue, type QueueLoad, type WorkQueue } from './kube/workQueue.ts';
import { plainText } from '../serve/http/plainAnswer.ts';
import type { ServerLog } from '../serve/http/serverLog.ts';
import type { Outcome } from './api/outcome.ts';
import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import type { ClusterView } from './clusterView.ts';
import { ownerOf } from './imageOrder.ts';
import { createLastMade, type LastMade } from './lastMade.ts';
import { createOwnWrites } from './ownWrites.ts';
import { reconcile } from './reconcile.ts';

export interface LeadingOptions {
  readonly client: KubernetesClient;
  readonly view: ClusterView;
  readonly recorder: EventRecorder;
  readonly log: ServerLog;
  readonly build: (image: PreprovisioningImage) => Promise<Outcome>;
  readonly wrote: (outcome: Outcome) => void;
  readonly failed: () => void;
}

export interface Leading {
  /** Until the signal comes, and what is being done by then is finished. */
  lead(signal: AbortSignal): Promise<void>;
  /** Everything is made from something else: each object has its turn again. */
  startOver(): void;
  readonly load: QueueLoad;
}

/** Objects looked after at a time: while one waits for the API server, an image is made for another. */
const WORKERS = 8;
/** Milliseconds. */
const BACK_OFF = { first: 1000, longest: 300_000 };
const IDLE: QueueLoad = { waiting: 0, delayed: 0, running: 0 };

export function createLeading(options: LeadingOptions): Leading {
  const { view } = options;
  let queue: WorkQueue | undefined;
  let outcomes = createLastMade<Outcome>();
  const addAll = (): void => {
    for (const { image } of view.all()) queue?.add(ownerOf(image));
  };
  return {
    get load() {
      return queue?.load ?? IDLE;
    },
    startOver: () => {
      outcomes = createLastMade();
      addAll();
    },
    lead: async (signal) => {
      const started = startQueue(options, signal, () => outcomes);
      queue = started;
      const unfollow = view.follow((owner) => started.add(owner));
      addAll();
      await whenAborted(signal);
      unfollow();
      queue = undefined;
      await started.stop();
    },
  };
}

function startQueue(
  options: LeadingOptions,
  signal: AbortSignal,
  outcomes: () => LastMade<Outcome>,
): WorkQueue {
  const { view, log, failed } = options;
  const ownWrites = createOwnWrites();
  const outcomeOf = async (image: PreprovisioningImage): Promise<Outcome> => {
    const kept = outcomes(); // another one may come meanwhile
    const known = kept.recall(image, view.networkVersion(image));
    if (known !== undefined) return known;
    const outcome = await options.build(image);
    kept.remember(image, outcome.attempt?.networkData?.version, outcome);
    return outcome;
  };
  return createWorkQueue({
    workers: WORKERS,
    backOff: BACK_OFF,
    work: async (owner) => {
      if (signal.aborted) return;
      await reconcile(owner, { ...options, outcomeOf, ownWrites, signal });
      if (view.find(owner) !== undefined) return;
      outcomes().forget(owner);
      ownWrites.forget(owner);
    },
    failed: ({ key, error, retryIn }) => {
      if (signal.aborted) return;
      failed();
      const message = error instanceof Error ? error.message : String(error);
      log.note('warning', 'retry', {
        host: key,
        message: plainText(message, MAX_MESSAGE),
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
