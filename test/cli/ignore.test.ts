import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { runCli, UNCHECKED } from '../support/runCli.ts';

let cwd = '';
const run = (...args: string[]) => runCli(args, { cwd });
const image = ['--agent-image', 'registry.example.com/ironic-agent'];
const url = ['--api-url', 'https://192.0.2.1', ...image, '--no-ssh-key'];

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ignore-'));
  await run('render', ...url, '--option', 'foo = 1', '-o', 'warned.ign');
  const files = { files: [{ path: 'a' }] };
  await writeFile(join(cwd, 'wrong.ign'), JSON.stringify({ ignition: { version: '3.5.0' }, storage: files }));
  await writeFile(join(cwd, 'unused.ign'), '{"ignition":{"version":"3.5.0"},"other":1}');
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const rule = 'conf-unknown';

describe('--ignore', () => {
  it('says the id of a rule where the rule is broken, and explain knows it', async () => {
    const { stdout } = await run('validate', 'warned.ign');
    expect(stdout).toContain(`[$.storage.files.0.contents.source] (${rule})\n`);
    expect((await run('explain', rule)).code).toBe(0);
  });

  it.each([
    ['behind the command', ['validate', '--ignore', rule, '--strict', 'warned.ign']],
    ['in front of it', ['--ignore', rule, 'validate', '--strict', 'warned.ign']],
    [
      'with an equals sign and in capitals',
      ['validate', `--ignore=${rule.toUpperCase()}`, '--strict', 'warned.ign'],
    ],
    ['in a list', ['validate', '--ignore', `agent-size, ${rule}`, '--strict', 'warned.ign']],
    ['repeated', ['validate', '--ignore', 'agent-size', '--ignore', rule, '--strict', 'warned.ign']],
    [
      'of a config that is linted in any case',
      ['validate', '--ignore', rule, '--strict', '--lint', 'agent', 'warned.ign'],
    ],
  ])('leaves findings out of report, count and verdict: %s', async (_title, args) => {
    expect(await run(...args)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `${UNCHECKED}warned.ign: valid\n`,
    });
  });

  it.each(['json', 'github'])('leaves them out of --format %s', async (format) => {
    expect((await run('validate', '--format', format, 'warned.ign')).stdout).toContain(rule);
    expect((await run('validate', '--format', format, '--ignore', rule, 'warned.ign')).stdout).not.toContain(
      rule,
    );
  });

  it('leaves other findings alone', async () => {
    const { code, stdout } = await run('validate', '--ignore', rule, 'wrong.ign');
    expect(code).toBe(1);
    expect(stdout).toContain('(path-relative)');
  });

  it.each([
    ['conf-unknwon', `unknown rule "conf-unknwon"\nhint: use ${rule}`],
    ['qqqq', 'unknown rule "qqqq"\nhint: run "ironic-coreos explain" to list all rules'],
    ['', 'unknown rule ""'],
    [`${rule},path-relative`, 'path-relative is an error and cannot be ignored'],
    ['image-unreadable', 'image-unreadable is an error and cannot be ignored'],
  ])('refuses %j', async (ignored, message) => {
    const { code, stdout, stderr } = await run('validate', '--ignore', ignored, 'warned.ign');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: --ignore: ${message}`);
  });

  it('counts for every command that reports rules', async () => {
    await writeFile(join(cwd, 'live.iso'), liveIso('2023-07'));
    const commands = [
      ['conf-unknown', ['render', ...url, '--option', 'foo = 1']],
      ['unused-key', ['ignition', 'translate', '--to', '3.5.0', 'unused.ign']],
      ['unused-key', ['ignition', 'merge', 'unused.ign', 'unused.ign']],
      ['unused-key', ['iso', 'customize', '--live-ignition', 'unused.ign', '-o', '-', 'live.iso']],
      [rule, ['iso', 'ignition', 'embed', '-i', 'warned.ign', '-o', '-', 'live.iso']],
      ['image-config-missing', ['inspect', 'live.iso']],
      ['image-config-missing', ['validate', 'live.iso']],
    ] as const;
    for (const [id, args] of commands) {
      const told = await run(...args);
      expect(`${told.stdout}${told.stderr}`).toContain(`(${id})`);
      const quiet = await run('--ignore', id, ...args);
      expect(quiet.code).toBe(told.code);
      expect(`${quiet.stdout}${quiet.stderr}`).not.toContain(`(${id})`);
    }
  });
});

const inventory = (text: string): string =>
  `agent:\n  ironic.apiUrls: [https://192.0.2.1]\n  agent.image: registry.example.com/ironic-agent\n  host.sshKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1wT4b0h1yWQvJm3Y1rGv0kz0Z3m7m1y7J3zq8o5bqk a"]\n  agent.options: ["foo = 1"]\n${text}`;

describe('--ignore of a mistake in settings', () => {
  it.each([
    ['the rule of the lint', ['--api-url', 'https://localhost', ...image], 'agent-address'],
    [
      'a time server',
      ['--api-url', 'https://192.0.2.1', ...image, '--ntp-server', '127.0.0.1'],
      'agent-address',
    ],
  ])('%s', async (_title, args, id) => {
    const line = ['render', ...args, '--no-ssh-key'];
    const before = await run(...line);
    expect(before.stderr).toMatch(/^warning: .* \([a-z-]+\)$/m);
    expect(await run(...line, '--ignore', id)).toMatchObject({ code: 0, stderr: '', stdout: before.stdout });
  });

  it.each([
    ['an image', ['--agent-image', 'registry:5000'], 'agent-image-unpullable'],
    ['a short name', ['--agent-image', 'a/b:1'], 'agent-image-unpullable'],
    ['an address to listen on', [...image, '--ntp-server', '0.0.0.0'], 'agent-address-unusable'],
    ['a line of the conf', [...image, '--option', 'debug = maybe'], 'conf-value'],
    ['a file below /usr', [...image, '--merge', 'hosts.ign'], 'agent-path-read-only'],
  ])('also if the agent would not start, as far as the config says: %s', async (_title, args, id) => {
    const contents = { source: 'data:,' };
    const files = [{ path: '/usr/hosts', contents }];
    await writeFile(
      join(cwd, 'hosts.ign'),
      JSON.stringify({ ignition: { version: '3.5.0' }, storage: { files } }),
    );
    const line = ['render', '--api-url', 'https://192.0.2.1', '--no-ssh-key', ...args];
    const refused = await run(...line);
    expect(refused).toMatchObject({ stdout: '', code: expect.toBeOneOf([1, 2]) as unknown });
    expect(refused.stderr).toContain(`(${id})`);
    const rendered = await run(...line, '--ignore', id);
    expect(rendered).toMatchObject({ code: 0, stdout: expect.stringContaining('"ignition"') as unknown });
    expect(rendered.stderr).not.toContain(id);
  });
});

describe('ignore in an inventory', () => {
  it('counts for all hosts', async () => {
    await writeFile(
      join(cwd, 'all.yaml'),
      inventory('ignore: [conf-unknown]\nhosts: [{name: a}, {name: b}]\n'),
    );
    const { code, stderr } = await run('render', '--inventory', 'all.yaml', '-o', 'all');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'all: 2 written, 0 unchanged, 0 invalid\n' });
  });

  it('counts for one host alone, whichever comes first', async () => {
    const hosts = '[{name: a, ignore: [conf-unknown]}, {name: b}]';
    await writeFile(join(cwd, 'one.yaml'), inventory(`hosts: ${hosts}\n`));
    const { code, stderr } = await run('render', '--inventory', 'one.yaml', '-o', 'one');
    expect(code).toBe(0);
    expect(stderr.match(/\(conf-unknown\)/g)).toHaveLength(1);
    expect(stderr).toContain('  for b\n');
  });

  it('does not let a host have what only another one ignores', async () => {
    const args = 'agent.options: ["debug = maybe"]';
    const hosts = `[{name: a, ignore: [conf-value], overrides: {${args}}}, {name: b, overrides: {${args}}}]`;
    await writeFile(join(cwd, 'args.yaml'), inventory(`hosts: ${hosts}\n`));
    const { code, stderr } = await run('render', '--inventory', 'args.yaml', '-o', 'args');
    expect(code).toBe(1);
    expect(stderr).toContain('(conf-value)');
    expect(await readdir(join(cwd, 'args'))).toEqual(['a.ign']);
  });

  it('is checked, for a host as well', async () => {
    await writeFile(join(cwd, 'wrong.yaml'), inventory('ignore: [agent-siz]\nhosts: [{name: a}]\n'));
    expect(await run('render', '--inventory', 'wrong.yaml', '-o', 'wrong')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'error: wrong.yaml:6:10: ignore: unknown rule "agent-siz"\nhint: use agent-size',
      ),
    });
    const hosts = '[{name: a, ignore: [path-relative]}, {name: b}]';
    await writeFile(join(cwd, 'host.yaml'), inventory(`hosts: ${hosts}\n`));
    const { code, stderr } = await run('render', '--inventory', 'host.yaml', '-o', 'host');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'error: a is not written (host.yaml:6): host.yaml:6:28: ignore: path-relative is an error and cannot be ignored',
    );
    expect(await readdir(join(cwd, 'host'))).toEqual(['b.ign']);
  });
});
