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

const collected = (node: string, size: number, name?: string, client = '192.0.2.1'): CollectedInventory => ({
  node,
  name,
  client,
  macs: [],
  body: Buffer.from(JSON.stringify({ inventory: 'x'.repeat(size) })),
});

const many = { machines: 1000, perClient: 250 };

it('strangers have so much room together, and hosts of the inventory as much as they need', async () => {
  const { save } = await openInventoryFolder('kept', io, { ...many, size: 1000 });
  await save(collected('node-1', 400));
  await save(collected('node-1', 600)); // in place of the first
  await expect(save(collected('node-2', 600))).rejects.toThrow(
    'more than 1000 B of inventories of unknown machines',
  );
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
  const { save } = await openInventoryFolder('bytes', io, { ...many, size: 1000 });
  const body = Buffer.from(JSON.stringify({ inventory: 'ü'.repeat(600) }));
  await expect(save({ node: 'node-1', name: undefined, client: '', macs: [], body })).rejects.toThrow(
    'more than 1000 B of inventories of unknown machines',
  );
  expect(readdirSync(join(cwd, 'bytes'))).toEqual([]);
});

it('one client has so many files, and all clients together', async () => {
  const { save } = await openInventoryFolder('many', io, { machines: 3, perClient: 2, size: 1000 });
  const outcome = async (inventory: CollectedInventory): Promise<string> =>
    save(inventory).then(
      () => 'saved',
      (error: Error) => error.message,
    );
  const other = '192.0.2.2';
  expect(await outcome(collected('node-1', 1))).toBe('saved');
  expect(await outcome(collected('node-2', 1))).toBe('saved');
  expect(await outcome(collected('node-3', 1))).toBe(
    'more than 2 inventories of unknown machines at 192.0.2.1',
  );
  expect(await outcome(collected('node-2', 9))).toBe('saved'); // in place of the earlier one
  expect(await outcome(collected('node-4', 1, undefined, other))).toBe('saved');
  expect(await outcome(collected('node-5', 1, undefined, other))).toBe(
    'more than 3 inventories of unknown machines',
  );
  expect(await outcome(collected('node-6', 1, 'worker-0'))).toBe('saved');
  expect(readdirSync(join(cwd, 'many')).toSorted()).toEqual(
    ['node-1', 'node-2', 'node-4', 'worker-0'].map((name) => `${name}.json`),
  );
});

it('takes a moment for as many inventories as it saves', async () => {
  const { save } = await openInventoryFolder('moment', io);
  const start = process.cpuUsage();
  for (let index = 0; index < 20_000; index++) {
    await save(collected(`node-${index}`, 1)).catch(() => undefined);
  }
  expect(readdirSync(join(cwd, 'moment'))).toHaveLength(250);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000);
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
