/** Standard output. Data waits for the reader; a reader that has gone is an end, not an error. */

import { CliError } from '../core/errors.ts';
import { printable } from '../core/foreignText.ts';
import { errorCode, streamError } from './files/fileErrors.ts';
import type { Io, Output } from './io.ts';

/** @throws CliError if standard output is a terminal */
export function refuseTerminal({ stdout }: Pick<Io, 'stdout'>): void {
  if (stdout.isTTY !== true) return;
  throw new CliError('Refusing to write binary data to terminal', {
    code: 'ERR_USAGE',
    hint: 'redirect standard output to a file or a pipe, or use -o FILE',
  });
}

/** A line with unchanged text for programs, and escaped text for terminals, because an archive may contain any names. */
export function lineForOutput(text: string, { stdout }: Pick<Io, 'stdout'>): Uint8Array {
  return Buffer.from(`${stdout.isTTY === true ? printable(text) : text}\n`);
}

/** A failed write is reported by its callback; without a listener it would also end the program as an uncaught error. */
const ignore = (): void => undefined;

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Writes all chunks in order, each before the next one is asked for; ends early, and quietly, when the reader has gone. */
export async function writeStdout({ stdout }: Pick<Io, 'stdout'>, chunks: Chunks): Promise<void> {
  stdout.on('error', ignore);
  try {
    for await (const chunk of chunks) {
      if ((await writeChunk(stdout, chunk)) === 'reader gone') return;
    }
  } finally {
    stdout.off('error', ignore);
  }
}

function writeChunk(stdout: Output, chunk: Uint8Array): Promise<'written' | 'reader gone'> {
  return new Promise((resolve, reject) => {
    stdout.write(chunk, (error) => {
      if (error === null || error === undefined) return resolve('written');
      if (['EPIPE', 'ERR_STREAM_DESTROYED'].includes(errorCode(error) ?? '')) return resolve('reader gone');
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is an error
      reject(streamError(error, 'write to standard output'));
    });
  });
}
