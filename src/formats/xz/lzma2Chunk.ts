/** Control bytes of LZMA2 chunks (xz file format 5.3.1). Of the coded ones the low five bits belong to the size. */

export const END = 0x00;
export const STORED_AFTER_RESET = 0x01;
export const STORED = 0x02;
/** Each of the following resets what those before it do, and more. */
export const CODED = 0x80;
export const STATE_RESET = 0xa0;
export const NEW_PROPERTIES = 0xc0;
export const DICTIONARY_RESET = 0xe0;

/** Bytes of a chunk, at most. A stored one has to keep to the limit of the compressed ones. */
export const MAX_COMPRESSED = 0x1_0000;
export const MAX_UNCOMPRESSED = 0x20_0000;
