// @ts-check
/** Damage to bytes of any format, and numbers that readers of binary formats stumble over. */

/** @typedef {() => number} Random numbers from 0 to below 1. */

/** @param {Random} random @param {readonly any[]} list @returns {any} */
export function pick(random, list) {
  if (list.length === 0) throw new RangeError('nothing to pick from');
  return list[Math.floor(random() * list.length)];
}

/** From 0 to below `end`. @param {Random} random @param {number} end */
export function below(random, end) {
  return Math.floor(random() * end);
}

/** @param {Random} random @param {number} length */
export function noise(random, length) {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 4) {
    const number = below(random, 2 ** 32);
    for (let byte = 0; byte < Math.min(4, length - index); byte++)
      bytes[index + byte] = number >>> (8 * byte);
  }
  return bytes;
}

/**
 * A number around what matters: nothing, the length of something, the largest of so many bits.
 * @param {Random} random @param {readonly number[]} around
 */
export function edge(random, around = []) {
  const base = pick(random, [
    0,
    1,
    33,
    34,
    255,
    2047,
    2048,
    0x7fff_ffff,
    0xffff_ffff,
    below(random, 2 ** 32),
    ...around,
    ...around,
  ]);
  return Math.max(0, base + pick(random, [-1, 0, 0, 0, 1]));
}

/** The same beyond 32 bits. @param {Random} random @param {readonly number[]} around */
export function wideEdge(random, around = []) {
  return BigInt(pick(random, [2 ** 53, 2 ** 53 - 2, 2 ** 40, edge(random, around), edge(random, around)]));
}

/** One to three random edits, of which one may cut the end off. @param {Random} random @param {Uint8Array} bytes */
export function damage(random, bytes) {
  let copy = Buffer.from(bytes);
  for (let edits = 1 + below(random, 3); edits > 0; edits--) copy = damageOnce(random, copy);
  return copy;
}

/** @param {Random} random @param {Buffer<ArrayBuffer>} bytes @returns {Buffer<ArrayBuffer>} */
function damageOnce(random, bytes) {
  const at = below(random, bytes.length);
  const end = Math.min(bytes.length, at + 1 + below(random, 40));
  switch (below(random, 7)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      bytes.fill(pick(random, [0, 0xff, 0x30]), at, end);
      return bytes;
    case 2:
      bytes.copy(bytes, below(random, bytes.length), at, end);
      return bytes;
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    case 5:
      if (at + 4 <= bytes.length) bytes.writeUInt32LE(edge(random, [bytes.length]) >>> 0, at);
      return bytes;
    default:
      if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
      return bytes;
  }
}
