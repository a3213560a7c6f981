import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { replaceCausesTables } from './support/causesTable.ts';

/** `npx vitest run test/docsTroubleshooting.test.ts -u` writes the file. */
it('the tables in docs/troubleshooting.md are those of the causes (else: this test with -u)', async () => {
  const path = resolve(import.meta.dirname, '../docs/troubleshooting.md');
  await expect(replaceCausesTables(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
});
