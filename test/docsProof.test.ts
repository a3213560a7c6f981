/** The tables of proofs say what is in docs/proof.json, and nothing else. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceMarked, root } from './support/docs/markdown.ts';
import { all } from './oracles/find.js';
import { isOutOfDate, type Proof, readProof } from './oracles/proof.js';
import {
  formatChain,
  formatController,
  formatHighlights,
  formatRatios,
  formatSummary,
} from './support/proofTables.ts';

const proof = readProof();

/** `npm run oracles` and `npm run bench` run these with -u, which writes the files. */
describe('what docs/proof.json has is', () => {
  // A file is written once: all its tables together.
  it.each([
    ['README.md', { proof: formatHighlights }],
    ['docs/proof.md', { proof: formatSummary, chain: formatChain, ratios: formatRatios }],
    ['docs/kubernetes.md', { controller: formatController }],
  ] as const)('in %s (otherwise: npx vitest run test/docsProof.test.ts -u)', async (name, tables) => {
    const path = join(root, name);
    const marks = Object.entries(tables);
    const page = marks.reduce(
      (text, [mark, format]) => replaceMarked(text, mark, format(proof)),
      readFileSync(path, 'utf8'),
    );
    await expect(page).toMatchFileSnapshot(path);
  });
});

describe('a figure of the proof', () => {
  it.each(['docs/kubernetes.md', 'docs/serve.md', 'docs/images.md', 'docs/prepare.md', 'docs/validate.md'])(
    'is not written by hand in %s',
    (name) => {
      const page = readFileSync(join(root, name), 'utf8').replaceAll(/<!-- (\w+): [^]*?<!-- \/\1 -->/g, '');
      expect(page).not.toMatch(
        /\b[\d,.]+ (?:objects|hosts) (?:that were created )?at once|\bready after [\d.]+ s/,
      );
    },
  );

  it('the version of Node that the pages name is that of package.json', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const version = /^\^([\d.]+) \|\|/.exec(engines.node)?.[1] ?? '';
    for (const name of ['README.md', 'docs/library.md']) {
      const named = [
        ...readFileSync(join(root, name), 'utf8').matchAll(/Node\.js \(?([\d.]+)\s+or\s+newer/g),
      ];
      expect(named.map(([, text]) => text)).toEqual([version]);
    }
  });
});

/** A verdict about older code is no failure, because each change of the code makes some old; the skipped title tells it. */
describe.each(all)('the verdict of $name', (oracle) => {
  const { commit, date } = proof.oracles[oracle.name] ?? {};
  const isOld = isOutOfDate(oracle, proof);
  const age = commit === undefined ? 'never asked' : `older than the code: ${commit}, ${date}`;
  it.skipIf(isOld)(`is about the present code${isOld ? ` (skipped: ${age})` : ''}`, () => {
    expect(proof.oracles[oracle.name]).toMatchObject({ failed: 0 });
  });

  it('names folders and files that exist', () => {
    expect(oracle.judges.filter((path) => !existsSync(join(root, 'src', path)))).toEqual([]);
  });
});

describe('the tables', () => {
  const [oracle] = all;
  const name = oracle?.name ?? '';
  const verdict = {
    version: '1.2',
    date: '2026-01-02',
    commit: 'a',
    code: 'b',
    passed: 1200,
    failed: 0,
    seconds: 3,
  };
  const figures = {
    unit: 'ms',
    peers: [{ name: 'other', version: '3' }],
    ratios: [{ name: 'a', ours: 2, theirs: 8 }],
  };
  const bench = { date: '2026-01-02', commit: 'a', machine: '2 cores', figures };
  const load = { objects: 1000, readyAfter: 31.26, mebibytes: 101.4, requestsEach: 3.0131 };

  it.each<readonly [string, (proof: Proof) => string, Proof, string]>([
    [
      'an oracle that was not asked',
      formatSummary,
      { oracles: {}, benches: {} },
      `| ${name} | not asked | |`,
    ],
    [
      'what passed',
      formatSummary,
      { oracles: { [name]: verdict }, benches: {} },
      `| ${name} 1.2 | 1,200 tests pass | 2026-01-02 |`,
    ],
    [
      'what failed',
      formatSummary,
      { oracles: { [name]: { ...verdict, failed: 1 } }, benches: {} },
      '| FAILED: 1 of 1,201 tests |',
    ],
    [
      'boots of the chain',
      formatChain,
      {
        oracles: {
          chain: { ...verdict, shows: ['ISO: profile icc: it boots', 'ISO: profile icc: it stops'] },
        },
        benches: {},
      },
      '| ISO: profile icc | it boots; it stops |',
    ],
    ['no boots', formatChain, { oracles: {}, benches: {} }, 'Not run.'],
    [
      'a benchmark',
      formatRatios,
      { oracles: {}, benches: { images: bench } },
      '| images | a | 2 ms | 8 ms | 0.25 | 2026-01-02 |\n\n- other 3, 2 cores\n',
    ],
    ['no benchmark', formatRatios, { oracles: {}, benches: {} }, 'Not measured.'],
    [
      'the load of the controller',
      formatController,
      { oracles: {}, benches: { controller: { ...bench, figures: load } } },
      '1,000 objects, each with a Secret, are created at the same time. All are ready after 31.3 s. Each needs 3.01 requests',
    ],
  ])('contain %s', (_title, format, given, expected) => {
    expect(format(given)).toContain(expected);
  });
});
