// @ts-check
/**
 * Commits a release: `npm run release-commit -- VERSION`. Moves the files of `.changes/` to CHANGELOG.md, sets the version
 * in package.json and package-lock.json, and where `docs/` and `deploy/` name it.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { addRelease } from './releaseCommit/changelog.js';
import { filesWithVersion, VERSION } from './releaseCommit/versionCopies.js';

const version = process.argv[2] ?? '';
process.chdir(resolve(import.meta.dirname, '..'));
try {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
    throw new Error(`"${version}" is not a version such as 1.2.3\nhint: npm run release-commit -- 1.2.3`);
  }
  if (git('status', '--porcelain') !== '') {
    throw new Error('The work tree has changes\nhint: git stash --include-untracked');
  }
  moveChanges();
  execFileSync('npm', ['version', version, '--no-git-tag-version', '--allow-same-version', '--silent'], {
    shell: process.platform === 'win32', // npm is npm.cmd
  });
  setCopies();
  git('add', '--all');
  git('commit', '--quiet', '--message', `Release ${version}`);
  process.stdout.write(
    `Release ${version} committed. After review: git tag v${version}, and push the tag.\n`,
  );
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function moveChanges() {
  const names = readdirSync('.changes').filter((name) => name !== 'README.md');
  const changes = names.toSorted().map((name) => ({ name, text: readFileSync(`.changes/${name}`, 'utf8') }));
  const date = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  writeFileSync('CHANGELOG.md', addRelease(changelog, { version, date, changes }));
  for (const name of names) rmSync(`.changes/${name}`);
}

function setCopies() {
  for (const file of filesWithVersion('.')) {
    const text = readFileSync(file, 'utf8');
    const changed = text.replaceAll(VERSION, version);
    if (changed !== text) writeFileSync(file, changed);
  }
}

/** @param {readonly string[]} args @returns {string} */
function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' });
}
