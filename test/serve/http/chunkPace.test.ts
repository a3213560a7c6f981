import { describe, expect, it } from 'vitest';
import { createChunkPace } from '../../../src/serve/http/chunkPace.ts';

const KiB = 1024;

describe('createChunkPace', () => {
  it('grows for a client that takes all at once, but little for one that only has a kernel that does', () => {
    const pace = createChunkPace();
    let taken = 0;
    const reached = new Map<number, number>();
    while (taken < 100 * 1024 * KiB) {
      if (!reached.has(pace.size)) reached.set(pace.size, taken);
      taken += pace.size;
      pace.took(0.5, pace.size);
    }
    expect([...reached.keys()].map((size) => size / KiB)).toEqual([64, 128, 256, 512, 1024]);
    expect(reached.get(256 * KiB)).toBeGreaterThan(8 * 1024 * KiB);
    expect(pace.readAhead).toBe(true);
  });

  it('shrinks for a slow client, and then reads nothing ahead', () => {
    const pace = createChunkPace();
    for (let chunk = 0; chunk < 10; chunk++) pace.took(500, pace.size);
    expect(pace.size).toBe(16 * KiB);
    expect(pace.readAhead).toBe(false);
  });

  it('stays as it is for a client in between', () => {
    const pace = createChunkPace();
    for (let chunk = 0; chunk < 100; chunk++) pace.took(50, pace.size);
    expect(pace.size).toBe(64 * KiB);
  });

  it('counts bytes, not chunks: small answers make nothing larger', () => {
    const pace = createChunkPace();
    for (let chunk = 0; chunk < 1000; chunk++) pace.took(0.1, 2 * KiB);
    expect(pace.size).toBe(64 * KiB);
  });
});
