import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { causeBook } from '../src/trial/timeline/causeBook.ts';
import { replaceCausesTables } from './support/causesTable.ts';

const path = resolve(import.meta.dirname, '../docs/troubleshooting.md');

/** `npx vitest run test/docsTroubleshooting.test.ts -u` writes the file. */
it('the tables of stages and lines in docs/troubleshooting.md are those of the program (else: this test with -u)', async () => {
  await expect(replaceCausesTables(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
});

it('the table of symptoms names causes that exist', () => {
  const [, symptoms = ''] = /## By symptom\n([^]*?)\n## /.exec(readFileSync(path, 'utf8')) ?? [];
  const named = symptoms
    .split('\n')
    .flatMap((row) => [...(row.split(' | ').at(-1) ?? '').matchAll(/`([a-z-]+)`/g)].map(([, id]) => id));
  expect([...causeBook().keys()]).toEqual(expect.arrayContaining(named));
  expect(named).toContain('boot-order');
});
