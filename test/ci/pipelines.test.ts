/** The action and the examples of pipelines: their scripts are run on real files; npx, which would fetch, is replaced. */

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { load } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ImageServer, startImageServer } from '../support/imageServer.ts';
import { program } from '../support/packageFolder.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version }: { version: string } = JSON.parse(read('package.json'));

/** JSON.parse has no type of its own. */
const readYaml = (path: string) => JSON.parse(JSON.stringify(load(read(path))));
const actionFile = (): Action => readYaml('.github/actions/ironic-coreos/action.yml');

/** What npx is asked for ends up in a file; the program is ours. */
const npx = `#!/bin/sh
printf '%s\\n' "$@" > npx.args
while [ "$1" != -- ]; do shift; done
shift 2
exec '${process.execPath}' '${program}' "$@"
`;

const good = '{"ignition":{"version":"3.2.0"}}';
const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1
  ironic.insecure: true
  agent.image: quay.io/example/ironic-agent:13.0.0
`;
const isoName = 'fedora-coreos-44.20261101.3.0-live-iso.x86_64.iso';
const wrong = '{"ignition":{"version":"3.2.0"},\n"storage":{"files":[{"path":"etc/x"}]}}';

describe('pipelines', () => {
  let tools = '';
  let iso = '';
  let cwd = '';
  let mirror: ImageServer;
  beforeAll(async () => {
    tools = mkdtempSync(join(tmpdir(), 'tools of pipelines '));
    writeFileSync(join(tools, 'npx'), npx, { mode: 0o755 });
    execFileSync(process.execPath, [program, 'quickstart'], { cwd: tools });
    iso = join(tools, 'quickstart/sample-live.iso');
    mirror = await startImageServer();
    mirror.files.set(`/${isoName}`, { content: readFileSync(iso) });
  });
  beforeEach(() => {
    cwd = mkdtempSync(join(tools, 'checkout '));
    mkdirSync(join(cwd, 'configs'));
    writeFileSync(join(cwd, 'configs/a.ign'), good);
    writeFileSync(join(cwd, 'ramdisk.yaml'), inventory);
    const sha256 = createHash('sha256').update(readFileSync(iso)).digest('hex');
    const disk = { location: `${mirror.origin}/${isoName}`, sha256 };
    const metal = { release: '44.20261101.3.0', formats: { iso: { disk } } };
    const stream = { stream: 'stable', architectures: { x86_64: { artifacts: { metal } } } };
    writeFileSync(join(cwd, 'coreos.json'), JSON.stringify(stream));
  });
  afterAll(async () => {
    await mirror.close();
    rmSync(tools, { recursive: true, force: true });
  });

  const run = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const PATH = `${tools}:${process.env['PATH']}`;
    const child = spawn('bash', args, { cwd, env: { ...env, PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { status, stdout, stderr };
  };

  const runAction = (COMMAND: string, ARGS: string, PACKAGE = 'ironic-coreos@1.2.3') => {
    const script = join(root, '.github/actions/ironic-coreos/run.sh');
    return run([script], { COMMAND, ARGS, PACKAGE });
  };

  const askedPackage = () => /^--package\n(.*)/m.exec(readFileSync(join(cwd, 'npx.args'), 'utf8'))?.[1];

  describe('the action', () => {
    it.each([
      ['the package that was named', 'ironic-coreos@1.2.3', 'ironic-coreos@1.2.3'],
      ['its own version by default', actionFile().inputs['package']?.default, `ironic-coreos@${version}`],
    ])('asks for %s', async (_title, given, expected) => {
      expect(await runAction('validate', 'configs\n', given)).toMatchObject({ status: 0 });
      expect(askedPackage()).toBe(expected);
    });

    it('annotates what is wrong, and fails', async () => {
      writeFileSync(join(cwd, 'configs/b.ign'), wrong);
      const { status, stdout } = await runAction('validate', '--strict\r\n\n  configs\n');
      expect(stdout).toMatch(/^::error file=configs\/b\.ign,line=2,/m);
      expect(status).toBe(1);
    });

    it('runs other commands, with words as they are', async () => {
      const lines = ['--inventory', 'ramdisk.yaml', '--iso', iso, '--base-url', 'http://192.0.2.1'].join(
        '\n',
      );
      expect(await runAction('prepare', `${lines}\n--output\npublic $(id)\n`)).toMatchObject({ status: 0 });
      expect(readFileSync(join(cwd, 'public $(id)/manifest.json'), 'utf8')).toContain('http://192.0.2.1');
    });

    it('runs commands of several words', async () => {
      expect((await runAction('iso kargs show', iso)).stdout).toMatch(/coreos\.liveiso=/);
    });

    it('hands all its inputs to the script by the environment', () => {
      const { inputs, runs } = actionFile();
      const [setup, step] = runs.steps;
      const handed = Object.values({ ...setup?.with, ...step?.env, folder: step?.['working-directory'] });
      expect(new Set(handed)).toEqual(new Set(Object.keys(inputs).map((name) => `\${{ inputs.${name} }}`)));
      expect(step?.run).not.toContain('{{');
    });
  });

  describe('the example of GitHub', () => {
    const { env, jobs }: Workflow = readYaml('deploy/ci/github-workflow.yml');
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const kept = steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'))?.with?.['path'] ?? '';

    const runAll = async () => {
      const results = [];
      for (const { name, run: script, env: added } of steps) {
        if (script === undefined) continue;
        const { status, stdout, stderr } = await run(['-euc', script], { ...env, ...added });
        results.push({ name, status, stdout, stderr });
        if (status !== 0) break;
      }
      return results;
    };

    it('validates, downloads, prepares what it keeps, and validates that', async () => {
      expect((await runAll()).map(({ name, status }) => `${name}: ${status}`)).toEqual([
        'Validate: 0',
        'Download: 0',
        'Prepare: 0',
        'Validate the configs of the hosts: 0',
      ]);
      expect(existsSync(join(cwd, kept, 'manifest.json'))).toBe(true);
      expect(askedPackage()).toBe(`ironic-coreos@${version}`);
    });

    it('annotates what is wrong, and fails', async () => {
      writeFileSync(join(cwd, 'configs/b.ign'), wrong);
      const stdout = expect.stringContaining('::error file=configs/b.ign,line=2,');
      expect(await runAll()).toMatchObject([{ name: 'Validate', status: 1, stdout }]);
    });

    it('fails if a config that it prepared has a warning', async () => {
      writeFileSync(join(cwd, 'ramdisk.yaml'), inventory.replace('quay.io', '10.0.0.1'));
      expect((await runAll()).at(-1)).toMatchObject({ name: 'Validate the configs of the hosts', status: 1 });
    });
  });

  describe('the example of GitLab', () => {
    const { stages, variables, validate, prepare }: GitlabPipeline = readYaml('deploy/ci/gitlab-ci.yml');

    it('validates before it prepares', () => {
      expect(stages).toEqual([validate.stage, prepare.stage]);
    });

    it('validates', async () => {
      const script = validate.script.join('\n');
      expect(await run(['-euc', script], variables)).toMatchObject({ status: 0 });
      expect(askedPackage()).toBe(`ironic-coreos@${version}`);
      writeFileSync(join(cwd, 'configs/b.ign'), wrong);
      expect(await run(['-euc', script], variables)).toMatchObject({ status: 1 });
    });

    it('prepares what it keeps, from what it caches', async () => {
      const script = prepare.script.join('\n');
      expect(await run(['-euc', script], variables)).toMatchObject({ status: 0 });
      const { artifacts, cache } = prepare;
      expect(artifacts.paths.map((path) => existsSync(join(cwd, path, 'manifest.json')))).toEqual([true]);
      expect(cache.flatMap(({ paths }) => paths)).toContain('downloads');
      expect(existsSync(join(cwd, 'downloads', isoName))).toBe(true);
    });

    it('fails if a config that it prepared has a warning', async () => {
      writeFileSync(join(cwd, 'ramdisk.yaml'), inventory.replace('quay.io', '10.0.0.1'));
      expect(await run(['-euc', prepare.script.join('\n')], variables)).toMatchObject({ status: 1 });
    });
  });
});

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
}

interface Steps {
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Steps>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: Steps;
}

interface GitlabPipeline {
  readonly stages: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly validate: GitlabJob;
  readonly prepare: GitlabJob & {
    readonly cache: readonly { readonly paths: readonly string[] }[];
    readonly artifacts: { readonly paths: readonly string[] };
  };
}

interface GitlabJob {
  readonly stage: string;
  readonly script: readonly string[];
}
