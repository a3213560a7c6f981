/** Mistakes in the inputs of `render` that would cost a machine: refused, or reported where they may be intended. */

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli, type RunResult } from '../../support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'render mistakes '));
afterAll(() => rmSync(cwd, { recursive: true }));

const certificates = resolve(import.meta.dirname, '../../support/certificates');
const encode = (text: string): string => Buffer.from(text).toString('base64');
const secretOf = (registry: string, auth: string): string =>
  JSON.stringify({ auths: { [registry]: { auth } } });
const good = encode('user:hunter2');

const files: Readonly<Record<string, string>> = {
  'broken.conf': '[[registry]]\nlocation = quay.io\n',
  'url.conf': '[[registry]]\nlocation = "https://quay.io"\ninsecure = 1\n',
  'mirror.conf':
    '[[registry]]\nlocation = "quay.io"\n[[registry.mirror]]\nlocation = "mirror.example.com:5000/q"\n',
  'search.conf': 'unqualified-search-registries = ["quay.io"]\n',
  'lan.conf': '[[registry]]\nlocation = "localhost.lan:5000"\ninsecure = true\n',
  'local.conf': '[[registry]]\nlocation = "localhost:5000"\n',
  'good.json': secretOf('quay.io', good),
  'mirror.json': secretOf('mirror.example.com:5000', good),
  'other.json': secretOf('registry.example.com', good),
  'nocolon.json': secretOf('quay.io', encode('hunter2')),
  'empty.json': secretOf('quay.io', ''),
  'text.json': secretOf('quay.io', 'user:hunter2'),
  'garbage.pub': 'hunter2\n',
  'site.yaml':
    'agent:\n  ironic.apiUrls: https://localhost\n  host.ntpServers: [127.0.0.1]\n  agent.image: ironic-agent\n',
  'both.yaml':
    'agent:\n  ironic.apiUrls: https://192.0.2.1\n  ironic.insecure: true\n  ironic.caFiles: [ca.pem]\n',
  'good.service': '[Service]\nExecStart=/bin/x\n[Install]\nWantedBy=multi-user.target\n',
  'none.yaml': 'agent:\n  agent.debug: true\n',
};
copyFileSync(join(certificates, 'test-ca.pem'), join(cwd, 'ca.pem'));
for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);

