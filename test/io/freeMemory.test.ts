import { describe, expect, it } from 'vitest';
import { freeMemory } from '../../src/io/process.ts';

describe('freeMemory', () => {
  it('gives back what has its memory for itself', () => {
    const bytes = new Uint8Array(1000);
    freeMemory(bytes);
    expect(bytes).toHaveLength(0);
  });

  it.each<[string, () => Uint8Array]>([
    ['a part of something larger', () => new Uint8Array(1000).subarray(1)],
    ['the start of something larger', () => new Uint8Array(1000).subarray(0, 999)],
    ['small bytes of the pool of Node', () => Buffer.from('text')],
    ['shared memory', () => new Uint8Array(new SharedArrayBuffer(8))],
  ])('leaves %s', (_title, make) => {
    const bytes = make();
    const { length } = bytes;
    freeMemory(bytes);
    expect(bytes).toHaveLength(length);
  });
});
