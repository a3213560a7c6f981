/** `render` with the flags of build.py, against what build.py itself printed. */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/ignition/config.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';

const key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 ipa-test@example';

interface Meta {
  readonly argv: readonly string[];
  readonly home_ssh_files: Readonly<Record<string, string>>;
  readonly rc: number;
}

/** Runs that are refused: exit code, and what the message names. */
const refused: Readonly<Record<string, readonly [code: 1 | 2, name: string]>> = {
  'abbrev-flags': [2, '--ho'],
  'err-bad-tls': [2, '--tls'],
  'err-no-host': [2, '--host'],
  'err-unknown-flag': [1, '--pull-secret'], // a flag of ours, and there is no file `x`
  'host-garbage': [2, '--host'],
  'host-with-port': [2, '--host'],
  'key-empty': [1, 'contains no SSH public key'],
  'registry-placeholder': [2, '--registry'],
  'registry-quote': [2, '--registry'],
};

/** Runs that build.py gets wrong, and what comes of them here. */
const mended: Readonly<Record<string, readonly [read: (config: Config) => unknown, expected: unknown]>> = {
  'err-no-registry': [pulledImage, 'quay.io/metal3-io/ironic-agent'],
  'ipv6-raw': [apiUrl, 'http://[fd00:1101::3]:6385'],
  'key-multiline': [keysOf, ['ssh-ed25519 AAAA a', 'ssh-ed25519 BBBB b']],
  'key-placeholder': [keysOf, ['ssh-ed25519 AAAA %CONF%']],
  'key-quote-comment': [keysOf, ['ssh-ed25519 AAAA me "the" \\ admin']],
  'two-keys': [keysOf, [key]], // by name; the file system of that run listed the other one first
};

const folder = sharedData === undefined ? '' : join(sharedData, 'agent-golden');
const cases = sharedData === undefined ? [] : await recordedCases(folder);

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'render buildpy '));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

async function recordedCases(path: string): Promise<string[]> {
  const names = await readdir(path);
  return names.flatMap((name) => /^buildpy-(.*)\.meta\.json$/.exec(name)?.[1] ?? []);
}

