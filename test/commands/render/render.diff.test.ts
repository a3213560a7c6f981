/** `render --diff`, as an operator calls it before a rollout. */

import { createServer, type Server } from 'node:http';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeInitrd } from '../../../src/image/initrd.ts';
import { liveIso } from '../../support/liveIso.ts';
import { anyImage, runCli, type RunResult } from '../../support/runCli.ts';

const base = ['--api-url', 'https://192.0.2.1:6385', '--no-ssh-key'];
const secret = '{"auths":{"quay.io":{"auth":"aHVudGVyMg=="}}}';

let cwd: string;
let server: Server;
let address: string;
const requests: string[] = [];

const run = (...args: string[]): Promise<RunResult> => runCli(['render', ...anyImage, ...args], { cwd });
const diff = (deployed: string, ...args: string[]): Promise<RunResult> =>
  run('--diff', deployed, ...base, ...args);

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'render diff '));
  await run(...base, '-o', 'deployed.ign');
  const config = await readFile(join(cwd, 'deployed.ign'));
  await writeFile(join(cwd, 'auth.json'), secret);
  await writeFile(join(cwd, 'config.img'), writeInitrd(new Map([['config.ign', config]])));
  await writeFile(join(cwd, 'empty.img'), writeInitrd(new Map()));
  await writeFile(join(cwd, 'live.iso'), liveIso('2023-07'));
  await writeFile(join(cwd, 'bare.iso'), liveIso('2023-07'));
  await writeFile(join(cwd, 'broken.ign'), '{"ignition": {"version": "3.2.0"}, "hunter2"}');
  await writeFile(join(cwd, 'old.ign'), '{"ignition": {"version": "2.3.0"}}');
  await runCli(['iso', 'ignition', 'embed', '-i', 'deployed.ign', 'live.iso'], { cwd });
  server = createServer((request, response) => {
    void serve(request.url ?? '', request.headers).then(({ status, headers, body }) =>
      response.writeHead(status, headers).end(body),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const listening = server.address();
  address = `127.0.0.1:${typeof listening === 'object' ? listening?.port : ''}`;
});
afterAll(async () => {
  server.close();
  await rm(cwd, { recursive: true });
});

interface Served {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | string;
}

/** `/ranges/FILE` knows ranges, `/plain/FILE` does not, `/moved/FILE` redirects, `/login/FILE` wants a password. */
async function serve(url: string, headers: Readonly<Record<string, unknown>>): Promise<Served> {
  const [, kind = '', name = ''] = new URL(url, 'http://localhost').pathname.split('/');
  requests.push(`${kind}/${name} ${String(headers['range'])}`);
  if (kind === 'moved') return { status: 302, headers: { location: `/ranges/${name}` }, body: '' };
  const isKnown = headers['authorization'] === `Basic ${Buffer.from('ops:hunter2').toString('base64')}`;
  if (kind === 'login' && !isKnown) return { status: 401, headers: {}, body: '' };
  const bytes = await readFile(join(cwd, name)).catch(() => undefined);
  if (bytes === undefined) return { status: 404, headers: {}, body: 'hunter2' };
  const [, start = '', end = ''] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['range'])) ?? [];
  if (kind !== 'ranges' || start === '') return { status: 200, headers: {}, body: bytes };
  const last = Math.min(Number(end), bytes.length - 1);
  const range = { 'content-range': `bytes ${start}-${last}/${bytes.length}`, etag: '"1"' };
  return { status: 206, headers: range, body: bytes.subarray(Number(start), last + 1) };
}

