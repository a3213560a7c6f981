import { describe, expect, it } from 'vitest';
import { namespaceProblem, objectNameProblem } from '../../../../src/core/objectName.ts';

describe('names', () => {
  it.each([
    ['one letter', 'a'],
    ['a digit first', '3worker'],
    ['dots', 'worker-3.example.com'],
    ['the longest', Array(4).fill('a'.repeat(63)).join('.').slice(0, 253)],
  ])('of an object: %s', (_title, name) => {
    expect(objectNameProblem(name)).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['upper case', 'Worker'],
    ['an underscore', 'worker_3'],
    ['a dash first', '-worker'],
    ['a dash before a dot', 'worker-.x'],
    ['two dots', 'worker..x'],
    ['a dot last', 'worker.'],
    ['a line break', 'worker\n'],
    ['254 characters', 'a'.repeat(254)],
  ])('of no object: %s', (_title, name) => {
    expect(objectNameProblem(name)).toBeTypeOf('string');
  });

  it.each([
    ['a label', 'metal3', true],
    ['dots', 'metal3.io', false],
    ['64 characters', 'a'.repeat(64), false],
    ['nothing', '', false],
  ])('of a namespace: %s', (_title, name, isAllowed) => {
    expect(namespaceProblem(name) === undefined).toBe(isAllowed);
  });
});