async function renderAtHome(
  sshFiles: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<RunResult> {
  const home = await mkdtemp(join(root, 'home-'));
  await mkdir(join(home, '.ssh'));
  for (const [name, text] of Object.entries(sshFiles)) await writeFile(join(home, '.ssh', name), text);
  return runCli(['render', ...args], { env: { HOME: home }, cwd: home });
}

function parseConfig(text: string): Config {
  return JSON.parse(text);
}

function keysOf(config: Config): unknown {
  return config.passwd?.users?.[0]?.sshAuthorizedKeys;
}

function unitOf(config: Config): string {
  return config.systemd?.units?.[0]?.contents ?? '';
}

function pulledImage(config: Config): unknown {
  return /^ExecStartPre=\/bin\/podman pull (\S+)/m.exec(unitOf(config))?.[1];
}

function confOf(config: Config): string {
  const source = config.storage?.files?.find(({ path }) => path === '/etc/ironic-python-agent.conf')?.contents
    ?.source;
  return Buffer.from((source ?? '').replace('data:;base64,', ''), 'base64').toString();
}

function apiUrl(config: Config): unknown {
  return /^api_url = (.*)/m.exec(confOf(config))?.[1];
}

async function renderRecorded(name: string): Promise<RunResult> {
  const meta: Meta = JSON.parse(await readFile(join(folder, `buildpy-${name}.meta.json`), 'utf8'));
  return renderAtHome(meta.home_ssh_files, meta.argv);
}

describe.skipIf(sharedData === undefined)(`recorded runs of build.py${sharedDataNote}`, () => {
  it('are many', () => expect(cases.length).toBeGreaterThan(20));

  it.each(cases.filter((name) => !(name in refused) && !(name in mended) && name !== 'help'))(
    '%s: the same config, as JSON that can be read',
    async (name) => {
      const result = await renderRecorded(name);
      expect(result.code).toBe(0);
      const golden = await readFile(join(folder, `buildpy-${name}.json`), 'utf8');
      expect(JSON.parse(result.stdout)).toEqual(JSON.parse(golden));
      expect(result.stdout).toMatch(/^\{\n {2}"ignition"/);
    },
  );

  it.each(Object.entries(mended))('%s: mended', async (name, [read, expected]) => {
    const result = await renderRecorded(name);
    expect(result.code).toBe(0);
    expect(read(parseConfig(result.stdout))).toEqual(expected);
  });

  it.each(Object.entries(refused))('%s: refused', async (name, [code, flag]) => {
    const result = await renderRecorded(name);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(flag);
  });

  it('help: told', async () => expect(await renderRecorded('help')).toMatchObject({ code: 0, stderr: '' }));
});

describe('build.py flags', () => {
  const home = { 'id_ed25519.pub': `${key}\n` };

  it.each([
    ['brackets around IPv6 are kept', ['--host', '[2001:db8::1]'], 'api_url = http://[2001:db8::1]:6385\n'],
    [
      'a section by --option',
      ['--host', 'h', '--option', '[mdns]', '--option', 'lookup_attempts = 2'],
      '/v1/continue\n[mdns]\nlookup_attempts = 2\n',
    ],
    [
      'insecure stays in [DEFAULT] where --option opens a section',
      [
        '--host',
        'h',
        '--tls',
        'insecure',
        '--option',
        'debug = True',
        '--option',
        '[mdns]',
        '--option',
        'lookup_attempts = 2',
      ],
      '/v1/continue\ndebug = True\ninsecure = True\n[mdns]\nlookup_attempts = 2\n',
    ],
    ['letters beyond ASCII', ['--host', 'h', '--option', 'advertise_host = é'], 'advertise_host = é\n'],
    ['a value with quotes', ['--host', 'h', '--option', 'log_file = "a b"'], 'log_file = "a b"\n'],
    [
      'mDNS by --option, as a repeated option',
      ['--host', 'h', '--option', 'api_url = mdns'],
      '/v1/continue\napi_url = mdns\n',
    ],
  ])('%s', async (_title, args, text) => {
    const result = await renderAtHome(home, args);
    expect(result.code).toBe(0);
    expect(confOf(parseConfig(result.stdout))).toContain(text);
  });

  it('take the first key by name, and say so', async () => {
    const result = await renderAtHome({ ...home, 'id_rsa.pub': 'ssh-rsa AAAAB3Nza second@host\n' }, [
      '--host',
      'h',
    ]);
    expect(keysOf(parseConfig(result.stdout))).toEqual([key]);
    expect(result.stderr).toMatch(/^warning: .*id_ed25519\.pub.*id_rsa\.pub/m);
  });

  it('need a key, or --no-ssh-key', async () => {
    const none = await renderAtHome({ known_hosts: 'x' }, ['--host', 'h']);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('No SSH public keys found');
    expect(none.stderr).toMatch(/hint: .*--ssh-key.*--no-ssh-key/);
    const meant = await renderAtHome({}, ['--host', 'h', '--no-ssh-key']);
    expect(meant).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(meant.stdout)).not.toHaveProperty('passwd');
  });

  it.each([
    ['--host with --api-url', ['--host', 'h', '--api-url', 'http://h'], ['--host', '--api-url']],
    [
      '--registry with --agent-image',
      ['--host', 'h', '--registry', 'r', '--agent-image', 'i'],
      ['--registry', '--agent-image'],
    ],
    ['--host with --insecure', ['--host', 'h', '--insecure'], ['--insecure', '--host']],
    [
      '--host with --inspector',
      ['--host', 'h', '--inspector', 'http://h'],
      ['--host', '--inspection-callback-url'],
    ],
    [
      '--tls with --api-url',
      ['--api-url', 'http://h', '--tls', 'on'],
      ['--tls requires --host', '--api-url'],
    ],
    [
      '--ssh-key with --no-ssh-key',
      ['--host', 'h', '--ssh-key', key, '--no-ssh-key'],
      ['--ssh-key', '--no-ssh-key'],
    ],
    ['a line break in --option', ['--host', 'h', '--option', 'debug = True\ninsecure = True'], ['--option']],
    ['a continuation line in --option', ['--host', 'h', '--option', ' debug = True'], ['--option']],
    ['a line break in --host', ['--host', 'h\ninsecure = True'], ['--host']],
    ['an unknown flag', ['--host', 'h', '--nonsense'], ['--nonsense']],
    ['no address at all', [], ['--api-url']],
  ])('refuse %s', async (_title, args, names) => {
    const result = await renderAtHome(home, args);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    for (const name of names) expect(result.stderr).toContain(name);
  });

  it('are required by the profile of an inventory', async () => {
    const inventory = { ...home, 'inv.yaml': 'profile: buildpy\nagent: {debug: true}\n' };
    const { code, stderr } = await renderAtHome(inventory, ['--inventory', '.ssh/inv.yaml']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: profile buildpy requires --host\n/);
  });

  it('take what build.py has not: pull secret, proxy, hostname', async () => {
    const result = await renderAtHome({ ...home, 'auth.json': '{"auths":{"quay.io":{"auth":"dTpw"}}}' }, [
      '--host',
      'h',
      '--pull-secret',
      '.ssh/auth.json',
      '--http-proxy',
      'http://p:3128',
      '--hostname',
      'worker-0',
    ]);
    const config = parseConfig(result.stdout);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(config.ignition?.version).toBe('3.1.0');
    expect(config.storage?.files?.map(({ path, mode }) => [path, mode])).toEqual([
      ['/etc/ironic-python-agent.conf', undefined],
      ['/etc/authfile.json', 0o600],
      ['/etc/NetworkManager/dispatcher.d/01-hostname', 0o755],
    ]);
    expect(unitOf(config)).toContain('quay.io/metal3-io/ironic-agent --authfile=/etc/authfile.json\n');
  });
});
