/**
 * The log of a serial console that another program writes during the trial, for example `ipmitool sol activate` or
 * `virsh console`. New lines become events of the expected host.
 */

import { quoteText } from '../../core/foreignText.ts';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Diagnostic, diagnosticOf } from '../../core/finding.ts';
import { CliError, only, UsageError } from '../../core/errors.ts';
import { parseMacAddress } from '../../core/macAddress.ts';
import { quoteShellWord } from '../../formats/shell.ts';
import { pause, systemClock } from '../../io/clock.ts';
import { errorCode, fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { createConsoleText } from './consoleText.ts';
import { createConsoleWatch } from './consoleWatch.ts';
import type { ConsoleEvent } from '../timeline/events.ts';

/** Milliseconds between two reads. */
const INTERVAL = 500;
/** Bytes of one read. */
const CHUNK = 64 * 1024;

export interface ConsoleLog {
  readonly path: string;
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
    const [name = '', ...path] = value.split('=');
    const address = parseMacAddress(name);
    const named = 'mac' in address ? address.mac : name; // the form of --expect
    if (path.length > 0 && hosts.includes(named)) return { host: named, path: path.join('=') };
    const [host, ...others] = hosts;
    if (host !== undefined && others.length === 0) return { host, path: value };
    if (host === undefined) {
      throw new UsageError('--console-log requires an expected host', {
        hint: 'add --expect with the name or the MAC address of the machine',
      });
    }
    throw new UsageError(`--console-log ${quoteText(value)} does not name an expected host`, {
      hint: `use --console-log HOST=FILE, for example ${host}=${value}`,
    });
  });
}

/**
 * Reads what is appended to the file from now on. Earlier lines are of an earlier boot. If it cannot be read any more, a
 * warning says so at once, and the trial goes on.
 * @returns a function that reads the rest and stops
 * @throws CliError if it is not a readable file
 */
export async function followConsoleLog(
  { host, path }: ConsoleLog,
  observe: (event: ConsoleEvent) => void,
  report: (diagnostic: Diagnostic) => void,
  { cwd }: Io,
): Promise<() => Promise<void>> {
  const explain = (error: unknown): never => {
    if (errorCode(error) === 'ENOENT') {
      throw new CliError(`Console log (--console-log) not found: ${path}`, {
        code: 'ERR_FILE_MISSING',
        hint: `start the program that writes it, or run \`touch ${quoteShellWord(path)}\``,
      });
    }
    throw fileError(error, { path, what: 'Console log (--console-log)', action: 'read' });
  };
  const place = resolve(cwd, path);
  if (!(await stat(place).catch(explain)).isFile()) {
    // A pipe would not open before a program writes to it.
    throw new UsageError(`Console log (--console-log) ${quoteText(path)} is not a regular file`, {
      hint: 'use a file to which a program writes the console, for example `ipmitool … sol activate | tee sol.log`',
    });
  }
  const tail = await openTail(place, createConsoleWatch(host, observe)).catch(explain);
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await tail.read();
      await pause(systemClock, INTERVAL, stop.signal);
    }
    await tail.read();
  };
  const followed = follow()
    .catch(explain)
    .catch(only(CliError, (error) => report({ ...diagnosticOf(error), severity: 'warning' })));
  followed.catch(() => undefined); // the returned function throws it
  return async () => {
    stop.abort();
    await followed;
    await tail.close();
  };
}

/** Starts at the current end. */
async function openTail(path: string, onLine: (line: string) => void) {
  let file = await open(path);
  let position = (await file.stat()).size;
  let text = createConsoleText(onLine);
  const restart = (): void => {
    text.end();
    text = createConsoleText(onLine);
    position = 0;
  };
  const readFile = async (): Promise<void> => {
    const { size } = await file.stat();
    if (size < position) restart();
    while (position < size) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      text.push(buffer.subarray(0, bytesRead));
    }
  };
  return {
    /**
     * Reads up to the end. A file that became shorter, or that another one replaced, is read from its start: a program was
     * restarted, or the log was rotated.
     */
    read: async (): Promise<void> => {
      await readFile();
      if (!(await isReplaced(file, path))) return;
      await readFile(); // what was written to it before
      await file.close();
      file = await open(path);
      restart();
      await readFile();
    },
    close: async (): Promise<void> => {
      text.end();
      await file.close();
    },
  };
}

/** Whether the path is another regular file now. Between two files of a rotation, there may be none. */
async function isReplaced(file: FileHandle, path: string): Promise<boolean> {
  const now = await stat(path).catch(() => undefined);
  if (now?.isFile() !== true) return false;
  const { dev, ino } = await file.stat();
  return now.ino !== ino || now.dev !== dev;
}
