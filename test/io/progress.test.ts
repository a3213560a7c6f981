/** The progress line: on terminals only, never wider than they are, and gone in the end. */

import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Output } from '../../src/io/io.ts';
import { showProgress, showTransfers } from '../../src/io/progress.ts';

function collect(terminal: { readonly isTTY: boolean; readonly columns?: number }): {
  readonly stream: Output;
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
  return { stream: Object.assign(stream, terminal), said };
}

/** Until the library is loaded, which draws the line. */
async function untilSaid(said: readonly string[], update: () => void): Promise<void> {
  for (let time = 0; time < 500 && said.length === 0; time++) {
    update();
    await wait(10);
  }
}

const clearLine = '\u001b[2K';

describe('showProgress', () => {
  it('says nothing where there is no terminal', async () => {
    const { stream, said } = collect({ isTTY: false });
    const progress = showProgress(stream, 'hosts', 10);
    progress.update(5);
    await wait(50);
    progress.update(6);
    progress.clear();
    expect(said).toEqual([]);
  });

  it.each([
    [80, /^hosts 5\/10 \[#{15}\.{15}\] +\S+$/],
    [0, /^hosts 5\/10 \[#{15}\.{15}\] +\S+$/],
    [25, /^hosts 5\/10 \[#{13}$/],
    [4, /^host$/],
  ])('fits into %i columns', async (columns, line) => {
    const { stream, said } = collect({ isTTY: true, columns });
    const progress = showProgress(stream, 'hosts', 10);
    await untilSaid(said, () => progress.update(5));
    progress.clear();
    progress.clear();
    expect(said.find((text) => text.startsWith('host'))).toMatch(line);
    expect(said.filter((text) => text === clearLine)).toHaveLength(1);
    expect(said.at(-1)).toBe(clearLine);
  });

  it('comes back after other text', async () => {
    const { stream, said } = collect({ isTTY: true });
    const progress = showProgress(stream, 'hosts', 10);
    await untilSaid(said, () => progress.update(1));
    progress.clear();
    const before = said.length;
    progress.update(2);
    progress.clear();
    expect(said.slice(before).some((text) => text.startsWith('hosts 2/'))).toBe(true);
  });
});

describe('showTransfers', () => {
  it('draws a line each on a terminal, and text above them', async () => {
    const { stream, said } = collect({ isTTY: true, columns: 120 });
    const transfers = await showTransfers({ stderr: stream });
    const [kernel, rootfs] = [transfers.begin('kernel'), transfers.begin('rootfs')];
    kernel.update(512 * 1024, 1024 * 1024);
    rootfs.update(1024, undefined);
    await wait(150);
    transfers.say('text');
    kernel.end();
    rootfs.end();
    transfers.end();
    const all = said.join('');
    expect(all).toMatch(/kernel 50% \[#{10}\.{10}\] 512\.0 KiB\/1\.0 MiB/);
    expect(all).toMatch(/rootfs \d+% \[.{20}\] 1\.0 KiB /);
    expect(said).toContain('text\n');
  });

  it('draws the speed since the start of the transfer, after the first second', async () => {
    const { stream, said } = collect({ isTTY: true, columns: 120 });
    const transfers = await showTransfers({ stderr: stream });
    const kernel = transfers.begin('kernel');
    try {
      vi.useFakeTimers({ toFake: ['Date'], now: 0 });
      kernel.update(5000, 100_000);
      vi.setSystemTime(1000);
      kernel.update(5001, 100_000);
      await wait(150);
      expect(said.join('')).not.toContain('/s');
      vi.setSystemTime(2000);
      kernel.update(5000 + 2 * 1023, 100_000);
      await wait(150);
      expect(said.join('')).toContain(' 1023 B/s ');
    } finally {
      vi.useRealTimers();
    }
    kernel.end();
    transfers.end();
  });

  it('writes only text elsewhere', async () => {
    const { stream, said } = collect({ isTTY: false });
    const transfers = await showTransfers({ stderr: stream });
    const kernel = transfers.begin('kernel');
    kernel.update(1, 2);
    transfers.say('text');
    kernel.end();
    transfers.end();
    expect(said).toEqual(['text\n']);
  });
});
