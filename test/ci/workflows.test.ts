/** The workflows of GitHub: what actionlint and zizmor say of them, and in which order a release is made. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { have, oracleFile, oracleNote } from '../support/programs.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, '.github/workflows');
const files = [
  ...readdirSync(folder).map((name) => join(folder, name)),
  join(root, '.github/actions/ironic-coreos/action.yml'),
  join(root, 'deploy/ci/github-workflow.yml'),
];

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: object;
  /** Missing in a job that calls another workflow. */
  readonly steps?: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}

const readWorkflow = (file: string): Workflow => JSON.parse(JSON.stringify(load(readFileSync(file, 'utf8'))));

describe('workflows', () => {
  it.each(files)('pin the actions of others by their commits: %s', (file) => {
    const used = [...readFileSync(file, 'utf8').matchAll(/uses: (.+)$/gm)].map(([, name = '']) => name);
    const others = used.filter((name) => !/^\.\/|\/ironic-coreos\//.test(name));
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((name) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(name))).toEqual([]);
  });

  it.each(files.filter((file) => !file.endsWith('action.yml') || file.includes('workflows')))(
    'keep no credentials in the checkout: %s',
    (file) => {
      const steps = Object.values(readWorkflow(file).jobs).flatMap((job) => job.steps ?? []);
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.length).toBeGreaterThan(0);
      for (const { with: given } of checkouts) expect(given).toMatchObject({ 'persist-credentials': false });
    },
  );

  it.skipIf(!have('actionlint'))(`are valid for actionlint${oracleNote('actionlint')}`, () => {
    const { status, stdout } = spawnSync('actionlint', [], { cwd: root, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it.skipIf(!have('zizmor'))(`are safe for zizmor${oracleNote('zizmor')}`, () => {
    const args = ['--offline', '--quiet', '--format', 'plain', folder, join(root, '.github/actions')];
    const { status, stdout } = spawnSync(oracleFile('zizmor'), args, { cwd: root, encoding: 'utf8' });
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });
});

describe('release.yml', () => {
  const { jobs } = readWorkflow(join(folder, 'release.yml'));
  const scripts = (name: string): string => (jobs[name]?.steps ?? []).map(({ run }) => run).join('\n');

  it('publishes the package last, after the checksums of all files', () => {
    expect(jobs['release']?.needs).toEqual(['package', 'executable', 'images']);
    expect(jobs['npm']?.needs).toBe('release');
    expect(Object.keys(jobs).filter((name) => scripts(name).includes('release.js checksums'))).toEqual([
      'release',
    ]);
    expect(Object.keys(jobs).filter((name) => scripts(name).includes('npm publish --provenance'))).toEqual([
      'npm',
    ]);
  });

  it('asks the oracles first', () => {
    expect(jobs['package']?.needs).toBe('oracles');
  });

  it('runs the quick start of everything that it makes', () => {
    for (const name of ['package', 'executable', 'image']) expect(scripts(name)).toMatch(/ quickstart\b/);
  });
});
