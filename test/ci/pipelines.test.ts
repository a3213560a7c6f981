/** The action and the examples of pipelines: their scripts are run on real files; npx, which would fetch, is replaced. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const program = join(root, 'bin/ironic-coreos.js');
const built = existsSync(join(root, 'dist/cli.cjs'));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

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
const wrong = '{"ignition":{"version":"3.2.0"},\n"storage":{"files":[{"path":"etc/x"}]}}';

describe.skipIf(!built)(`pipelines${built ? '' : ' (skipped: the program is not built)'}`, () => {
  let tools = '';
  let iso = '';
  let cwd = '';
  beforeAll(() => {
    tools = mkdtempSync(join(tmpdir(), 'tools of pipelines '));
    writeFileSync(join(tools, 'npx'), npx, { mode: 0o755 });
    execFileSync(process.execPath, [program, 'quickstart'], { cwd: tools });
    iso = join(tools, 'quickstart/sample-live.iso');
  });
  beforeEach(() => {
    cwd = mkdtempSync(join(tools, 'checkout '));
    mkdirSync(join(cwd, 'configs'));
    writeFileSync(join(cwd, 'configs/a.ign'), good);
    writeFileSync(join(cwd, 'ramdisk.yaml'), 'agent:\n  ironic.apiUrls: https://192.0.2.1\n');
  });
  afterAll(() => rmSync(tools, { recursive: true, force: true }));

  const run = (args: readonly string[], env: Readonly<Record<string, string>>) => {
    const PATH = `${tools}:${process.env['PATH']}`;
    return spawnSync('bash', args, { cwd, env: { ...env, PATH }, encoding: 'utf8' });
  };

  const runAction = (COMMAND: string, ARGS: string) => {
    const script = join(root, '.github/actions/ironic-coreos/run.sh');
    return run([script], { COMMAND, ARGS, PACKAGE: 'ironic-coreos@1.2.3' });
  };

  describe('the action', () => {
    it('asks for the package that was named', () => {
      expect(runAction('validate', 'configs\n').status).toBe(0);
      expect(readFileSync(join(cwd, 'npx.args'), 'utf8').split('\n').slice(0, 4)).toEqual([
        '--yes',
        '--package',
        'ironic-coreos@1.2.3',
        '--',
      ]);
    });

    it('annotates what is wrong, and fails', () => {
      writeFileSync(join(cwd, 'configs/b.ign'), wrong);
      const { status, stdout } = runAction('validate', '--strict\r\n\n  configs\n');
      expect(stdout).toMatch(/^::error file=configs\/b\.ign,line=2,/m);
      expect(status).toBe(1);
    });

    it('runs other commands, with words as they are', () => {
      const text = ['--inventory', 'ramdisk.yaml', '--iso', iso, '--base-url', 'http://192.0.2.1'].join('\n');
      expect(runAction('prepare', `${text}\n--output\npublic $(id)\n`)).toMatchObject({ status: 0 });
      expect(readFileSync(join(cwd, 'public $(id)/manifest.json'), 'utf8')).toContain('http://192.0.2.1');
    });

    it('runs commands of several words', () => {
      expect(runAction('iso kargs show', iso).stdout).toMatch(/coreos\.liveiso=/);
    });

    it('hands all its inputs to the script by the environment', () => {
      const { inputs, runs } = actionFile();
      const [setup, step] = runs.steps;
      const handed = Object.values({ ...setup?.with, ...step?.env, folder: step?.['working-directory'] });
      expect(new Set(handed)).toEqual(new Set(Object.keys(inputs).map((name) => `\${{ inputs.${name} }}`)));
      expect(step?.run).not.toContain('{{');
    });
  });

  describe('of GitLab', () => {
    const { variables, validate, prepare }: GitlabPipeline = readYaml('templates/ci/gitlab-ci.yml');

    it('validates', () => {
      const script = validate.script.join('\n');
      expect(run(['-euc', script], variables)).toMatchObject({ status: 0 });
      writeFileSync(join(cwd, 'configs/b.ign'), wrong);
      expect(run(['-euc', script], variables)).toMatchObject({ status: 1 });
    });

    it('prepares what it keeps', () => {
      const script = prepare.script.join('\n');
      expect(run(['-euc', script], { ...variables, ISO: iso })).toMatchObject({ status: 0 });
      expect(prepare.artifacts.paths.filter((path) => !existsSync(join(cwd, path, 'manifest.json')))).toEqual(
        [],
      );
    });
  });

  it('the example of GitHub gives the action inputs that it has', () => {
    const { inputs } = actionFile();
    const { jobs }: Workflow = readYaml('templates/ci/github-workflow.yml');
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const given = steps
      .filter(({ uses }) => uses?.includes('/ironic-coreos@'))
      .flatMap((step) => Object.keys(step.with ?? {}));
    expect(given).toContain('args');
    expect(given.filter((name) => !(name in inputs))).toEqual([]);
  });

  it('pin the version of the package', () => {
    const { version } = JSON.parse(read('package.json'));
    for (const path of ['.github/actions/ironic-coreos/action.yml', 'templates/ci/gitlab-ci.yml']) {
      expect([...read(path).matchAll(/ironic-coreos@(\d[\w.-]*)/g)].map((match) => match[1])).toEqual([
        version,
      ]);
    }
  });
});

interface Step {
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
  readonly jobs: Readonly<Record<string, Steps>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, object>>;
  readonly runs: Steps;
}

interface GitlabPipeline {
  readonly variables: Readonly<Record<string, string>>;
  readonly validate: { readonly script: readonly string[] };
  readonly prepare: {
    readonly script: readonly string[];
    readonly artifacts: { readonly paths: readonly string[] };
  };
}
