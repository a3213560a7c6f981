/** Bytes through one of the transforms of node:zlib, which work beside this thread, in memory that does not grow. */

import type { Transform } from 'node:stream';

/**
 * What the transform makes of the pieces. A piece is asked for when the one before it was used up.
 *
 * @throws what `pieces` throws, also where it does so later than the transform fails, so that the cause of an error does
 *   not depend on how far ahead is read; else what the transform throws.
 */
export async function* throughZlib(
  transform: Transform,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const failures: unknown[] = [];
  const feeding = writeAll(transform, pieces).catch((error: unknown) => {
    failures.push(error);
    transform.destroy();
  });
  try {
    for await (const piece of transform) yield toBytes(piece);
  } catch (error) {
    await feeding;
    throw failures.length > 0 ? failures[0] : error;
  } finally {
    transform.destroy();
    await feeding;
  }
  if (failures.length > 0) throw failures[0];
}

/** A transform that failed or was given up does not use up anything; the remaining pieces are asked for all the same. */
async function writeAll(transform: Transform, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    transform.once('close', resolve);
  });
  for await (const piece of pieces) {
    const written = new Promise<void>((resolve) => {
      transform.write(piece, () => resolve());
    });
    await Promise.race([written, closed]);
  }
  transform.end();
}

function toBytes(piece: unknown): Uint8Array {
  if (!(piece instanceof Uint8Array)) throw new TypeError('zlib gives bytes');
  return piece;
}
