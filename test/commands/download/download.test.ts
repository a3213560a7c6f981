/**
 * Downloads from a real server that does everything wrong which servers and networks do. Each ends in a verified file, or
 * in an error with nothing that looks finished.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { thisProcess } from '../../../src/io/process.ts';
import { type Fault, type ImageServer, startImageServer } from '../../support/imageServer.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';
import { makeKey, signFile, type TestKey } from '../../support/signing.ts';
import { storeXz } from '../../support/xzStreams.ts';

const content = Buffer.alloc(3_000_000, 'an image of CoreOS\n');
const other = Buffer.alloc(3_000_000, 'something else\n');
const name = 'coreos-1-live-iso.x86_64.iso';

let server: ImageServer;
let folder: string;
let key: TestKey;
let signature: Uint8Array;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  key = await makeKey();
  signature = await signFile(content, key);
});

beforeEach(async () => {
  server = await startImageServer();
  folder = mkdtempSync(join(tmpdir(), 'download test '));
  writeFileSync(join(folder, 'keys.gpg'), key.keyring);
  serveImage();
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Image {
  readonly name?: string;
  readonly content?: Uint8Array;
  readonly isSigned?: boolean;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A stream of one image. */
function serveImage({
  name: file = name,
  content: bytes = content,
  isSigned = true,
  fields,
}: Image = {}): void {
  server.files.set(`/builds/${file}`, { content: bytes });
  server.files.set(`/builds/${file}.sig`, { content: signature });
  const disk = {
    location: `${server.origin}/builds/${file}`,
    ...(isSigned && { signature: `${server.origin}/builds/${file}.sig` }),
    sha256: sha256(bytes),
    ...fields,
  };
  serveMetadata({ iso: { disk } });
}

function serveMetadata(formats: object): void {
  const metadata = {
    stream: 'stable',
    architectures: { x86_64: { artifacts: { metal: { release: '1', formats } } } },
  };
  server.files.set('/streams/stable.json', { content: Buffer.from(JSON.stringify(metadata)) });
}

interface Run extends RunResult {
  /** All there is in the target folder. */
  readonly files: readonly string[];
}

async function download(...args: readonly string[]): Promise<Run> {
  return downloadIn({}, ...args);
}

