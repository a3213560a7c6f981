import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Writable } from 'node:stream';
import { sayIfSlow } from '../../src/io/waiting.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ['nothing of a short wait', 1900, ''],
  ['what a longer wait is for', 2100, 'waiting for 3 BMCs\n'],
])('says %s', async (_title, milliseconds, text) => {
  let said = '';
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      said += String(chunk);
      done();
    },
  });
  const work = new Promise((resolve) => setTimeout(resolve, milliseconds, 'done'));
  const result = sayIfSlow({ stderr }, '3 BMCs', work);
  await vi.advanceTimersByTimeAsync(milliseconds);
  expect([await result, said]).toEqual(['done', text]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(said).toBe(text);
});
