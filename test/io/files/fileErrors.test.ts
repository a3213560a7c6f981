import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { readUserFile } from '../../../src/io/files/files.ts';

it('a missing file has a hint', async () => {
  const read = readUserFile('coreos.is', { cwd: tmpdir() }, { what: 'ISO image', maxBytes: 10 });
  await expect(read).rejects.toMatchObject({
    message: 'ISO image not found: coreos.is',
    hint: 'create the file, or use a path that exists',
  });
});
