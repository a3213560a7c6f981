/** The blocks of a zstandard frame (RFC 8878, section 3.1.1.2). */

import type { ByteFeed, Steps } from '../byteFeed.ts';
import { BlockReader } from './blockReader.ts';
import { BLOCK_HEADER_SIZE, type BlockHeader, maxBlockOf, peekBlockHeader } from './blockHeader.ts';
import type { FrameHeader } from './frameHeader.ts';
import { createLiteralsDecoder, type LiteralsDecoder, readLiterals } from './literals.ts';
import { createSequencesDecoder, readSequences, resetSequences, type SequencesDecoder } from './sequences.ts';
import { advance, createWindow, execute, makeRoom, resetWindow, type Window } from './window.ts';

/** Decodes one frame after the other; its memory serves for all of them. */
export interface BlockDecoder {
  readonly feed: ByteFeed;
  readonly reader: BlockReader;
  readonly literals: LiteralsDecoder;
  readonly sequences: SequencesDecoder;
  readonly window: Window;
}

export function createBlockDecoder(feed: ByteFeed): BlockDecoder {
  return {
    feed,
    reader: new BlockReader(feed),
    literals: createLiteralsDecoder(),
    sequences: createSequencesDecoder(),
    window: createWindow(),
  };
}

/** The content of a frame, whose blocks are the next bytes; a piece is good until the next step. */
export function* decodeBlocks(decoder: BlockDecoder, header: FrameHeader): Steps<Uint8Array> {
  const { feed, window } = decoder;
  const maxBlock = maxBlockOf(header);
  resetWindow(window, header.windowSize, maxBlock);
  resetSequences(decoder.sequences);
  decoder.literals.huffman = undefined;
  for (let isLast = false; !isLast;) {
    yield* feed.need(BLOCK_HEADER_SIZE);
    const block = peekBlockHeader(feed, maxBlock);
    yield* feed.need(BLOCK_HEADER_SIZE + block.length);
    feed.take(BLOCK_HEADER_SIZE);
    makeRoom(window);
    const length = decodeBlock(decoder, block);
    if (length > 0) yield advance(window, length);
    isLast = block.isLast;
  }
}

/** Puts the content of a block at the head of the window and returns its length. */
function decodeBlock(decoder: BlockDecoder, { kind, size }: BlockHeader): number {
  const { feed, window } = decoder;
  if (kind === 'compressed') return decodeCompressed(decoder, size);
  if (kind === 'raw') window.ring.set(feed.take(size), window.head);
  else window.ring.fill(feed.uint8(), window.head, window.head + size);
  return size;
}

function decodeCompressed({ feed, reader, literals, sequences, window }: BlockDecoder, size: number): number {
  const start = feed.offset;
  reader.load(size);
  const bytes = readLiterals(reader, literals, window.maxBlock);
  const length = execute(window, bytes, readSequences(reader, sequences, window.maxBlock));
  if (length === undefined) throw feed.error('has sequences that do not fit', start);
  return length;
}
