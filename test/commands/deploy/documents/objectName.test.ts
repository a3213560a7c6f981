import { describe, expect, it } from 'vitest';
import {
  hostNameOfMetal3Problem,
  namespaceProblem,
  nodeNameProblem,
  objectNameProblem,
} from '../../../../src/core/objectName.ts';

const uuid = '33ce8659-7400-4c68-9535-d10766f07a58';

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

  it.each([
    ['a name', 'worker-3', true],
    ['a UUID', uuid, false],
    ['a UUID without dashes', uuid.replaceAll('-', ''), false],
  ])('of a BareMetalHost: %s', (_title, name, isAllowed) => {
    expect(hostNameOfMetal3Problem(name) === undefined).toBe(isAllowed);
  });

  it.each([
    ['unreserved characters', 'Rack_1~worker.3', true],
    ['a dash first', '--driver', false],
    ['a slash', 'a/b', false],
    ['a quote', "a'b", false],
    ['a UUID', uuid, false],
    ['nothing', '', false],
    ['256 characters', 'a'.repeat(256), false],
  ])('of a node: %s', (_title, name, isAllowed) => {
    expect(nodeNameProblem(name) === undefined).toBe(isAllowed);
  });
});