describe('render --diff', () => {
  it.each(['deployed.ign', 'live.iso', 'config.img'])('nothing would change of %s', async (deployed) => {
    expect(await diff(deployed)).toMatchObject({ code: 0, stdout: '', stderr: 'no changes\n' });
  });

  it.each(['ranges/deployed.ign', 'plain/deployed.ign', 'moved/deployed.ign', 'ranges/config.img'])(
    'nothing would change at the URL %s',
    async (path) => {
      expect(await diff(`http://${address}/${path}`)).toMatchObject({ code: 0, stdout: '' });
    },
  );

  it('reads of an ISO at a URL only what it needs', async () => {
    requests.length = 0;
    expect(await diff(`http://${address}/ranges/live.iso`)).toMatchObject({ code: 0, stdout: '' });
    expect(requests.length).toBeGreaterThan(1);
    expect(requests.every((request) => /bytes=\d+-\d+$/.test(request))).toBe(true);
  });

  it('reads standard input', async () => {
    const stdin = await readFile(join(cwd, 'deployed.ign'));
    expect(await runCli(['render', ...anyImage, '--diff', '-', ...base], { cwd, stdin })).toMatchObject({
      code: 0,
    });
  });

  it('tells changes by setting', async () => {
    const args = ['--diff', 'deployed.ign', '--no-ssh-key', '--api-url', 'https://192.0.2.2:6385', '--debug'];
    const result = await run(...args);
    expect(result).toMatchObject({ code: 1, stderr: '2 settings would change\n' });
    expect(result.stdout).toBe(
      'ironic.apiUrls\n  - https://192.0.2.1:6385\n  + https://192.0.2.2:6385\n' +
        'agent.debug\n  + debug = True\n  + use_stderr = True\n  + --log-driver=journald\n',
    );
  });

  it('tells them as JSON', async () => {
    const result = await diff('deployed.ign', '--format', 'json', '--agent-image', 'quay.io/ops/agent');
    expect(result.code).toBe(1);
    expect(JSON.parse(result.stdout)).toEqual([
      {
        setting: 'agent.image',
        deployed: ['quay.io/metal3-io/ironic-agent'],
        rendered: ['quay.io/ops/agent'],
      },
    ]);
    expect((await diff('deployed.ign', '--format', 'json')).stdout).toBe('[\n]\n');
  });

  it('shows no secret', async () => {
    const result = await diff('deployed.ign', '--pull-secret', 'auth.json');
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(
      /^agent\.pullSecret\n {2}\+ sha256:[0-9a-f]{12}… \(registries: quay\.io\)\n/,
    );
    expect(result.stdout).not.toContain('aHVudGVyMg');
  });

  it('writes nothing', async () => {
    const result = await diff('deployed.ign', '-o', 'new.ign');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('--diff');
    await expect(readFile(join(cwd, 'new.ign'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['a file that is not there', ['--diff', 'nowhere.ign'], 'not found: nowhere.ign'],
    ['a folder', ['--diff', '.'], 'is a directory'],
    ['an ISO without a config', ['--diff', 'bare.iso'], 'bare.iso contains no Ignition config'],
    ['an initramfs without a config', ['--diff', 'empty.img'], 'empty.img contains no Ignition config'],
    ['what is no JSON', ['--diff', 'broken.ign'], 'not a valid Ignition config: broken.ign'],
    ['a version of old', ['--diff', 'old.ign'], 'unsupported config version'],
    ['no name', ['--diff', ''], '--diff is empty'],
    ['a form that is none', ['--diff', 'deployed.ign', '--format', 'xml'], 'use one of text, json'],
    ['a form without --diff', ['--format', 'json'], '--format requires --diff'],
    ['settings that are shown', ['--diff', 'deployed.ign', '--show-settings'], '--show-settings'],
    ['settings that are wrong', ['--diff', 'deployed.ign', '--option', 'listen_port = x'], 'listen_port'],
    ['a URL that is none', ['--diff', 'http://['], 'invalid URL'],
  ])('ends with 2 for %s', async (_what, args, message) => {
    const result = await run(...base, ...args);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toContain('hunter2');
  });

  it.each([
    ['not there', 'ranges/none', 'returned HTTP status 404'],
    ['behind a login', 'login/deployed.ign?token=hunter2', 'returned HTTP status 401'],
  ])('ends with 2 for a URL that is %s', async (_what, path, message) => {
    const result = await diff(`http://ops:wrong-hunter2@${address}/${path}`);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toContain('hunter2');
  });

  it('logs in with what the URL says', async () => {
    expect(await diff(`http://ops:hunter2@${address}/login/deployed.ign`)).toMatchObject({ code: 0 });
  });
});

const inventory = (agent: string, ...hosts: readonly string[]): string =>
  `agent: {ironic.apiUrls: 'https://192.0.2.1'${agent}}\nhosts: [${hosts.join(', ')}]\n`;

const diffAll = (file: string, ...args: string[]): Promise<RunResult> =>
  run('--inventory', file, '--no-ssh-key', '--diff', 'configs', ...args);

const rows = (name: string): string =>
  `${name}\n  host.ntpServers\n    + ntp.example\n` +
  '    + /etc/chrony.conf: mode 0644, appended to\n    + ntp_server = ntp.example\n';

describe('render --diff of an inventory', () => {
  const hosts = ['{name: worker-0}', '{name: worker-1}'] as const;
  beforeAll(async () => {
    const files = {
      'ramdisk.yaml': inventory('', ...hosts),
      'more.yaml': inventory('', ...hosts, '{name: worker-2}'),
      'typo.yaml': 'agnet: {}\nhosts: [{name: worker-0}]\n',
      'bad.yaml': inventory(', host.consoles: ["/"]', ...hosts),
      'wrong.yaml': inventory('', '{name: worker-0, overrides: {agent.pullPolicy: often}}', hosts[1]),
      'other.yaml': inventory(', host.ntpServers: [ntp.example]', ...hosts),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    await mkdir(join(cwd, 'configs'));
    await run('--inventory', 'ramdisk.yaml', '--no-ssh-key', '-o', 'configs');
  });
  it('says that nothing would change', async () => {
    const result = await diffAll('ramdisk.yaml');
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: '0 of 2 hosts would change\n' });
  });

  it('tells each host', async () => {
    const result = await diffAll('other.yaml');
    expect(result).toMatchObject({ code: 1, stderr: '2 of 2 hosts would change\n' });
    expect(result.stdout).toBe(rows('worker-0') + rows('worker-1'));
  });

  it('tells a host that is new, as JSON with its name', async () => {
    const result = await diffAll('more.yaml', '--format', 'json');
    expect(result.code).toBe(1);
    expect(JSON.parse(result.stdout)).toMatchObject([
      { host: 'worker-2', setting: 'Ignition config', deployed: [] },
    ]);
  });

  it('goes on behind a host that is wrong', async () => {
    const result = await diffAll('wrong.yaml');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('worker-0 is not compared');
    expect(result.stderr).toContain('0 of 2 hosts would change, 1 invalid');
  });

  it('tells once what is wrong with many', async () => {
    const { code, stderr } = await diffAll('bad.yaml');
    expect(stderr.match(/host\.consoles/g)).toHaveLength(1);
    expect(stderr).toContain('error: not compared for the same reason as worker-0: worker-1\n');
    expect(code).toBe(2);
  });

  it('stops at a host that is wrong with --fail-fast', async () => {
    const result = await diffAll('wrong.yaml', '--fail-fast');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/\n0 of 2 hosts would change, 1 invalid; stopped \(--fail-fast\)\n$/);
  });

  it('does not say that nothing was written, as it never is', async () => {
    const { code, stderr } = await diffAll('typo.yaml');
    expect(stderr).toContain('typo.yaml is not a valid inventory; nothing was done\n');
    expect(code).toBe(2);
  });

  it('wants a folder', async () => {
    const result = await run('--inventory', 'ramdisk.yaml', '--diff', 'deployed.ign');
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('--diff requires a folder');
  });
});
