/** The tables of proofs say what is in docs/proof.json, and nothing else. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceMarked, root } from './support/docs/markdown.ts';
import {
  formatController,
  formatHighlights,
  formatMatrix,
  formatRatios,
  formatSummary,
  type Proof,
} from './support/proofTables.ts';

/** `npm run proof` runs these with -u, which writes the files. */
describe('what docs/proof.json has is', () => {
  const proof: Proof = JSON.parse(readFileSync(join(root, 'docs/proof.json'), 'utf8'));

  // A file is written once: all its tables together.
  it.each([
    ['README.md', { proof: formatHighlights }],
    ['docs/proof.md', { proof: formatSummary, chain: formatMatrix, ratios: formatRatios }],
    ['docs/kubernetes.md', { controller: formatController }],
  ] as const)('in %s (else: npm run proof -- --write)', async (name, tables) => {
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

describe('the tables', () => {
  const machine = { cores: 2, processor: 'A', node: 'v20.0.0' };
  const run = { date: '2026-01-02', seconds: 3, passed: true, machine };
  const peer = { name: 'other', version: '1.2.3' };
  const documents = { ...run, figures: { peer, documents: 2000, agreeing: 1999 } };

  it.each<readonly [string, Proof, string]>([
    ['what was not run', {}, '| Ignition configs, random | | not run | |'],
    [
      'what is not installed',
      { differential: { ...run, figures: { missing: ['a', 'b'] } } },
      '| Ignition configs, random | | not run: a, b missing | |',
    ],
    [
      'what was found',
      { differential: documents },
      '| other 1.2.3 | 1,999 of 2,000 agree in verdict, messages, paths and positions | 2026-01-02 |',
    ],
    ['what failed', { differential: { ...documents, passed: false } }, '| FAILED: 1,999 of 2,000'],
    [
      'a corpus of which all agree',
      { agreement: { ...run, figures: { configs: 5, aspects: { verdict: 5, texts: 5 } } } },
      'all 5 agree in',
    ],
    [
      'a corpus of which not all agree',
      { agreement: { ...run, figures: { configs: 5, aspects: { verdict: 5, texts: 4 } } } },
      'of 5 agree: verdict 100.000 %, texts 80.000 %',
    ],
    [
      'benchmarks, from the best to the worst',
      {
        validate: {
          ...run,
          figures: {
            peers: [peer],
            ratios: [
              { name: 'a', ours: 2, theirs: 1 },
              { name: 'b', ours: 1, theirs: 4 },
            ],
          },
        },
      },
      '0.25× (b) to 2.0× (a) the value of the upstream tool',
    ],
    [
      'fuzzing',
      { fuzz: { ...run, figures: { inputs: 12_000_000, targets: 17, failures: 0, seconds: 5400 } } },
      '12,000,000 inputs for 17 parsers, 1.5 hours of CPU time: 0 failures',
    ],
    [
      'tests',
      { agent: { ...run, figures: { peer, cases: 14, passed: 13 } } },
      '| other 1.2.3 | try reports 13 of 14 cases correctly |',
    ],
    [
      'the controller',
      {
        controller: {
          ...run,
          figures: {
            cases: 20,
            passed: 20,
            objects: 1000,
            readyAfter: 31.26,
            mebibytes: 101.4,
            requestsEach: 3.0131,
          },
        },
      },
      '20 of 20 tests pass; 1,000 objects at once are ready after 31.3 s, in 101 MiB, with 3.01 requests each',
    ],
    ['one machine', { differential: documents }, 'All on 2 cores (A), Node v20.0.0.'],
    [
      'several machines',
      {
        differential: documents,
        confs: { ...documents, machine: { ...machine, cores: 64 } },
      },
      '- On 64 cores (A), Node v20.0.0: configuration files of the agent, random.',
    ],
  ])('tell %s', (_title, proof, expected) => {
    expect(formatSummary(proof)).toContain(expected);
  });

  it('have each boot of the chain in one line, with what it does not show', () => {
    const matrix = [
      { boot: 'ISO', shows: 'it boots', passed: true, date: '2026-01-02' },
      { boot: 'ISO', shows: 'it stops', passed: false, date: '2026-01-02' },
      { boot: 'PXE', shows: 'it boots', passed: true, date: '2026-01-02' },
    ];
    const proof = { chain: { ...run, passed: false, figures: { boots: 2, matrix } } };
    expect(formatSummary(proof)).toContain('FAILED: 2 boots: 2 of 3 checks pass');
    expect(formatMatrix(proof)).toContain(
      '| ISO | it boots; it stops | FAILS: it stops | 2026-01-02 |\n| PXE | it boots | passes | 2026-01-02 |\n',
    );
    expect(formatMatrix({})).toBe('Not run.\n');
  });

  it('refuse what they do not know', () => {
    expect(() => formatSummary({ nonsense: documents })).toThrow('no row for nonsense');
  });

  it('have each figure of a benchmark', () => {
    const figures = { unit: 'ms', ratios: [{ name: 'a', ours: 2, theirs: 8 }] };
    expect(formatRatios({ images: { ...run, figures } })).toContain('| a | 2 ms | 8 ms | 0.25 |');
    expect(formatRatios({})).toBe('Not measured.\n');
  });
});
