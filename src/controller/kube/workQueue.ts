/**
 * Work by keys: however often a key is added, it waits once, and never two workers have it. What fails is done again
 * after a pause of its own, which doubles. Nothing of it outlives the process: what there is to do, the cluster knows.
 */

import { ApiError } from './apiError.ts';
import { type BackOff, backOffAfter } from './requestPace.ts';
import { type Clock, systemClock } from '../../io/clock.ts';

export interface WorkQueue {
  /** As soon as a worker is free, a pause that was going on or not. What is being worked on is done again after that. */
  add(key: string): void;
  /** Not before so many milliseconds; what is to come earlier comes earlier. */
  addAfter(key: string, milliseconds: number): void;
  readonly load: QueueLoad;
  /** Finishes what is being worked on and drops the rest. */
  stop(): Promise<void>;
}

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

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const state: State = {
    options,
    clock: options.clock ?? systemClock,
    waiting: new Set(),
    delayed: new Map(),
    running: new Map(),
    failures: new Map(),
    isStopped: false,
  };
  return {
    add: (key) => add(state, key),
    addAfter: (key, milliseconds) => addAfter(state, key, milliseconds),
    get load() {
      const { waiting, delayed, running } = state;
      return { waiting: waiting.size, delayed: delayed.size, running: running.size };
    },
    stop: () => stop(state),
  };
}

interface State {
  readonly options: WorkQueueOptions;
  readonly clock: Clock;
  /** In the order of their coming. */
  readonly waiting: Set<string>;
  readonly delayed: Map<string, Delay>;
  readonly running: Map<string, Promise<void>>;
  /** In a row. */
  readonly failures: Map<string, number>;
  isStopped: boolean;
}

interface Delay {
  readonly due: number;
  readonly callOff: () => void;
}

function add(state: State, key: string): void {
  if (state.isStopped) return;
  endDelay(state, key);
  state.waiting.add(key);
  startWork(state);
}

function endDelay({ delayed }: State, key: string): void {
  delayed.get(key)?.callOff();
  delayed.delete(key);
}

function addAfter(state: State, key: string, milliseconds: number): void {
  const { clock, delayed, waiting } = state;
  const due = clock.now() + milliseconds;
  if (state.isStopped || waiting.has(key) || (delayed.get(key)?.due ?? Infinity) <= due) return;
  endDelay(state, key);
  delayed.set(key, { due, callOff: clock.after(milliseconds, () => add(state, key)) });
}

function startWork(state: State): void {
  const { options, waiting, running } = state;
  for (const key of waiting) {
    if (running.size >= (options.workers ?? 1)) return;
    if (running.has(key)) continue; // waits for itself
    waiting.delete(key);
    running.set(key, workOn(state, key));
  }
}

/** Never rejects. */
async function workOn(state: State, key: string): Promise<void> {
  const { options, running, failures } = state;
  try {
    await Promise.resolve(); // lets the caller note that it runs
    await options.work(key);
    failures.delete(key);
  } catch (error) {
    countFailure(state, key, error);
  }
  running.delete(key);
  if (!state.isStopped) startWork(state);
}

function countFailure(state: State, key: string, error: unknown): void {
  const { options, failures } = state;
  const count = (failures.get(key) ?? 0) + 1;
  failures.set(key, count);
  const wanted = error instanceof ApiError ? error.retryAfter : 0;
  const retryIn = Math.max(backOffAfter(options.backOff ?? DEFAULT_BACK_OFF, count), wanted);
  options.failed?.({ key, error, failures: count, retryIn });
  addAfter(state, key, retryIn);
}

async function stop(state: State): Promise<void> {
  state.isStopped = true;
  for (const { callOff } of state.delayed.values()) callOff();
  state.delayed.clear();
  state.waiting.clear();
  await Promise.all(state.running.values());
}