const url = ['--api-url', 'https://192.0.2.1:6385'];
const render = (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<RunResult> => runCli(['render', '--no-ssh-key', ...args], { cwd, env });

it('render refuses an inventory that is not UTF-8', async () => {
  writeFileSync(join(cwd, 'latin1.yaml'), Buffer.from('agent: {host.hostname: \xe9}\n', 'latin1'));
  expect(await render(['--inventory', 'latin1.yaml'])).toMatchObject({
    code: 1,
    stderr: 'error: latin1.yaml: it is not UTF-8\nhint: save the file as UTF-8\n',
  });
});

describe('render refuses what can never work', () => {
  it.each([
    [
      'a path that is appended again',
      ['--api-url', 'https://h:6385/v1'],
      2,
      '--api-url: the URL contains the path /v1',
    ],
    [
      'an address to listen on',
      ['--api-url', 'http://0.0.0.0:6385'],
      2,
      '--api-url: 0.0.0.0 is an address to listen on',
    ],
    [
      'link-local without a zone',
      ['--api-url', 'http://[fe80::1]'],
      2,
      '--api-url: fe80::1 is link-local and has no zone',
    ],
    [
      'an inspector at no address',
      [...url, '--inspector-url', 'http://[::]'],
      2,
      '--inspector-url: :: is an address',
    ],
    [
      'a time server at no address',
      [...url, '--ntp-server', '0.0.0.0'],
      1,
      '--ntp-server: 0.0.0.0 is an address',
    ],
    [
      'a registry at no address',
      [...url, '--agent-image', '0.0.0.0:5000/a'],
      1,
      '--agent-image: 0.0.0.0 is an address',
    ],
    [
      'a proxy at no address',
      [...url, '--https-proxy', 'http://[ff02::1]:80'],
      1,
      '--https-proxy: ff02::1 is not',
    ],
    [
      'registries.conf that is not TOML',
      [...url, '--registries-conf', 'broken.conf'],
      1,
      'broken.conf:2:12: the file is not TOML',
    ],
    [
      'registries.conf that podman refuses',
      [...url, '--registries-conf', 'url.conf'],
      1,
      'url.conf:3:1: invalid value of "insecure"',
    ],
    [
      'credentials that are not base64',
      [...url, '--pull-secret', 'text.json'],
      1,
      '--pull-secret: the entry for "quay.io" has an "auth" that is not base64',
    ],
  ])('%s', async (_title, args, code, message) => {
    const result = await render(args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(`error: ${message}`);
    expect(result.stderr).toMatch(/\nhint: [a-z]/);
    expect(result.stderr).not.toMatch(new RegExp(`hunter2|${good}`));
  });
});

describe('render refuses what certainly does not start', () => {
  it.each([
    [
      'a mount of a file that nothing writes',
      [...url, '--podman-arg', '--volume=/etc/ironic.d:/x'],
      'ironic-agent.service: ExecStart=: the container mounts "/etc/ironic.d", which the config does not write',
    ],
    [
      'a short name',
      [...url, '--agent-image', 'ironic-agent:latest'],
      '--agent-image: the image ironic-agent:latest has no registry',
    ],
    [
      'a registry that is a name',
      [...url, '--registry', 'registry'],
      '--registry: the image registry/ironic-agent has no registry',
    ],
    [
      'a port that is a tag',
      [...url, '--agent-image', 'registry:5000'],
      '--agent-image: the image registry:5000 has no registry',
    ],
  ])('%s', async (_title, args, message) => {
    const { code, stderr, stdout } = await render(args);
    expect({ isRefused: code !== 0, stdout }).toEqual({ isRefused: true, stdout: '' });
    expect(stderr).toContain(`error: ${message}`);
  });
});

describe('render warns of what may be intended', () => {
  const loopback = 'is the booted machine itself (loopback)';
  it.each([
    ['loopback', ['--api-url', 'https://localhost'], `--api-url: localhost ${loopback}`],
    [
      'an inspector on loopback',
      [...url, '--inspector-url', 'https://[::1]'],
      `--inspector-url: ::1 ${loopback}`,
    ],
    [
      'a callback on loopback',
      [...url, '--inspection-callback-url', 'https://127.0.0.1:5050/v1/continue'],
      `--inspection-callback-url: 127.0.0.1 ${loopback}`,
    ],
    [
      'a callback without a path',
      [...url, '--inspection-callback-url', 'https://192.0.2.1:5050'],
      '--inspection-callback-url: the URL does not contain the path',
    ],
    [
      'a private address without a CA',
      ['--api-url', 'https://10.0.0.1'],
      '--api-url: no public CA issues certificates for 10.0.0.1',
    ],
    [
      'a private registry without a CA',
      [...url, '--agent-image', '10.0.0.1:5000/ipa'],
      '--agent-image: no public CA issues certificates for 10.0.0.1:5000, so podman rejects',
    ],
    ['link-local', ['--api-url', 'https://169.254.1.1'], '--api-url: 169.254.1.1 is link-local'],
    [
      'build.py on loopback',
      ['--host', '127.0.0.1', '--registry', 'r.example:5000'],
      `--host: 127.0.0.1 ${loopback}`,
    ],
    ['a time server', [...url, '--ntp-server', 'localhost'], `--ntp-server: localhost ${loopback}`],
    [
      'a proxy',
      [...url, '--http-proxy', 'http://u:hunter2@localhost:1'],
      `--http-proxy: localhost ${loopback}`,
    ],
    ['a registry', [...url, '--agent-image', 'localhost:5000/a'], `--agent-image: localhost ${loopback}`],
    ['a location', [...url, '--registries-conf', 'local.conf'], `--registries-conf: localhost ${loopback}`],
    [
      'another registry',
      [...url, '--pull-secret', 'other.json'],
      '--pull-secret: the pull secret has no entry for the image quay.io/metal3-io/ironic-agent: it has entries for registry.example.com',
    ],
    [
      'no colon',
      [...url, '--pull-secret', 'nocolon.json'],
      '--pull-secret: the entry for "quay.io" has an "auth" that is not the base64 of USER:PASSWORD',
    ],
    [
      'an empty auth',
      [...url, '--pull-secret', 'empty.json'],
      '--pull-secret: the entry for "quay.io" has no "auth"',
    ],
  ])('%s', async (_title, args, message) => {
    const result = await render(args);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain(`warning: ${message}`);
    expect(result.stderr.match(/^warning: /gm)).toHaveLength(1);
    expect(result.stderr).not.toMatch(new RegExp(`hunter2|${good}`));
  });

  it.each([
    ['a URL with a path', ['--api-url', 'https://cloud.example/baremetal']],
    [
      'a private address with a CA',
      [
        ...url,
        '--option',
        'inspection_callback_url = https://10.0.0.1/v1/continue',
        '--ca-file',
        join(certificates, 'test-ca.pem'),
      ],
    ],
    ['a unit in the config of build.py', ['--host', '192.0.2.1', '--unit', 'good.service']],
    [
      'a private registry with a CA',
      [...url, '--agent-image', '10.0.0.1:5000/ipa', '--ca-file', join(certificates, 'test-ca.pem')],
    ],
    [
      'a private registry that is not verified',
      [...url, '--agent-image', '10.0.0.1:5000/ipa', '--insecure-registry'],
    ],
    [
      'a private registry with an entry in registries.conf',
      [...url, '--agent-image', 'localhost.lan:5000/ipa', '--registries-conf', 'lan.conf'],
    ],
    ['a zone', ['--api-url', 'http://[fe80::1%25eno1]']],
    [
      'a short name with one registry',
      [...url, '--agent-image', 'ironic-agent', '--registries-conf', 'search.conf'],
    ],
    [
      'an image that is there',
      [...url, '--agent-image', 'localhost/ironic-agent', '--pull-policy', 'missing'],
    ],
    ['credentials for the registry', [...url, '--pull-secret', 'good.json']],
    [
      'credentials for a mirror',
      [...url, '--pull-secret', 'mirror.json', '--registries-conf', 'mirror.conf'],
    ],
  ])('and of nothing else: %s', async (_title, args) => {
    expect(await render(args)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('the same is said of', () => {
  it('the environment', async () => {
    const env = {
      IRONIC_BASE_URL: 'https://localhost/baremetal',
      IRONIC_AGENT_IMAGE: '10.0.0.1:5000/ironic-agent',
      IRONIC_AGENT_PULL_SECRET: encode(files['nocolon.json'] ?? ''),
    };
    const { code, stderr } = await render([], env);
    expect(code).toBe(0);
    for (const name of Object.keys(env)) expect(stderr).toContain(`warning: ${name}: `);
    const chosen = await render([], {
      IRONIC_BASE_URL: 'https://192.0.2.1/baremetal',
      IRONIC_ACCESS_PORT: '6388',
    });
    expect(chosen).toMatchObject({ code: 0, stderr: '' });
  });

  it('an inventory', async () => {
    const { code, stderr } = await render(['--inventory', 'site.yaml'], { IRONIC_AGENT_IMAGE: undefined });
    expect(code).not.toBe(0);
    expect(stderr).toContain('host.ntpServers: 127.0.0.1 is the booted machine itself');
    expect(stderr).toContain('error: site.yaml:4:16: agent.image: the image ironic-agent has no registry');
  });
});

const run = (env: Readonly<Record<string, string>>, ...args: string[]): Promise<RunResult> =>
  runCli(['render', ...args], { cwd, env });

describe('the key of IRONIC_RAMDISK_SSH_KEY', () => {
  it('is checked as that of --ssh-key', async () => {
    const byEnv = await run({ IRONIC_RAMDISK_SSH_KEY: 'hunter2' }, ...url);
    const byFlag = await run({}, ...url, '--ssh-key', 'garbage.pub');
    expect(byEnv).toMatchObject({ code: 2, stdout: '' });
    const asFlag = byFlag.stderr.replace('--ssh-key: garbage.pub', 'IRONIC_RAMDISK_SSH_KEY');
    expect(byEnv.stderr).toContain(asFlag);
    expect(byEnv.stderr).toContain('error: IRONIC_RAMDISK_SSH_KEY contains no SSH public key');
    expect(byEnv.stderr).not.toContain('hunter2');
  });

  it('is written as it is for users of other generators', async () => {
    const env = {
      IRONIC_RAMDISK_SSH_KEY: 'garbage',
      IRONIC_BASE_URL: 'https://h',
      IRONIC_AGENT_IMAGE: 'q.io/a/b',
    };
    const result = await run(env, '--profile', 'icc');
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('"sshAuthorizedKeys":["garbage"]');
    expect(result.stderr).toContain('warning: IRONIC_RAMDISK_SSH_KEY');
  });
});

describe('other generators', () => {
  it('keep what they make of addresses, with a warning', async () => {
    const env = { IRONIC_BASE_URL: 'http://0.0.0.0/v1', IRONIC_AGENT_IMAGE: 'quay.io/a/b' };
    const { code, stderr, stdout } = await render(['--profile', 'icc'], env);
    expect(code).toBe(0);
    expect(stdout).toContain(encodeURIComponent('api_url = http://0.0.0.0:6385/v1\n'));
    expect(stderr).toContain('warning: IRONIC_BASE_URL: 0.0.0.0 is an address to listen on');
  });

  it('do not pull an image without a name, either', async () => {
    const env = { IRONIC_BASE_URL: 'https://192.0.2.1', IRONIC_AGENT_IMAGE: 'quay.io' };
    const { code, stderr, stdout } = await render(['--profile', 'icc'], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('error: IRONIC_AGENT_IMAGE: the image quay.io has no registry');
  });
});

describe('where Ironic is missing', () => {
  const missing = 'error: the URL of Ironic is missing';
  it.each([
    [
      'render',
      ['render'],
      'hint: pass --api-url https://192.0.2.1:6385, or set IRONIC_BASE_URL or ironic.apiUrls',
    ],
    ['render with an inventory', ['render', '--inventory', 'none.yaml'], 'hint: pass --api-url'],
    ['render with a registry', ['render', '--registry', 'r'], 'hint: pass --host 192.0.2.1 or --api-url'],
    [
      'prepare',
      ['prepare', '-o', 'out', '--base-url', 'http://192.0.2.1', '--artifacts', 'ign'],
      'hint: set ironic.apiUrls under "agent" in an inventory (--inventory FILE)',
    ],
    [
      'serve',
      ['serve', '--artifacts', 'ign', '--listen', '127.0.0.1:0', '--log', 'text'],
      'hint: set ironic.apiUrls under "agent" in an inventory (--inventory FILE)',
    ],
  ])('%s names what the command takes', async (_title, args, hint) => {
    const { code, stderr } = await runCli(args, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(missing);
    expect(stderr).toContain(hint);
    expect(stderr.includes('--api-url')).toBe(args.includes('render'));
  });
});

it.each([
  ['at its commands', 'ironic-agent.service', '[Service]\n', 'ExecStart=/bin/podman run x\n'],
  ['at its quotes', 'other.service', '[Service]\n', 'ExecStop=/bin/true "\n'],
  ['at its variables', 'other.service', '[Service]\n', 'Environment=A=%20\n'],
])(
  'a merged unit with thousands of findings %s is reported in seconds, with a thousand of them',
  async (...unit) => {
    const [title, name, start, line] = unit;
    const contents = `${start}${line.repeat(10_000)}[Install]\nWantedBy=multi-user.target\n`;
    const units = [{ name, enabled: true, contents }];
    const file = `${title.replaceAll(' ', '-')}.ign`;
    writeFileSync(join(cwd, file), JSON.stringify({ ignition: { version: '3.4.0' }, systemd: { units } }));
    const started = process.cpuUsage();
    const args = ['render', '--api-url', 'https://192.0.2.1', '--merge', file];
    const { stderr } = await runCli(args, { cwd });
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(15_000);
    expect(stderr.split('\n').filter((text) => /^(?:error|warning):/.test(text)).length).toBeLessThan(2100);
  },
  60_000,
);

it('an invalid option of the agent in an inventory has its place', async () => {
  const options = ['ip_lookup_attempts = 6', 'listen_port = x'];
  const agent = { 'ironic.apiUrls': 'https://192.0.2.1', 'agent.options': options };
  writeFileSync(join(cwd, 'options.yaml'), JSON.stringify({ agent }, null, 1));
  const args = ['render', '--inventory', 'options.yaml', '--no-ssh-key'];
  const { code, stderr } = await runCli(args, { cwd });
  expect(stderr).toMatch(/^error: options\.yaml:6:4: agent\.options listen_port: /);
  expect(code).toBe(1);
});

it('an option of the agent in an inventory that overrides a setting has its place', async () => {
  const options = ['ip_lookup_attempts = 6', 'debug = false'];
  const agent = { 'ironic.apiUrls': 'https://192.0.2.1', 'agent.debug': true, 'agent.options': options };
  writeFileSync(join(cwd, 'options.yaml'), JSON.stringify({ agent }, null, 1));
  const args = ['render', '--inventory', 'options.yaml', '--no-ssh-key'];
  const { code, stderr } = await runCli(args, { cwd });
  expect(stderr).toContain(
    'warning: options.yaml:4:18: agent.debug: options.yaml:7:4: agent.options debug overrides it',
  );
  expect(code).toBe(0);
});

it('a finding about the conf names its input, also if another config raises the version', async () => {
  const merged = { ignition: { version: '3.5.0' }, storage: { directories: [{ path: '/opt/x' }] } };
  writeFileSync(join(cwd, 'newer.ign'), JSON.stringify(merged));
  writeFileSync(join(cwd, 'own.conf'), '[DEFAULT]\nunknwn = 1\n');
  const args = [...url, '--merge', 'newer.ign', '--conf', 'own.conf', '--option', 'hunter = 2'];
  const { code, stderr } = await runCli(['render', '--no-ssh-key', ...args], { cwd });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: own\.conf:2:1: unknown option/m);
  expect(stderr).toMatch(/^warning: --option hunter: unknown option/m);
});

describe('where SSH keys are missing', () => {
  const agent = 'agent: {ironic.apiUrls: "https://192.0.2.1"}\nhosts: [{name: a}]\n';
  it('render names its flags, and prepare the setting', async () => {
    writeFileSync(join(cwd, 'keyless.yaml'), agent);
    const given = ['--inventory', 'keyless.yaml', '-o'];
    const rendered = await runCli(['render', ...given, 'keyless'], { cwd });
    expect(rendered.stderr).toMatch(/hint: pass --ssh-key FILE or .*--no-ssh-key/);
    const prepared = await runCli(['prepare', ...given, 'prepared', '--artifacts', 'ign'], { cwd });
    expect(prepared.stderr).toContain('hint: set host.sshKeys under "agent" in an inventory');
    expect(prepared.stderr).not.toContain('ssh-key ');
  });
});

it('render reports what is checked where it is read once, also beside a unit of the user', async () => {
  copyFileSync(join(certificates, 'expired-ca.pem'), join(cwd, 'old.pem'));
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM0udqt3Kr6gwCP3CMFKQjF6Ax1NjKUYvOoFvuRydfaH';
  writeFileSync(join(cwd, 'two.pub'), `${key}\n${key.replace('ssh-ed25519', 'ssh-x')}\n`);
  const image = ['--agent-image', 'registry.example.com/a', '--unit', 'good.service'];
  const args = ['--ca-file', 'old.pem', '--ssh-key', 'two.pub', '--ntp-server', '127.0.0.1'];
  const { stderr } = await runCli(['render', ...url, ...image, ...args], { cwd });
  const starts = stderr.match(/^warning: \S+/gm);
  expect(starts).toEqual(['warning: --ca-file:', 'warning: --ssh-key:', 'warning: --ntp-server:']);
});
