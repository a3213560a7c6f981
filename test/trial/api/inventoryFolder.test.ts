import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openInventoryFolder } from '../../../src/trial/api/inventoryFolder.ts';
import { mountSmallDisk, smallDiskNote } from '../../support/smallDisk.ts';
import type { CollectedInventory } from '../../../src/trial/ironic/inspection.ts';
import { createIo } from '../../support/createIo.ts';

const cwd = mkdtempSync(join(tmpdir(), 'saved inventories '));
const io = createIo({ cwd });
afterAll(() => rmSync(cwd, { recursive: true }));

const collected = (node: string, size: number, name?: string): CollectedInventory => ({
  node,
  name,
  body: Buffer.from(JSON.stringify({ inventory: 'x'.repeat(size) })),
});

it('each machine has one file, the last inventory that it sent', async () => {
  const save = await openInventoryFolder('kept', io);
  await Promise.all([
    save(collected('node-1', 400)),
    save(collected('node-1', 600)),
    save(collected('node-4', 5000, 'worker-0')),
    save(collected('node-5', 5000, '52:54:00:00:00:01')),
  ]);
  const names = ['52-54-00-00-00-01.json', 'node-1.json', 'worker-0.json'];
  expect(readdirSync(join(cwd, 'kept')).toSorted()).toEqual(names);
  const kept: unknown = JSON.parse(readFileSync(join(cwd, 'kept/node-1.json'), 'utf8'));
  expect(kept).toEqual({ inventory: 'x'.repeat(600) });
});

const note = smallDiskNote();

it.skipIf(note !== '')(`a full disk is an error of each inventory that does not fit${note}`, async () => {
  const disk = mountSmallDisk(64);
  try {
    const save = await openInventoryFolder(join(disk.path, 'kept'), io);
    await expect(save(collected('node-1', 100_000))).rejects.toThrow(
      /^No space left to create .*node-1\.json/,
    );
    await save(collected('node-2', 10));
    expect(readdirSync(join(disk.path, 'kept'))).toEqual(['node-2.json']);
  } finally {
    disk.remove();
  }
});
