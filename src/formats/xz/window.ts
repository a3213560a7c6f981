/**
 * The latest bytes of what is decoded, which matches refer to: LZMA's dictionary as a ring. It grows as it fills, so that
 * memory follows the content where that is smaller than the dictionary which a stream declares.
 */

/** Bytes of `ring` are overwritten only once they have been handed out. */
export interface Window {
  ring: Uint8Array;
  /** Where the next byte goes. */
  head: number;
  /** Where the bytes start that were not handed out yet. */
  tail: number;
  /** Bytes since the dictionary was reset, those from the start of the ring to `head` left out. */
  before: number;
  /** How far back a match may reach. */
  dictionarySize: number;
}

const FIRST_SIZE = 64 * 1024;
/** What was outgrown stays in memory until it is collected: a large step leaves little behind. */
const GROWTH = 8;

export function createWindow(): Window {
  return { ring: new Uint8Array(FIRST_SIZE), head: 0, tail: 0, before: 0, dictionarySize: 0 };
}

/** Forgets the dictionary. */
export function resetWindow(window: Window): void {
  window.before = -window.head;
}

/** The bytes that were added since the last call, as a view that is good until more are added. */
export function takeOutput(window: Window): Uint8Array {
  const output = window.ring.subarray(window.tail, window.head);
  window.tail = window.head;
  return output;
}

/**
 * Makes room at `head`, where the ring is full and all of it was handed out.
 * @returns false where it had to be larger than `maxSize`
 */
export function makeRoom(window: Window, maxSize: number): boolean {
  const { ring, dictionarySize } = window;
  if (ring.length >= dictionarySize) {
    window.before += ring.length;
    window.head = 0;
    window.tail = 0;
    return true;
  }
  if (ring.length >= maxSize) return false;
  const grown = new Uint8Array(Math.min(ring.length * GROWTH, dictionarySize, maxSize));
  grown.set(ring); // in order, as it did not go round yet
  window.ring = grown;
  return true;
}
