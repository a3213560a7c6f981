/** Runs the built program in this process, with streams of its own, as a shell would see it. */

import { imageEnv } from './agentImage.ts';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type * as sources from '../../src/cli/main.ts';
import type { Io } from '../../src/io/io.ts';
import { packageFolder } from './packageFolder.ts';

const { main }: typeof sources = await import(pathToFileURL(join(packageFolder, 'dist/cli.js')).href);

export interface RunOptions {
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** In addition to a variable for the image of the agent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly programName?: string;
  /** In place of one that keeps what is written. */
  readonly stdout?: Io['stdout'];
  /** For services: the text of standard error at which they are stopped. */
  readonly stopAt?: RegExp;
}

export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output where it is not text. */
  readonly stdoutBytes: Buffer;
}

export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const stdout = collector();
  const end = new AbortController();
  const stderr = collector((text) => {
    if (options.stopAt?.test(text) === true) end.abort();
  });
  const io: Io = {
    stdin: Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]),
    stdout: options.stdout ?? stdout.stream,
    stderr: stderr.stream,
    env: { ...imageEnv, ...options.env },
    cwd: options.cwd ?? process.cwd(),
    programName: options.programName ?? 'ironic-coreos',
    ...(options.stopAt !== undefined && { signal: end.signal }),
  };
  const code = await main(['node', 'ironic-coreos', ...args], io);
  return {
    code,
    stdout: stdout.bytes().toString(),
    stderr: stderr.bytes().toString(),
    stdoutBytes: stdout.bytes(),
  };
}

function collector(seen?: (text: string) => void): { stream: Writable; bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      seen?.(String(chunk));
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(chunks) };
}

/** What `validate` says of units: tests have no PATH, so there is no systemd-analyze. */
export const UNCHECKED = 'info: the units are not checked: systemd-analyze is not installed\n';
