import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ruleBook } from '../src/io/report/ruleBook.ts';
import { replaceRulesTable } from './support/rulesTable.ts';

/** `npm run rules` runs this with -u, which writes the file. */
it('the table of rules in docs/validate.md is up to date (else: npm run rules)', async () => {
  const path = resolve(import.meta.dirname, '../docs/validate.md');
  const page = readFileSync(path, 'utf8');
  await expect(replaceRulesTable(page, ruleBook().values())).toMatchFileSnapshot(path);
});
