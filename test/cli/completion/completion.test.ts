/** The completion scripts in the shells that they are for, where these are installed. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { have, missingNote } from '../../support/programs.ts';
import { runCli } from '../../support/runCli.ts';

let folder: string;
const scriptFor = (shell: string): string => join(folder, `completion.${shell}`);
const files = (): string => join(folder, 'files');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'completion '));
  mkdirSync(join(files(), 'images'), { recursive: true });
  for (const name of ['core.iso', 'my config.ign']) writeFileSync(join(files(), name), '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(scriptFor(shell), (await runCli(['completion', shell])).stdout);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What each shell offers for the last word of a line. */
const shells: Readonly<Record<string, (line: string) => string[]>> = {
  bash: (line) => {
    const words = line.split(/ |(?<==)|(?==)/); // a sign is a word of its own
    const script =
      'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$#-1; _ironic_coreos; printf "%s\\n" "${COMPREPLY[@]}"';
    return run('bash', ['--norc', '--noprofile', '-c', script, 'bash', scriptFor('bash'), ...words]);
  },
  zsh: (line) =>
    run('zsh', [
      '-f',
      join(import.meta.dirname, '../../support/zshComplete.zsh'),
      scriptFor('zsh'),
      files(),
      line,
    ]),
  fish: (line) =>
    run('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', scriptFor('fish'), line]).map(
      (offer) => offer.replace(/\t.*/, '').replace(/^--[a-z-]+=/, ''),
    ),
};

function run(program: string, args: readonly string[]): string[] {
  const { stdout, error } = spawnSync(program, args, { cwd: files(), encoding: 'utf8', timeout: 30_000 });
  if (error !== undefined) throw error;
  const offers = stdout.split('\n').map((line) => line.trim());
  return [...new Set(offers)].filter((offer) => offer !== '').toSorted(); // zsh tries several ways
}

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['ironic-coreos va', ['validate']],
  ['ironic-coreos de', ['deploy']], // and not dev, which is hidden
  ['ironic-coreos iso e', ['extract']], // and not the older spelling of embed
  ['ironic-coreos iso kargs ', ['modify', 'reset', 'show']],
  ['ironic-coreos --verbose iso kargs sh', ['show']],
  ['ironic-coreos pxe network wr', ['wrap']],
  ['ironic-coreos completion ', ['bash', 'fish', 'zsh']],
  ['ironic-coreos validate --format ', ['github', 'json', 'sarif', 'text']],
  ['ironic-coreos validate --format=j', ['json']],
  ['ironic-coreos pxe kargs --host a --format ip', ['ipxe']],
  ['ironic-coreos render --profile bu', ['buildpy']],
  ['ironic-coreos render --pull-policy ne', ['never', 'newer']],
  ['ironic-coreos --color ', ['always', 'auto', 'never']],
  ['ironic-coreos inspect --color al', ['always']],
  ['ironic-coreos validate --stri', ['--strict']],
  ['ironic-coreos iso ignition embed --ig', ['--ignition-file', '--ignore']],
  ['ironic-coreos validate core', ['core.iso']],
  ['ironic-coreos iso ignition embed -i core', ['core.iso']],
  ['ironic-coreos render --api-url core', []],
];

describe.each(Object.keys(shells))('completion %s', (shell) => {
  const offers = shells[shell] ?? (() => []);

  it.skipIf(!have(shell)).each(cases)(`%s<tab>${missingNote(shell)}`, (line, expected) => {
    expect(offers(line)).toEqual(expected);
  });

  it.skipIf(!have(shell))(`offers folders alone where it takes one${missingNote(shell)}`, () => {
    expect(offers('ironic-coreos download -C ').map((offer) => offer.replace(/\/$/, ''))).toEqual(['images']);
  });
});

describe('completion', () => {
  it('refuses other shells', async () => {
    const { code, stdout, stderr } = await runCli(['completion', 'tcsh']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('bash, zsh, fish');
  });
});
