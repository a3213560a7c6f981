import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { nameVersions, specVersions } from '../src/ignition/versions.ts';
import { explanationsIn } from '../src/io/report/explanations.ts';
import { replaceRulesTable } from './support/rulesTable.ts';

/** `npm run rules` runs this with -u, which writes the file. */
it('the table of rules in docs/validate.md is up to date (else: npm run rules)', async () => {
  const path = resolve(import.meta.dirname, '../docs/validate.md');
  const page = readFileSync(path, 'utf8');
  await expect(replaceRulesTable(page, explanationsIn('rules'))).toMatchFileSnapshot(path);
});

it.each(['README.md', 'docs/validate.md', 'docs/coming-from.md'])(
  '%s names the supported spec versions',
  (name) => {
    const page = readFileSync(resolve(import.meta.dirname, '..', name), 'utf8').replaceAll(/\s+/g, ' ');
    expect(page).toContain(nameVersions(specVersions, ' and'));
  },
);
