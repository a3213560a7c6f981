/**
 * Processes: the identity of this one, which lets other processes check whether it is still running, and its
 * signals. Process IDs are valid only on the same boot of the same machine and, on Linux, in the same PID namespace.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { crc32 } from 'node:zlib';
import { createDeferred } from '../core/deferred.ts';
import { errorCode } from './files/fileErrors.ts';

/** This process as text, by which others look for it: its ID, and where that is valid, e.g. `4711-5f2a90c1`. */
export function thisProcess(): string {
  return `${process.pid}-${system()}`;
}

/**
 * `elsewhere`: the process is not visible on this machine.
 * @param owner begins with what {@link thisProcess} returned
 */
export function stateOf(owner: string): 'this process' | 'running' | 'ended' | 'elsewhere' {
  const [, pid = '', seenBy] = /^([1-9]\d{0,9})-([0-9a-f]{8})(?:-|$)/.exec(owner) ?? [];
  if (seenBy !== system()) return 'elsewhere';
  if (pid === String(process.pid)) return 'this process';
  try {
    process.kill(Number(pid), 0);
    return 'running';
  } catch (error) {
    return errorCode(error) === 'EPERM' ? 'running' : 'ended'; // with EPERM it is another user's
  }
}

let ownSystem: string | undefined;

function system(): string {
  ownSystem ??= crc32(`${hostname()}\n${bootAndNamespace()}`).toString(16).padStart(8, '0');
  return ownSystem;
}

function bootAndNamespace(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // not Linux
  }
}

/** Whether the shell uses the terminal, and this program runs beside it. False if the system has no /proc. */
export function isInBackground(): boolean {
  try {
    // proc_pid_stat(5): field 5 is the process group, field 8 the foreground group of the terminal; -1 without a terminal.
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group, , , foreground] = stat.replace(/^.*\) /s, '').split(' ');
    return Number(foreground) > 0 && foreground !== group;
  } catch {
    return false;
  }
}

/** The maximum number of open file descriptors of this process; undefined if the system has no /proc, or no limit. */
export function descriptorLimit(): number | undefined {
  try {
    const [, soft = ''] = /^Max open files +(\d+) /m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === '' ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

let isOwned = false;

/**
 * Declares that this process runs the program. In a process of others, which use the library, its signals are theirs.
 * @returns what takes that back
 */
export function ownProcess(): () => void {
  isOwned = true;
  return () => void (isOwned = false);
}

/** @returns what removes the listener */
export function onSignals(signals: readonly NodeJS.Signals[], listener: NodeJS.SignalsListener): () => void {
  if (isOwned) for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** Ends the program while the system reads a file: exiting would wait for that. A service manager accepts this end by SIGTERM. */
export function endNow(signal: NodeJS.Signals): void {
  if (isOwned) process.kill(process.pid, signal);
}

/**
 * @param reload for SIGHUP; on Windows, which sends that when the window is closed, it ends the service as well
 * @param aborted counts as the first signal when it is aborted
 */
export function listenToSignals(reload: () => void, aborted?: AbortSignal) {
  const waiting: ((signal: NodeJS.Signals) => void)[] = [];
  let isAborted = false;
  const abort = (): void => {
    if (isAborted || waiting.length === 0) return;
    isAborted = true;
    stop('SIGTERM');
  };
  let last = -Infinity;
  const stop = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (now - last < SECOND_SIGNAL) return;
    last = now;
    for (const resolve of waiting.splice(0)) resolve(signal);
  };
  const removers = [
    onSignals(['SIGTERM', 'SIGINT'], stop),
    onSignals(['SIGHUP'], process.platform === 'win32' ? stop : reload),
  ];
  aborted?.addEventListener('abort', abort);
  return {
    /** Resolves with the next SIGTERM or SIGINT. */
    nextStop: () =>
      new Promise<NodeJS.Signals>((resolve) => {
        waiting.push(resolve);
        if (aborted?.aborted === true) abort();
      }),
    /** From then on signals do again what they do by themselves. */
    ignore: () => {
      for (const remove of removers) remove();
      aborted?.removeEventListener('abort', abort);
    },
  };
}

/** A stop that leaves time to clean up. */
export interface GracefulStop extends Pick<ReturnType<typeof listenToSignals>, 'ignore'> {
  /** Aborted by SIGTERM, SIGINT or `aborted`. */
  readonly signal: AbortSignal;
  readonly stopped: Promise<void>;
}

/**
 * A second signal ends the program immediately, without cleanup, unless another part of it listens.
 * @param quiet milliseconds at the start in which signals have no effect
 */
export function listenToStop({
  quiet = 0,
  aborted,
}: { readonly quiet?: number; readonly aborted?: AbortSignal | undefined } = {}): GracefulStop {
  const { ignore, nextStop } = listenToSignals(() => undefined, aborted);
  const controller = new AbortController();
  const stopped = createDeferred();
  controller.signal.addEventListener('abort', () => stopped.resolve());
  const listen = (): void =>
    void nextStop().then(async () => {
      controller.abort();
      const second = await nextStop();
      ignore();
      if (process.listenerCount(second) === 0) process.kill(process.pid, second);
    });
  if (quiet === 0) listen();
  else setTimeout(listen, quiet).unref();
  return { signal: controller.signal, stopped: stopped.promise, ignore };
}

/** Milliseconds. An earlier second signal is a duplicate of the first: a shell and npm both send it. */
export const SECOND_SIGNAL = 250;
