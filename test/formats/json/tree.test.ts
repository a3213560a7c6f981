import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import type { DocumentNode } from '../../../src/formats/documentTree.ts';
import { isMapping } from '../../../src/formats/mapping.ts';
import { isGoJsonText, JsonLimitError, readJsonTree } from '../../../src/formats/json/tree.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const overflows = (text: string) => readJsonTree(bytesOf(text)).overflows;

/** The error of a text; undefined if it is JSON. */
function errorOf(bytes: Buffer, limits?: Parameters<typeof readJsonTree>[1]): FormatError | undefined {
  try {
    readJsonTree(bytes, limits);
    return undefined;
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}
const problemOf = (text: string) => {
  const { message, offset } = errorOf(bytesOf(text)) ?? {};
  return { message, offset };
};

describe('readJsonTree', () => {
  it.each([
    ['', 'unexpected end of JSON input', 0],
    [' \n', 'unexpected end of JSON input', 2],
    ['{', 'unexpected end of JSON input', 1],
    ['{"a"', 'unexpected end of JSON input', 4],
    ['{"a":', 'unexpected end of JSON input', 5],
    ['{"a":1', 'unexpected end of JSON input', 6],
    ['[1,', 'unexpected end of JSON input', 3],
    ['"abc', 'unexpected end of JSON input', 4],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string", 8],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string", 2],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string", 2],
    ['{"a" 1}', "invalid character '1' after object key", 6],
    ['{"a":1 "b"', `invalid character '"' after object key:value pair`, 8],
    ['{"a":1]', "invalid character ']' after object key:value pair", 7],
    ['[1 2]', "invalid character '2' after array element", 4],
    ['[1}', "invalid character '}' after array element", 3],
    ['[1,]', "invalid character ']' looking for beginning of value", 4],
    ['{} x', "invalid character 'x' after top-level value", 4],
    ['1x', "invalid character 'x' after top-level value", 2],
    ['01', "invalid character '1' after top-level value", 2],
    ['\xef\xbb\xbf{}', "invalid character 'ï' looking for beginning of value", 1],
    ['// x', "invalid character '/' looking for beginning of value", 1],
    ['\x00', "invalid character '\\x00' looking for beginning of value", 1],
    ['\x7f', "invalid character '\\x7f' looking for beginning of value", 1],
    ['\x80', "invalid character '\\u0080' looking for beginning of value", 1],
    ['\xad', "invalid character '\\u00ad' looking for beginning of value", 1],
    ['\xa0', "invalid character '\\u00a0' looking for beginning of value", 1],
    ['\x07', "invalid character '\\a' looking for beginning of value", 1],
    ['\b', "invalid character '\\b' looking for beginning of value", 1],
    ['"\t"', "invalid character '\\t' in string literal", 2],
    ['\f', "invalid character '\\f' looking for beginning of value", 1],
    ['"\r"', "invalid character '\\r' in string literal", 2],
    ['\xa1', "invalid character '¡' looking for beginning of value", 1],
    ['\\', "invalid character '\\\\' looking for beginning of value", 1],
    ['\v', "invalid character '\\v' looking for beginning of value", 1],
    ['"a\nb"', "invalid character '\\n' in string literal", 3],
    ['"\\x"', "invalid character 'x' in string escape code", 3],
    ['"\\', "invalid character ' ' in string escape code", 2],
    ['"\\u12"', `invalid character '"' in \\u hexadecimal character escape`, 6],
    ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape", 5],
    ['-', "invalid character ' ' in numeric literal", 1],
    ['-a', "invalid character 'a' in numeric literal", 2],
    ['+1', "invalid character '+' looking for beginning of value", 1],
    ['.5', "invalid character '.' looking for beginning of value", 1],
    ['1.', "invalid character ' ' after decimal point in numeric literal", 2],
    ['[1.]', "invalid character ']' after decimal point in numeric literal", 4],
    ['1e', "invalid character ' ' in exponent of numeric literal", 2],
    ['1e+x', "invalid character 'x' in exponent of numeric literal", 4],
    ['tru', "invalid character ' ' in literal true (expecting 'e')", 3],
    ['[fals]', "invalid character ']' in literal false (expecting 'e')", 6],
    ['nul1', "invalid character '1' in literal null (expecting 'l')", 4],
    ['NaN', "invalid character 'N' looking for beginning of value", 1],
  ])('%j: %s', (text, message, offset) => {
    expect(problemOf(text)).toEqual({ message, offset });
  });

  it.each([
    ['objects', '{"a":{},"b":[],"a":1}'],
    ['all kinds of blanks', ' \t\r\n[ 1 , 2 ] \n'],
    ['numbers', '[0,-0,1.5e-10,1E+2,12345678901234567890]'],
    ['escapes', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\uD800"'],
    ['bytes that are not UTF-8', '"\xff\xc3"'],
    ['DEL in a string', '"\x7f"'],
  ])('accepts %s', (_title, text) => {
    expect(overflows(text)).toBe(false);
  });

  it.each([
    ['1e999', true],
    ['-1e400', true],
    ['1e308', false],
    ['1e-999', false],
    ['0e999', false],
    [`1${'0'.repeat(308)}`, false],
    [`1${'0'.repeat(309)}`, true],
    [`0.${'0'.repeat(400)}1`, false],
    [`1${'0'.repeat(500)}`, true],
    [`1${'0'.repeat(500)}.5`, true],
    [`1${'0'.repeat(500)}e-300`, false],
    [`-1${'0'.repeat(308)}`, false],
    [`${' '.repeat(500)}1${'0'.repeat(304)}`, false],
    ['{"x":[1e309]}', true],
    ['"1e999"', false],
  ])('%s: overflows %s', (text, expected) => {
    expect(overflows(text)).toBe(expected);
  });

  it.each('/09:@AFG`afg'.split(''))('takes %j for a hexadecimal digit where it is one', (digit) => {
    expect(errorOf(bytesOf(`"\\u00${digit}0"`)) === undefined).toBe(/[0-9a-f]/i.test(digit));
    expect(errorOf(bytesOf(`"\\u000${digit}"`)) === undefined).toBe(/[0-9a-f]/i.test(digit));
  });

  it('allows 10000 levels and no more', () => {
    expect(errorOf(bytesOf('['.repeat(10_000) + ']'.repeat(10_000)))).toBeUndefined();
    expect(errorOf(bytesOf(`${'{"a":'.repeat(10_000)}0${'}'.repeat(10_000)}`))).toBeUndefined();
    expect(problemOf('['.repeat(10_001))).toEqual({
      message: "invalid character '[' exceeded max depth",
      offset: 10_001,
    });
  });

  it('stops at once in 50 MB of brackets', () => {
    expect(errorOf(Buffer.alloc(50_000_000, '['))?.offset).toBe(10_001);
  });

  it('agrees with JSON.parse on what is valid', () => {
    const jsonLike = fc.array(fc.constantFrom(...'{}[]:,"\\ue1-0.+E \nabtrufalsn'.split('')), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.oneof(
          jsonLike.map((parts) => parts.join('')),
          fc.json(),
        ),
        (text) => {
          expect(errorOf(Buffer.from(text)) === undefined).toBe(isJson(text));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('agrees with JSON.parse on damaged JSON', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom(...'{}[]:,"\\u01eE-+. \nx'.split(''), ''),
        (text, place, insert) => {
          const at = place % (text.length + 1);
          const damaged = text.slice(0, at) + insert + text.slice(at + 1);
          expect(errorOf(Buffer.from(damaged)) === undefined).toBe(isJson(damaged));
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('the tree', () => {
  it('has the values of the text, with repeated keys', () => {
    const text = ' {"a": [1, "x"],\n"a": null}';
    const { root } = readJsonTree(Buffer.from(text));
    expect(root).toMatchObject({
      kind: 'mapping',
      start: 1,
      end: text.length,
      entries: [
        {
          key: { text: 'a', start: 2, end: 5, style: 'double-quoted' },
          value: {
            kind: 'sequence',
            items: [
              { kind: 'scalar', style: 'plain', text: '1' },
              { kind: 'scalar', style: 'double-quoted', text: 'x', start: 11, end: 14 },
            ],
          },
        },
        { key: { text: 'a' }, value: { kind: 'scalar', style: 'plain', text: 'null' } },
      ],
    });
  });

  it('is that of JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const bytes = Buffer.from(text);
        expect(valueOf(readJsonTree(bytes).root, bytes)).toEqual(JSON.parse(text));
      }),
    );
  });
});

/** The value of a node, read where the node says that it is. */
function valueOf(node: DocumentNode, bytes: Buffer): unknown {
  if (node.kind === 'alias') throw new Error('JSON has no aliases');
  const value: unknown = JSON.parse(bytes.toString('utf8', node.start, node.end));
  if (node.kind === 'mapping') {
    const entries = node.entries.map((entry) => [entry.key.text, valueOf(entry.value, bytes)]);
    return isMapping(value) ? Object.fromEntries(entries) : 'not an object';
  }
  if (node.kind === 'sequence') {
    return Array.isArray(value) ? node.items.map((item) => valueOf(item, bytes)) : 'not a list';
  }
  return node.style === 'double-quoted' ? node.text : JSON.parse(node.text);
}

describe('limits', () => {
  it('of the bytes of a text', () => {
    expect(() => readJsonTree(Buffer.alloc(2 ** 28 + 1))).toThrow('has more than 256 MiB');
  });
  const limits = { depth: 3, values: 8 };
  it.each([
    ['a number', '1', true],
    ['as many levels as allowed', '[[[1]]]', true],
    ['more levels', '[[[[]]]]', false],
    ['more levels, and not closed', '[[[[', false],
    ['more levels of both kinds', '{"a":[{"b":[]}]}', false],
    ['brackets in a string', '["[[[[[[[[{{{{{{{{"]', true],
    ['as many values as allowed', '[1,2,3,4,5,6,7]', true],
    ['more values', '[1,2,3,4,5,6,7,8]', false],
    ['keys do not count', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}', true],
    ['more values with keys', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}', false],
  ])('%s', (_title, text, isWithin) => {
    const error = errorOf(Buffer.from(text), limits);
    expect(error instanceof JsonLimitError ? 'too large' : error).toBe(isWithin ? undefined : 'too large');
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('isGoJsonText', () => {
  it.each([
    ['an object', '{"a":[1,-2.5e3,null,true,"x"]}', true],
    ['a bare value between blanks', ' 1\n', true],
    ['no value', '', false],
    ['two values', '1 2', false],
    ['a trailing comma', '[1,]', false],
    ['a byte order mark', '\ufeff1', false],
    ['the largest float', '1.7976931348623157e308', true],
    ['a number beyond a float', '[0,1e999]', false],
    ['a negative number beyond a float', '{"a":-1e400}', false],
    ['such a number under a key that is repeated', '{"a":1e999,"a":1}', false],
    ['such a number in a string', '"1e999"', true],
    ['such a number behind an escaped quote', '"\\"1e999"', true],
    ['a number that is too small to tell from 0', '1e-999', true],
    ['10,000 levels', '['.repeat(10_000) + ']'.repeat(10_000), true],
    ['10,001 levels', '['.repeat(10_001) + ']'.repeat(10_001), false],
    ['many brackets next to each other', `[${'[],'.repeat(20_000)}[]]`, true],
  ])('%s', (_title, text, isValid) => {
    expect(isGoJsonText(text)).toBe(isValid);
  });

  it('takes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isGoJsonText(JSON.stringify(value))).toBe(true);
      }),
    );
  });
});
