/** A watch of files: what it reports, and what its owner has read itself. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createDeferred } from '../../../src/core/deferred.ts';
import { type Watch, watchFiles } from '../../../src/io/files/watchFiles.ts';
import { eventually } from '../../support/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'watch-'));
const file = join(folder, 'inventory.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

let watch: Watch | undefined;
afterEach(() => watch?.stop());

/** Milliseconds between two looks. */
const interval = 100;

async function start(): Promise<() => void> {
  const changed = vi.fn<() => void>();
  writeFileSync(file, 'a');
  watch = await watchFiles(async () => [file], { interval, changed });
  return changed;
}

describe('a watch of files', () => {
  it('reports each change once', async () => {
    const changed = await start();
    writeFileSync(file, 'ab');
    await eventually(() => expect(changed).toHaveBeenCalledTimes(1));
    await setTimeout(5 * interval);
    expect(changed).toHaveBeenCalledTimes(1);
    rmSync(file);
    await eventually(() => expect(changed).toHaveBeenCalledTimes(2));
  });

  it('does not report a change that its owner has accepted, but the next one', async () => {
    const changed = await start();
    writeFileSync(file, 'ab');
    await watch?.accept();
    await setTimeout(5 * interval);
    expect(changed).not.toHaveBeenCalled();
    writeFileSync(file, 'abc');
    await eventually(() => expect(changed).toHaveBeenCalledTimes(1));
  });

  it('does not report a change while its owner accepts it, however long that takes', async () => {
    const accepting = createDeferred();
    let isSlow = false;
    const list = async (): Promise<readonly string[]> => {
      const wait = isSlow ? accepting.promise : undefined;
      isSlow = false;
      await wait;
      return [file];
    };
    const changed = vi.fn<() => void>();
    writeFileSync(file, 'a');
    watch = await watchFiles(list, { interval, changed });
    writeFileSync(file, 'ab');
    isSlow = true;
    const accepted = watch.accept();
    await setTimeout(5 * interval);
    accepting.resolve();
    await accepted;
    await setTimeout(5 * interval);
    expect(changed).not.toHaveBeenCalled();
    writeFileSync(file, 'abc');
    await eventually(() => expect(changed).toHaveBeenCalledTimes(1));
  });
});