async function downloadIn(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Run> {
  const options = ['-C', 'out', '--gpg-keyring', 'keys.gpg'];
  const choice = ['-a', 'x86_64', '-f', 'iso', '--stream-base-url', `${server.origin}/streams/`];
  const all = args.includes('-u') ? options : [...options, ...choice];
  const result = await runCli(['download', ...all, ...args], { cwd: folder, env });
  const out = join(folder, 'out');
  return { ...result, files: existsSync(out) ? readdirSync(out).toSorted() : [] };
}

const written = (file = name): Buffer => readFileSync(join(folder, 'out', file));
const fault = (...faults: Fault[]): void => {
  const file = server.files.get(`/builds/${name}`);
  if (file !== undefined) file.faults = faults;
};
const asked = (): number => server.requests.filter(({ path }) => path === `/builds/${name}`).length;

describe('download', () => {
  it('writes the image and its signature, and prints the path', async () => {
    const run = await download();
    expect(run).toMatchObject({ code: 0, stdout: `out/${name}\n`, files: [name, `${name}.sig`] });
    expect(run.stderr).toContain('signed by Test <test@example.com>');
    expect(written()).toEqual(content);
    expect(written(`${name}.sig`)).toEqual(Buffer.from(signature));
  });

  it('verifies the file of --image-url by --sha256, without a signature', async () => {
    serveImage({ isSigned: false });
    server.files.delete(`/builds/${name}.sig`);
    const url = `${server.origin}/builds/${name}`;
    expect(await download('-u', url)).toMatchObject({ code: 1, files: [] });
    const run = await download('-u', url, '--sha256', sha256(content).toUpperCase());
    expect(run).toMatchObject({ code: 0, stdout: `out/${name}\n`, files: [name] });
    expect(run.stderr).toContain('sha256 verified');
    expect(server.requests.filter(({ path }) => path.endsWith('.sig'))).toHaveLength(1);
    expect((await download('-u', url, '--sha256', sha256(content))).stderr).toContain(
      'already exists and is valid',
    );
  });

  it.each([
    [['--sha256', 'a'.repeat(64)], 1, 'checksum mismatch: '],
    [['--sha256', 'abc'], 2, 'invalid value for --sha256: not 64 hexadecimal digits'],
  ])('refuses a file of --image-url with %j', async (args, code, message) => {
    const run = await download('-u', `${server.origin}/builds/${name}`, ...args);
    expect(run).toMatchObject({ code, files: [] });
    expect(run.stderr).toContain(message);
  });

  it('does not ignore options silently', async () => {
    const url = `${server.origin}/builds/${name}`;
    const run = await download('-u', url, '-s', 'next', '-a', 'aarch64');
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr).toContain('warning: --stream has no effect with --image-url\n');
    expect(run.stderr).toContain('warning: --architecture has no effect with --image-url\n');
    const withoutUrl = await download('--sha256', 'a'.repeat(64));
    expect(withoutUrl).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sha256 requires --image-url'),
    });
  });

  it('fetches nothing the second time', async () => {
    await download();
    const before = asked();
    expect(await download()).toMatchObject({ code: 0, stdout: `out/${name}\n` });
    expect(asked()).toBe(before);
  });

  it.each<readonly [string, readonly Fault[]]>([
    ['a connection that breaks off', [{ kind: 'drop', after: 1_500_000 }]],
    ['one that breaks off at once', [{ kind: 'drop', after: 0 }]],
    ['status 503', [{ kind: 'status', status: 503, headers: { 'retry-after': '1' } }]],
    ['a redirect', [{ kind: 'redirect', to: '/mirror' }]],
    ['no length', [{ kind: 'no length' }]],
    ['slow bytes', [{ kind: 'slow' }]],
    ['a rest of another size', [{ kind: 'drop', after: 1_500_000 }, { kind: 'wrong range' }]],
  ])('gets over %s', async (_title, faults) => {
    fault(...faults);
    server.files.set('/mirror', { content });
    const run = await download('--fetch-retries', '3');
    expect(run).toMatchObject({ code: 0, files: [name, `${name}.sig`] });
    expect(written()).toEqual(content);
  });

  it('goes on where it broke off, in the same run and in the next', async () => {
    fault({ kind: 'drop', after: 1_500_000 });
    const first = await download('--fetch-retries', '0');
    expect(first).toMatchObject({ code: 1, stdout: '', files: [`${name}.partial`, `${name}.partial.json`] });
    expect(first.stderr).toContain('the connection was interrupted');
    fault({ kind: 'drop', after: 500_000 });
    expect(await download()).toMatchObject({ code: 0, files: [name, `${name}.sig`] });
    expect(written()).toEqual(content);
    const ranges = server.requests.filter(({ path }) => path === `/builds/${name}`).map(({ range }) => range);
    const starts = ranges.map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0));
    expect(starts).toHaveLength(3);
    // What came last before a connection broke off may be lost.
    expect(starts[1]).toBeGreaterThan(1_300_000);
    expect(starts[2]).toBeGreaterThan(1_700_000);
  });

  it('starts from the beginning where the ETag changed', async () => {
    fault({ kind: 'drop', after: 1_500_000 });
    await download('--fetch-retries', '0');
    server.files.set(`/builds/${name}`, { content, etag: '"2"' });
    expect(await download()).toMatchObject({ code: 0 });
    expect(written()).toEqual(content);
  });

  it('starts once more where what it had was wrong', async () => {
    fault({ kind: 'drop', after: 1_500_000 });
    await download('--fetch-retries', '0');
    writeFileSync(join(folder, 'out', `${name}.partial`), other.subarray(0, 1_500_000));
    const run = await download();
    expect(run.stderr).toContain('starting from the beginning');
    expect(run).toMatchObject({ code: 0, files: [name, `${name}.sig`] });
    expect(written()).toEqual(content);
  });

  it('needs no more than what is there, if that is all', async () => {
    fault({ kind: 'drop', after: 1_500_000 });
    await download('--fetch-retries', '0');
    writeFileSync(join(folder, 'out', `${name}.partial`), content);
    const before = asked();
    expect(await download()).toMatchObject({ code: 0, files: [name, `${name}.sig`] });
    expect(asked()).toBe(before);
  });

  it.each<readonly [string, () => void, string]>([
    ['status 404', () => server.files.delete(`/builds/${name}`), '404'],
    ['status 500', () => fault({ kind: 'status', status: 500 }), '500'],
    ['another file', () => server.files.set(`/builds/${name}`, { content: other }), 'checksum mismatch'],
    ['a file that is too short', () => fault({ kind: 'short', length: 1000 }), 'checksum mismatch'],
    [
      'a wrong signature',
      () => server.files.set(`/builds/${name}.sig`, { content: Buffer.from(signature).fill(1, 90) }),
      'GPG verification failure',
    ],
    ['no signature', () => server.files.delete(`/builds/${name}.sig`), 'signature not found'],
    [
      'a signature that is none',
      () => server.files.set(`/builds/${name}.sig`, { content: Buffer.from('no') }),
      'GPG verification failure',
    ],
    ['no metadata', () => server.files.delete('/streams/stable.json'), '404'],
    [
      'metadata that is none',
      () => server.files.set('/streams/stable.json', { content: Buffer.from('<html>') }),
      'not valid stream metadata',
    ],
    [
      'a redirect to a file',
      () => fault({ kind: 'redirect', to: 'file:///etc/passwd' }),
      'cannot be fetched',
    ],
    [
      'redirects without end',
      () =>
        fault(...Array.from({ length: 30 }, () => ({ kind: 'redirect', to: `/builds/${name}` }) as const)),
      'cannot be fetched',
    ],
  ])('leaves nothing after %s', async (_title, prepare, problem) => {
    prepare();
    const run = await download('--fetch-retries', '0');
    expect(run).toMatchObject({ code: 1, stdout: '', files: [] });
    expect(run.stderr).toContain(problem);
    expect(run.stderr).toContain('hint: ');
  });

  it('replaces what is wrong, but never by what is wrong', async () => {
    await download();
    server.files.set(`/builds/${name}`, { content: other });
    writeFileSync(join(folder, 'out', name), 'customized');
    expect(await download()).toMatchObject({ code: 1, files: [name, `${name}.sig`] });
    expect(written().toString()).toBe('customized');
    server.files.set(`/builds/${name}`, { content });
    expect(await download()).toMatchObject({ code: 0 });
    expect(written()).toEqual(content);
  });

  it('leaves alone what another run is at', async () => {
    fault({ kind: 'drop', after: 1_500_000 });
    await download('--fetch-retries', '0');
    const path = join(folder, 'out', `${name}.partial.json`);
    const state: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const owner = thisProcess().replace(/^\d+/, `${process.ppid}`);
    writeFileSync(path, JSON.stringify(Object.assign({}, state, { owner })));
    const run = await download();
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`Another process is downloading out/${name}: process ${process.ppid}\n`);
  });

  it('fetches the files of pxe at the same time, and prints them in order', async () => {
    const parts = ['kernel', 'initramfs', 'rootfs'];
    for (const part of parts) server.files.set(`/builds/${part}`, { content: Buffer.from(part) });
    const pxe = parts.map((part) => [
      part,
      { location: `${server.origin}/builds/${part}`, sha256: sha256(Buffer.from(part)) },
    ]);
    serveMetadata({ pxe: Object.fromEntries(pxe) });
    const run = await download('-f', 'pxe').catch((error: unknown) => error);
    expect(run).toMatchObject({ code: 2 }); // -f twice
    const all = ['download', '-C', 'out', '-a', 'x86_64', '-f', 'pxe'];
    const base = ['--stream-base-url', `${server.origin}/streams/`];
    const result = await runCli([...all, ...base], { cwd: folder });
    expect(result).toMatchObject({ code: 0, stdout: 'out/initramfs\nout/kernel\nout/rootfs\n' });
    server.files.delete('/builds/kernel');
    rmSync(join(folder, 'out'), { recursive: true });
    const failed = await runCli([...all, ...base], { cwd: folder });
    expect(failed.code).toBe(1);
    expect(readdirSync(join(folder, 'out'))).not.toContain('kernel');
  });
});

