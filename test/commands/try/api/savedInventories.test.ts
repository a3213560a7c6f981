import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openInventoryFolder } from '../../../../src/commands/try/api/ironicApi.ts';
import type { Diagnostic } from '../../../../src/core/diagnostic.ts';
import { mountSmallDisk, smallDiskNote } from '../../../support/smallDisk.ts';
import type { CollectedInventory } from '../../../../src/commands/try/ironic/inspection.ts';
import { createIo } from '../../../support/createIo.ts';

const cwd = mkdtempSync(join(tmpdir(), 'saved inventories '));
const io = createIo({ cwd });
afterAll(() => rmSync(cwd, { recursive: true }));

const collected = (node: string, size: number, name?: string): CollectedInventory => ({
  node,
  name,
  macs: [],
  body: Buffer.from(JSON.stringify({ inventory: 'x'.repeat(size) })),
});

it('strangers have so much room together, and hosts of the inventory as much as they need', async () => {
  const { save } = await openInventoryFolder('kept', io, 1000);
  await save(collected('node-1', 400));
  await save(collected('node-1', 600)); // in place of the first
  await expect(save(collected('node-2', 600))).rejects.toThrow('are larger than 1000 B');
  await save(collected('node-3', 100));
  await Promise.all([
    save(collected('node-4', 5000, 'worker-0')),
    save(collected('node-5', 5000, 'worker-1')),
  ]);
  expect(readdirSync(join(cwd, 'kept')).toSorted()).toEqual([
    'node-1.json',
    'node-3.json',
    'worker-0.json',
    'worker-1.json',
  ]);
  const kept: unknown = JSON.parse(readFileSync(join(cwd, 'kept/node-1.json'), 'utf8'));
  expect(kept).toEqual({ inventory: 'x'.repeat(600) });
});

it('counts bytes, of which a character may have several', async () => {
  const { save } = await openInventoryFolder('bytes', io, 1000);
  const body = Buffer.from(JSON.stringify({ inventory: 'ü'.repeat(600) }));
  await expect(save({ node: 'node-1', name: undefined, macs: [], body })).rejects.toThrow(
    'are larger than 1000 B',
  );
  expect(readdirSync(join(cwd, 'bytes'))).toEqual([]);
});

const note = smallDiskNote();

it.skipIf(note !== '')(
  `a full disk is reported once, and what did not fit is saved later${note}`,
  async () => {
    const disk = mountSmallDisk(1024);
    const path = disk?.path ?? '';
    try {
      const reported: Diagnostic[] = [];
      const report = (all: readonly Diagnostic[]): void => void reported.push(...all);
      const folder = await openInventoryFolder(join(path, 'kept'), { ...io, report });
      const fill = (): void => {
        writeFileSync(join(path, 'other'), Buffer.alloc(4096));
        disk?.leave(0);
      };
      const full = expect.objectContaining({
        severity: 'warning',
        message: expect.stringMatching(
          /^No space left to create .*: 5.\d KiB required, 0 bytes free in .*kept$/,
        ),
        hint: 'free at least 5.1 KiB, or write to another disk',
      });
      const names = Array.from({ length: 20 }, (_, index) => `worker-${index}`);
      const saveAll = (): Promise<unknown[]> =>
        Promise.all(
          names.map(async (name) =>
            folder.save(collected(name, 5200, name)).catch((error: Error) => error.message),
          ),
        );
      fill();
      expect(await saveAll()).toEqual(names.map(() => 'the disk is full'));
      expect(reported).toEqual([full]);
      disk?.leave(512);
      await folder.save(collected('last', 10, 'last'));
      expect(readdirSync(join(path, 'kept')).toSorted()).toEqual(
        [...names, 'last'].map((name) => `${name}.json`).toSorted(),
      );

      fill();
      await saveAll();
      expect(reported).toEqual([full, full]);
      disk?.leave(512);
      await folder.close();
      expect(reported.at(-1)).toMatchObject({
        severity: 'info',
        message: 'the inventory of 20 machines is saved now; the disk had no space before',
      });
      fill();
      await saveAll();
      await folder.close();
      expect(reported.at(-1)).toMatchObject({
        severity: 'error',
        message: expect.stringMatching(
          /^the inventory of 20 machines is not saved: No space left .* free in /,
        ),
      });
    } finally {
      disk?.remove();
    }
  },
);
