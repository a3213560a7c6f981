/** `render --profile icc`, against what the image-customization-controller itself made of the same inputs. */

import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProfileName, profileNames } from '../../../src/agent/settings.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';
import { programCommand } from '../../support/runProgram.ts';

interface RecordedInput {
  readonly hostname: string;
  readonly nmstate: string;
  readonly registriesConf: string;
  readonly env: Readonly<Record<string, string>>;
  readonly caBundle?: string;
  readonly nmstatectl?: { readonly rc: number; readonly stdout: string; readonly stderr: string };
}

/** Runs that are refused: exit code, what the message names, and the reason. */
const refused: Readonly<Record<string, readonly [code: 1 | 2, place: string, reason: string]>> = {
  'err-ca-missing': [1, 'CA_BUNDLE', 'not found'],
  'err-nmstate-bad-yaml': [1, 'state.yaml:2:1: ', 'Invalid YAML'],
  'err-nmstate-unknown-key': [1, 'nmstate', ''],
  'err-no-base-url': [2, 'IRONIC_BASE_URL', 'profile icc requires IRONIC_BASE_URL'],
  'err-no-image': [2, 'IRONIC_AGENT_IMAGE', 'profile icc requires IRONIC_AGENT_IMAGE'],
  'hostname-special': [2, '--hostname', 'writes to a unit and a script without escaping'],
  'image-space': [2, 'IRONIC_AGENT_IMAGE', 'several arguments'],
  'inspector-new-path': [2, 'IRONIC_INSPECTOR_BASE_URL', 'append /v1/continue'],
  'inspector-trailing-slash': [2, 'IRONIC_INSPECTOR_BASE_URL', 'slash'],
  'ip-options-quote': [2, 'IP_OPTIONS', 'without escaping'],
  'nmstate-empty-state': [1, '--nmstate', 'describes no connection'],
  'ntp-spaces-empty': [2, 'ADDITIONAL_NTP_SERVERS', 'not a server'],
  'proxy-special': [2, 'HTTP_PROXY', 'without escaping'],
  'pull-secret-raw-json': [2, 'IRONIC_AGENT_PULL_SECRET', 'base64 on one line'],
  'pull-secret-wrapped': [2, 'IRONIC_AGENT_PULL_SECRET', 'base64 on one line'],
  'ssh-key-multi': [2, 'IRONIC_RAMDISK_SSH_KEY', 'one entry'],
  'url-invalid-dropped': [2, 'IRONIC_BASE_URL', 'invalid host or port'],
  'url-ipv6-bare': [2, 'IRONIC_BASE_URL', 'invalid host or port'],
  'url-leading-space': [2, 'IRONIC_BASE_URL', 'blank'],
  'url-mdns': [2, 'IRONIC_BASE_URL', 'mdns'],
  'url-no-scheme': [2, 'IRONIC_BASE_URL', 'does not start with http'],
  'url-no-scheme-port': [2, 'IRONIC_BASE_URL', 'does not start with http'],
};

const folder = sharedData === undefined ? '' : join(sharedData, 'agent-golden');
const cases = sharedData === undefined ? [] : await recordedCases();

async function recordedCases(): Promise<string[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => /^icc-(.*)\.input\.json$/.exec(name)?.[1] ?? []);
}

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'render icc '));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

type Converter = 'nmstatectl' | 'own';

async function readInput(name: string): Promise<RecordedInput> {
  return JSON.parse(await readFile(join(folder, `icc-${name}.input.json`), 'utf8'));
}

/** The output of nmstatectl is not recorded in each. */
function convertersOf({ nmstatectl }: RecordedInput): readonly Converter[] {
  return nmstatectl === undefined ? ['own'] : ['nmstatectl', 'own'];
}

