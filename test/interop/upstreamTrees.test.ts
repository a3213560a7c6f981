/**
 * What messages say of other programs, in the sources of these. UPSTREAM_TREES is a folder of Git repositories named
 * `OWNER+NAME`, or `OWNER+NAME/repo`.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAIMS } from '../support/claims.ts';

const root = process.env['UPSTREAM_TREES'] ?? '';

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
      const note = tree === undefined ? ` (skipped: no ${repository} in UPSTREAM_TREES)` : '';
      it.skipIf(tree === undefined)(`${says[0]}: ${repository} ${revision} ${file}${note}`, () => {
        const { status, stdout } = shows
          ? git(tree ?? '', 'show', `${revision}:${file}`)
          : git(tree ?? '', 'grep', '-lF', '-e', absent, revision, '--', file);
        expect(status).toBe(shows ? 0 : 1);
        expect(shows ? shows.test(stdout) : stdout).toBe(shows ? true : '');
      });
    }
  }
});
