import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readUserFile } from '../../../src/io/files/files.ts';
import { writeFileAtomically } from '../../../src/io/files/newFile.ts';

const message = 'the path contains a NUL character: "a\\u0000b"';

it('a path with a NUL character is an error with a hint when a file is read', async () => {
  const read = readUserFile('a\0b', { cwd: '/' }, { what: 'CA certificate', maxBytes: 10 });
  await expect(read).rejects.toMatchObject({
    message: `CA certificate: ${message}`,
    code: 'ERR_SETTING',
    hint: 'remove the NUL character from the path',
  });
});

it('a path with a NUL character is an error with a hint when a file is written', async () => {
  await expect(writeFileAtomically('a\0b', '')).rejects.toMatchObject({ message: `Output: ${message}` });
});

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
