/** What symbols would cost at the present probabilities, in 16ths of a bit: the encoder's measure of a choice. */

import { distanceSlot, literalBase, type LzmaEncoder } from './lzmaEncoder.ts';
import * as lzma from './lzmaModel.ts';

/** The price of a bit that is as likely 0 as 1. */
const EVEN_BIT = 16;

/** Prices of a bit by its probability, of which the lowest four bits do not matter. */
const BIT_PRICES = Uint8Array.from({ length: lzma.PROBABILITY_ONE >> 4 }, (_, index) =>
  Math.round(-Math.log2((index * 16 + 8) / lzma.PROBABILITY_ONE) * EVEN_BIT),
);

/** The price of `length` literals from `position` on, roughly: as if none of them followed a match. */
export function literalsPrice(encoder: LzmaEncoder, position: number, length: number): number {
  const { data, model } = encoder;
  let price = 0;
  let { state } = encoder;
  for (let index = position; index < position + length; index++) {
    price += bitPrice(model, lzma.IS_MATCH + (state << 4), 0);
    price += treePrice(model, literalBase(encoder, index), data[index]!, 8);
    state = lzma.stateAfterLiteral(state);
  }
  return price;
}

/**
 * The price of a match at a new distance, roughly: the low bits of the distance count in full.
 * @param length nine bytes at most, which have the shortest code; longer ones pay off at any price
 */
export function matchPrice(encoder: LzmaEncoder, length: number, distance: number): number {
  const { model, state } = encoder;
  const lengthState = Math.min(length - lzma.MIN_MATCH, 3);
  const slot = distanceSlot(distance - 1);
  return (
    bitPrice(model, lzma.IS_MATCH + (state << 4), 1) +
    bitPrice(model, lzma.IS_REP + state, 0) +
    lengthPrice(model, lzma.MATCH_LENGTH, length) +
    treePrice(model, lzma.DISTANCE_SLOT + (lengthState << 6), slot, 6) +
    (slot < 4 ? 0 : ((slot >> 1) - 1) * EVEN_BIT)
  );
}

/** Of a length that has the shortest code. */
function lengthPrice(model: Uint16Array, base: number, length: number): number {
  const symbol = length - lzma.MIN_MATCH;
  return bitPrice(model, base + lzma.LENGTH_CHOICE, 0) + treePrice(model, base + lzma.LENGTH_LOW, symbol, 3);
}

function treePrice(model: Uint16Array, base: number, symbol: number, bits: number): number {
  let price = 0;
  let node = symbol | (1 << bits);
  do {
    price += bitPrice(model, base + (node >> 1), node & 1);
    node >>= 1;
  } while (node > 1);
  return price;
}

function bitPrice(model: Uint16Array, index: number, bit: number): number {
  const probability = model[index]!;
  return BIT_PRICES[(bit === 0 ? probability : lzma.PROBABILITY_ONE - probability) >> 4]!;
}
