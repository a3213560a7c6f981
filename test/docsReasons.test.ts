import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { bootChecks } from '../src/trial/bmc/checks.ts';
import { conditionTypes, imageReasons } from '../src/commands/controller/api/outcome.ts';
import { errorCodes } from '../src/core/errors.ts';
import { explanations, explanationsIn } from '../src/io/report/explanations.ts';
import { causeBook } from '../src/trial/timeline/causeBook.ts';
import { consoleSigns } from '../src/trial/timeline/consoleSigns.ts';
import { replaceSignsTable } from './support/signsTable.ts';

const path = resolve(import.meta.dirname, '../docs/reasons.md');

/** `npx vitest run test/docsReasons.test.ts -u` writes the file. */
it('the table of console lines in docs/reasons.md is that of the program (else: this test with -u)', async () => {
  await expect(replaceSignsTable(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
});

/** The ids that commands print besides rules, by section of docs/reasons.md, from the tables of the program. */
const printed = {
  'Conditions of PreprovisioningImages': [...conditionTypes, ...imageReasons],
  'Checks of a BMC': bootChecks.map(([id]) => id),
  'Lines on the console': [...consoleSigns().keys()],
};

it.each(Object.entries(printed))('docs/reasons.md contains exactly: %s', (section, ids) => {
  const listed = explanationsIn('reasons').filter(({ group }) => group === section);
  expect(listed.map(({ id }) => id)).toEqual(ids);
});

it('explain knows every id that a command prints', () => {
  const known = new Set(explanations().map(({ id }) => id));
  const ids = [...errorCodes, ...causeBook().keys(), ...Object.values(printed).flat()];
  expect(ids.filter((id) => !known.has(id))).toEqual([]);
});

it('no section is without a source of its ids', () => {
  expect(new Set(explanationsIn('reasons').map(({ group }) => group))).toEqual(new Set(Object.keys(printed)));
});
