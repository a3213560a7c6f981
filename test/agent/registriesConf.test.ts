/** registries.conf as podman reads it; where podman is installed, it is asked whether it takes each file. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readRegistriesConf } from '../../src/agent/registriesConf.ts';
import { have, oracleNote } from '../support/programs.ts';
import { goodConfs, refusedConfs } from '../support/registriesConfs.ts';

const issuesOf = (text: string): string[] =>
  readRegistriesConf(text).issues.map(
    ({ message, position: { line, column } }) => `${line}:${column} ${message}`,
  );

describe('readRegistriesConf', () => {
  it.each(goodConfs)('takes %j', (text) => {
    expect(issuesOf(text)).toEqual([]);
    expect(readRegistriesConf(text).registries).toBeDefined();
  });

  it('does not check version 1 of the format', () => {
    const { issues, registries } = readRegistriesConf('[registries.search]\nregistries = ["quay.io"]\n');
    expect(issues).toEqual([]);
    expect(registries).toBeUndefined();
  });

  it('takes keys that podman ignores', () => {
    expect(
      readRegistriesConf('search = ["quay.io"]\n[[registry]]\nlocation = "a"\nmirors = 1\n'),
    ).toMatchObject({
      issues: [],
      registries: { entries: [{ location: 'a' }] },
    });
  });

  it.each(refusedConfs)('refuses %j', (text, issue) => {
    expect(issuesOf(text)).toEqual([expect.stringContaining(issue)]);
    expect(readRegistriesConf(text).registries).toBeUndefined();
  });

  it('finds the place of a key in any case', () => {
    expect(issuesOf('[[registry]]\nlocation = "a"\n[[registry.Mirror]]\nLocation = "http://b"\n')).toEqual([
      '4:1 "http://b" is a URL',
    ]);
  });

  it('reports everything at once, by line, each with a hint', () => {
    const text = '[[registry]]\ninsecure = 1\nblocked = 1\nlocation = 1\n';
    const { issues } = readRegistriesConf(text);
    expect(issues.map(({ position }) => position.line)).toEqual([2, 3, 4]);
    for (const { hint } of issues) expect(hint).toMatch(/^[a-z].*[^.]$/);
  });

  it('says what is pulled from where', () => {
    const text = `unqualified-search-registries = ["quay.io"]\n${goodConfs[3]}[aliases]\nagent = "quay.io/a/b"\n`;
    expect(readRegistriesConf(text).registries).toEqual({
      search: ['quay.io'],
      aliases: new Map([['agent', 'quay.io/a/b']]),
      entries: [
        {
          prefix: 'quay.io/metal3-io',
          location: 'registry.example.com:5000/mirror',
          insecure: true,
          blocked: false,
          mirrors: [{ location: '[2001:db8::1]:5000', insecure: false, pulls: 'tag-only' }],
        },
      ],
    });
  });

  it.each([
    ['deep lists', `a = ${'['.repeat(100_000)}`],
    ['deep keys', `a${'.a'.repeat(100_000)} = [`],
    ['a long text', `a = "${'x'.repeat(900_000)}`],
    ['many lines', 'a = 1\n'.repeat(300_000)],
  ])('survives %s', (_title, text) => {
    expect(issuesOf(text)).toEqual([expect.stringMatching(/^\d+:\d+ /)]);
  });

  it('takes or refuses any text', () => {
    const pieces = fc.array(
      fc.constantFrom(
        '[[registry]]',
        '[aliases]',
        '\n',
        'location',
        ' = ',
        '"a"',
        '[',
        ']',
        'true',
        '1',
        '#',
        '.',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((words) => words.join('')),
        ),
        (text) => {
          const { issues, registries } = readRegistriesConf(text);
          expect(registries === undefined).toBe(issues.length > 0);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

const folder = mkdtempSync(join(tmpdir(), 'registries-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Whether podman loads the file, and what it says. */
function askPodman(text: string): string {
  const conf = join(folder, 'registries.conf');
  const storage = join(folder, 'storage.conf');
  writeFileSync(conf, text);
  writeFileSync(
    storage,
    `[storage]\ndriver = "vfs"\nrunroot = "${folder}/run"\ngraphroot = "${folder}/graph"\n`,
  );
  const env = { ...process.env, CONTAINERS_REGISTRIES_CONF: conf, CONTAINERS_STORAGE_CONF: storage };
  const { stderr } = spawnSync('podman', ['info', '--format', '{{.Registries}}'], { env, encoding: 'utf8' });
  return /loading registries configuration.*/.exec(stderr)?.[0] ?? 'loaded';
}

describe.skipIf(!have('podman'))(`podman says the same${oracleNote('podman')}`, () => {
  it.each(goodConfs)('of %j: loaded', (text) => {
    expect(askPodman(text)).toBe('loaded');
  });

  it.each(refusedConfs.map(([text]) => text))('of %j: refused', (text) => {
    expect(askPodman(text)).not.toBe('loaded');
  });
});
