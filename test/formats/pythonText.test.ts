import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePythonFloat, parsePythonInteger, stripPython } from '../../src/formats/pythonText.ts';
import { have, oracleNote } from '../support/programs.ts';

describe('numbers', () => {
  it.each([
    ['1', 1n],
    [' -1_000 ', -1000n],
    ['+007', 7n],
    ['', undefined],
    ['_1', undefined],
    ['1__0', undefined],
    ['0x10', undefined],
    ['1.0', undefined],
    ['- 1', undefined],
  ])('int(%j)', (text, expected) => {
    expect(parsePythonInteger(text)).toBe(expected);
  });

  it.each([
    ['1', 1],
    ['1.', 1],
    ['.5', 0.5],
    ['1_0.0_1e1_0', 10.01e10],
    ['-inf', -Infinity],
    ['INFINITY', Infinity],
    ['nan', NaN],
    ['1e999', Infinity],
    ['', undefined],
    ['.', undefined],
    ['1_.5', undefined],
    ['1e', undefined],
    ['0x1p3', undefined],
  ])('float(%j)', (text, expected) => {
    expect(parsePythonFloat(text)).toBe(expected);
  });

  it('stay fast on long texts', () => {
    expect(parsePythonFloat(`${'1'.repeat(300_000)}x`)).toBeUndefined();
    expect(parsePythonInteger(`${'1_'.repeat(300_000)}x`)).toBeUndefined();
  });
});

describe.skipIf(!have('python3'))(`Python itself${oracleNote('python3')}`, () => {
  const script = `import json, sys
def number(kind, text):
    try: return repr(kind(text))
    except ValueError: return None
json.dump([[t.strip(), number(int, t), number(float, t)] for t in json.load(sys.stdin)], sys.stdout)`;

  it('agrees', () => {
    const digits = fc.string({
      unit: fc.constantFrom('0', '1', '9', '_', '.', 'e', '-', '+', ' '),
      maxLength: 6,
    });
    const blanks = fc.string({
      unit: fc.constantFrom(' ', '\t', '\u001c', '\u0085', '\u00a0', '\ufeff', '\u200b', '\u2003', 'x'),
    });
    const texts = fc.sample(fc.oneof(digits, blanks), 2000);
    const run = spawnSync('python3', ['-c', script], { input: JSON.stringify(texts) });
    const answers: [string, string | null, string | null][] = JSON.parse(run.stdout.toString());
    for (const [index, text] of texts.entries()) {
      const [stripped, integer, float] = answers[index] ?? [];
      expect(stripPython(text)).toBe(stripped);
      expect(parsePythonInteger(text)?.toString() ?? null).toBe(integer);
      expect(parsePythonFloat(text) ?? null).toBe(
        float === null ? null : Number(float?.replace('inf', 'Infinity')),
      );
    }
  });
});
