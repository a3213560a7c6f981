/**
 * What lies between a command and a server: TLS, proxies, and broken connections; and a disk that is full. The same for
 * images that are read by URL as for those that are downloaded.
 */

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectProxy, startConnectProxy } from '../support/connectProxy.ts';
import { type Fault, type ImageServer, serverAuthority, startImageServer } from '../support/imageServer.ts';
import { hybridIso } from '../support/liveIso.ts';
import { runCli } from '../support/runCli.ts';
import { runProgram } from '../support/runProgram.ts';
import { mountSmallDisk, type SmallDisk, smallDiskNote } from '../support/smallDisk.ts';

const MIB = 1024 * 1024;
const image = Buffer.alloc(4 * MIB);
image.set(hybridIso().subarray(0, image.length));
const trusting = { NODE_EXTRA_CA_CERTS: fileURLToPath(serverAuthority) };

let cwd: string;
let server: ImageServer;
let proxy: ConnectProxy | undefined;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'servers test '));
  await writeFile(join(cwd, 'config.ign'), '{"ignition":{"version":"3.4.0"}}');
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
  await server.close();
  await rm(cwd, { recursive: true, force: true });
});

async function serve(scheme: 'http' | 'https', faults: Fault[] = []): Promise<void> {
  server = await startImageServer(scheme);
  server.files.set('/coreos.iso', { content: image, faults });
}

/** Metadata without signature count as they are in a file. */
async function downloadArguments(origin: string): Promise<string[]> {
  const sha256 = createHash('sha256').update(image).digest('hex');
  const disk = { location: `${origin}/coreos.iso`, sha256 };
  const metadata = { architectures: { x86_64: { artifacts: { metal: { formats: { iso: { disk } } } } } } };
  await writeFile(join(cwd, 'stream.json'), JSON.stringify(metadata));
  const options = ['-a', 'x86_64', '-f', 'iso', '--fetch-retries', '0', '-C', 'out'];
  return ['download', '--stream-base-url', 'stream.json', ...options];
}

const embed = ['iso', 'ignition', 'embed', '-i', 'config.ign', '-o'];

/** One command of each kind, that fetches the image from there. */
const commands: Readonly<Record<string, (origin: string) => string[] | Promise<string[]>>> = {
  download: downloadArguments,
  'iso kargs show': (origin) => ['iso', 'kargs', 'show', `${origin}/coreos.iso`],
  'iso ignition embed -o': (origin) => [...embed, 'new.iso', `${origin}/coreos.iso`],
  inspect: (origin) => ['inspect', `${origin}/coreos.iso`],
};
const names = Object.keys(commands);
/** Of a file as a whole and of parts of it. Node reads NODE_EXTRA_CA_CERTS only at the start of a process. */
const inProcesses = ['download', 'iso kargs show'];
const argumentsOf = async (name: string, origin: string): Promise<string[]> =>
  (await commands[name]?.(origin)) ?? [];

/** All there is but what was there before. */
async function newFiles(): Promise<string[]> {
  const files = await readdir(cwd, { recursive: true });
  return files.filter((file) => !['config.ign', 'stream.json', 'out'].includes(file));
}

describe.each(names)('%s over https', (name) => {
  beforeEach(async () => serve('https'));

  it.runIf(inProcesses.includes(name))('works where the authority is in NODE_EXTRA_CA_CERTS', async () => {
    const run = await runProgram(await argumentsOf(name, server.origin), { cwd, env: trusting });
    expect(run).toMatchObject({ code: 0 });
    expect(server.requests.length).toBeGreaterThan(0);
  });

  it('refuses a certificate of an unknown authority, and does not try again', async () => {
    const { code, stderr } = await runCli(await argumentsOf(name, server.origin), { cwd });
    expect([code, stderr]).toEqual([
      1,
      `error: ${server.origin}/coreos.iso cannot be fetched: its TLS certificate is not trusted\n` +
        'hint: set NODE_EXTRA_CA_CERTS to the file with the CA certificate\n',
    ]);
    expect(server.requests).toEqual([]);
    expect(await newFiles()).toEqual([]);
  });
});

