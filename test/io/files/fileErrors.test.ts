import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readUserFile } from '../../../src/io/files/files.ts';

describe('the hint for a missing file', () => {
  let cwd = '';
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), 'missing files '));
    mkdirSync(join(cwd, 'images'));
    for (const name of ['coreos.iso', 'my inventory.yaml', 'images/worker-1.iso']) {
      writeFileSync(join(cwd, name), '');
    }
  });
  afterAll(() => rmSync(cwd, { recursive: true }));

  it.each([
    ['names a similar file', 'coreos.is', 'use coreos.iso'],
    ['quotes it for the shell', 'my-inventory.yaml', "use 'my inventory.yaml'"],
    [
      'names files of the kind if none is similar',
      'ramdisk.yaml',
      "use a file of the folder: 'my inventory.yaml'",
    ],
    ['does not name another host', 'images/worker-0.iso', 'create the file, or use a path that exists'],
    ['names the missing folder', 'image/coreos.iso', 'use another folder: image does not exist'],
  ])('%s', async (_, path, hint) => {
    const read = readUserFile(path, { cwd }, { what: 'ISO image', maxBytes: 10 });
    await expect(read).rejects.toMatchObject({ message: `ISO image not found: ${path}`, hint });
  });
});