it('a file in the place of the folder is named in the error', async () => {
  writeFileSync(join(folder, 'out'), 'text');
  const args = ['download', '-C', 'out', '-a', 'x86_64', '-f', 'iso', '--insecure'];
  const run = await runCli([...args, '--stream-base-url', `${server.origin}/streams/`], { cwd: folder });
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toContain('error: File exists: out\n');
});

describe('trust', () => {
  it('metadata without signature suffices with a digest, as that of RHCOS', async () => {
    serveImage({ isSigned: false });
    const run = await download();
    expect(run).toMatchObject({ code: 0, files: [name] });
    expect(run.stderr).toContain('no signature verified');
  });

  it('metadata without signature and digest does not', async () => {
    serveImage({ isSigned: false, fields: { sha256: undefined } });
    expect(await download()).toMatchObject({ code: 1, files: [] });
    expect(await download('--insecure')).toMatchObject({ code: 0, files: [name] });
    const again = await download('--insecure');
    expect(again.stderr).toContain('File exists');
    expect(again.code).toBe(1);
  });

  it('a digest that is there is checked, whatever is allowed', async () => {
    serveImage({ isSigned: false, fields: { sha256: sha256(other) } });
    expect(await download('--insecure')).toMatchObject({ code: 1, files: [] });
  });

  it('a signature that is there is checked, whatever is allowed', async () => {
    server.files.set(`/builds/${name}.sig`, { content: await signFile(other, key) });
    expect(await download('--insecure')).toMatchObject({ code: 1, files: [] });
  });

  it('a key that is not trusted does not count, though it is asked for', async () => {
    server.files.set(`/builds/${name}.sig`, { content: await signFile(content, await makeKey()) });
    const run = await download();
    expect(run).toMatchObject({ code: 1, files: [] });
    expect(run.stderr).toContain('no trusted key');
    expect(asked()).toBe(0);
  });

  it('a metadata file may be local, and its locations relative', async () => {
    const disk = { location: `${server.origin}/builds/${name}`, sha256: sha256(content) };
    const metadata = { architectures: { x86_64: { artifacts: { metal: { formats: { iso: { disk } } } } } } };
    writeFileSync(join(folder, 'rhcos.json'), JSON.stringify(metadata));
    const args = ['download', '-a', 'x86_64', '-f', 'iso', '--stream-base-url', 'rhcos.json'];
    expect(await runCli(args, { cwd: folder })).toMatchObject({ code: 0, stdout: `./${name}\n` });
  });
});

