/** `serve` as a process: what starts it, what signals do to it and to running downloads, and what it ends with. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type ServeProcess, startServe } from '../../interop/serve/startServe.js';
import { SECOND_SIGNAL } from '../../../src/io/process.ts';
import { imageEnv } from '../../support/agentImage.ts';
import { liveIsoWith } from '../../support/liveIso.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { canTrace, traceNote } from '../../support/strace.ts';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';
import { inventory } from '../../support/twoHosts.ts';
import { tlsFile } from '../../support/serveFixtures.ts';
import { token } from './support.ts';
import { listenLocally } from '../../support/listening.ts';

const folder = mkdtempSync(join(tmpdir(), 'serve process '));
const path = (name: string): string => join(folder, name);
const write = (name: string, content: string | Uint8Array): void =>
  writeFileSync(path(name), content, { mode: 0o600 });

// More than the system keeps for a client that reads nothing.
const noise = createHash('shake256', { outputLength: 24 * 1024 * 1024 })
  .update('rootfs')
  .digest();
write(
  'live.iso',
  liveIsoWith((files) => files.set('images/pxeboot/rootfs.img', noise)),
);
write('inv.yaml', inventory);
write('auth.json', '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}');
write('tokens', `${token}\n`);

const started: ServeProcess[] = [];
const start = async (args: readonly string[], env = {}, descriptors?: number): Promise<ServeProcess> => {
  const limit = descriptors === undefined ? {} : { descriptors };
  const service = await startServe(args, { cwd: folder, env: { ...imageEnv, ...env }, ...limit });
  started.push(service);
  return service;
};
const iso = ['--iso', 'live.iso'];
const images = [...iso, '--listen', '127.0.0.1:0'];
const serve = (...args: readonly string[]): Promise<ServeProcess> =>
  start(['--inventory', 'inv.yaml', '--token-file', 'tokens', ...images, ...args]);
const runServe = (args: readonly string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(['serve', ...args], { cwd: folder, ...options });
/** The log of a service in this process, which ends once the log has a text. */
const logUntil = async (stopAt: RegExp, ...args: readonly string[]): Promise<Record<string, unknown>[]> => {
  const inventories = args.includes('--inventory') ? [] : ['--inventory', 'inv.yaml'];
  const listen = args.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
  const { code, stderr } = await runServe(['--log', 'json', ...inventories, ...listen, ...args], { stopAt });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return logLines(stderr);
};

afterEach(async () => {
  write('inv.yaml', inventory);
  for (const service of started.splice(0)) {
    service.signal('SIGKILL');
    await service.ended;
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Has got the header, and takes nothing of the body yet. */
const begin = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject);
  });
const fetchAll = async (url: string): Promise<Buffer> => buffer(await begin(url));
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The image of a host without kernel arguments, made by another command from its config. */
async function expectedIso(service: ServeProcess, host: string): Promise<string> {
  write('config.ign', await fetchAll(service.url(host, 'ign')));
  const { code, stdoutBytes } = await runCli(
    ['iso', 'ignition', 'embed', '-i', 'config.ign', '-o', '-', 'live.iso'],
    { cwd: folder },
  );
  expect(code).toBe(0);
  return sha256(stdoutBytes);
}

