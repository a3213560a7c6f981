/**
 * What messages and the evidence of rules say of other programs, in the sources of these. UPSTREAM_TREES is a folder of Git repositories named
 * `OWNER+NAME`, or `OWNER+NAME/repo`.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseArgument } from '../../src/kargs/argument.ts';
import { checkArgument } from '../../src/kargs/argumentChecks.ts';
import { CLAIMS } from '../support/claims.ts';
import { evidenceOfRules } from '../support/evidence.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';

const oracle = 'sources of other projects';
const root = oracleFile(oracle);

/** The Git folder of a repository; undefined if it is missing. */
function treeOf(repository: string): string | undefined {
  const folders = [join(root, repository, 'repo'), join(root, repository)];
  return root === '' ? undefined : folders.find((folder) => existsSync(folder));
}

function git(tree: string, ...args: readonly string[]) {
  return spawnSync('git', ['-C', tree, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

describe('what messages say of other programs', () => {
  for (const { says, sources = [] } of CLAIMS) {
    for (const { repository, file, revision = 'HEAD', shows, absent = '' } of sources) {
      const tree = treeOf(repository);
      const note = have(oracle) && tree === undefined ? ` (skipped: no ${repository})` : oracleNote(oracle);
      it.skipIf(!have(oracle) || tree === undefined)(
        `${says[0]}: ${repository} ${revision} ${file}${note}`,
        () => {
          const { status, stdout } = shows
            ? git(tree ?? '', 'show', `${revision}:${file}`)
            : git(tree ?? '', 'grep', '-lF', '-e', absent, revision, '--', file);
          expect(status).toBe(shows ? 0 : 1);
          expect(shows ? shows.test(stdout) : stdout).toBe(shows ? true : '');
        },
      );
    }
  }
});

describe('evidence of rules', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/rules.md'), 'utf8');
  const named = evidenceOfRules(page).filter(({ repository }) => repository !== undefined);
  for (const { rule, kind, message, repository = '', file } of named) {
    const tree = treeOf(repository);
    const note = have(oracle) && tree === undefined ? ` (skipped: no ${repository})` : oracleNote(oracle);
    it.skipIf(!have(oracle) || tree === undefined)(`${rule}: ${repository} ${file}${note}`, () => {
      const { status, stdout } = git(tree ?? '', 'show', `HEAD:${file}`);
      expect(status).toBe(0);
      // Go writes the values of a message as %q, and quotes as \".
      expect(stdout.replaceAll(/ %[dqsv]|\\(?=")/g, '')).toContain(kind === 'message' ? message : '');
    });
  }
});

const readers = ['coreos+fedora-coreos-config', 'coreos+coreos-installer', 'coreos+ignition'];
const areThere = have(oracle) && readers.every((repository) => treeOf(repository) !== undefined);

describe('arguments that CoreOS, coreos-installer and Ignition read', () => {
  it.skipIf(!areThere)(`are not reported as unknown${oracleNote(oracle)}`, () => {
    const reads = String.raw`(karg|karg_bool|getarg|getargbool [01]|cmdline_arg|cmdline_bool|copy_arg) '?(coreos|ignition)\.[a-z_.]+`;
    const found = readers.flatMap((repository) =>
      git(treeOf(repository) ?? '', 'grep', '-hoE', reads, 'HEAD')
        .stdout.trim()
        .split('\n'),
    );
    const names = [...new Set(found.map((line) => line.replace(/^.*[ ']/, '').replace(/\.$/, '')))];
    expect(names.length).toBeGreaterThan(15);
    const unknown = names.filter((name) =>
      checkArgument(parseArgument(`${name}=1`)).some(({ rule }) => rule === 'argument-unknown'),
    );
    expect(unknown).toEqual([]);
  });
});
