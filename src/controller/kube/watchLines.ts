/** The lines of a body that comes in pieces, of which neither a line nor a character need end where a piece does. */

/** A line is longer than it may be; nothing behind it is known to be a line. */
export class LineTooLong extends Error {}

/**
 * Lines without their line feeds, each only lent until the next is asked for; empty ones are left out. What stands behind
 * the last line feed is no line: the body broke off in it.
 * @param maxBytes of one line
 * @throws LineTooLong, and whatever the parts throw
 */
export async function* splitLines(
  parts: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  /** The beginning of a line whose end has not come yet. */
  let held: Held = { bytes: new Uint8Array(0), size: 0 };
  for await (const part of parts) {
    let start = 0;
    for (let end = part.indexOf(LINE_FEED); end >= 0; end = part.indexOf(LINE_FEED, start)) {
      const piece = part.subarray(start, end);
      if (held.size + piece.length > maxBytes) throw new LineTooLong();
      const line = held.size === 0 ? piece : wholeOf(append(held, piece));
      if (line.length > 0) yield line;
      held = { bytes: held.bytes, size: 0 };
      start = end + 1;
    }
    const rest = part.subarray(start);
    if (held.size + rest.length > maxBytes) throw new LineTooLong();
    held = append(held, rest);
  }
}

const LINE_FEED = 0x0a;

interface Held {
  /** Has room for more: pieces of one byte each would otherwise be copied again and again. */
  readonly bytes: Uint8Array;
  readonly size: number;
}

function append({ bytes, size }: Held, piece: Uint8Array): Held {
  const wanted = size + piece.length;
  let room = bytes;
  if (wanted > bytes.length) {
    room = new Uint8Array(Math.max(wanted, 2 * bytes.length));
    room.set(bytes.subarray(0, size));
  }
  room.set(piece, size);
  return { bytes: room, size: wanted };
}

function wholeOf({ bytes, size }: Held): Uint8Array {
  return bytes.subarray(0, size);
}
