/** `render` in this program's own profile, as a user calls it. */

import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeDataUrl } from '../../../src/formats/dataUrl.ts';
import type { Config } from '../../../src/ignition/config.ts';
import { validateConfig } from '../../../src/ignition/validate.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 ipa-test@example';
const certificates = resolve(import.meta.dirname, '../../support/certificates');
const secret =
  '{"auths":{"quay.io":{"auth":"aHVudGVyMjp4"},"registry.example.com:5000":{"auth":"aHVudGVyMjp4"}}}';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'render default '));
  await copyFile(join(certificates, 'test-ca.pem'), join(cwd, 'ca.pem'));
  await copyFile(join(certificates, 'expired-ca.pem'), join(cwd, 'expired.pem'));
  const files: Record<string, string> = {
    'auth.json': `${secret}\n`,
    'auth.base64': `${Buffer.from(secret).toString('base64')}\n`,
    'auth.bad': '{"auth": "hunter2"}',
    'keys.pub': `# of the team\n${key}\n\n${key.replace('ipa-test', 'other')}\n`,
    private: '-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----\n',
    'own.conf':
      '# ours\n[DEFAULT]\ndebug = True\ninspection_collectors = default\n\n\n[mdns]\nlookup_attempts = 2\n',
    'wrong.conf': '[DEFAULT]\nlisten_port = many\n',
    'unknown.conf': '[DEFAULT]\nhunter = 2\n',
    'text.txt': 'a text\n',
    'damaged.pub': `${key.replace(/.{4} /, ' ')}\n`,
    'secret.conf': '[DEFAULT]\nagent_token = hunter2\nlisten_port = hunter2\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
});
afterAll(async () => {
  await rm(cwd, { recursive: true });
});

const run = (...args: string[]): Promise<RunResult> => runCli(['render', ...args], { cwd });
const renderDefault = (...args: string[]): Promise<RunResult> => {
  const apiUrl = args.includes('--api-url') ? [] : ['--api-url', 'https://192.0.2.1:6385'];
  return run(...apiUrl, '--ssh-key', key, ...args);
};

const parseConfig = (text: string): Config => JSON.parse(text);
const contentsOf = (config: Config, path: string): string => {
  const file = config.storage?.files?.find((candidate) => candidate.path === path);
  const source = (file?.contents ?? file?.append?.[0])?.source;
  return source === undefined ? '' : Buffer.from(decodeDataUrl(source)).toString();
};

/** A config as a reviewer reads it: files and unit as text. */
function readable(text: string): string {
  const config = parseConfig(text);
  const unit = config.systemd?.units?.[0]?.contents ?? '';
  const files = (config.storage?.files ?? []).map(({ path = '', mode = 0 }) => {
    return `--- ${path} ${mode.toString(8)}\n${contentsOf(config, path)}`;
  });
  const head = JSON.stringify({ ignition: config.ignition, passwd: config.passwd }, undefined, 2);
  return `${head}\n${files.join('')}--- ironic-agent.service\n${unit}`;
}

