/** Lines of output that hold names out of an archive. */

import type { Io } from '../io.ts';
import { printable } from './printable.ts';

/** As it is for programs, and harmless where a terminal shows it: an archive may have any names. */
export function lineForOutput(text: string, { stdout }: Pick<Io, 'stdout'>): Uint8Array {
  return Buffer.from(`${stdout.isTTY === true ? printable(text) : text}\n`);
}
