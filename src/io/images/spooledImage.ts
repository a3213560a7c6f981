/** Images that come only once, from a pipe or a server that sends everything or nothing: read from a temporary file. */

import { CliError } from '../../core/errors.ts';
import { freeMemory } from '../freeMemory.ts';
import { type OpenImage, readFromFile } from './imageBytes.ts';
import type { Io } from '../io.ts';
import { spoolToFile } from '../files/spool.ts';
import { stdinChunks } from '../files/streamErrors.ts';

/**
 * @param name for messages
 * @throws CliError where there is no room for it
 */
export async function openSpooled(name: string, parts: AsyncIterable<unknown>): Promise<OpenImage> {
  const { handle, size } = await spoolToFile(parts);
  return { kind: 'spool', ...readFromFile(handle, { name, size }) };
}

/** @throws CliError where it is a terminal, or where there is no room for what comes */
export async function openStdin({ stdin }: Pick<Io, 'stdin'>): Promise<OpenImage> {
  if ('isTTY' in stdin && stdin.isTTY === true) {
    throw new CliError('No ISO image comes from standard input', { hint: 'redirect it: … - < coreos.iso' });
  }
  return openSpooled('standard input', 'fd' in stdin ? freedPieces(stdin) : stdinChunks(stdin));
}

/** What comes from the system nobody else has; pieces from inside this process somebody may want to keep. */
async function* freedPieces(stream: AsyncIterable<unknown>): AsyncGenerator<unknown, void> {
  for await (const piece of stdinChunks(stream)) {
    yield piece;
    if (piece instanceof Uint8Array) freeMemory(piece);
  }
}