describe('standard output', () => {
  it.each([
    'fedora-coreos-44.20260707.3.1-live-iso.x86_64.iso',
    'fedora-coreos-38.20230709.3.0-live.x86_64.iso',
  ])('is the path alone, for ISO=$(… download): %s', async (image) => {
    serveImage({ name: image });
    const { code, stdout, stderr } = await download();
    expect([code, stdout]).toEqual([0, `out/${image}\n`]);
    expect(stderr).toContain(`out/${image}: signed by Test`);
  });
});

describe('--image-url', () => {
  it('takes the signature beside it, and checks a file that is there by it', async () => {
    const url = `${server.origin}/builds/${name}`;
    expect(await download('-u', url)).toMatchObject({ code: 0, files: [name, `${name}.sig`] });
    const before = asked();
    expect(await download('-u', url)).toMatchObject({ code: 0 });
    expect(asked()).toBe(before);
  });

  it('keeps passwords to itself and to the host they are for', async () => {
    const elsewhere = await startImageServer();
    elsewhere.files.set(`/${name}`, { content });
    const { port } = new URL(elsewhere.origin);
    fault({ kind: 'redirect', to: `http://localhost:${port}/${name}` });
    const url = server.origin.replace('//', '//user:hunter2@');
    const run = await download('-u', `${url}/builds/${name}?token=hunter3`);
    await elsewhere.close();
    expect(run).toMatchObject({ code: 1 }); // listens on 127.0.0.1 only, or is there
    expect(`${run.stdout}${run.stderr}`).not.toMatch(/hunter/);
  });

  it.each([
    ['no URL', 'coreos.iso', 2],
    ['another kind of URL', 'ftp://example.com/coreos.iso', 2],
    ['no name', 'http://127.0.0.1:1/', 1],
    ['a hidden name', 'http://127.0.0.1:1/.bashrc', 1],
  ])('refuses %s', async (_title, url, code) => {
    expect(await download('-u', url)).toMatchObject({ code, files: [] });
  });
});

