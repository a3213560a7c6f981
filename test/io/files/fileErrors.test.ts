import { expect, it } from 'vitest';
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
