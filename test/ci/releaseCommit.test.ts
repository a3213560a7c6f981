/** A release: its commit, made in a Git repository with the files of this one, and the address of the repository. */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesWithVersion, VERSION } from '../../scripts/versionCopies.js';
import { programVersion } from '../../src/core/programVersion.ts';
import { runCli } from '../support/runCli.ts';

const root = resolve(import.meta.dirname, '../..');
const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function subjects(folder: string): string[] {
  return git(folder, 'log', '--format=%s').trim().split('\n');
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' });
}

describe('the version', () => {
  it.each([[['--version']], [['-V']]])('that %j prints is that of package.json', async (args) => {
    expect(await runCli(args)).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect(programVersion()).toBe(version);
  });

  it('is in docs and deploy as in package.json', () => {
    const copies = filesWithVersion(root).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(VERSION)].map(([copy]) => ({ file, copy })),
    );
    expect(copies.length).toBeGreaterThan(5);
    expect(copies.filter(({ copy }) => copy !== version)).toEqual([]);
  });

  it('is nowhere else', () => {
    const places = ['scripts', '.github', 'bin', 'src', 'README.md', 'schemas'];
    const files = places.flatMap((place) =>
      place.includes('.', 1)
        ? [place]
        : readdirSync(join(root, place), { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile() && !entry.parentPath.includes('compiled'))
            .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
    );
    expect(files.length).toBeGreaterThan(500);
    const named = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return text.search(VERSION) >= 0 || /\.version\(['"]\d/.test(text);
    });
    expect(named).toEqual([]);
  });

  it('is in package-lock.json as in package.json', () => {
    const lock: { version: string; packages: Record<string, { version: string }> } = JSON.parse(
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
    );
    expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
  });
});

describe('in a repository', () => {
  let folder = '';
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const copy = (paths: readonly string[]) => {
    for (const path of paths) cpSync(join(root, path), join(folder, path), { recursive: true });
    git(folder, 'init', '--quiet');
  };
  const commit = (paths: readonly string[]) => {
    copy(paths);
    writeFileSync(join(folder, '.git/config'), '[user]\n\tname = a\n\temail = a@example.com\n', {
      flag: 'a',
    });
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--message', 'Start');
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'release commit '));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { GITHUB_REPOSITORY: _github, CI_PROJECT_URL: _gitlab, ...inherited } = process.env;
    return spawnSync(process.execPath, [join(folder, 'scripts', script), ...args], {
      env: { ...inherited, ...env },
      encoding: 'utf8',
    });
  };
  it('a release is one commit: changes, version, lock file, docs and deploy', () => {
    writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n- The new thing.\n');
    commit(['scripts', 'deploy', 'docs', 'package.json', 'package-lock.json']);
    const { status, stderr } = run('releaseCommit.js', ['7.8.9']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(subjects(folder)).toEqual(['Release 7.8.9', 'Start']);
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(read('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## \[Unreleased\]\n\n## \[7\.8\.9\] - \d{4}-\d\d-\d\d\n\n- The new thing\.\n$/,
    );
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '7.8.9' });
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({
      version: '7.8.9',
      packages: { '': { version: '7.8.9' } },
    });
    const copies = filesWithVersion(folder).flatMap(
      (file) => readFileSync(file, 'utf8').match(VERSION) ?? [],
    );
    expect(new Set(copies)).toEqual(new Set(['7.8.9']));
    expect(read('deploy/ci/gitlab-ci.yml')).toContain('ironic-coreos@7.8.9');
  });

  it.each([
    ['no version', [], /"" is not a version/],
    ['another argument', ['minor'], /"minor" is not a version/],
  ])('refuses %s, and changes nothing', (_title, args, message) => {
    commit(['scripts']);
    const { status, stderr } = run('releaseCommit.js', args);
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(subjects(folder)).toEqual(['Start']);
  });

  it('refuses a release without changes', () => {
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      '# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-12-01\n',
    );
    commit(['scripts', 'package.json', 'package-lock.json']);
    const { status, stderr } = run('releaseCommit.js', ['7.8.9']);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('has no changes'),
    });
    expect(git(folder, 'status', '--porcelain')).toBe('');
  });

  it('refuses a work tree with changes', () => {
    commit(['scripts']);
    writeFileSync(join(folder, 'new.txt'), '');
    const { status, stderr } = run('releaseCommit.js', ['7.8.9']);
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('has changes') });
    expect(subjects(folder)).toEqual(['Start']);
  });

  it.each([
    ['of the workflow', undefined, { GITHUB_REPOSITORY: 'them/theirs' }, 'https://github.com/them/theirs'],
    [
      'of the workflow on another server',
      'https://example.com/us/ours.git',
      { GITHUB_REPOSITORY: 'them/theirs', GITHUB_SERVER_URL: 'https://git.example.com' },
      'https://git.example.com/them/theirs',
    ],
    [
      'of GitLab',
      undefined,
      { CI_PROJECT_URL: 'https://git.example.com/a/b' },
      'https://git.example.com/a/b',
    ],
    ['of the remote', 'https://u:secret@example.com/us/ours.git', {}, 'https://example.com/us/ours'],
    ['of the remote by SSH', 'git@example.com:us/ours.git', {}, 'https://example.com/us/ours'],
    [
      'of the remote by SSH on a port',
      'ssh://git@example.com:2222/us/ours',
      {},
      'https://example.com/us/ours',
    ],
  ])('package.json gets the address %s', (_title, remote, env, expected) => {
    copy(['scripts', 'package.json']);
    if (remote !== undefined) git(folder, 'remote', 'add', 'origin', remote);
    expect(run('setRepository.js', [], env)).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(read('package.json'))).toMatchObject({
      repository: { type: 'git', url: `git+${expected}.git` },
      bugs: { url: `${expected}/issues` },
      homepage: `${expected}#readme`,
    });
  });

  it.each([['no remote'], ['a remote in a folder']])('package.json stays as it is with %s', (title) => {
    copy(['scripts', 'package.json']);
    if (title !== 'no remote') git(folder, 'remote', 'add', 'origin', '/srv/ours.git');
    const { status, stderr } = run('setRepository.js', []);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('warning: no address') });
    expect(read('package.json')).toBe(readFileSync(join(root, 'package.json'), 'utf8'));
  });
});

it('no file that is handed out names an owner who is unknown', () => {
  const others = ['package.json', 'README.md', 'CONTRIBUTING.md'].map((file) => join(root, file));
  const files = [...filesWithVersion(root), ...others];
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('OWNER'))).toEqual([]);
});
