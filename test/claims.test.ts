/**
 * Messages and docs/rules.md say of another program only what is shown: each such sentence has a row in `support/claims.ts`, each
 * row has a sentence, and each test that a row names exists.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAIMS, OBSERVATIONS } from './support/claims.ts';
import { statementsOfRules, statementsOfSource, textsOf } from './support/statements.ts';

/** A shorter part is a whole sentence, so that `the unit does not start` shows nothing about the reason in front of it. */
const SHORTEST_PART = 30;

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/**
 * What happened to one machine, each with a log of the machine in `test/trial/corpus/` and the source of the lines in it;
 * scripts and the configuration of dnsmasq, which machines boot with (`interop/loaders.test.ts`). The rules beside them are in
 * docs/rules.md.
 */
const TRIED_ELSEWHERE = ['trial/timeline/', 'kargs/loaders/', 'kargs/dnsmasq.ts'];

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll(sep, '/'))
  .toSorted()
  .map((path) => ({ path, text: read(`src/${path}`) }));
const rules = read('docs/rules.md');
const statements = [
  ...sources
    .filter(({ path }) => !TRIED_ELSEWHERE.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, text }) => statementsOfSource(path, text)),
  ...statementsOfRules(rules),
];
const said = [...CLAIMS.flatMap(({ says }) => says), ...OBSERVATIONS];

describe('what messages say of other programs', () => {
  it('has a row in test/support/claims.ts', () => {
    const open = statements.filter(
      ({ text, whole }) =>
        !said.some((part) =>
          part.length < SHORTEST_PART
            ? text === part
            : text.includes(part) || (part.includes(text) && whole.includes(part)),
        ),
    );
    expect(open.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  it('is still said, for each row', () => {
    const causes = read('docs/troubleshooting.md');
    const texts = [...sources.flatMap(({ text }) => textsOf(text)), rules.replaceAll('\n', ' '), causes];
    expect(said.filter((part) => !texts.some((text) => text.includes(part)))).toEqual([]);
  });

  it('is shown by tests that exist', () => {
    const missing = CLAIMS.flatMap(({ tests = [] }) => tests).filter((test) => {
      const [file = '', title = ''] = test.split(/: (.*)/s);
      return !textsOf(read(`test/${file}`)).some((text) => text.includes(title));
    });
    expect([...new Set(missing)]).toEqual([]);
  });

  it('is shown by a test or a source', () => {
    const bare = CLAIMS.filter(({ tests = [], sources: shown = [] }) => tests.length + shown.length === 0);
    expect(bare).toEqual([]);
  });
});
