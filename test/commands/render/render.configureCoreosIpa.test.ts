/** `render --profile configure-coreos-ipa`, against what that script of ironic-image made of the same environment. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, type RunResult } from '../../support/runCli.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';

type Environment = Readonly<Record<string, string>>;

/** Environments that the script makes invalid JSON of, and what the message names. */
const refused: Readonly<Record<string, string>> = {
  'bad-quote-image': 'IRONIC_AGENT_IMAGE is not an image reference',
};

const folder = sharedData === undefined ? '' : join(sharedData, 'agent-golden');
const cases = sharedData === undefined ? [] : await recordedCases();

async function recordedCases(): Promise<string[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => /^configure-coreos-ipa-(.*)\.input\.json$/.exec(name)?.[1] ?? []);
}

const run = (env: Environment, ...args: readonly string[]): Promise<RunResult> =>
  runCli(['render', '--profile', 'configure-coreos-ipa', ...args], {
    env: { IRONIC_AGENT_IMAGE: undefined, ...env },
  });

async function renderRecorded(name: string): Promise<RunResult> {
  const text = await readFile(join(folder, `configure-coreos-ipa-${name}.input.json`), 'utf8');
  const { env }: { readonly env: Environment } = JSON.parse(text);
  return run(env);
}

describe.skipIf(sharedData === undefined)(`recorded runs of configure-coreos-ipa${sharedDataNote}`, () => {
  it('are several', () => expect(cases.length).toBeGreaterThan(4));

  it.each(cases.filter((name) => !(name in refused)))('%s: the same config', async (name) => {
    const result = await renderRecorded(name);
    expect(result.code).toBe(0);
    const golden = await readFile(join(folder, `configure-coreos-ipa-${name}.json`), 'utf8');
    expect(JSON.parse(result.stdout)).toEqual(JSON.parse(golden));
  });

  it.each(cases.filter((name) => name in refused))('%s: refused', async (name) => {
    const result = await renderRecorded(name);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(refused[name]);
  });
});

describe('profile configure-coreos-ipa', () => {
  const env = { IRONIC_BASE_URL: 'http://192.0.2.1', IRONIC_AGENT_IMAGE: 'quay.io/metal3-io/ironic-agent' };

  it("has the script's defaults", async () => {
    const { code, stdout } = await run(env);
    expect(code).toBe(0);
    expect(stdout).toContain('podman pull quay.io/metal3-io/ironic-agent --tls-verify=false \\n');
    expect(decodeURIComponent(stdout)).toMatch(
      /api_url = http:\/\/192\.0\.2\.1:6385\ninspection_callback_url = http:\/\/192\.0\.2\.1:5050\/v1\/continue\n[^]*enable_vlan_interfaces = all\n/,
    );
  });

  const noUrl = { ...env, IRONIC_BASE_URL: '' };
  it.each<[string, Environment, string, string]>([
    [
      'the URL of ironic-image, with its port',
      { ...env, IRONIC_BASE_URL: 'https://[fd00::1]:6385' },
      'https://[fd00::1]:6385',
      'https://[fd00::1]:6385/v1/continue_inspection',
    ],
    [
      'its address',
      { ...noUrl, IRONIC_IP: 'fd00::1', IRONIC_ACCESS_PORT: '6386' },
      'http://[fd00::1]:6386',
      'http://[fd00::1]:6386/v1/continue_inspection',
    ],
    [
      'its address, and an inspector',
      { ...noUrl, PROVISIONING_IP: '192.0.2.1', IRONIC_INSPECTOR_ACCESS_PORT: '5050' },
      'http://192.0.2.1:6385',
      'http://192.0.2.1:5050/v1/continue',
    ],
    [
      'a URL beside an address',
      { ...env, IRONIC_IP: '192.0.2.9' },
      'http://192.0.2.1:6385',
      'http://192.0.2.1:5050/v1/continue',
    ],
  ])('takes %s', async (_title, variables, apiUrl, callbackUrl) => {
    const { code, stdout } = await run(variables);
    expect(code).toBe(0);
    expect(decodeURIComponent(stdout)).toContain(
      `api_url = ${apiUrl}\ninspection_callback_url = ${callbackUrl}\n`,
    );
  });

  it('says that it does not state the verification', async () => {
    const variables = { ...noUrl, IRONIC_IP: '192.0.2.1', IRONIC_SCHEME: 'https' };
    expect((await run(variables)).stderr).toContain('(conf-insecure-unset)');
    expect((await run({ ...variables, IRONIC_SCHEME: 'http' })).stderr).not.toContain('conf-insecure-unset');
  });

  it.each<[string, Environment, string]>([
    ['a URL with a path', { IRONIC_BASE_URL: 'http://192.0.2.1:6385/baremetal' }, 'IRONIC_BASE_URL: '],
    [
      'an address that is none',
      { IRONIC_BASE_URL: '', IRONIC_IP: 'ironic.example.com' },
      'IRONIC_IP: "ironic',
    ],
    [
      'a scheme that is none',
      { IRONIC_BASE_URL: '', IRONIC_IP: '192.0.2.1', IRONIC_SCHEME: 'ftp' },
      'invalid value "ftp" for IRONIC_SCHEME',
    ],
    ['a URL without scheme', { IRONIC_BASE_URL: '192.0.2.1' }, 'IRONIC_BASE_URL: '],
    [
      'flags with a quote',
      { IRONIC_AGENT_PODMAN_FLAGS: '--creds="a"' },
      'IRONIC_AGENT_PODMAN_FLAGS contains ',
    ],
    ['a port that is none', { IRONIC_ACCESS_PORT: 'many' }, 'IRONIC_ACCESS_PORT is not a valid port'],
    [
      'a pull secret as JSON',
      { IRONIC_AGENT_PULL_SECRET: '{"auths":{}}' },
      'IRONIC_AGENT_PULL_SECRET is not',
    ],
    ['no URL', { IRONIC_BASE_URL: '' }, 'requires IRONIC_BASE_URL'],
    ['no image', { IRONIC_AGENT_IMAGE: '' }, 'IRONIC_AGENT_IMAGE'],
  ])('refuses %s', async (_title, changed, text) => {
    const result = await run({ ...env, ...changed });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(text);
    expect(result.stderr).toMatch(/^hint: /m);
  });
});
