/** The files that a service is set up with: unit of systemd, image of a container. */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { have, oracleNote } from '../support/programs.ts';
import { tlsFile } from '../support/serveFixtures.ts';
import { listenLocally } from '../support/listening.ts';

const top = resolve(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(top, 'deploy/serve', name), 'utf8');

describe('ironic-coreos-serve.service', () => {
  const unit = read('ironic-coreos-serve.service');
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('gives running transfers the time that they are granted', () => {
    const grace = Number(/--grace (\d+)s/.exec(setting('ExecStart'))?.[1]);
    expect(grace).toBeGreaterThan(0);
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(grace);
  });

  it('hands over each credential that the program is started with', () => {
    const used = [...setting('ExecStart').matchAll(/%d\/([\w-]+)/g)].map((match) => match[1]);
    const loaded = [...unit.matchAll(/^LoadCredential=([\w-]+):/gm)].map((match) => match[1]);
    expect(used).toEqual(['url-key', 'tokens']);
    expect(loaded).toEqual(used);
  });

  it('listens as its socket does, or on the address of its options', () => {
    const socket = read('ironic-coreos-serve.socket');
    const port = /^ListenStream=(\d+)$/m.exec(socket)?.[1];
    expect(setting('Environment')).toContain(`--listen 127.0.0.1:${port}`);
  });

  describe.skipIf(!have('systemd-analyze'))(`by systemd-analyze${oracleNote('systemd-analyze')}`, () => {
    let folder = '';
    let file = '';
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'unit '));
      file = join(folder, 'ironic-coreos-serve.service');
      // The program itself need not be installed.
      writeFileSync(file, unit.replace(/^ExecStart=ironic-coreos /m, 'ExecStart=/bin/true '));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('is understood', () => {
      const socket = join(folder, 'ironic-coreos-serve.socket');
      writeFileSync(socket, read('ironic-coreos-serve.socket'));
      const args = ['verify', file, socket];
      const { stderr, status } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      expect(stderr.split('\n').filter((line) => line.includes('ironic-coreos'))).toEqual([]);
      expect(status).toBe(0);
    });

    it('is hardly exposed', () => {
      const args = ['security', '--offline=true', '--no-pager', '--threshold=15', file];
      const { stdout, status } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      expect(stdout).toMatch(/Overall exposure level for \S+: [01]\.\d OK/);
      expect(status).toBe(0);
    });
  });
});

/** Words of each instruction. */
const instructions = (text = ''): string[][] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/));

describe('Containerfile', () => {
  const stages = read('Containerfile').split(/^(?=FROM )/m);
  const stage = (name: string): string =>
    stages.find((text) => text.split('\n')[0]?.endsWith(` AS ${name}`)) ?? '';
  it('copies what there is', () => {
    const copied = instructions(stages[1])
      .filter(([name]) => name === 'COPY')
      .flatMap((words) => words.slice(1, -1));
    expect(copied).toContain('src');
    expect(copied.filter((name) => !existsSync(join(top, name)))).toEqual([]);
  });

  it.each([
    ['the program', ['cli'], '["node", "/app/bin/ironic-coreos.js"]', /^[1-9]\d*:[1-9]\d*$/],
    [
      'the service',
      ['cli', 'serve'],
      '["node", "/app/bin/ironic-coreos.js", "serve"]',
      /^[1-9]\d*:[1-9]\d*$/,
    ],
    ['the controller', ['cli', 'controller'], '["node", "/app/bin/ironic-coreos.js"]', /^[1-9]\d*:0$/],
  ])('starts %s, as nobody', (_title, names, entryPoint, user) => {
    const made = names.map(stage);
    const last = new Map(made.flatMap(instructions).map(([name, ...words]) => [name, words.join(' ')]));
    expect(last.get('USER')).toMatch(user);
    expect(last.get('ENTRYPOINT')).toBe(entryPoint);
  });

  it('checks the health of the service, not of the program', () => {
    const serve = stage('serve');
    expect(stage('cli')).not.toContain('HEALTHCHECK');
    expect(serve).toMatch(/^FROM cli /);
    expect(serve).toContain('"/app/deploy/serve/healthcheck.js"');
  });

  it('holds the package as npm packs it, with all files that the program reads', () => {
    expect(stages[1]).toMatch(/^RUN npm pack .*tar -xzf ironic-coreos-\*\.tgz -C \/app /m);
    expect(stage('cli')).toContain('COPY --from=build --chown=0:0 /app /app');
  });
});

const check = (url: string): Promise<number | null> => {
  const script = join(top, 'deploy/serve/healthcheck.js');
  const program = spawn(process.execPath, [script], { env: { HEALTH_URL: url }, stdio: 'ignore' });
  return new Promise((end) => program.once('close', end));
};
const answering =
  (status: number): RequestListener =>
  (request, response) =>
    response.writeHead(request.url === '/healthz' ? status : 404).end();

describe('healthcheck.js', () => {
  const servers: Server[] = [];
  const listen = (server: Server): Promise<number> => {
    servers.push(server);
    return listenLocally(server);
  };
  afterAll(() => {
    for (const server of servers) server.close().closeAllConnections();
  });

  it.each([
    ['a service that lives', 200, 0],
    ['another answer', 503, 1],
  ])('%s', async (_title, status, code) => {
    const port = await listen(createServer(answering(status)));
    expect(await check(`http://127.0.0.1:${port}/healthz`)).toBe(code);
  });

  it('TLS, with a certificate for another name', async () => {
    const [cert, key] = ['stranger', 'stranger-key'].map((name) => readFileSync(tlsFile(name)));
    const port = await listen(createTlsServer({ cert, key }, answering(200)));
    expect(await check(`https://127.0.0.1:${port}/healthz`)).toBe(0);
  });

  it('nobody there', async () => {
    expect(await check('http://127.0.0.1:1/healthz')).toBe(1);
  });

  it('no answer', async () => {
    const port = await listen(createServer(() => undefined));
    expect(await check(`http://127.0.0.1:${port}/healthz`)).toBe(1);
  });
});