/** With `nmstatectl`, the network: converting with a program that answers as nmstate did when the case was recorded. */
async function renderRecorded(input: RecordedInput, converter: Converter): Promise<RunResult> {
  const cwd = await mkdtemp(join(root, 'case-'));
  const env: Record<string, string | undefined> = { IRONIC_AGENT_IMAGE: undefined, ...input.env };
  if (input.caBundle !== undefined) {
    await writeFile(join(cwd, 'ca.pem'), input.caBundle);
    env['CA_BUNDLE'] = 'ca.pem';
  }
  if (input.registriesConf !== '') {
    await writeFile(join(cwd, 'registries.conf'), input.registriesConf);
    env['REGISTRIES_CONF_PATH'] = 'registries.conf';
  }
  const args = ['--profile', 'icc'];
  if (input.hostname !== '') args.push('--hostname', input.hostname);
  if (input.nmstate !== '') {
    await writeFile(join(cwd, 'state.yaml'), input.nmstate);
    args.push('--nmstate', 'state.yaml');
    if (converter === 'nmstatectl') args.push('--nmstatectl', await writeNmstatectl(cwd, input));
  }
  return runCli(['render', ...args], { env, cwd });
}

async function writeNmstatectl(cwd: string, { nmstatectl }: RecordedInput): Promise<string> {
  const { rc = 1, stderr = '', stdout = '' } = nmstatectl ?? {};
  await writeFile(join(cwd, 'stdout'), stdout);
  await writeFile(join(cwd, 'stderr'), stderr);
  const script = `#!/bin/sh\ncd "$(dirname "$0")"; cat stdout; cat stderr >&2; exit ${rc}\n`;
  await writeFile(join(cwd, 'nmstatectl'), script);
  await chmod(join(cwd, 'nmstatectl'), 0o755);
  return './nmstatectl';
}

const given = cases.filter((name) => !(name in refused));
const wrong = cases.filter((name) => name in refused);

describe.skipIf(sharedData === undefined)(`recorded runs of ICC${sharedDataNote}`, () => {
  it('are many', () => expect(cases.length).toBeGreaterThan(30));

  it.each(given)('%s: the same bytes', async (name) => {
    const input = await readInput(name);
    const golden = await readFile(join(folder, `icc-${name}.json`), 'utf8');
    for (const converter of convertersOf(input)) {
      const result = await renderRecorded(input, converter);
      expect(result.stderr).not.toContain('error:');
      expect(result.stdout).toBe(golden);
      expect(result.code).toBe(0);
    }
  });

  it.each(wrong)('%s: refused', async (name) => {
    const input = await readInput(name);
    const [code, place, reason] = refused[name] ?? [];
    for (const converter of convertersOf(input)) {
      const result = await renderRecorded(input, converter);
      expect(result).toMatchObject({ code, stdout: '' });
      expect(result.stderr).toMatch(/^error: /m);
      expect(result.stderr).toContain(place);
      expect(result.stderr).toContain(reason);
      expect(result.stderr).toMatch(/^hint: /m);
    }
  });
});

describe('the pull secret of ICC, in a file', () => {
  const json = '{"auths":{"quay.io":{"auth":"aHVudGVyMjp4"}}}';
  const base64 = Buffer.from(json).toString('base64');
  const variables = { IRONIC_BASE_URL: 'https://192.0.2.1', IRONIC_AGENT_IMAGE: 'quay.io/a/b' };

  async function render(text: string | undefined, env = {}): Promise<RunResult> {
    const cwd = await mkdtemp(join(root, 'secret-'));
    if (text !== undefined) await writeFile(join(cwd, 'pull-secret'), text);
    const all = { ...variables, IRONIC_AGENT_PULL_SECRET_FILE: 'pull-secret', ...env };
    return runCli(['render', '--profile', 'icc'], { cwd, env: all });
  }

  it.each([
    ['base64', `${base64}\n`, base64],
    ['JSON', json, base64],
  ])('is read: %s', async (_title, text, expected) => {
    const { code, stderr, stdout } = await render(text);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`{"source":"data:;base64,${expected}","verification":{}}`);
    expect(stdout).toContain('--authfile=/etc/authfile.json');
  });

  it('is none where the file is empty, or nothing is mounted', async () => {
    for (const result of [
      await render('\n'),
      await render(undefined, { IRONIC_AGENT_PULL_SECRET_FILE: '' }),
    ]) {
      expect(result.code).toBe(0);
      expect(result.stdout).not.toContain('authfile');
    }
  });

  it('comes after the variable that holds it', async () => {
    const other = Buffer.from('{"auths":{"b":{"auth":"aHVudGVyMjp4"}}}').toString('base64');
    expect((await render(json, { IRONIC_AGENT_PULL_SECRET: other })).stdout).toContain(other);
    expect((await render(json, { IRONIC_AGENT_PULL_SECRET: ' ' })).stdout).toContain(base64);
  });

  it('is told to be missing where it was named', async () =>
    expect(await render(undefined)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('IRONIC_AGENT_PULL_SECRET_FILE'),
    }));

  it('is not shown where it is none', async () => {
    const { code, stderr } = await render('hunter2');
    expect(code).toBe(1);
    expect(stderr).not.toContain('hunter2');
  });
});

