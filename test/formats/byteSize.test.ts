/** Sizes for people. */

import { describe, expect, it } from 'vitest';
import { formatSize, formatSizeInWords } from '../../src/formats/messageText.ts';

describe('sizes', () => {
  it.each([
    [0, '0 B', '0 bytes'],
    [1023, '1023 B', '1023 bytes'],
    [1024, '1.0 KiB', '1 KiB'],
    [1.5 * 1024 ** 2, '1.5 MiB', '1.5 MiB'],
    [1_610_612_736, '1.5 GiB', '1.5 GiB'],
    [1024 ** 5, '1024.0 TiB', '1024 TiB'],
  ])('of %i bytes', (bytes, inColumns, inWords) => {
    expect([formatSize(bytes), formatSizeInWords(bytes)]).toEqual([inColumns, inWords]);
  });
});
