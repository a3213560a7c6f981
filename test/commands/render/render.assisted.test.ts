/** `render --profile assisted`, against what assisted-service itself made of the same inputs. */

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/ignition/config.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';

interface RecordedInput {
  readonly ironicBaseURL: string;
  readonly ironicInspectorURL: string;
  readonly ironicAgentImage: string;
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: string | undefined;
  readonly staticNetworkConfig?: string;
}

const folder = sharedData === undefined ? '' : join(sharedData, 'agent-golden');
const names = sharedData === undefined ? [] : await readdir(folder);
const casesOf = (kind: string): string[] =>
  names.flatMap((name) => new RegExp(`^assisted-(${kind}-.*)\\.input\\.json$`).exec(name)?.[1] ?? []);

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'render assisted '));
  await writeFile(join(root, 'state.yaml'), 'interfaces:\n- name: eth0\n  type: ethernet\n');
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

const readGolden = async (name: string): Promise<Config> =>
  JSON.parse(await readFile(join(folder, `assisted-${name}.json`), 'utf8'));

async function readInput(name: string): Promise<RecordedInput> {
  return JSON.parse(await readFile(join(folder, `assisted-${name}.input.json`), 'utf8'));
}

function render(input: RecordedInput, ...args: readonly string[]): Promise<RunResult> {
  const env = {
    IRONIC_BASE_URL: input.ironicBaseURL,
    IRONIC_INSPECTOR_BASE_URL: input.ironicInspectorURL,
    IRONIC_AGENT_IMAGE: input.ironicAgentImage,
    HTTP_PROXY: input.httpProxy,
    HTTPS_PROXY: input.httpsProxy,
    NO_PROXY: input.noProxy,
  };
  return runCli(['render', '--profile', 'assisted', ...args], { env, cwd: root });
}

/** The discovery config before the ironic part was merged in. */
function withoutIronic({ storage, systemd, ...config }: Config): Config {
  return {
    ...config,
    storage: {
      ...storage,
      files: storage?.files?.filter(({ path }) => path !== '/etc/ironic-python-agent.conf') ?? [],
    },
    systemd: { units: systemd?.units?.filter(({ name }) => name !== 'ironic-agent.service') ?? [] },
  };
}

const starting = (config: Config): Config => ({
  ...config,
  systemd: {
    units:
      config.systemd?.units?.map((unit) =>
        unit.name === 'agent.service' ? { ...unit, enabled: true } : unit,
      ) ?? [],
  },
});

describe.skipIf(sharedData === undefined)(`recorded runs of assisted-service${sharedDataNote}`, () => {
  it('are several', () => expect(casesOf('ironic').length + casesOf('discovery').length).toBeGreaterThan(6));

  it.each(casesOf('ironic'))('%s: the same config', async (name) => {
    const input = await readInput(name);
    const network = input.staticNetworkConfig === undefined ? [] : ['--nmstate', 'state.yaml'];
    const result = await render(input, ...network);
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual(await readGolden(name));
  });

  it('err-ironic-no-url: refused', async () => {
    const result = await render(await readInput('err-ironic-no-url'));
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('requires IRONIC_BASE_URL');
  });

  const converged = casesOf('discovery').filter((name) => !name.includes('nonconverged'));

  it.each(converged)('%s: the same when the ironic part is merged in, and once more', async (name) => {
    const { httpProxy, httpsProxy, noProxy, ...input } = await readInput(name);
    const golden = await readGolden(name);
    const unit = golden.systemd?.units?.find(({ name: unitName }) => unitName === 'ironic-agent.service');
    // The service copies a percent sign into the unit as it is, which is refused here: see the test below.
    const isBroken = unit?.contents?.includes('%40') === true;
    const proxies = isBroken ? {} : { httpProxy, httpsProxy, noProxy };
    const rest = withoutIronic(golden);
    for (const discovery of [rest, starting(rest), golden, starting(golden)]) {
      await writeFile(join(root, 'discovery.ign'), JSON.stringify(discovery));
      const result = await render({ ...input, ...proxies }, '--discovery', 'discovery.ign');
      expect(result.code).toBe(0);
      const merged: Config = JSON.parse(result.stdout);
      expect(isBroken ? withoutIronic(merged) : merged).toEqual(isBroken ? rest : golden);
    }
  });

  it('discovery-nonconverged: becomes the converged one', async () => {
    const path = join(folder, 'assisted-discovery-nonconverged.json');
    const result = await render(await readInput('discovery-nonconverged'), '--discovery', path);
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual(await readGolden('discovery-converged'));
  });

  it('discovery-converged-full: a percent sign in a proxy is refused', async () => {
    const result = await render(await readInput('discovery-converged-full'));
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/HTTP_PROXY contains "%".*\nhint: /);
    expect(result.stderr).not.toContain('p%40ss');
  });
});

describe('profile assisted', () => {
  const env = { IRONIC_BASE_URL: 'https://192.0.2.1', IRONIC_AGENT_IMAGE: 'quay.io/metal3-io/ironic-agent' };
  const run = (...args: readonly string[]): Promise<RunResult> =>
    runCli(['render', '--profile', 'assisted', ...args], { env, cwd: root });

  it('mounts the D-Bus socket, by which the agent starts agent.service', async () => {
    const { code, stdout } = await run();
    expect(code).toBe(0);
    expect(stdout).toContain('src=/run/dbus/system_bus_socket,dst=/run/dbus/system_bus_socket');
  });

  it('writes what it merged with a pull secret for the owner alone', async () => {
    const contents = '[Service]\nEnvironment=PULL_SECRET_TOKEN=dXNlcjpwdw\nExecStart=/bin/true\n';
    const discovery = {
      ignition: { version: '3.1.0' },
      systemd: { units: [{ name: 'agent.service', contents }] },
    };
    await writeFile(join(root, 'small.ign'), JSON.stringify(discovery));
    const result = await run('--discovery', 'small.ign', '-o', 'merged.ign');
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(result.stderr).toContain('mode 0600 because it contains');
  });

  it.each([
    ['a discovery config without agent.service', { ignition: { version: '3.1.0' } }, 'no unit agent.service'],
    [
      'one that is not valid',
      { ignition: { version: '3.1.0' }, storage: { files: [{ path: 'x' }] } },
      'not a valid Ignition config',
    ],
    [
      'one that is newer',
      {
        ignition: { version: '3.4.0' },
        kernelArguments: { shouldExist: ['a'] },
        systemd: { units: [{ name: 'agent.service' }] },
      },
      'cannot be translated',
    ],
  ])('refuses %s', async (_title, discovery, text) => {
    await writeFile(join(root, 'wrong.ign'), JSON.stringify(discovery));
    const result = await run('--discovery', 'wrong.ign');
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toContain(text);
  });

  it.each(['--hostname', '--ntp-server', '--ssh-key'])(
    'refuses %s, which is for the service',
    async (flag) => {
      const result = await run(flag, 'x');
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toContain(`profile assisted does not support ${flag}`);
    },
  );
});
