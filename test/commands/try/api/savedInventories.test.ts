import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openInventoryFolder } from '../../../../src/commands/try/api/ironicApi.ts';
import type { CollectedInventory } from '../../../../src/commands/try/ironic/inspection.ts';

const cwd = mkdtempSync(join(tmpdir(), 'saved inventories '));
afterAll(() => rmSync(cwd, { recursive: true }));

const collected = (node: string, size: number, name?: string): CollectedInventory => ({
  node,
  name,
  macs: [],
  body: Buffer.from(JSON.stringify({ inventory: 'x'.repeat(size) })),
});

it('strangers have so much room together, and hosts of the inventory as much as they need', async () => {
  const save = await openInventoryFolder('kept', { cwd }, 1000);
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
  const save = await openInventoryFolder('bytes', { cwd }, 1000);
  const body = Buffer.from(JSON.stringify({ inventory: 'ü'.repeat(600) }));
  await expect(save({ node: 'node-1', name: undefined, macs: [], body })).rejects.toThrow(
    'are larger than 1000 B',
  );
  expect(readdirSync(join(cwd, 'bytes'))).toEqual([]);
});