describe('a reload', () => {
  it('after SIGHUP serves other bytes to who comes, and the same as before to who is there', async () => {
    const service = await serve();
    const before = await expectedIso(service, 'worker-0');
    const running = await begin(service.url('worker-0', 'iso'));
    write('inv.yaml', inventory.replace('https://192.0.2.1', 'https://192.0.2.9'));
    service.signal('SIGHUP');
    await service.whenEvent(() => loads(service) === 2);
    const after = await fetchAll(service.url('worker-0', 'iso'));
    expect(sha256(await buffer(running))).toBe(before);
    expect(sha256(after)).toBe(await expectedIso(service, 'worker-0'));
    expect(sha256(after)).not.toBe(before);
  });

  it('comes once when SIGHUP follows a change of the inventory', async () => {
    const service = await serve();
    write('inv.yaml', `${inventory}- name: worker-2\n`);
    service.signal('SIGHUP');
    await service.whenEvent(() => loads(service) === 2);
    await setTimeout(5000); // a change is reported after two looks, one every two seconds
    expect(loads(service)).toBe(2);
  });

  it('comes without a signal when the inventory has changed', async () => {
    const service = await serve();
    write('inv.yaml', `${inventory}- name: worker-2\n`);
    await service.whenEvent(({ event, hosts }) => event === 'loaded' && hosts === 3);
    const { origin } = new URL(service.url('worker-0', 'iso'));
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${origin}/worker-2.ign`, { headers });
    expect([response.status, (await response.text()).startsWith('{')]).toEqual([200, true]);
  });

  it('serves the hosts of an inventory in which all of them were invalid', async () => {
    write('inv.yaml', inventory.replaceAll(/name: worker-/g, 'name: -worker-'));
    const service = await serve();
    expect(service.hosts).toEqual([]);
    write('inv.yaml', inventory);
    service.signal('SIGHUP');
    const last = await service.whenEvent(({ event, hosts }) => event === 'loaded' && hosts === 2);
    expect(last).toMatchObject({ invalid: 0 });
  });

  it('of hosts in a folder comes with a change of one that was not there at the start', async () => {
    mkdirSync(path('hosts'));
    write('hosts/a.yaml', '');
    const service = await start(['--nmstate-dir', 'hosts', ...images], iccEnvironment);
    write('hosts/b.yaml', '');
    service.signal('SIGHUP');
    await service.whenEvent(({ event, hosts }) => event === 'loaded' && hosts === 2);
    write('hosts/b.yaml', 'interfaces: 5\n');
    const last = await service.whenEvent(({ event, stale }) => event === 'loaded' && stale === 1);
    expect(last).toMatchObject({ hosts: 1, invalid: 0 });
  });
});

describe('an image that is overwritten while it is sent', () => {
  it.each([
    ['has its times changed', false],
    ['gets its time of modification back', true],
  ])('and %s breaks the download off, and the log says why', async (_title, isSetBack) => {
    copyFileSync(path('live.iso'), path('shared.iso'));
    const { atime, mtime, size } = statSync(path('shared.iso'));
    const args = ['--inventory', 'inv.yaml', '--iso', 'shared.iso', '--listen', '127.0.0.1:0'];
    const service = await start(args);
    const running = await begin(service.url('worker-0', 'iso'));
    const file = openSync(path('shared.iso'), 'r+');
    writeSync(file, 'X', size - 1);
    closeSync(file);
    if (isSetBack) utimesSync(path('shared.iso'), atime, mtime);
    await expect(buffer(running)).rejects.toThrow('aborted');
    const told = await service.whenEvent(({ event }) => event === 'cannot serve');
    expect(told).toMatchObject({
      level: 'error',
      path: 'worker-0.iso',
      message: 'shared.iso changed while it was being served',
    });
    await service.whenEvent(({ event, outcome }) => event === 'request' && outcome === 'failed');
    // What it is now is served as another image, as soon as the service looks.
    if (!isSetBack) service.signal('SIGHUP');
    await service.whenEvent(() => loads(service) === 2);
    const again = await fetchAll(service.url('worker-0', 'iso'));
    expect([again.length, again.at(-1)]).toEqual([size, 'X'.charCodeAt(0)]);
  });
});

const loads = (service: ServeProcess): number =>
  service.events().filter(({ event }) => event === 'loaded').length;

describe('the end', () => {
  it('after SIGTERM comes when running downloads are through', async () => {
    const service = await serve();
    const url = service.url('worker-0', 'iso');
    const expected = await expectedIso(service, 'worker-0');
    const running = await begin(url);
    service.signal('SIGTERM');
    await expect.poll(() => fetchAll(url).then(Boolean, () => false)).toBe(false); // nobody else is let in
    expect(sha256(await buffer(running))).toBe(expected);
    expect(await service.ended).toBe(0);
    expect(service.events().at(-1)).toMatchObject({ event: 'stopped', aborted: 0 });
  });

  it.each([
    ['when the time for that is over', ['--grace', '1s'], 1],
    ['at once after a second signal', ['--grace', '10m'], 2],
  ])('comes %s', async (_title, options, signals) => {
    const service = await serve(...options);
    const url = service.url('worker-0', 'iso');
    const running = await begin(url);
    service.signal('SIGTERM');
    await expect.poll(() => fetchAll(url).then(Boolean, () => false)).toBe(false);
    if (signals === 2) {
      await setTimeout(SECOND_SIGNAL); // an earlier one is a duplicate of the first
      service.signal('SIGTERM');
    }
    expect(await service.ended).toBe(0);
    expect(service.events().at(-1)).toMatchObject({ event: 'stopped', aborted: 1 });
    await expect(buffer(running)).rejects.toThrow('aborted');
  });

  it.skipIf(!have('mkfifo'))(
    `comes also while a reload waits for a pipe${oracleNote('mkfifo')}`,
    async () => {
      const service = await serve('--grace', '10m');
      write('inv.yaml', `${inventory}- {name: worker-2, network: {nmstate: pipe}}\n`);
      execFileSync('mkfifo', [path('pipe')]);
      service.signal('SIGHUP');
      await setTimeout(1000);
      expect((await fetchAll(service.url('worker-0', 'ign'))).length).toBeGreaterThan(0);
      service.signal('SIGTERM');
      expect(await service.ended).toBe(0);
      const events = service.events().map(({ event }) => event);
      expect([events.at(-1), events.includes('reload'), loads(service)]).toEqual(['stopped', false, 1]);
    },
  );

  it.skipIf(!canTrace)(`comes also while a file system does not answer${traceNote}`, async () => {
    write('stalled.yaml', '');
    const inject = ['-P', path('stalled.yaml'), '-e', 'inject=openat:delay_enter=10s'];
    const args = ['--inventory', 'inv.yaml', ...images, '--grace', '1s'];
    const runner = ['strace', '-D', '-f', '-o', path('trace'), ...inject];
    const service = await startServe(args, { cwd: folder, env: imageEnv, runner });
    started.push(service);
    write('inv.yaml', `${inventory}- {name: worker-2, network: {nmstate: stalled.yaml}}\n`);
    service.signal('SIGHUP');
    await expect.poll(() => readFileSync(path('trace'), 'utf8')).toContain('stalled.yaml');
    expect((await fetchAll(service.url('worker-0', 'ign'))).length).toBeGreaterThan(0);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(null); // strace itself lets it go only after the delay
    expect(service.events().filter(({ event }) => event === 'stopped')).toHaveLength(1);
  });

  it('comes with --once when the image was fetched', async () => {
    const service = await serve('--once', 'worker-1');
    expect(service.hosts.map(({ name }) => name)).toEqual(['worker-1']);
    const url = service.url('worker-1', 'iso');
    const half = await fetch(url, { headers: { Range: 'bytes=0-9999' } });
    await half.arrayBuffer();
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    await fetchAll(url);
    expect(await service.ended).toBe(0);
  });
});

describe('the start', () => {
  it.each(['json', 'text'])('fails where another program listens, as %s', async (form) => {
    const other = createServer();
    const port = await listenLocally(other);
    const listen = ['--listen', `127.0.0.1:${port}`, '--log', form];
    const { code, stderr, stdout } = await runServe(['--inventory', 'inv.yaml', ...listen]);
    other.close();
    const message = `Cannot listen on 127.0.0.1:${port}: the address is already in use`;
    const hint = 'stop the other program, or pass another port with --listen';
    const told = form === 'json' ? logLines(stderr).map(({ time: _time, ...line }) => line) : [stderr];
    const asText = `error: ${message}\nhint: ${hint}\n`;
    const expected =
      form === 'json' ? { level: 'error', event: 'failed', message, hint, code: 'ERR_LISTEN' } : asText;
    expect([code, stdout, told]).toEqual([1, '', [expected]]);
  });

  it.each<[title: string, args: readonly string[], code: number, message: string]>([
    ['an inventory that is none', ['--inventory', 'none.yaml', ...iso], 1, '"hosts" must be a list'],
    ['an inventory that is missing', ['--inventory', 'missing.yaml', ...iso], 1, 'missing.yaml'],
    ['an image that is missing', ['--inventory', 'inv.yaml', '--iso', 'missing.iso'], 1, 'missing.iso'],
    ['tokens that cannot be read', ['--inventory', 'inv.yaml', '--token-file', 'missing'], 1, 'missing'],
    ['a host that is not there', ['--inventory', 'inv.yaml', ...iso, '--once', 'node-9'], 2, 'has no host'],
    ['artifacts without an image', ['--inventory', 'inv.yaml', '--artifacts', 'iso'], 2, '--artifacts'],
    ['an ISO that fits no host', ['--inventory', 'large.yaml', ...iso], 1, 'no host gets its file iso: '],
  ])('fails for %s with nothing but lines of the log', async (_title, args, code, message) => {
    write('none.yaml', 'hosts: 5\n');
    // Noise does not compress.
    const file = {
      path: '/etc/noise',
      contents: { source: `data:;base64,${noise.toString('base64', 0, 360_000)}` },
    };
    write('large.ign', JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files: [file] } }));
    write('large.yaml', inventory.replace('agent:\n', 'agent:\n  ignition.merge: [large.ign]\n'));
    const listen = ['--listen', '127.0.0.1:0', '--log', 'json', '--verbose'];
    const { code: ended, stderr, stdout } = await runServe([...args, ...listen]);
    expect([ended, stdout]).toEqual([code, '']);
    const failures = logLines(stderr).filter(({ event }) => event === 'failed');
    expect(failures).toEqual([
      expect.objectContaining({ level: 'error', message: expect.stringContaining(message) }),
    ]);
    expect(logLines(stderr).filter(({ event }) => event === 'ready')).toEqual([]);
  });

  it('says with --quiet why it fails, and nothing else', async () => {
    const { code, stderr, stdout } = await runServe(['--inventory', 'missing.yaml', ...images, '--quiet']);
    const message: unknown = expect.stringContaining('missing.yaml');
    expect([code, stdout, logLines(stderr)]).toEqual([
      1,
      '',
      [expect.objectContaining({ level: 'error', event: 'failed', message })],
    ]);
  });

  it.each<[title: string, args: readonly string[], expected: readonly string[]]>([
    ['a pull secret over plain HTTP', [...iso], ['plain HTTP sends a pull secret unencrypted, for worker-1']],
    ['that by its public URL', [...iso, '--public-url', 'http://192.0.2.1'], ['plain HTTP sends']],
    ['none that goes through a proxy with TLS', [...iso, '--public-url', 'https://192.0.2.1'], []],
    ['none over HTTPS', [...iso, '--tls-cert', tlsFile('server'), '--tls-key', tlsFile('server-key')], []],
    ['that there is no image', ['--once', 'worker-0'], ['no base image, so only Ignition configs']],
    ['not that configs alone are asked for', ['--once', 'worker-0', '--artifacts', 'ign'], []],
  ])('warns of %s', async (_title, args, expected) => {
    const events = await logUntil(/"event":"ready"/, ...args);
    const warnings = events.filter(({ level }) => level === 'warning');
    const told = warnings.map(({ message }) => String(message));
    expect(told.filter((text) => /^(plain HTTP|no base image)/.test(text))).toEqual(
      expected.map((text) => expect.stringContaining(text)),
    );
  });

  const tls = ['--tls-cert', tlsFile('server'), '--tls-key', tlsFile('server-key')];
  it.each<[title: string, args: readonly string[], expected: readonly string[]]>([
    [
      'an http URL of an https server',
      [...tls, '--public-url', 'http://localhost'],
      ['--public-url is an http URL'],
    ],
    ['a certificate for others', [...tls, '--public-url', 'https://127.0.0.2'], ['not valid for 127.0.0.2']],
    ['nothing for its names', [...tls, '--public-url', 'https://localhost'], []],
    ['nothing for its addresses', [...tls, '--public-url', 'https://127.0.0.1'], []],
    ['a URL of other machines', ['--public-url', 'http://[2001:db8::1]'], ['only through a proxy']],
    [
      'another port',
      ['--listen', ':0', '--public-url', 'http://192.0.2.1'],
      ['--public-url has port 80, but'],
    ],
    ['no URL of this one', ['--public-url', 'http://[::1]:8084'], []],
    ['all addresses without a URL', ['--listen', ':0'], ['which other machines cannot reach']],
  ])('reports of a public URL: %s', async (_title, args, expected) => {
    const events = await logUntil(/"event":"ready"/, '--artifacts', 'ign', ...args);
    const told = events.map(({ message }) => String(message));
    const ofUrl = told.filter((text) => /public-url|not valid for|only through|cannot reach/.test(text));
    expect(ofUrl).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  it('hints at https for other machines where it has a certificate', async () => {
    const events = await logUntil(/loopback only/, ...tls);
    const told = events.find(({ message }) => String(message).includes('loopback only'));
    expect(told).toMatchObject({ hint: expect.stringMatching(/--public-url https:/) });
  });

  it('says that it is not ready while no host is valid', async () => {
    write('none.yaml', inventory.replace('agent:\n', 'agent:\n  ironic.caFiles: [missing.crt]\n'));
    const events = await logUntil(/"event":"not ready"/, '--inventory', 'none.yaml', '--artifacts', 'ign');
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'not ready', level: 'error', problem: 'all hosts are invalid' }),
    );
    expect(events.map(({ event }) => event)).not.toContain('ready');
  });

  it('warns of an empty list of hosts', async () => {
    write('empty.yaml', inventory.replace(/hosts:[^]*/, 'hosts: []\n'));
    const message = expect.stringMatching(/^the list of hosts is empty/);
    const events = await logUntil(/the list of hosts is empty/, '--inventory', 'empty.yaml');
    expect(events).toContainEqual(expect.objectContaining({ level: 'warning', message }));
  });

  it('fails for a command line that is invalid with plain text: no service has begun', async () => {
    const { code, stderr } = await runServe([
      '--inventory',
      'inv.yaml',
      '--log',
      'json',
      '--expires',
      'soon',
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: invalid duration "soon" for --expires/),
    ]);
  });

  it('tells nothing but lines of the log, with --verbose, too', async () => {
    const events = await logUntil(/"event":"ready"/, ...iso, '--verbose', '--key-file', 'new.key');
    const messages = events.map(({ message }) => message);
    expect(messages).toEqual(expect.arrayContaining([expect.stringContaining('created new.key')]));
    expect(messages).toEqual(
      expect.arrayContaining([expect.stringMatching(/^read new\.key \(\d+ bytes\)$/)]),
    );
    expect(messages).toEqual(expect.arrayContaining([expect.stringMatching(/^read inv\.yaml \(/)]));
  });
});

const few = (limit: number, ...args: readonly string[]): Promise<ServeProcess> =>
  start(['--inventory', 'inv.yaml', '--token-file', 'tokens', ...images, ...args], {}, limit);
const warnings = (service: ServeProcess): unknown[] =>
  service.events().filter(({ message }) => String(message).includes('limit of open files'));

describe.skipIf(process.platform !== 'linux')('a limit of open files', () => {
  it('below what the connections need is reported with the fix, and the connections end before the descriptors', async () => {
    const service = await few(150);
    expect(warnings(service)).toEqual([
      expect.objectContaining({
        level: 'warning',
        message:
          'the limit of open files is 150, so only 50 instead of 4096 concurrent connections are accepted',
        hint: 'set LimitNOFILE=4196 in the systemd unit, run ulimit -n 4196 in the shell, or pass --max-connections 50',
      }),
    ]);
    const { hostname, port } = new URL(service.url('worker-0', 'ign'));
    const sockets = Array.from({ length: 300 }, () => connect(Number(port), hostname));
    for (const socket of sockets) socket.on('error', () => undefined).resume();
    const refusal = await service.whenEvent(({ event }) => event === 'too many connections');
    expect(refusal).toMatchObject({ connections: 50, hint: expect.stringContaining('--max-connections') });
    write('inv.yaml', `${inventory}- name: worker-2\n`);
    service.signal('SIGHUP');
    await service.whenEvent(() => loads(service) === 2);
    for (const socket of sockets) socket.destroy();
    // Until the service has seen the end of the connections, it refuses more.
    const isServed = (): Promise<boolean> =>
      fetchAll(service.url('worker-0', 'ign')).then(
        ({ length }) => length > 0,
        () => false,
      );
    await expect.poll(isServed).toBe(true);
  });

  it('that suffices is not mentioned', async () => {
    expect(warnings(await few(250, '--max-connections', '150'))).toEqual([]);
  });
});

/** Of a log for programs. @throws SyntaxError for a line that is no JSON */
function logLines(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line): Record<string, unknown> => JSON.parse(line));
}

const iccEnvironment = {
  DEPLOY_ISO: 'live.iso',
  IRONIC_BASE_URL: 'https://192.0.2.1:6385',
  IRONIC_AGENT_IMAGE: 'quay.io/metal3-io/ironic-python-agent:latest',
};

describe('in place of the image-customization-controller', () => {
  it.each([
    ['as Go takes flags', ['-nmstate-dir', 'nmstate', '-images-bind-addr', '127.0.0.1:0'], '-kubeconfig'],
    [
      'with two dashes and a sign',
      ['--nmstate-dir=nmstate', '--images-bind-addr=127.0.0.1:0'],
      '--kubeconfig',
    ],
    ['with one dash and a sign', ['-nmstate-dir=nmstate', '-images-bind-addr=127.0.0.1:0'], '--kubeconfig'],
  ])('its flags are understood, %s', async (_title, flags, kubeconfig) => {
    mkdirSync(path('nmstate'), { recursive: true });
    write('nmstate/worker-7.yaml', '');
    const published = ['-images-publish-addr', 'http://192.0.2.1:8084', kubeconfig, '/none', '--open'];
    const args = [...flags, ...published, '--log', 'json', '--format', 'json'];
    const { stdout } = await runServe(args, { env: iccEnvironment, stopAt: /"event":"ready"/ });
    const { hosts }: { hosts: readonly object[] } = JSON.parse(stdout);
    expect(hosts).toMatchObject([{ name: 'worker-7', urls: { iso: 'http://192.0.2.1:8084/worker-7.iso' } }]);
  });

  it('a flag and the option that it stands for are one too many', async () => {
    const both = ['--listen', '127.0.0.1:0', '-images-bind-addr', ':8084'];
    const { code, stderr } = await runServe(['--inventory', 'inv.yaml', ...both]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be used multiple times')]);
  });
});
