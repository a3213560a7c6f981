import { describe, expect, it } from 'vitest';
import { nearestNames } from '../../src/core/nearestNames.ts';

const names = ['path', 'paths', 'filesystems', 'ab', 'conf-value', 'conf-value', 'conf-values'];

describe('nearestNames', () => {
  it.each([
    ['the same name', 'path', ['path', 'paths']],
    ['a letter too many', 'pathh', ['path', 'paths']],
    ['a letter too few', 'paths'.slice(1), ['paths']],
    ['the nearest first', 'patths', ['paths']],
    ['a name that occurs twice', 'conf-valu', ['conf-value', 'conf-values']],
    ['a quarter of the letters', 'fileystm', ['filesystems']],
    ['more than a quarter', 'fileyst', []],
    ['two letters of a short name', 'xy', []],
    ['one letter of a short name', 'xb', ['ab']],
    ['nothing', '', []],
    ['a text that is far too long', 'path'.repeat(1_000_000), []],
  ])('%s', (_title, typed, expected) => expect(nearestNames(typed, names)).toEqual(expected));
});
