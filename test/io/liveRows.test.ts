/** Rows at the bottom of a terminal: where they are drawn, and that what is written meanwhile is above them. */

import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Output } from '../../src/io/io.ts';
import { type LiveRows, showLiveRows } from '../../src/io/liveRows.ts';
import { showHosts } from '../../src/io/progress.ts';

interface FakeTerminal {
  readonly stream: Output;
  readonly size: { columns: number; rows: number };
  readonly said: () => string;
}

function terminal(isTTY = true): FakeTerminal {
  let said = '';
  const size = { columns: 80, rows: 24 };
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string | Uint8Array, _encoding, done) => {
      said += String(text);
      done();
    },
  });
  return { stream: Object.assign(stream, size, { isTTY }), size, said: () => said };
}

beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());

const shown: LiveRows[] = [];
afterEach(() => {
  for (const rows of shown.splice(0)) rows.end();
});

function show(
  { stream }: FakeTerminal,
  format: () => readonly string[],
  env = {},
  stdout = stream,
): LiveRows {
  const rows = showLiveRows({ env, stderr: stream, stdout }, format);
  shown.push(rows);
  return rows;
}

const up = (rows: number): string => `\r\u001b[${rows}A\u001b[J`;

describe('live rows', () => {
  it.each<[string, boolean, Record<string, string>]>([
    ['a pipe', false, {}],
    ['a terminal that cannot move its cursor', true, { TERM: 'dumb' }],
    ['CI', true, { CI: 'true' }],
  ])('are not drawn in %s', (_title, isTTY, env) => {
    const fake = terminal(isTTY);
    show(fake, () => ['row'], env).end();
    fake.stream.write('line\n');
    expect(fake.said()).toBe('line\n');
  });

  it.each([{}, { CI: 'false' }, { CI: '' }, { TERM: 'xterm' }])('are drawn on a terminal with %j', (env) => {
    const fake = terminal();
    show(fake, () => ['row'], env);
    expect(fake.said()).toBe('row\n');
  });

  it('go away before a line is written, and come back after several', () => {
    const fake = terminal();
    show(fake, () => ['one', 'two']);
    for (const line of ['a\n', 'b\n', 'c\n']) fake.stream.write(line);
    expect(fake.said()).toBe(`one\ntwo\n${up(2)}a\nb\nc\n`);
    vi.advanceTimersByTime(200);
    expect(fake.said()).toBe(`one\ntwo\n${up(2)}a\nb\nc\none\ntwo\n`);
  });

  it('are below what is written to standard output on the same terminal', () => {
    const [fake, output] = [terminal(), terminal()];
    show(fake, () => ['row'], {}, output.stream);
    output.stream.write('https://192.0.2.1/\n');
    expect([fake.said(), output.said()]).toEqual([`row\n${up(1)}`, 'https://192.0.2.1/\n']);
  });

  it('do not disturb standard output in a pipe', () => {
    const [fake, output] = [terminal(), terminal(false)];
    show(fake, () => ['row'], {}, output.stream);
    output.stream.write('{}\n');
    expect([fake.said(), output.said()]).toEqual(['row\n', '{}\n']);
  });

  it('wait for the end of a line, and for the answer to a question', () => {
    const fake = terminal();
    show(fake, () => ['row']);
    fake.stream.write('Power off');
    vi.advanceTimersByTime(200);
    expect(fake.said()).toBe(`row\n${up(1)}Power off`);
    for (const text of ['? [y/N] ', '\u001b[19G', 'y']) {
      fake.stream.write(text);
      vi.advanceTimersByTime(2000);
    }
    expect(fake.said()).toBe(`row\n${up(1)}Power off? [y/N] \u001b[19Gy`);
    fake.stream.write('\r\n');
    vi.advanceTimersByTime(200);
    expect(fake.said()).toMatch(/y\r\nrow\n$/);
  });

  it('are erased as a whole on a terminal that became narrower and has wrapped them', () => {
    const fake = terminal();
    show(fake, () => [`\u001b[1m${'x'.repeat(50)}\u001b[22m`, '主机'.repeat(12), '']);
    Object.assign(fake.stream, { columns: 20 });
    fake.stream.write('line\n');
    expect(fake.said()).toContain(`${up(3 + 3 + 1)}line\n`);
  });

  it('are formatted for the size of the terminal, which changes', () => {
    const fake = terminal();
    const sizes: unknown[] = [];
    shown.push(
      showLiveRows({ env: {}, stderr: fake.stream, stdout: fake.stream }, (size) => {
        sizes.push(size);
        return [`${size.columns} columns`];
      }),
    );
    Object.assign(fake.stream, { columns: 132, rows: 50 });
    fake.stream.emit('resize');
    expect(sizes).toEqual([
      { columns: 80, rows: 24 },
      { columns: 132, rows: 50 },
    ]);
    expect(fake.said()).toBe(`80 columns\n${up(1)}132 columns\n`);
  });

  it('are not drawn again if nothing has changed', () => {
    const fake = terminal();
    show(fake, () => ['row']);
    vi.advanceTimersByTime(1200);
    expect(fake.said()).toBe('row\n');
  });

  it('have one for work over hosts', () => {
    const fake = terminal();
    show(fake, () => ['row']);
    const io = { env: {}, stderr: fake.stream, stdout: fake.stream };
    const progress = showHosts(io);
    progress.update(7, 20);
    fake.stream.write('line\n');
    vi.advanceTimersByTime(200);
    expect(fake.said()).toMatch(/line\nrow\nhosts 7\/20\n$/);
    progress.end();
    fake.stream.write('line\n');
    vi.advanceTimersByTime(200);
    expect(fake.said()).toMatch(/line\nrow\n$/);
  });

  it('are gone at the end, after which the stream is as before', () => {
    const fake = terminal();
    const rows = show(fake, () => ['row']);
    rows.end();
    fake.stream.write('line\n');
    vi.advanceTimersByTime(2000);
    expect(fake.said()).toBe(`row\n${up(1)}line\n`);
    expect(fake.stream.listenerCount('resize')).toBe(0);
  });

  it('never hide the cursor', () => {
    const fake = terminal();
    show(fake, () => ['row']).end();
    expect(fake.said()).not.toContain('\u001b[?');
  });
});
