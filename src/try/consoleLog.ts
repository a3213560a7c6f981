/**
 * The log of a serial console that another program writes during the trial, for example `ipmitool sol activate` or
 * `virsh console`. New lines become events of the expected host.
 */

import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../core/errors.ts';
import { pause, systemClock } from '../io/clock.ts';
import { fileError } from '../io/files/fileErrors.ts';
import type { Io } from '../io/io.ts';
import { createConsoleText } from './emulation/consoleOutput.ts';
import { createConsoleWatch } from './consoleWatch.ts';
import type { ConsoleEvent } from './timeline/events.ts';

/** Milliseconds between two reads. */
const INTERVAL = 500;
/** Bytes of one read. */
const CHUNK = 64 * 1024;
/** Bytes between two pauses; a serial line writes less than 1 MiB in an hour. */
const MAX_BYTES = 1024 * 1024;

export interface ConsoleLog {
  readonly path: string;
  /** The name of the host whose console it is. */
  readonly host: string;
}

/**
 * @param values of `--console-log`: each `FILE`, or `HOST=FILE`
 * @param hosts names of the expected hosts
 * @throws UsageError for a `FILE` if no host or several hosts are expected
 */
export function readConsoleLogs(
  values: readonly string[] | undefined,
  hosts: readonly string[],
): readonly ConsoleLog[] {
  return (values ?? []).map((value) => {
    const named = hosts.find((name) => value.startsWith(`${name}=`));
    if (named !== undefined) return { host: named, path: value.slice(named.length + 1) };
    const [host, ...others] = hosts;
    if (host !== undefined && others.length === 0) return { host, path: value };
    if (host === undefined) {
      throw new UsageError('--console-log requires an expected host', {
        hint: 'add --expect with the name or the MAC address of the machine',
      });
    }
    throw new UsageError(`--console-log ${JSON.stringify(value)} does not name an expected host`, {
      hint: `use --console-log HOST=FILE, for example ${host}=${value}`,
    });
  });
}

/**
 * Reads what is appended to the file from now on. Earlier lines are of an earlier boot.
 * @returns a function that reads the rest and stops
 * @throws CliError if it is not a readable file
 */
export async function followConsoleLog(
  { host, path }: ConsoleLog,
  observe: (event: ConsoleEvent) => void,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<() => Promise<void>> {
  const problem = (error: unknown): unknown =>
    fileError(error, { path, what: 'Console log (--console-log)', action: 'read' });
  const file = await openFile(resolve(cwd, path)).catch((error: unknown) => {
    throw problem(error);
  });
  if (file === undefined) {
    throw new UsageError(`Console log (--console-log) ${JSON.stringify(path)} is not a regular file`, {
      hint: 'use a file to which a program writes the console, for example `ipmitool … sol activate | tee sol.log`',
    });
  }
  const text = createConsoleText();
  const watch = createConsoleWatch(host, observe);
  const tail = createTail(file, (bytes) => text.push(bytes).forEach((line) => watch(line)));
  const stop = new AbortController();
  await tail.skip();
  const followed = (async () => {
    while (!stop.signal.aborted) {
      await tail.read();
      await pause(systemClock, INTERVAL, stop.signal);
    }
    await tail.read();
    text.end().forEach((line) => watch(line));
  })();
  followed.catch(() => undefined); // the returned function reports it
  return async () => {
    stop.abort();
    try {
      await followed;
    } catch (error) {
      throw problem(error);
    } finally {
      await file.close();
    }
  };
}

/** Undefined for folders, and for pipes, which would not open before a program writes to them. */
async function openFile(path: string): Promise<FileHandle | undefined> {
  return (await stat(path)).isFile() ? await open(path) : undefined;
}

interface Tail {
  /** Continues at the current end. */
  skip(): Promise<void>;
  /** Reads up to the end, or {@link MAX_BYTES}. A file that became shorter was replaced, and is read from its start. */
  read(): Promise<void>;
}

function createTail(file: FileHandle, onBytes: (bytes: Uint8Array) => void): Tail {
  let position = 0;
  return {
    skip: async () => {
      position = (await file.stat()).size;
    },
    read: async () => {
      const { size } = await file.stat();
      if (size < position) position = 0;
      const end = Math.min(size, position + MAX_BYTES);
      while (position < end) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        onBytes(buffer.subarray(0, bytesRead));
      }
    },
  };
}
