/** Data to standard output: waits for the reader, and takes its going away for an end, not for an error. */

import { CliError } from '../errors.ts';
import { errorCode, fileError } from './fileErrors.ts';
import type { Io, Output } from './io.ts';

/** @throws CliError where binary data would go to a terminal */
export function refuseTerminal({ stdout }: Pick<Io, 'stdout'>): void {
  if (stdout.isTTY !== true) return;
  throw new CliError('Refusing to write binary data to terminal', {
    hint: 'redirect standard output to a file or a pipe, or use -o FILE',
  });
}

/** A failed write is reported by its callback; without a listener it would also end the program as an uncaught error. */
const ignore = (): void => undefined;

/** Writes all chunks in order; ends early, and quietly, when the reader has gone. */
export async function writeStdout(
  { stdout }: Pick<Io, 'stdout'>,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  stdout.on('error', ignore);
  try {
    for await (const chunk of chunks) {
      if ((await writeChunk(stdout, chunk)) === 'reader gone') return;
    }
  } finally {
    stdout.off('error', ignore);
  }
}

/**
 * The same for chunks that are only lent until the next one is asked for. What the system has taken is copied; a stream
 * inside this process may keep what it is given, and gets a copy.
 */
export async function writeLentToStdout(
  { stdout }: Pick<Io, 'stdout'>,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  await writeStdout({ stdout }, 'fd' in stdout ? chunks : copiesOf(chunks));
}

async function* copiesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

function writeChunk(stdout: Output, chunk: Uint8Array): Promise<'written' | 'reader gone'> {
  return new Promise((resolve, reject) => {
    stdout.write(chunk, (error) => {
      if (error === null || error === undefined) resolve('written');
      else if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes(errorCode(error) ?? '')) resolve('reader gone');
      else reject(toError(error));
    });
  });
}

function toError(error: Error): Error {
  const described = fileError(error, { path: 'standard output', what: 'Standard output', action: 'write' });
  return described instanceof Error ? described : error;
}
