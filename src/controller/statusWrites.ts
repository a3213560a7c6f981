/**
 * The status writes of each object. If another controller overwrites the same status repeatedly, such as a second image
 * builder during a migration, both would write as fast as they can. So after a few writes this replica waits longer each time.
 */

import { type Clock, systemClock } from '../io/clock.ts';
import { ApiError } from './kube/apiError.ts';
import { backOffAfter } from './kube/rateLimit.ts';

export interface StatusWrites {
  /** @throws ApiError if the content was written too often; it names the time until the next write */
  check(owner: string, content: string): void;
  wrote(owner: string, content: string): void;
  forget(owner: string): void;
}

/** The same content may be written so often without a wait. */
const FREE_WRITES = 3;
/** Milliseconds. */
const BACK_OFF = { first: 10_000, longest: 300_000 };

interface LastWrite {
  readonly content: string;
  readonly at: number;
  /** How often this content was written. */
  readonly count: number;
}

export function createStatusWrites(clock: Clock = systemClock): StatusWrites {
  const writes = new Map<string, LastWrite>();
  const lastOf = (owner: string, content: string): LastWrite | undefined => {
    const last = writes.get(owner);
    return last?.content === content && clock.now() - last.at < 2 * BACK_OFF.longest ? last : undefined;
  };
  return {
    check: (owner, content) => {
      const last = lastOf(owner, content);
      if (last === undefined || last.count < FREE_WRITES) return;
      const retryAfter = last.at + backOffAfter(BACK_OFF, last.count - FREE_WRITES + 1) - clock.now();
      if (retryAfter <= 0) return;
      throw new ApiError('Another controller overwrites the status of this object', {
        reason: 'Overwritten',
        retryAfter,
        hint: 'stop other image builders, such as image-customization-controller, or use another --namespace',
      });
    },
    wrote: (owner, content) => {
      const count = (lastOf(owner, content)?.count ?? 0) + 1;
      writes.set(owner, { content, at: clock.now(), count });
    },
    forget: (owner) => void writes.delete(owner),
  };
}