async function serveByProxy(): Promise<void> {
  await serve('https');
  proxy = await startConnectProxy({ origin: server.origin });
}

describe.each(inProcesses)('%s by a proxy that connects', (name) => {
  beforeEach(serveByProxy);

  it('works', async () => {
    const env = { ...trusting, https_proxy: proxy?.url ?? '' };
    const { code, stderr } = await runProgram(await argumentsOf(name, 'https://images.test'), { cwd, env });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    expect(new Set(proxy?.targets)).toEqual(new Set(['images.test:443']));
    expect(server.requests.length).toBeGreaterThan(0);
  });

  it('still verifies for whom the certificate is', async () => {
    const env = { ...trusting, https_proxy: proxy?.url ?? '' };
    const { code, stderr } = await runProgram(await argumentsOf(name, 'https://other.test'), { cwd, env });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('its TLS certificate is for other host names'),
    ]);
    expect(server.requests).toEqual([]);
    expect(await newFiles()).toEqual([]);
  });

  it('is not asked for hosts of NO_PROXY', async () => {
    const env = { ...trusting, https_proxy: proxy?.url ?? '', no_proxy: '127.0.0.1' };
    expect(await runProgram(await argumentsOf(name, server.origin), { cwd, env })).toMatchObject({ code: 0 });
    expect(proxy?.targets).toEqual([]);
  });
});

it.each(names)('%s: the proxy refuses the password, which is not printed', async (name) => {
  await serveByProxy();
  const env = { https_proxy: (proxy?.url ?? '').replace('hunter2', 'hunter3') };
  const { code, stderr } = await runCli(await argumentsOf(name, 'https://images.test'), { cwd, env });
  expect([code, stderr]).toEqual([
    1,
    'error: https://images.test/coreos.iso cannot be fetched: the proxy returned HTTP status 407\n' +
      'hint: add the credentials to the proxy URL: http://USER:PASSWORD@…\n',
  ]);
});

it.each(names)('%s: a proxy may refuse to connect', async (name) => {
  await serve('https');
  proxy = await startConnectProxy({ origin: server.origin, status: 403 });
  const env = { https_proxy: proxy.url };
  const { code, stderr } = await runCli(await argumentsOf(name, 'https://images.test'), { cwd, env });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/the proxy returned HTTP status 403\nhint: fix https_proxy/),
  ]);
  expect(stderr).not.toContain('hunter');
});

it.each(names)('%s: the proxy for http is asked for the whole URL', async (name) => {
  await serve('http');
  const env = { http_proxy: server.origin };
  expect(await runCli(await argumentsOf(name, 'http://images.invalid'), { cwd, env })).toMatchObject({
    code: 0,
  });
  expect(server.requests.map(({ path }) => path)).toContain('http://images.invalid/coreos.iso');
});

