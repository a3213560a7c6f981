/**
 * An upgrade of the package replaces its files while a service runs: what it does afterwards for the first time, it still can. Node
 * before 22.15 looks for the files again, so there the service must be restarted.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, expect, it } from 'vitest';
import { writeAgentIso } from '../support/agentIso.ts';
import { bmcModels, bmcUser, startFakeBmc } from '../support/fakeBmc.ts';
import { liveIso } from '../support/liveIso.ts';
import { scriptedAgent } from '../support/scriptedAgent.ts';
import { until } from '../support/serveFixtures.ts';
import { nmstate } from './controller/support.ts';
import { token } from './serve/support.ts';
import { listenLocally } from '../support/listening.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'upgrade '));
const write = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(folder, name), content, { mode: 0o600 });
const agent = "{ironic.apiUrls: 'https://192.0.2.1', agent.image: registry.example.com/ironic-agent}";
const settings = `profile: default\nagent: ${agent}\n`;
write('live.iso', liveIso('2023-07'));
write('tokens', `${token}\n`);
write('settings.yaml', settings);
write('net.yaml', nmstate('192.0.2.7'));
write('bmc.json', JSON.stringify(bmcUser));
await writeAgentIso(folder, 'agent.iso', 'http://192.0.2.1:6385');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface RunningProgram {
  readonly child: ChildProcess;
  readonly said: () => string;
  /** Removes the package. */
  readonly upgrade: () => void;
  readonly ended: Promise<number | null>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Runs the program from a copy of the package. */
