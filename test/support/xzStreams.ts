/** xz streams for tests, also where the program `xz` is not installed. */

import { crc32 } from 'node:zlib';

/** The first 1500 bytes of `configText(40)`, compressed by `xz -9 --check=crc64 --block-list=1000,500`. */
export const recordedXz = Buffer.from(
  [
    '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4APnAPBdAD2IiSa0J+DFQqbss5Wx9Zgh4XbOvGtcsLGBAGTGX97SQObGYYsHEMnF',
    'E9ziU7hxQRwgRssKEtp0UuuLjZmEik2yUKZpBFUEeVPLXYjdSDG96dBCO19oKZxI034aZZZkmCQZBYuPkKiqhGO6ZTCJJ9jQ',
    'OJTk6IuU2YzIiS9qBsYafxaIgr7aBDF6VLKeSEB2Z+wWVHW1GY0VBFC1J0K+w+Wu+yPCR1/5bvEYRf/bYwI6CajybMUcaXgU',
    'sPporgO3fq0Z7heTO1tsvPxQmX2pyice4bkuoUkKV8j4VqbY+ETVltvQf1ppt+Xzpkc3x75jewD+XRH18WsMUQIAIQEcAAAA',
    'EM9YzOAB8wC+XQAdDQOQYeOMSUS20lqDw+9DkfoCqNCFFl10K/7KZCcXsLzRY0coNjlGzDFpE2C9AMtEzV8CBM+fj07JG/UZ',
    '+FOg9PsfYNRQFyGJWsb5lF8SJn1QD+21BFp0K+e9nAugModDMqrJHbCcVHRapgpVe5LKXXOd8QQtmbW8ggpLFZIcPMxBHaZT',
    'BS6xPjhMPeOhsuw4TE53U56aurTm9l68lv5+9OssS+G+QDuPGV+KXMY+XK8JOKHrbLWnbhsPcGhAAAAAVoAlGGBcahYAAowC',
    '6AfaAfQDAACtl2PhFBc7MAMAAAAABFla',
  ].join(''),
  'base64',
);

const MAX_CHUNK = 0x1_0000;
/** A dictionary of 2 MiB (xz file format 1.2.1, section 5.3.1). */
const DICTIONARY_CODE = 18;
const CHECK_CRC32 = 1;

/** Returns one stream with a block for each of `blocks`, not compressed. */
export function storeXz(...blocks: readonly Uint8Array[]): Buffer {
  const flags = Buffer.of(0, CHECK_CRC32);
  const pieces = [Buffer.from('fd377a585a00', 'hex'), flags, uint32(crc32(flags))];
  const sizes: number[] = [];
  for (const data of blocks) {
    const fields = Buffer.of(2, 0, 0x21, 1, DICTIONARY_CODE, 0, 0, 0);
    const header = Buffer.concat([fields, uint32(crc32(fields))]);
    const chunks = storedChunks(data);
    pieces.push(header, chunks, Buffer.alloc(-chunks.length & 3), uint32(crc32(data)));
    sizes.push(header.length + chunks.length + 4, data.length);
  }
  const records = Buffer.from([0, ...[blocks.length, ...sizes].flatMap(varint)]);
  const index = Buffer.concat([records, Buffer.alloc(-records.length & 3)]);
  const footer = Buffer.concat([uint32(index.length / 4), flags]);
  return Buffer.concat([
    ...pieces,
    index,
    uint32(crc32(index)),
    uint32(crc32(footer)),
    footer,
    Buffer.from('YZ'),
  ]);
}

function storedChunks(data: Uint8Array): Buffer {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < data.length; start += MAX_CHUNK) {
    const chunk = data.subarray(start, start + MAX_CHUNK);
    const size = chunk.length - 1;
    pieces.push(Buffer.of(start === 0 ? 1 : 2, size >> 8, size), chunk);
  }
  return Buffer.concat([...pieces, Buffer.of(0)]);
}

/** Little-endian. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
}