describe('render --api-url', () => {
  it.each([
    ['minimal', []],
    ['dual-stack', ['--api-url', 'https://192.0.2.1, https://[2001:db8::1]']],
    ['mdns', ['--api-url', 'mdns']],
    ['insecure', ['--insecure', '--insecure-registry']],
    ['inspector', ['--inspector', 'https://192.0.2.1:5050/v1/continue']],
    [
      'pull-secret',
      [
        '--pull-secret',
        'auth.json',
        '--agent-image',
        'registry.example.com:5000/ipa/agent@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      ],
    ],
    ['ca', ['--ca-file', 'ca.pem']],
    [
      'proxy',
      [
        '--http-proxy',
        'http://user:p%40ss@proxy.example.com:3128',
        '--https-proxy',
        'https://proxy.example.com',
        '--no-proxy',
        'localhost, .example.com,192.0.2.0/24',
      ],
    ],
    ['ntp', ['--ntp-server', 'ntp1.example.com, ntp2.example.com', '--ntp-server', '2001:db8::123']],
    ['hostname', ['--hostname', 'worker-0.example.com']],
    [
      'conf',
      [
        '--conf',
        'own.conf',
        '--option',
        'debug = False',
        '--option',
        'log_file = $$HOME "a"',
        '--option',
        '[mdns]',
        '--option',
        'lookup_attempts = 5',
      ],
    ],
    ['registry', ['--registry', 'registry.example.com/team']],
  ])('%s', async (name, args) => {
    const result = await renderDefault(...args);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(validateConfig(Buffer.from(result.stdout))).toMatchObject({ valid: true });
    await expect(readable(result.stdout)).toMatchFileSnapshot(`../../golden/render/${name}.txt`);
  });

  it("merges the user's conf over the one of build.py", async () => {
    const result = await run(
      '--host',
      '192.0.2.1',
      '--ssh-key',
      key,
      '--conf',
      'own.conf',
      '--option',
      'debug = False',
    );
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(contentsOf(parseConfig(result.stdout), '/etc/ironic-python-agent.conf')).toBe(
      '[DEFAULT]\napi_url = http://192.0.2.1:6385\ninspection_callback_url = http://192.0.2.1:5050/v1/continue\n' +
        'debug = False\ninspection_collectors = default\n\n\n[mdns]\nlookup_attempts = 2\n',
    );
  });

  it('gives the same bytes for the same input, in the order of Ignition', async () => {
    const args = [
      '--pull-secret',
      'auth.json',
      '--http-proxy',
      'http://p',
      '--hostname',
      'h',
      '--ntp-server',
      'n',
    ];
    const [one, other] = [await renderDefault(...args), await renderDefault(...args, '-o', '-')];
    expect(one.stdout).toBe(other.stdout);
    expect(one.stdout).toMatch(/^\{"ignition":.*,"passwd":.*,"storage":.*,"systemd":.*\}\n$/);
    expect(one.stdout).toContain(
      '{"overwrite":true,"path":"/etc/authfile.json","contents":{"source":"data:;base64,',
    );
  });

  it('takes the pull secret as base64, too', async () => {
    const [json, base64] = [
      await renderDefault('--pull-secret', 'auth.json'),
      await renderDefault('--pull-secret', 'auth.base64'),
    ];
    expect(base64.stdout).toBe(json.stdout);
  });

  it('takes keys from files and as text, several lines each', async () => {
    const { stdout } = await renderDefault('--ssh-key', 'keys.pub');
    expect(parseConfig(stdout).passwd?.users?.[0]?.sshAuthorizedKeys).toEqual([
      key,
      key.replace('ipa-test', 'other'),
    ]);
  });

  it.each(['my ssh-keys here/id.pub', 'ssh-keys here/id.pub', 'ssh-rsa key.pub'])(
    'reads a key of the path %s',
    async (path) => {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      await writeFile(join(cwd, path), `restrict ${key}\n`);
      const { stdout } = await renderDefault('--ssh-key', path);
      expect(parseConfig(stdout).passwd?.users?.[0]?.sshAuthorizedKeys).toEqual([key, `restrict ${key}`]);
      const inventory = { agent: { 'ironic.apiUrls': 'http://h', 'host.sshKeys': [path] } };
      await writeFile(join(cwd, 'blank.yaml'), JSON.stringify(inventory));
      const other = await run('--inventory', 'blank.yaml');
      expect(parseConfig(other.stdout).passwd?.users?.[0]?.sshAuthorizedKeys).toEqual([`restrict ${key}`]);
    },
  );

  it.each([
    ['a damaged key', ['ssh-ed25519 AAAA x'], 'error: --ssh-key: no SSH key is valid'],
    [
      'two keys, one behind an unknown option',
      [`no-such-option ${key}`, key.replace(/.{4} /, ' ')],
      'error: --ssh-key: no SSH key is valid, so no login is possible with one',
    ],
    ['a file with a damaged key', ['damaged.pub'], 'error: --ssh-key: no SSH key is valid'],
    [
      'a file without the start of a key',
      ['text.txt'],
      'error: --ssh-key: text.txt contains no SSH public key',
    ],
    ['a path of no file', ['my ssh-keys here/no.pub'], 'not found: my ssh-keys here/no.pub'],
  ])('refuses %s alone', async (_title, keys, message) => {
    const { code, stderr, stdout } = await run(
      '--api-url',
      'https://192.0.2.1',
      ...keys.flatMap((text) => ['--ssh-key', text]),
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('indents with --pretty', async () => {
    expect((await renderDefault('--pretty')).stdout).toMatch(/^\{\n {2}"ignition": \{\n/);
  });

  it.each([
    ['no SSH key', ['--api-url', 'http://h'], '--no-ssh-key'],
    [
      'a damaged key beside another',
      ['--api-url', 'http://h', '--ssh-key', 'ssh-ed25519 AAAA x', '--ssh-key', key],
      '--ssh-key',
    ],
    [
      'an expired certificate',
      ['--api-url', 'http://h', '--no-ssh-key', '--ca-file', 'expired.pem'],
      'expired on',
    ],
    [
      'an unknown option',
      ['--api-url', 'http://h', '--no-ssh-key', '--conf', 'unknown.conf'],
      'unknown.conf:2:1: ',
    ],
    [
      'an unknown option line',
      ['--api-url', 'http://h', '--no-ssh-key', '--option', 'hunter = 2'],
      '--option hunter: ',
    ],
    [
      'a flag in vain',
      ['--api-url', 'http://h', '--no-ssh-key', '--option', 'api_url = mdns'],
      '--api-url: --option api_url overrides it with another value',
    ],
    [
      'a flag of which one option is in vain',
      ['--api-url', 'http://h', '--no-ssh-key', '--debug', '--option', 'use_stderr = False'],
      '--debug: --option use_stderr overrides it with another value',
    ],
  ])('warns of %s', async (_title, args, text) => {
    const result = await run(...args);
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/^warning: /);
    expect(result.stderr).toContain(text);
  });

  it.each([
    ['a broken conf', 1, ['--conf', 'wrong.conf'], 'wrong.conf:2:15: '],
    ['a broken option line', 1, ['--option', 'listen_port = many'], '--option listen_port: '],
    ['an option line that is none', 1, ['--option', 'debug'], '--option (number 1): '],
    ['a missing file', 1, ['--conf', 'none.conf'], 'none.conf'],
    [
      'a pull secret without auths',
      1,
      ['--pull-secret', 'auth.bad'],
      '--pull-secret: auth.bad does not contain "auths"',
    ],
    [
      'a CA file without certificate',
      1,
      ['--ca-file', 'own.conf'],
      'own.conf is a configuration file of ironic-python-agent, not a PEM certificate',
    ],
    ['a private SSH key', 1, ['--ssh-key', 'private'], '--ssh-key'],
    ['a proxy without scheme', 2, ['--http-proxy', 'proxy:3128'], '--http-proxy is'],
    ['a proxy with a blank', 2, ['--https-proxy', 'http://a b'], '--https-proxy is not a URL'],
    ['a file without a key', 1, ['--ssh-key', 'own.conf'], 'own.conf is a configuration file of'],
    [
      'a file of keys that is not there',
      1,
      ['--ssh-key', 'nowhere/team.pub'],
      'hint: create the file, or use a path that exists',
    ],
    ['a text without a key', 1, ['--ssh-key', 'text.txt'], '--ssh-key: text.txt contains no SSH'],
    ['a no-proxy with a quote', 2, ['--http-proxy', 'http://p', '--no-proxy', 'a"b'], '--no-proxy contains'],
    ['a hostname with an underscore', 2, ['--hostname', 'a_b'], '--hostname'],
    ['a time server with a blank', 2, ['--ntp-server', 'a b'], '--ntp-server contains'],
    ['an image with a blank', 2, ['--agent-image', 'a b'], '--agent-image'],
    ['an image with a percent sign', 2, ['--agent-image', 'a%n'], '--agent-image'],
    ['an API URL without scheme', 2, ['--api-url', '192.0.2.1'], '--api-url'],
    ['an unusable callback URL', 2, ['--inspector', 'ftp://h'], '--inspection-callback-url'],
  ])('refuses %s', async (_title, code, args, text) => {
    const result = await renderDefault(...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toMatch(/^error: /);
    expect(result.stderr).toContain(text);
    expect(result.stderr).toMatch(/^hint: /m);
  });

  it.each([
    ['pull secret', ['--pull-secret', 'auth.bad']],
    ['pull secret as text', ['--pull-secret', '{"auths":{"r":"hunter2"}}']],
    ['private key', ['--ssh-key', 'private']],
    ['private key as text', ['--ssh-key', '-----BEGIN OPENSSH PRIVATE KEY----- hunter2']],
    ['conf', ['--conf', 'secret.conf']],
    ['option', ['--option', 'agent_token = hunter2', '--option', 'listen_port = hunter2']],
    ['proxy', ['--http-proxy', 'ftp://user:hunter2@proxy']],
    [
      'proxy and another mistake',
      ['--http-proxy', 'http://user:hunter2@proxy', '--option', 'listen_port = x'],
    ],
  ])('keeps a secret out of messages: %s', async (_title, args) => {
    const result = await renderDefault(...args);
    expect(result.code).not.toBe(0);
    expect(result.stderr).not.toContain('hunter2');
  });
});

describe('render --output', () => {
  it('replaces a file, readable by the owner only where it holds a secret', async () => {
    const folder = join(cwd, 'out');
    await mkdir(folder);
    const path = join(folder, 'a.ign');
    const plain = await renderDefault('--output', path);
    expect(plain).toMatchObject({ code: 0, stdout: '' });
    expect((await stat(path)).mode & 0o777).not.toBe(0o600);
    const withSecret = await renderDefault('--pull-secret', 'auth.json', '-o', path);
    expect(withSecret.stderr).toContain('mode 0600 because it contains');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toBe((await renderDefault('--pull-secret', 'auth.json')).stdout);
  });

  it.each([
    ['a proxy password', ['--http-proxy', 'http://user:hunter2@proxy']],
    ['a token in the conf', ['--option', 'agent_token = hunter2']],
  ])('counts %s as a secret', async (_title, args) => {
    const path = join(cwd, 'secret.ign');
    const result = await renderDefault('-o', path, ...args);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(result.stderr).toContain('mode 0600 because it contains');
    expect(result.stderr).not.toContain('hunter2');
    await rm(path);
  });

  it('leaves the file as it was where the config is refused', async () => {
    const path = join(cwd, 'kept.ign');
    await writeFile(path, 'before');
    expect((await renderDefault('-o', path, '--conf', 'wrong.conf')).code).toBe(1);
    expect(await readFile(path, 'utf8')).toBe('before');
  });

  it('says that the folder is missing', async () => {
    const result = await renderDefault('-o', join(cwd, 'nowhere', 'a.ign'));
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^error: .*folder/);
  });
});

describe('render --help', () => {
  it('fits in 80 columns and tells examples and exit codes', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Examples:[\s\S]*ironic-coreos render --api-url/);
    expect(stdout).toMatch(/Exit codes:/);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