describe('an image by URL', () => {
  it.each<readonly [string, readonly Fault[]]>([
    ['status 503', [{ kind: 'status', status: 503 }]],
    ['a part that breaks off', [{ kind: 'drop', after: 1000 }]],
    ['a redirect', [{ kind: 'redirect', to: '/mirror' }]],
  ])('gets over %s', async (_title, faults) => {
    await serve('http', [...faults]);
    server.files.set('/mirror', { content: image });
    const { code } = await runCli(['iso', 'kargs', 'show', `${server.origin}/coreos.iso`], { cwd });
    expect(code).toBe(0);
  });

  it('goes on where a copy broke off', async () => {
    await serve('http');
    await runCli([...embed, 'new.iso', `${server.origin}/coreos.iso`], { cwd });
    const expected = await readFile(join(cwd, 'new.iso'));
    await rm(join(cwd, 'new.iso'));
    const all = server.requests.findIndex(({ range }) => range === undefined);
    server.requests.length = 0;
    const faults: Fault[] = Array.from({ length: all }, () => ({ kind: 'no length' }));
    server.files.set('/coreos.iso', {
      content: image,
      faults: [...faults, { kind: 'drop', after: 3 * MIB }],
    });
    const { code, stderr } = await runCli([...embed, 'new.iso', `${server.origin}/coreos.iso`], { cwd });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('the connection was interrupted; retrying in 1 s'),
    ]);
    expect(await readFile(join(cwd, 'new.iso'))).toEqual(expected);
    const rest = server.requests.find(({ range }) => range?.endsWith(`-${image.length - 1}`) === true);
    expect(Number(/\d+/.exec(rest?.range ?? '')?.[0])).toBeGreaterThan(2 * MIB);
  });
});

const note = smallDiskNote();

describe.skipIf(note !== '')(`a disk that is full${note}`, () => {
  let small: SmallDisk;
  beforeEach(async () => {
    small = mountSmallDisk(2048);
    await serve('http');
  });
  afterEach(() => small.remove());
  const onDisk = async (): Promise<string[]> => (await readdir(small.path)).toSorted();

  it('leaves of a download what came, to go on with', async () => {
    const args = await downloadArguments(server.origin);
    const { code, stdout, stderr } = await runCli([...args.slice(0, -1), small.path], { cwd });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/No space left [^\n]*\nhint: /)]);
    expect(await onDisk()).toEqual(['coreos.iso.partial', 'coreos.iso.partial.json']);
  });

  it.each([
    ['from a server', 'URL'],
    ['from a file', 'FILE'],
    ['from standard input', '-'],
  ])('leaves nothing of an image %s', async (_title, source) => {
    await writeFile(join(cwd, 'coreos.iso'), image);
    const from = source === 'URL' ? `${server.origin}/coreos.iso` : source === 'FILE' ? 'coreos.iso' : '-';
    const output = join(small.path, 'new.iso');
    const args = [...embed, output, from];
    const { code, stderr } = await runCli(args, { cwd, stdin: image });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/No space left [^\n]*\nhint: /)]);
    expect(await onDisk()).toEqual([]);
  });

  it('says so where standard output is on it', async () => {
    await writeFile(join(cwd, 'coreos.iso'), image);
    const args = [...embed, '-', 'coreos.iso'];
    const script = `"$@" > "${small.path}/new.iso"`;
    const { code, stderr } = await runProgram(args, { cwd, script });
    expect([code, stderr]).toEqual([1, expect.stringContaining('No space left on device')]);
  });
});

describe('standard output', () => {
  beforeEach(async () => {
    await serve('http');
    await writeFile(join(cwd, 'coreos.iso'), image);
  });
  it.each([
    ['a pipe', '"$@" | cat > out.iso'],
    ['a slow pipe', '"$@" | { sleep 0.3; cat; } > out.iso'],
    ['a file', '"$@" > out.iso'],
    ['the end of a file', 'printf before > out.iso; "$@" >> out.iso; tail -c +7 out.iso > x; mv x out.iso'],
  ])('gets the same bytes as a file: %s', async (_title, script) => {
    await runProgram([...embed, 'file.iso', 'coreos.iso'], { cwd });
    expect(await runProgram([...embed, '-', 'coreos.iso'], { cwd, script })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await readFile(join(cwd, 'out.iso'))).toEqual(await readFile(join(cwd, 'file.iso')));
  });

  it('may go away', async () => {
    const script = '{ "$@"; echo $? > code; } | head -c 100000 > out.iso';
    const { stderr } = await runProgram([...embed, '-', 'coreos.iso'], { cwd, script });
    expect(stderr).toBe('');
    expect(await readFile(join(cwd, 'code'), 'utf8')).toBe('0\n');
  });
});
