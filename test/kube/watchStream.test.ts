/** Lines of a watch, however they are cut into pieces. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from '../../src/kube/watchStream.ts';

async function linesOf(pieces: Iterable<Uint8Array>, maxBytes = 100): Promise<string[]> {
  const lines = [];
  const parts = (async function* () {
    yield* pieces;
  })();
  for await (const line of splitLines(parts, maxBytes, 'watch secrets'))
    lines.push(Buffer.from(line).toString());
  return lines;
}

const pieces = (...texts: string[]): Uint8Array[] => texts.map((text) => Buffer.from(text));

describe('splitLines', () => {
  it.each([
    ['nothing', [], []],
    ['one piece', ['{"a":1}\n'], ['{"a":1}']],
    ['several lines in a piece', ['a\nb\nc\n'], ['a', 'b', 'c']],
    ['a line in several pieces', ['a', 'b', 'c\n'], ['abc']],
    ['empty lines', ['\n\na\n\n', '\n', 'b\n'], ['a', 'b']],
    ['a body that broke off', ['a\nbc'], ['a']],
    ['a line as long as it may be', [`${'a'.repeat(100)}\n`], ['a'.repeat(100)]],
  ])('%s', async (_title, texts, lines) => {
    expect(await linesOf(pieces(...texts))).toEqual(lines);
  });

  it.each([
    ['in one piece', [`b\n${'a'.repeat(101)}\n`]],
    ['in several', ['a'.repeat(60), `${'a'.repeat(41)}\n`]],
    ['without an end', ['a'.repeat(60), 'a'.repeat(60)]],
  ])('refuses a line that is too long: %s', async (_title, texts) => {
    await expect(linesOf(pieces(...texts))).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
  });

  it('takes a long line that comes byte by byte', async () => {
    const line = 'x'.repeat(50_000);
    expect(await linesOf(pieces(...Array.from(line), '\n'), 60_000)).toEqual([line]);
  });

  it('gives the same lines wherever the pieces end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.array(fc.nat(20)), async (text, sizes) => {
        const bytes = Buffer.from(text);
        const cut = [];
        let start = 0;
        for (const size of sizes) {
          cut.push(bytes.subarray(start, start + size));
          start += size;
        }
        cut.push(bytes.subarray(start));
        const whole = bytes.toString('latin1').split('\n').slice(0, -1);
        const expected = whole
          .filter((line) => line !== '')
          .map((line) => Buffer.from(line, 'latin1').toString());
        expect(await linesOf(cut, 10_000)).toEqual(expected);
      }),
    );
  });
});
