/** The completion scripts in the shells that they are for, where these are installed. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { have, oracleNote } from '../../support/programs.ts';
import { runCli } from '../../support/runCli.ts';
import { programCommand } from '../../support/runProgram.ts';

let folder: string;
const scriptFor = (shell: string): string => join(folder, `completion.${shell}`);
const files = (): string => join(folder, 'files');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'completion '));
  mkdirSync(join(files(), 'images'), { recursive: true });
  for (const name of ['core.iso', 'my config.ign']) writeFileSync(join(files(), name), '');
  writeFileSync(
    join(files(), 'hosts.yaml'),
    'hosts: [{ name: rack1-a }, { name: rack1-b }, { name: rack2-a }]\n',
  );
  for (const shell of ['bash', 'zsh', 'fish']) {
    writeFileSync(scriptFor(shell), (await runCli(['completion', shell])).stdout);
  }
  const command = programCommand.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(folder, 'ironic-coreos'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

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

function run(shell: string, args: readonly string[]): string[] {
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  const { stdout, error } = spawnSync(shell, args, { cwd: files(), encoding: 'utf8', env, timeout: 240_000 });
  if (error !== undefined) throw error;
  const offers = stdout.split('\n').map((line) => line.trim());
  return [...new Set(offers)].filter((offer) => offer !== '').toSorted(); // zsh tries several ways
}

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['ironic-coreos va', ['validate']],
  ['ironic-coreos de', ['deploy']], // and not dev, which is hidden
  ['ironic-coreos iso e', ['extract']], // and not the older spelling of embed
  ['ironic-coreos --verbose iso kargs sh', ['show']],
  ['ironic-coreos pxe network wr', ['wrap']],
  ['ironic-coreos completion ', ['bash', 'fish', 'zsh']],
  ['ironic-coreos validate --format ', ['github', 'json', 'text']],
  ['ironic-coreos pxe kargs --host a --format ip', ['ipxe']],
  ['ironic-coreos render --profile bu', ['buildpy']],
  ['ironic-coreos render --pull-policy ne', ['never', 'newer']],
  ['ironic-coreos --color ', ['always', 'auto', 'never']],
  ['ironic-coreos inspect --color al', ['always']],
  ['ironic-coreos validate --stri', ['--strict']],
  ['ironic-coreos validate --strict --stri', []], // it is given once at most
  ['ironic-coreos iso ignition embed --ig', ['--ignition-file', '--ignore']],
  ['ironic-coreos render --api-url core', []],
  ['ironic-coreos explain path-rel', ['path-relative']],
  ['ironic-coreos explain ERR_DISK', ['ERR_DISK_FULL']],
  ['ironic-coreos explain registry-ex', ['registry-expired']],
  ['ironic-coreos serve --inventory=hosts.yaml --once rack2', ['rack2-a']],
  ['ironic-coreos serve --inventory missing.yaml --once rack', []],
];

/** One for each way in which a script treats words and offers. */
const shellCases: readonly (readonly [string, readonly string[]])[] = [
  ['ironic-coreos iso kargs ', ['modify', 'reset', 'show']],
  ['ironic-coreos validate --format=j', ['json']],
  ['ironic-coreos validate core', ['core.iso']],
  ['ironic-coreos iso ignition embed -i core', ['core.iso']],
  ['ironic-coreos render --api-url core', []],
  ['ironic-coreos validate --ignore path-relative,mode-spec', ['path-relative,mode-special-bits']],
  ['ironic-coreos serve --inventory hosts.yaml --once rack1', ['rack1-a', 'rack1-b']],
];

describe.each(Object.keys(shells))('completion %s', (shell) => {
  const offers = shells[shell] ?? (() => []);

  it.skipIf(!have(shell)).each(shellCases)(`%s<tab>${oracleNote(shell)}`, (line, expected) => {
    expect(offers(line)).toEqual(expected);
  });

  it.skipIf(!have(shell))(`offers folders alone where it takes one${oracleNote(shell)}`, () => {
    expect(offers('ironic-coreos download -C ').map((offer) => offer.replace(/\/$/, ''))).toEqual(['images']);
  });
});

describe('completion', () => {
  it.each(cases)('%s<tab> has these offers', async (line, expected) => {
    const { code, stdout, stderr } = await runCli(['__complete', '--', ...line.split(' ').slice(1)], {
      cwd: files(),
    });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.pop()).toBe(':words');
    expect(lines.map((offer) => offer.replace(/\t.*/, '')).toSorted()).toEqual(expected);
  });

  it('refuses other shells', async () => {
    const { code, stdout, stderr } = await runCli(['completion', 'tcsh']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('bash, zsh, fish');
  });
});