describe('--decompress', () => {
  const raw = Buffer.alloc(2_000_000, 'a disk\n');

  it.each<readonly [string, string, () => Uint8Array]>([
    ['gzip', 'disk.raw.gz', () => gzipSync(raw)],
    ['xz', 'disk.raw.xz', () => storeXz(raw)],
  ])('%s', async (_title, file, pack) => {
    serveImage({
      name: file,
      content: pack(),
      isSigned: false,
      fields: { 'uncompressed-sha256': sha256(raw) },
    });
    const run = await download('-d');
    expect(run).toMatchObject({ code: 0, stdout: 'out/disk.raw\n', files: ['disk.raw'] });
    expect(written('disk.raw')).toEqual(raw);
    const before = server.requests.length;
    expect(await download('-d')).toMatchObject({ code: 0, files: ['disk.raw'] });
    expect(server.requests.slice(before).map(({ path }) => path)).toEqual(['/streams/stable.json']);
  });

  it.each<readonly [string, Uint8Array, object]>([
    ['garbage behind', Buffer.concat([gzipSync(raw), Buffer.from('garbage')]), {}],
    ['a file that is cut off', gzipSync(raw).subarray(0, 500), {}],
    ['a file that is not compressed', Buffer.from('raw'), {}],
    ['other contents than promised', gzipSync(raw), { 'uncompressed-sha256': sha256(other) }],
  ])('refuses %s', async (_title, bytes, fields) => {
    serveImage({ name: 'disk.raw.gz', content: bytes, isSigned: false, fields: { ...fields } });
    const run = await download('-d');
    expect(run.code).toBe(1);
    expect(run.files).not.toContain('disk.raw');
  });

  it('a file that cannot be decompressed is downloaded again by the next run', async () => {
    server.files.set('/builds/a.raw.gz', { content: gzipSync(raw).subarray(0, 500) });
    const args = ['-d', '--insecure', '-u', `${server.origin}/builds/a.raw.gz`];
    const run = await download(...args);
    expect(run).toMatchObject({ code: 1, files: [] });
    expect(run.stderr).toContain('\nhint: run the command again to download the file again');
    server.files.set('/builds/a.raw.gz', { content: gzipSync(raw) });
    expect(await download(...args)).toMatchObject({ code: 0, files: ['a.raw'] });
  });

  it.skipIf(!have('zstd'))(`zstd${oracleNote('zstd')}`, async () => {
    const { spawnSync } = await import('node:child_process');
    const packed = spawnSync('zstd', ['-c'], { input: raw }).stdout;
    serveImage({ name: 'disk.raw.zst', content: packed, isSigned: false });
    expect(await download('-d')).toMatchObject({ code: 0, files: ['disk.raw'] });
    expect(written('disk.raw')).toEqual(raw);
  });
});

describe('proxies', () => {
  it('asks the one for http, but not for hosts that need none', async () => {
    const env = { http_proxy: server.origin };
    const url = `http://images.invalid/builds/${name}`;
    expect(await downloadIn(env, '-u', url)).toMatchObject({ code: 0 });
    expect(server.requests.map(({ path }) => path)).toContain(url);
    rmSync(join(folder, 'out'), { recursive: true });
    const run = await downloadIn({ ...env, no_proxy: 'invalid' }, '-u', url, '--fetch-retries', '0');
    expect(run).toMatchObject({ code: 1, files: [] });
    expect(run.stderr).toContain('host not found');
  });
});

describe('usage', () => {
  it.each([
    [['--fetch-retries', 'often']],
    [['--fetch-retries', '-1']],
    [['-s', '../stable']],
    [['--stream', 'a', '--stream', 'b']],
    [['extra']],
  ])('%j ends with 2', async (args) => {
    expect(await download(...args)).toMatchObject({ code: 2, files: [] });
  });

  it.each([
    ['-p', 'qemu', 'use one of these with --platform: metal'],
    ['-s', 'next', 'cannot be fetched'],
  ])('%s %s does not exist', async (option, value, message) => {
    const run = await download(option, value);
    expect(run).toMatchObject({ code: 1, files: [] });
    expect(run.stderr).toContain(message);
  });
});
