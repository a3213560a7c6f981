import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { trimSpace } from '../../src/formats/goText.ts';
import { editKargs, type KargsEdits } from '../../src/image/kargsEdit.ts';

describe('editKargs', () => {
  it.each<[string, string, KargsEdits, string]>([
    ['appends', 'a b', { append: ['c=1'] }, 'a b c=1'],
    ['appends what is there already', 'a', { append: ['a', 'a'] }, 'a a a'],
    ['appends several in one, inner blanks included', 'a', { append: [' b  c '] }, 'a b  c'],
    ['appends nothing as a blank', 'a', { append: ['', 'b'] }, 'a  b'],
    ['appends to nothing', '', { append: ['a'] }, 'a'],
    ['deletes a whole argument', 'a ab b', { delete: ['a'] }, 'ab b'],
    ['deletes all of that name and value', 'a b a', { delete: ['a'] }, 'b'],
    ['deletes several in a row', 'a b c', { delete: ['a b'] }, 'c'],
    ['leaves one of neighbours that share a blank', 'd d d', { delete: ['d'] }, 'd'],
    ['does not delete by name alone', 'a=1', { delete: ['a'] }, 'a=1'],
    ['trims what to delete', 'a b', { delete: [' a\n'] }, 'b'],
    ['squeezes blanks where it deletes nothing', 'a  b', { delete: [''] }, 'a b'],
    ['replaces every one', 'k=o b k=o', { replace: ['k=o=n'] }, 'k=n b k=n'],
    ['replaces only the value named', 'k=o k=x', { replace: ['k=o=n'] }, 'k=n k=x'],
    ['replaces several in a row', 'a b=1', { replace: ['a b=1=2'] }, 'a b=2'],
    ['takes dollar signs as they are', 'k=o', { replace: ['k=o=$&$1'] }, 'k=$&$1'],
    ['takes a line feed as a value', 'k=o', { replace: ['k=o=\n'] }, 'k='],
    ['does not trim a replacement', 'k=o', { replace: [' k=o=n'] }, 'k=o'],
    ['deletes before it appends', 'x', { append: ['x'], delete: ['x'] }, 'x'],
    ['replaces what it appended', '', { replace: ['k=o=n'], append: ['k=o'] }, 'k=n'],
    ['one after the other', 'k=a', { replace: ['k=a=b', 'k=b=c'] }, 'k=c'],
    ['keeps quotes as text', 'a="x y"', { delete: ['y"'] }, 'a="x'],
    ['knows other letters', 'ä=ö', { replace: ['ä=ö=ü'] }, 'ä=ü'],
    ['without edits', 'a b', {}, 'a b'],
  ])('%s', (_title, current, edits, expected) => {
    expect(editKargs(current, edits).kargs).toBe(expected);
  });

  it.each(['', 'a', 'a=b', 'a==b', '=b=c', 'a=b=', 'a=b=c=d', '==', 'a=b=c='])(
    'refuses the replacement %j',
    (text) => {
      expect(() => editKargs('a=b', { replace: [text] })).toThrow(CliError);
      expect(() => editKargs('a=b', { replace: [text] })).toThrow(
        /^Wrong input, format should be: KEY=OLD=NEW$/,
      );
    },
  );

  it('refuses a replacement without showing its values', () => {
    expect(() => editKargs('', { replace: ['token=secret=='] })).toThrow(
      expect.objectContaining({ hint: expect.not.stringContaining('secret') }),
    );
  });

  it.each<[string, string, KargsEdits, string[]]>([
    ['what is not there to delete', 'a', { delete: ['b'] }, ['no kernel argument to delete matches: b']],
    ['only its name', 'a', { delete: ['t=secret'] }, ['no kernel argument to delete matches: t']],
    ['nothing to delete', 'a', { delete: [' '] }, ['no kernel argument to delete matches: (empty)']],
    [
      'what is not there to replace',
      'k=a',
      { replace: ['k=b=c'] },
      ['no kernel argument to replace matches: k'],
    ],
    ['no change', 'a b', {}, ['the kernel arguments do not change']],
    ['a change to the same', 'k=a', { replace: ['k=a=a'] }, ['the kernel arguments do not change']],
    ['a change and back', 'a', { delete: ['a'], append: ['a'] }, ['the kernel arguments do not change']],
    [
      'a line break',
      'a',
      { append: ['b\nc'] },
      [expect.stringMatching(/^the kernel arguments contain a line break/)],
    ],
    ['no line break that was there', 'a\nb', { append: ['c'] }, []],
    ['no line break at the end', 'a', { append: ['b\n'] }, []],
    ['nothing about edits that work', 'a k=o', { delete: ['a'], append: ['b'], replace: ['k=o=n'] }, []],
  ])('remarks %s', (_title, current, edits, expected) => {
    expect(editKargs(current, edits).remarks.map(({ message }) => message)).toEqual(expected);
  });

  it('says that the argument has another value', () => {
    const [deleted] = editKargs('mitigations=auto', { delete: ['mitigations'] }).remarks;
    expect(deleted?.hint).toContain('pass mitigations with its current value');
    const [replaced] = editKargs('k=x', { replace: ['k=o=n'] }).remarks;
    expect(replaced?.hint).toContain('pass k with its current value');
  });

  it('does not say so of an argument that the same edit deletes', () => {
    const [again] = editKargs('a b', { delete: ['a', 'a'] }).remarks;
    expect(again?.hint).toBe('use `iso kargs show` to print the current kernel arguments');
  });

  const word = fc.string({
    unit: fc.constantFrom('a', 'b', '=', ' ', '\n', '$', 'é', '😀', '\ufeff', '\u0085'),
  });
  const words = fc.array(word, { maxLength: 4 });
  const value = word.map((text) => `v${text.replaceAll('=', '')}`);

  it('undoes: what is appended can be deleted', () => {
    const plain = fc.stringMatching(/^[a-z]{1,8}(=[a-z0-9,]{1,8})?$/);
    fc.assert(
      fc.property(fc.uniqueArray(plain, { minLength: 1, maxLength: 6 }), ([added = '', ...present]) => {
        const before = present.join(' ');
        const { kargs } = editKargs(before, { append: [added] });
        expect(editKargs(kargs, { delete: [added] })).toEqual({ kargs: before, remarks: [] });
      }),
    );
  });

  it('gives trimmed text for anything but a wrong replacement', () => {
    const replacement = fc.tuple(value, value, value).map((parts) => parts.join('='));
    const edits = fc.record({
      append: words,
      delete: words,
      replace: fc.array(replacement, { maxLength: 4 }),
    });
    fc.assert(
      fc.property(word, edits, (current, given) => {
        const { kargs } = editKargs(current, given);
        expect(trimSpace(kargs)).toBe(kargs);
      }),
    );
  });
});
