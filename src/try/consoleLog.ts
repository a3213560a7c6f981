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
import type { AwaitedMachines } from './timeline/result.ts';

/** Milliseconds between two reads. */
const INTERVAL = 500;
/** Bytes of one read. */
const CHUNK = 64 * 1024;
/** Bytes between two pauses; a serial line writes less than 1 MiB in an hour. */
const MAX_BYTES = 1024 * 1024;

/** The host whose console the log is. Throws UsageError if several or unknown machines are expected. */
export function hostOfConsole(awaited: AwaitedMachines): string {
  const [name, ...others] = awaited.kind === 'hosts' ? awaited.names : [];
  if (name !== undefined && others.length === 0) return name;
  throw new UsageError('--console-log requires exactly one expected host', {
    hint: 'use --expect with the name or the MAC address of the machine',
  });
}

/**
 * Reads what is appended to the file from now on. Earlier lines are of an earlier boot.
 * @returns a function that reads the rest and stops
 * @throws CliError if it is not a readable file
 */
export async function followConsoleLog(
  path: string,
  { host, observe }: { readonly host: string; readonly observe: (event: ConsoleEvent) => void },
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
