// @ts-check
/**
 * Commits a release: `npm run release-commit -- VERSION`. What is "Unreleased" in CHANGELOG.md becomes its section; the version is
 * set in package.json and package-lock.json, and where `docs/` and `deploy/` name it.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { filesWithVersion, VERSION } from './versionCopies.js';

const version = process.argv[2] ?? '';
process.chdir(resolve(import.meta.dirname, '..'));
try {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
    throw new Error(`"${version}" is not a version such as 1.2.3\nhint: npm run release-commit -- 1.2.3`);
  }
  if (git('status', '--porcelain') !== '') {
    throw new Error('The work tree has changes\nhint: git stash --include-untracked');
  }
  nameChanges();
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

/** As keepachangelog.com has it. */
function nameChanges() {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  if (!/^## \[Unreleased\]\n\n(?!## )./m.test(changelog))
    throw new Error('CHANGELOG.md has no changes below "## [Unreleased]"');
  const date = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const named = `## [Unreleased]\n\n## [${version}] - ${date}`;
  writeFileSync('CHANGELOG.md', changelog.replace('## [Unreleased]', named));
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