it('writes each certificate from the start of a line', async () => {
  const cwd = await mkdtemp(join(root, 'certificates-'));
  const pem = join(import.meta.dirname, '../../support/certificates/test-ca.pem');
  const certificate = (await readFile(pem, 'utf8')).trimEnd();
  await writeFile(join(cwd, 'a.pem'), certificate);
  const env = { IRONIC_BASE_URL: 'https://192.0.2.1', IRONIC_AGENT_IMAGE: 'quay.io/a/b' };
  const flags = ['--ca-file', 'a.pem', '--ca-file', 'a.pem'];
  const { code, stdout } = await runCli(['render', '--profile', 'icc', ...flags], { cwd, env });
  expect(code).toBe(0);
  expect(stdout).toContain(`data:text/plain,${encodeURIComponent(`${certificate}\n${certificate}`)}"`);
});

/** In namespaces of their own, the files that a command mounts are visible to no other process. */
const ownMounts = ['--user', '--map-root-user', '--mount'];
const mountNote =
  spawnSync('unshare', [...ownMounts, 'mount', '-t', 'tmpfs', 'tmpfs', '/run']).status === 0
    ? ''
    : ' (skipped: unshare cannot mount here)';

describe.skipIf(mountNote !== '')(
  `the pull secret that is mounted in the container of ICC${mountNote}`,
  () => {
    const secret = Buffer.from('{"auths":{"quay.io":{"auth":"aHVudGVyMjp4"}}}').toString('base64');
    const script =
      'mount -t tmpfs tmpfs /run && mkdir /run/secrets && echo "$0" > /run/secrets/pull-secret && exec "$@"';
    const key = `ssh-ed25519 ${Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20'.padEnd(51, 'k'), 'latin1').toString('base64')}`;
    const common = ['--api-url', 'https://192.0.2.1', '--agent-image', 'quay.io/a/b'];
    const options: Readonly<Record<ProfileName, readonly string[]>> = {
      default: [...common, '--ssh-key', key],
      buildpy: ['--host', '192.0.2.1', '--registry', '192.0.2.1:5000', '--ssh-key', key],
      icc: common,
      assisted: common,
      'configure-coreos-ipa': common,
    };

    it.each(profileNames)('is read for the profile icc only: %s', (profile) => {
      const render = [...programCommand, 'render', '--profile', profile, ...options[profile]];
      const { status, stderr, stdout } = spawnSync(
        'unshare',
        [...ownMounts, 'sh', '-c', script, secret, ...render],
        { cwd: root, encoding: 'utf8' },
      );
      expect({ status, error: /^error.*/m.exec(stderr)?.[0] }).toEqual({ status: 0, error: undefined });
      expect(JSON.parse(stdout)).toHaveProperty('ignition.version');
      expect(stdout.includes(`base64,${secret}`)).toBe(profile === 'icc');
      expect(stdout.includes('authfile')).toBe(profile === 'icc');
    });
  },
);
