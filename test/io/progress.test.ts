/** Progress: a live row on terminals, never wider than they are, and gone in the end; text elsewhere. */

import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Io, Output } from '../../src/io/io.ts';
import { showHosts, showTransfer } from '../../src/io/progress.ts';

function collect(terminal: { readonly isTTY: boolean; readonly columns?: number }): {
  readonly io: Pick<Io, 'env' | 'stderr' | 'stdout'>;
  readonly said: string[];
} {
  const said: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      said.push(text);
      done();
    },
  });
  const stderr: Output = Object.assign(stream, terminal);
  return { io: { env: {}, stderr, stdout: stderr }, said };
}

const ERASED = '\r\u001b[1A\u001b[J';

beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());

describe('showHosts', () => {
  it('says nothing where there is no terminal', () => {
    const { io, said } = collect({ isTTY: false });
    const progress = showHosts(io);
    progress.update(5, 10);
    vi.advanceTimersByTime(2000);
    progress.end();
    expect(said).toEqual([]);
  });

  it('has a row that changes, and goes away in the end', () => {
    const { io, said } = collect({ isTTY: true });
    const progress = showHosts(io);
    for (const done of [5, 6, 7]) progress.update(done, 10);
    vi.advanceTimersByTime(1000);
    progress.end();
    progress.end();
    expect(said).toEqual(['hosts 5/10\n', `${ERASED}hosts 7/10\n`, ERASED]);
  });

  it('has no row where all is done at once, and tells a program about each step', () => {
    const { io, said } = collect({ isTTY: true });
    const steps: unknown[] = [];
    const progress = showHosts({ ...io, onProgress: (step) => void steps.push(step) });
    progress.update(0, 0);
    progress.end();
    expect(said).toEqual([]);
    expect(steps).toEqual([{ unit: 'hosts', done: 0, total: 0 }]);
  });
});

describe('showTransfer', () => {
  it('draws a row each on a terminal, and text above them', () => {
    const { io, said } = collect({ isTTY: true, columns: 120 });
    const [kernel, rootfs] = [showTransfer(io, 'kernel'), showTransfer(io, 'rootfs')];
    kernel.update(512 * 1024, 1024 * 1024);
    rootfs.update(1024, undefined);
    io.stderr.write('text\n');
    vi.advanceTimersByTime(1000);
    expect(said.slice(-2)).toEqual(['text\n', 'kernel 512.0 KiB/1.0 MiB (50%)\nrootfs 1.0 KiB\n']);
    kernel.end();
    expect(said.at(-1)).toBe('\r\u001b[2A\u001b[Jrootfs 1.0 KiB\n');
    rootfs.end();
    expect(said.at(-1)).toBe(ERASED);
  });

  it('draws the speed since the start of the transfer and the time left, after the first second', () => {
    const { io, said } = collect({ isTTY: true, columns: 120 });
    const kernel = showTransfer(io, 'kernel');
    kernel.update(5000, 100_000);
    vi.advanceTimersByTime(2000);
    kernel.update(5000 + 2 * 1023, 100_000);
    vi.advanceTimersByTime(1000);
    kernel.end();
    expect(said.join('')).toContain('kernel 6.9 KiB/97.7 KiB (7%), 1023 B/s, 91 seconds left\n');
  });

  it('fits into the terminal', () => {
    const { io, said } = collect({ isTTY: true, columns: 10 });
    const kernel = showTransfer(io, 'kernel');
    kernel.update(1, 2);
    kernel.end();
    expect(said[0]).toBe('kernel 1 \n');
  });

  it('names the file without its folder', () => {
    const { io, said } = collect({ isTTY: true, columns: 120 });
    const image = showTransfer(io, 'https://192.0.2.1/images/coreos.iso');
    image.update(1, 2);
    image.end();
    expect(said[0]).toBe('coreos.iso 1 B/2 B (50%)\n');
  });

  it('writes text from time to time elsewhere', () => {
    const { io, said } = collect({ isTTY: false });
    const kernel = showTransfer(io, 'kernel');
    kernel.update(1, 2);
    vi.advanceTimersByTime(10_000);
    for (const done of [1, 2]) kernel.update(done, 2);
    kernel.end();
    expect(said).toEqual(['Read kernel 1 B/2 B (50%)\n']);
  });
});
