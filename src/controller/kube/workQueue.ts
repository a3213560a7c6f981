/**
 * Work by keys: however often a key is added, it waits once, and never two workers have it. What fails is done again
 * after a pause of its own, which doubles. Nothing of it outlives the process: what there is to do, the cluster knows.
 */

import { ApiError } from './apiError.ts';
import { type BackOff, backOffAfter } from './requestPace.ts';
import { type Clock, systemClock } from '../../io/clock.ts';

/** Numbers of keys. */
export interface QueueLoad {
  readonly waiting: number;
  /** With a pause going on. */
  readonly delayed: number;
  readonly running: number;
}

export interface WorkQueueOptions {
  /** What it throws makes it fail: it is tried again. */
  readonly work: (key: string) => Promise<void>;
  /** Keys worked on at a time. Default: 1. */
  readonly workers?: number;
  /** Default: from 1 s to 5 min. */
  readonly backOff?: BackOff;
  /** Called for each failure. */
  readonly failed?: (failure: WorkFailure) => void;
  readonly clock?: Clock;
}

export interface WorkFailure {
  readonly key: string;
  readonly error: unknown;
  /** How often in a row. */
  readonly failures: number;
  /** Milliseconds. */
  readonly retryIn: number;
}

const DEFAULT_BACK_OFF: BackOff = { first: 1000, longest: 300_000 };

interface Delay {
  readonly due: number;
  readonly callOff: () => void;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  /** In the order of their coming. */
  readonly #waiting = new Set<string>();
  readonly #delayed = new Map<string, Delay>();
  readonly #running = new Map<string, Promise<void>>();
  /** In a row. */
  readonly #failures = new Map<string, number>();
  #isStopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get load(): QueueLoad {
    return { waiting: this.#waiting.size, delayed: this.#delayed.size, running: this.#running.size };
  }

  /** As soon as a worker is free, a pause that was going on or not. What is being worked on is done again after that. */
  add(key: string): void {
    if (this.#isStopped) return;
    this.#endDelay(key);
    this.#waiting.add(key);
    this.#startWork();
  }

  /** Not before so many milliseconds; what is to come earlier comes earlier. */
  addAfter(key: string, milliseconds: number): void {
    const due = this.#clock.now() + milliseconds;
    if (this.#isStopped || this.#waiting.has(key) || (this.#delayed.get(key)?.due ?? Infinity) <= due) return;
    this.#endDelay(key);
    this.#delayed.set(key, { due, callOff: this.#clock.after(milliseconds, () => this.add(key)) });
  }

  /** Finishes what is being worked on and drops the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const key of this.#delayed.keys()) this.#endDelay(key);
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #endDelay(key: string): void {
    this.#delayed.get(key)?.callOff();
    this.#delayed.delete(key);
  }

  #startWork(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= (this.#options.workers ?? 1)) return;
      if (this.#running.has(key)) continue; // waits for itself
      this.#waiting.delete(key);
      this.#running.set(key, this.#workOn(key));
    }
  }

  /** Never rejects. */
  async #workOn(key: string): Promise<void> {
    try {
      await Promise.resolve(); // lets the caller note that it runs
      await this.#options.work(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#countFailure(key, error);
    }
    this.#running.delete(key);
    if (!this.#isStopped) this.#startWork();
  }

  #countFailure(key: string, error: unknown): void {
    const { backOff = DEFAULT_BACK_OFF, failed } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const wanted = error instanceof ApiError ? error.retryAfter : 0;
    const retryIn = Math.max(backOffAfter(backOff, failures), wanted);
    failed?.({ key, error, failures, retryIn });
    this.addAfter(key, retryIn);
  }
}
