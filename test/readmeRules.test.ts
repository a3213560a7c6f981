import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ruleBook } from '../src/reporters/ruleBook.ts';
import { replaceRulesTable } from './support/rulesTable.ts';

/** `npm run rules` runs this with -u, which writes the file. */
it('the table of rules in the README is up to date (else: npm run rules)', async () => {
  const path = resolve(import.meta.dirname, '../README.md');
  const readme = readFileSync(path, 'utf8');
  await expect(replaceRulesTable(readme, ruleBook().values())).toMatchFileSnapshot(path);
});
