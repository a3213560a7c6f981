/** The progress line: on terminals only, never wider than they are, and gone in the end. */

import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Output } from '../../src/io/io.ts';
import { showProgress } from '../../src/io/progress.ts';

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

describe('showProgress', () => {
  it('says nothing where there is no terminal', () => {
    const { stream, said } = collect({ isTTY: false });
    const progress = showProgress(stream, 'hosts', 10);
    progress.update(5);
    progress.clear();
    expect(said).toEqual([]);
  });

  it.each([
    [80, `hosts  5/10 [${'#'.repeat(15)}${'.'.repeat(15)}]`],
    [0, `hosts  5/10 [${'#'.repeat(15)}${'.'.repeat(15)}]`],
    [25, 'hosts  5/10 [#####.....]'],
    [12, 'hosts  5/10'],
    [4, 'hos'],
  ])('fits into %i columns', (columns, line) => {
    const { stream, said } = collect({ isTTY: true, columns });
    const progress = showProgress(stream, 'hosts', 10);
    progress.update(5);
    progress.update(6);
    progress.clear();
    progress.clear();
    expect(said).toEqual([`\r${line}\u001b[K`, '\r\u001b[K']);
  });
});
