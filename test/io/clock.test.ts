import { getEventListeners, once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { limitTime, pause, systemClock } from '../../src/io/clock.ts';

describe('a signal', () => {
  it.each<[string, (signal: AbortSignal) => unknown]>([
    ['limits', (signal) => limitTime(60_000, { signal })],
    ['pauses', (signal) => void pause(systemClock, 60_000, signal)],
  ])('ends any number of %s, without a warning of Node', async (_title, wait) => {
    const warned: Error[] = [];
    const warn = (warning: Error): void => void warned.push(warning);
    process.on('warning', warn);
    const source = new AbortController();
    for (let count = 0; count < 50; count++) wait(source.signal);
    await setImmediate();
    source.abort();
    await setTimeout(20);
    process.off('warning', warn);
    expect(warned).toEqual([]);
    expect(getEventListeners(source.signal, 'abort').length).toBeLessThanOrEqual(50);
  });
});

describe('limitTime', () => {
  it('aborts after the time, and keeps it when memory is collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new TypeError('no function gc');
    const { signal } = limitTime(20, { signal: new AbortController().signal });
    const aborted = once(signal, 'abort');
    await setImmediate();
    collect();
    await aborted;
    expect(signal.aborted).toBe(true);
  });

  it('aborts with the other signal, also if that is aborted already', () => {
    const source = new AbortController();
    const { signal, release } = limitTime(60_000, { signal: source.signal });
    expect(signal.aborted).toBe(false);
    source.abort();
    expect(signal.aborted).toBe(true);
    release();
    const late = limitTime(60_000, { signal: source.signal });
    expect(late.signal.aborted).toBe(true);
    late.release();
  });

  it('leaves nothing at the other signal after the release', async () => {
    const source = new AbortController();
    const { signal, release } = limitTime(5, { signal: source.signal });
    expect(getEventListeners(source.signal, 'abort')).toHaveLength(1);
    release();
    expect(getEventListeners(source.signal, 'abort')).toEqual([]);
    await setTimeout(20);
    expect(signal.aborted).toBe(false);
  });
});
