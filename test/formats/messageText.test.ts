/** Lists, counts and sizes in messages. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCount, formatSize, formatSizeInWords, formatWordList } from '../../src/formats/messageText.ts';

describe('a list in a sentence', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b, and c'],
  ])('of %j', (items, expected) => {
    expect(formatWordList(items)).toBe(expected);
  });

  it('is that of Intl', () => {
    const list = new Intl.ListFormat('en', { type: 'conjunction' });
    fc.assert(
      fc.property(fc.array(fc.string()), (items) => {
        expect(formatWordList(items)).toBe(list.format(items));
      }),
    );
  });
});

describe('formatCount', () => {
  it.each([
    [0, '0 hosts'],
    [1, '1 host'],
    [2, '2 hosts'],
  ])('%i: %s', (count, text) => {
    expect(formatCount(count, 'host')).toBe(text);
  });

  const root = resolve(import.meta.dirname, '../..');
  const src = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );

  it('is how counts get into texts, which have no plural of their own', () => {
    const plural =
      /\$\{(?:count|written|total|hosts\.length|files\.length|right)\} (?:[a-z]+ )?(?:hosts|files|images|machines)\b/;
    expect(src.filter((name) => plural.test(readFileSync(join(root, 'src', name), 'utf8')))).toEqual([]);
  });

  it('has made what the documentation and the goldens show', () => {
    const shown = ['docs', 'test/golden'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:md|txt)$/.test(name))
        .map((name) => join(root, folder, name)),
    );
    const wrong =
      /(?<![\d.,:/-])\b1 (?:hosts|files|bytes|warnings|errors|images|machines|connections|transfers)\b/;
    expect(shown.filter((path) => wrong.test(readFileSync(path, 'utf8')))).toEqual([]);
  });
});

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
