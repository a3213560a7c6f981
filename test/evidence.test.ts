/** Each rule in docs/rules.md names what shows that it is needed, and what it names exists. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Evidence, evidenceOfRules } from './support/evidence.ts';
import { textsOf } from './support/statements.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');

const rules = evidenceOfRules(read('docs/rules.md'));
const named = (evidence: Evidence): string => `${evidence.rule}: ${evidence.text}`;

describe('the evidence of rules', () => {
  it('is of a known kind', () => {
    const unknown = rules.filter(({ kind }) => kind === undefined);
    expect(unknown.map(named)).toEqual([]);
  });

  it('is in tests that exist', () => {
    const missing = rules.filter(({ test, title = '' }) => {
      if (test === undefined) return false;
      return !textsOf(read(test)).some((text) => text.includes(title));
    });
    expect(missing.map(named)).toEqual([]);
  });
});
