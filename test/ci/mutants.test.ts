/** The small mistakes that mutation testing makes, for each kind of place. */

import { describe, expect, it } from 'vitest';
import { mutantsOf } from '../../scripts/mutation/mutants.js';

/** The source with each of its mutants. */
function allOf(source: string): readonly string[] {
  return mutantsOf(source).map(({ start, end, text }) => source.slice(0, start) + text + source.slice(end));
}

describe('mutants', () => {
  it.each([
    ['an operator', 'x = a === b;', ['x = a !== b;']],
    ['an operator in a text that also has it', 'x = "+" + y;', ['x = "+" - y;']],
    ['operators that are nested', 'x = a && b || c;', ['x = a || b || c;', 'x = a && b && c;']],
    ['the condition of a branch', 'if (a) b;', ['if (!(a)) b;']],
    ['a choice', 'x = a ? b : c;', ['x = !(a) ? b : c;']],
    ['a negation', 'x = !a;', ['x = a;']],
    ['a number', 'x = 7;', ['x = (7 + 1);']],
    ['a truth value', 'x = true;', ['x = (!true);']],
    ['a call whose result is not used', 'f(a);', [';']],
    ['a call that is awaited', 'await f(a);', [';', 'f(a);']],
    ['an awaited value', 'x = await a;', ['x = a;']],
    ['an expression with a type', 'x = (a as 1 | 2) < b!;', ['x = (a as 1 | 2) <= b!;']],
    ['none in types', 'type A = 1 | true; let x: 1 | 2; interface B { a: 1 }', []],
    ['none in imports', 'import a from "a";', []],
  ])('%s', (_title, source, expected) => {
    expect(allOf(source)).toEqual(expected);
  });

  it('have the line at which they start', () => {
    expect(mutantsOf('a();\n\nb();\n').map(({ line }) => line)).toEqual([1, 3]);
  });
});
