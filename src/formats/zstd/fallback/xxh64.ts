/**
 * XXH64 with seed 0, of which zstandard keeps the lower half (RFC 8878, section 3.1.1). What is done for every byte works on
 * halves of 32 bits, as bigints take many times as long.
 */

/** Computes the checksum of data that comes in pieces. */
interface Xxh64 {
  update(piece: Uint8Array): void;
  /** The lower 32 bits; nothing more is added then. */
  digest(): number;
}

const LANES = 4;
const LANE_SIZE = 8;
const STRIPE = LANES * LANE_SIZE;

const PRIME1 = 0x9e3779b1_85ebca87n;
const PRIME2 = 0xc2b2ae3d_27d4eb4fn;
const PRIME3 = 0x165667b1_9e3779f9n;
const PRIME4 = 0x85ebca77_c2b2ae63n;
const PRIME5 = 0x27d4eb2f_165667c5n;
const [PRIME1_LOW, PRIME1_HIGH] = halves(PRIME1);
const [PRIME2_LOW, PRIME2_HIGH] = halves(PRIME2);

export function startXxh64(): Xxh64 {
  const lanes = Int32Array.from([PRIME1 + PRIME2, PRIME2, 0n, -PRIME1].flatMap(halves));
  const rest = new Uint8Array(STRIPE);
  let length = 0;
  return {
    update: (piece) => {
      const buffered = length % STRIPE;
      const taken = buffered === 0 ? 0 : Math.min(STRIPE - buffered, piece.length);
      length += piece.length;
      rest.set(piece.subarray(0, taken), buffered);
      if (buffered + taken === STRIPE) addStripes(lanes, rest);
      if (buffered + taken < STRIPE && buffered > 0) return;
      const end = piece.length - ((piece.length - taken) % STRIPE);
      addStripes(lanes, piece.subarray(taken, end));
      rest.set(piece.subarray(end));
    },
    digest: () => Number(BigInt.asUintN(32, finish(lanes, rest, length))),
  };
}

/** Whole stripes, lane by lane: an accumulator of two halves for each eighth byte. */
function addStripes(lanes: Int32Array, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let lane = 0; lane < LANES; lane++) {
    let low = lanes[2 * lane]!;
    let high = lanes[2 * lane + 1]!;
    for (let at = lane * LANE_SIZE; at < bytes.length; at += STRIPE) {
      const inputLow = view.getInt32(at, true);
      const inputHigh = view.getInt32(at + 4, true);
      const addedLow = Math.imul(inputLow, PRIME2_LOW);
      const addedHigh =
        upperProduct(inputLow, PRIME2_LOW) +
        Math.imul(inputHigh, PRIME2_LOW) +
        Math.imul(inputLow, PRIME2_HIGH);
      const sumLow = (low + addedLow) | 0;
      const carry = sumLow >>> 0 < low >>> 0 ? 1 : 0;
      const sumHigh = (high + addedHigh + carry) | 0;
      const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
      const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
      low = Math.imul(turnedLow, PRIME1_LOW);
      high =
        (upperProduct(turnedLow, PRIME1_LOW) +
          Math.imul(turnedHigh, PRIME1_LOW) +
          Math.imul(turnedLow, PRIME1_HIGH)) |
        0;
    }
    lanes[2 * lane] = low;
    lanes[2 * lane + 1] = high;
  }
}

/** Bits 32 to 63 of the product of two unsigned numbers of 32 bits. */
function upperProduct(a: number, b: number): number {
  const mixed = Math.imul(a & 0xffff, b >>> 16);
  const otherMixed = Math.imul(a >>> 16, b & 0xffff);
  const carries = (Math.imul(a & 0xffff, b & 0xffff) >>> 16) + (mixed & 0xffff) + (otherMixed & 0xffff);
  return (Math.imul(a >>> 16, b >>> 16) + (mixed >>> 16) + (otherMixed >>> 16) + (carries >>> 16)) | 0;
}

function finish(lanes: Int32Array, rest: Uint8Array, length: number): bigint {
  const accumulators = Array.from({ length: LANES }, (_, lane) =>
    joined(lanes[2 * lane]!, lanes[2 * lane + 1]!),
  );
  let hash = length < STRIPE ? PRIME5 : merged(accumulators);
  hash += BigInt(length);
  const view = new DataView(rest.buffer, rest.byteOffset, length % STRIPE);
  let at = 0;
  for (; at + 8 <= view.byteLength; at += 8) {
    hash = rotated(hash ^ round(view.getBigUint64(at, true)), 27n) * PRIME1 + PRIME4;
  }
  if (at + 4 <= view.byteLength) {
    hash = rotated(hash ^ wrapped(BigInt(view.getUint32(at, true)) * PRIME1), 23n) * PRIME2 + PRIME3;
    at += 4;
  }
  for (; at < view.byteLength; at++) {
    hash = rotated(hash ^ wrapped(BigInt(view.getUint8(at)) * PRIME5), 11n) * PRIME1;
  }
  hash = wrapped(hash);
  hash = wrapped((hash ^ (hash >> 33n)) * PRIME2);
  hash = wrapped((hash ^ (hash >> 29n)) * PRIME3);
  return hash ^ (hash >> 32n);
}

function merged(accumulators: readonly bigint[]): bigint {
  const turns = [1n, 7n, 12n, 18n];
  const start = accumulators.reduce((sum, lane, index) => sum + rotated(lane, turns[index] ?? 0n), 0n);
  return accumulators.reduce((hash, lane) => (wrapped(hash) ^ round(lane)) * PRIME1 + PRIME4, start);
}

function round(input: bigint): bigint {
  return wrapped(rotated(input * PRIME2, 31n) * PRIME1);
}

function rotated(value: bigint, count: bigint): bigint {
  const bits = wrapped(value);
  return wrapped(bits << count) | (bits >> (64n - count));
}

function wrapped(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function halves(value: bigint): [low: number, high: number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
}

function joined(low: number, high: number): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}