function start(...args: readonly string[]): RunningProgram {
  const copy = mkdtempSync(join(folder, 'package '));
  for (const part of ['bin', 'dist', 'docs', 'src', 'templates', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  const { PATH } = process.env;
  const child = spawn(process.execPath, [join(copy, 'bin/ironic-coreos.js'), ...args], {
    cwd: folder,
    env: { PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (said += part.toString()));
  const ended = new Promise<number | null>((done) => void child.on('exit', done));
  return { child, said: () => said, upgrade: () => rmSync(copy, { recursive: true }), ended };
}

const saysOf = ({ child, said }: RunningProgram, text: RegExp): Promise<string> =>
  until(() => text.test(said()) || child.exitCode !== null).then(
    () => text.exec(said())?.[1] ?? expect.fail(said()),
  );

const canKeep = 'registerHooks' in module;
const note = canKeep ? '' : ' (skipped: Node.js before 22.15 has no registerHooks)';

const asOperator = { headers: { Authorization: `Bearer ${token}` } };

it.runIf(canKeep)(
  `serve answers every path, and reloads${note}`,
  async () => {
    write('inv.yaml', `${settings}hosts: [{name: a, mac: '52:54:00:12:34:56'}]\n`);
    const args = ['--inventory', 'inv.yaml', '--iso', 'live.iso', '--token-file', 'tokens', '--log', 'json'];
    const service = start('serve', ...args, '--listen', '127.0.0.1:0');
    const origin = await saysOf(service, /"event":"ready","url":"([^"]+)"/);
    service.upgrade();
    const paths = ['', 'metrics', 'readyz', 'a.ign', 'a.iso', 'a.img', 'boot.ipxe', '?format=json', 'none'];
    const statusOf = async (path: string): Promise<unknown> => {
      const response = await fetch(`${origin}/${path}`, asOperator);
      return [path, response.status, (await response.arrayBuffer()).byteLength > 0];
    };
    const expected = paths.map((path) => [path, path === 'none' ? 404 : 200, true]);
    expect(await Promise.all(paths.map(statusOf))).toEqual(expected);
    write(
      'inv.yaml',
      `${settings}hosts: [{name: a, network: {nmstate: net.yaml}}, {name: '-'}, {name: c, ignore: [agent-image-issuer]}]\n`,
    );
    await saysOf(service, /"event":"(loaded)","hosts":2,"stale":0,"invalid":1/);
    expect(await statusOf('c.iso')).toEqual(['c.iso', 200, true]);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  },
  60_000,
);

it.runIf(canKeep)(
  `controller builds the image of a new object${note}`,
  async () => {
    const cluster = await startCluster();
    const config = {
      clusters: [{ name: 'k', cluster: { server: cluster.origin } }],
      users: [{ name: 'u', user: {} }],
    };
    const contexts = [{ name: 'c', context: { cluster: 'k', user: 'u' } }];
    write('kubeconfig', JSON.stringify({ 'current-context': 'c', contexts, ...config }));
    const args = [
      '--kubeconfig',
      'kubeconfig',
      '--settings',
      'settings.yaml',
      '--iso',
      'live.iso',
      '--log',
      'json',
    ];
    const replica = start(
      'controller',
      ...args,
      '--no-leader-election',
      '--listen',
      '127.0.0.1:0',
      '--drain-time',
      '0s',
    );
    await saysOf(replica, /"event":"(ready)"/);
    replica.upgrade();
    cluster.add();
    await until(() => cluster.statuses.length > 0 || replica.child.exitCode !== null);
    expect([cluster.statuses[0], replica.said()]).toEqual([
      expect.objectContaining({ imageUrl: expect.stringContaining('/worker-0.iso') }),
      expect.not.stringContaining('MODULE_NOT_FOUND'),
    ]);
    replica.child.kill('SIGTERM');
    expect(await replica.ended).toBe(0);
    cluster.close();
  },
  60_000,
);

it('try reports the machine that calls', async () => {
  const trial = start('try', '--listen', '127.0.0.1:0');
  const api = await saysOf(trial, /listening on (http:\S+:\d+)/);
  trial.upgrade();
  await scriptedAgent({ api, mac: '52:54:00:12:34:56' }).callHome();
  expect([await trial.ended, trial.said()]).toEqual([0, expect.stringContaining('called home')]);
});

it('boot sees the machine call, and restores it', async () => {
  const mac = '52:54:00:12:34:56';
  const bmc = await startFakeBmc({ model: bmcModels.ilo6, mac, power: 'Off' });
  const servers = ['--listen', '127.0.0.1:0', '--serve-listen', '127.0.0.1:0'];
  const machine = ['--bmc', bmc.origin, '--credentials', 'bmc.json', '--iso', 'agent.iso'];
  const run = start('boot', '--yes', ...machine, ...servers);
  await until(() => bmc.state.images.size === 1 || run.child.exitCode !== null);
  run.upgrade();
  const [image = ''] = bmc.state.images.values();
  await (await fetch(image)).arrayBuffer();
  const page = await fetch(await saysOf(run, /status page: (\S+)/));
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')]);
  const api = await saysOf(run, /listening on (http:\S+:\d+)/);
  await scriptedAgent({ api, mac }).callHome();
  expect([await run.ended, run.said()]).toEqual([0, expect.stringContaining('restored 1 of 1 machine')]);
  expect([bmc.state.power, bmc.state.images.size]).toEqual(['Off', 0]);
  await bmc.close();
});

function send(response: ServerResponse, body: object): void {
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

/** An API server with one PreprovisioningImage, which a watch reports after `add`. */
async function startCluster() {
  const name = { namespace: 'metal3', name: 'worker-0', uid: 'u', generation: 1, finalizers: [] };
  let image = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'PreprovisioningImage',
    metadata: { ...name, resourceVersion: '2' },
    spec: { acceptFormats: ['iso'], architecture: 'x86_64', networkDataName: 'net' },
  };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...name, name: 'net', resourceVersion: '1' },
    data: { nmstate: Buffer.from(nmstate('192.0.2.7')).toString('base64') },
  };
  const watches: ServerResponse[] = [];
  const statuses: unknown[] = [];
  let version = 2;
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://k');
      if (request.method === 'PATCH') {
        const patch = Object(await json(request));
        if (patch.status !== undefined) statuses.push(patch.status);
        version += 1;
        const metadata = { ...image.metadata, ...patch.metadata, resourceVersion: String(version) };
        image = { ...image, ...patch, metadata };
        send(response, image);
      } else if (searchParams.has('watch')) {
        response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
        if (pathname.endsWith('/preprovisioningimages')) watches.push(response);
      } else if (pathname.endsWith('/secrets/net')) send(response, secret);
      else if (request.method === 'GET')
        send(response, { kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
      else send(response, {});
    })();
  });
  const port = await listenLocally(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    statuses,
    add: () => {
      for (const watch of watches) watch.write(`${JSON.stringify({ type: 'ADDED', object: image })}\n`);
    },
    close: () => server.close().closeAllConnections(),
  };
}
