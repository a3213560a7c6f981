/**
 * A work queue of keys. A key that is added several times waits only once, and is never processed by two workers at the same
 * time. Failed work is retried with exponential backoff per key. The queue is not persistent, as the cluster has the state.
 */

import { ApiError } from './apiError.ts';
import { type BackOff, backOffAfter } from '../http/client/retries.ts';
import { type Clock, systemClock } from '../io/clock.ts';

export interface QueueLoad {
  readonly waiting: number;
  readonly delayed: number;
  readonly running: number;
}

export interface WorkQueueOptions {
  /** If it throws, the key is retried. */
  readonly work: (key: string) => Promise<void>;
  readonly workers: number;
  readonly backOff: BackOff;
  readonly failed?: (failure: WorkFailure) => void;
  readonly clock?: Clock;
}

export interface WorkFailure {
  readonly key: string;
  readonly error: unknown;
  readonly failures: number;
  /** Milliseconds. */
  readonly retryIn: number;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  /** In the order of arrival. */
  readonly #waiting = new Set<string>();
  /** With the functions that cancel their timers. */
  readonly #delayed = new Map<string, () => void>();
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

  /** Processes the key as soon as a worker is free, also during a backoff. A running key is processed again afterwards. */
  add(key: string): void {
    if (this.#isStopped) return;
    this.#endDelay(key);
    this.#waiting.add(key);
    this.#startWork();
  }

  /** Finishes running work and drops the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const key of this.#delayed.keys()) this.#endDelay(key);
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  #endDelay(key: string): void {
    this.#delayed.get(key)?.();
    this.#delayed.delete(key);
  }

  #startWork(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#options.workers) return;
      if (this.#running.has(key)) continue; // processed again after the current run
      this.#waiting.delete(key);
      this.#running.set(key, this.#workOn(key));
    }
  }

  /** Never rejects. */
  async #workOn(key: string): Promise<void> {
    try {
      await Promise.resolve(); // the caller first stores this promise
      await this.#options.work(key);
      this.#failures.delete(key);
    } catch (error) {
      this.#countFailure(key, error);
    }
    this.#running.delete(key);
    if (!this.#isStopped) this.#startWork();
  }

  #countFailure(key: string, error: unknown): void {
    const { backOff, failed } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const wanted = error instanceof ApiError ? error.wait : 0;
    const retryIn = Math.max(backOffAfter(backOff, failures), wanted);
    failed?.({ key, error, failures, retryIn });
    if (this.#isStopped || this.#waiting.has(key)) return;
    this.#delayed.set(
      key,
      this.#clock.after(retryIn, () => this.add(key)),
    );
  }
}
