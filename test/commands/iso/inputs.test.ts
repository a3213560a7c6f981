/** Images from servers, pipes and devices, for commands that read and commands that change. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hybridIso } from '../../support/liveIso.ts';
import { type Habit, type ImageServer, serveImage } from '../../support/habitServer.ts';
import { have } from '../../support/programs.ts';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const config = '{"ignition":{"version":"3.4.0"}}\n';
const large = Buffer.alloc(12 * 1024 * 1024);
hybridIso().forEach((byte, index) => (large[index] = byte));

let cwd: string;
let server: ImageServer | undefined;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso inputs ')));
  await writeFile(join(cwd, 'config.ign'), config);
  await writeFile(join(cwd, 'coreos.iso'), large);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(cwd, { recursive: true, force: true });
});

const serve = async (image: Uint8Array, habit?: Habit): Promise<string> => {
  server = await serveImage(image, habit);
  return server.url;
};
const run = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(['iso', ...line.split(' ')], { cwd, ...options });
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const digestOf = async (name: string): Promise<string> => digest(await readFile(join(cwd, name)));
/** What the command makes of the same image in a file. */
const expectedDigest = async (command: string): Promise<string> => {
  await run(`${command} -o expected.iso coreos.iso`);
  const result = await digestOf('expected.iso');
  await rm(join(cwd, 'expected.iso'));
  return result;
};

const embed = 'ignition embed -i config.ign';

const wholeDownload =
  /^http:\/\/127\.0\.0\.1:\d+\/coreos\.iso: the server ignores range requests; downloading the whole file \(.*\)\n$/;

describe('a URL', () => {
  it('is read by a few requests for parts', async () => {
    const url = await serve(large);
    const { stdout } = await run('kargs show coreos.iso');
    expect(await run(`kargs show ${url}`)).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(server?.requests.length).toBeLessThan(8);
    expect(server?.requests).not.toContain('all');
  });

  it.each(['-o out.iso', '-o -'])('%s takes one request for all of it', async (output) => {
    const url = await serve(large);
    const expected = await expectedDigest(embed);
    const { code, stderr, stdoutBytes } = await run(`${embed} ${output} ${url}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(output === '-o -' ? digest(stdoutBytes) : await digestOf('out.iso')).toBe(expected);
    expect(server?.requests.filter((request) => request === 'all')).toEqual(['all']);
    expect(server?.requests.length).toBeLessThan(12);
  });

  it.each(['', 'no ranges'] as const)('gives the PXE files the name of the ISO %s', async (habit) => {
    const url = await serve(large, habit === '' ? 'none' : habit);
    const { code, stderr } = await run(`extract pxe -o pxe ${url}`);
    expect([code, habit === '' || wholeDownload.test(stderr) ? '' : stderr]).toEqual([0, '']);
    await run('extract pxe -o expected coreos.iso');
    for (const name of await readdir(join(cwd, 'expected'))) {
      expect(await digestOf(join('pxe', name))).toBe(await digestOf(join('expected', name)));
    }
  });

  it('works where the server knows no parts', async () => {
    const url = await serve(large, 'no ranges');
    const expected = await expectedDigest('kargs modify -a x');
    const { code, stderr } = await run(`kargs modify -a x -o out.iso ${url}`);
    expect([code, stderr]).toEqual([0, expect.stringMatching(wholeDownload)]);
    expect(await digestOf('out.iso')).toBe(expected);
    expect(server?.requests).toEqual(['all']);
  });

  it.each<[Habit, string]>([
    ['changing', 'File changed on the server, or the response is invalid'],
    ['changes once', 'File changed on the server, or the response is invalid'],
    ['shorter', 'File changed on the server, or the response is invalid'],
  ])('of a server that is %s leaves nothing, and its secrets untold', async (habit, message) => {
    const url = await serve(large, habit);
    const { code, stderr } = await run(`${embed} -o out.iso ${url}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).not.toContain('hunter');
    expect((await readdir(cwd)).toSorted()).toEqual(['config.ign', 'coreos.iso']);
  });

  it('is named without its secrets where it is no image', async () => {
    const url = await serve(Buffer.alloc(100_000));
    const { code, stderr } = await run(`kargs show ${url}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: http:\/\/127\.0\.0\.1:\d+\/coreos\.iso: /),
    ]);
    expect(stderr).not.toContain('hunter');
  });

  it('of nothing is no image', async () => {
    expect((await run(`kargs show ${await serve(new Uint8Array(), 'no ranges')}`)).code).toBe(1);
  });
});

describe('standard input', () => {
  it('is read to its end', async () => {
    const { stdout } = await run('kargs show coreos.iso');
    expect(await run('kargs show -', { stdin: large })).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it.each(['-o out.iso', '-o -'])('is changed: %s', async (output) => {
    const { code, stdoutBytes } = await run(`${embed} ${output} -`, { stdin: large });
    expect(code).toBe(0);
    const result = output === '-o -' ? digest(stdoutBytes) : await digestOf('out.iso');
    expect(result).toBe(await expectedDigest(embed));
  });

  it('leaves nothing behind', async () => {
    const folder = join(cwd, 'temporary');
    await mkdir(folder);
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    try {
      await run('kargs show -', { stdin: large });
      await run('kargs show -', { stdin: 'no image' });
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it('cannot be the config as well', async () => {
    const { code, stderr } = await run('ignition embed -o out.iso -', { stdin: large });
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be both the image and the config')]);
  });

  it('says where there is no room', async () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(cwd, 'nowhere');
    try {
      const { code, stderr } = await run('kargs show -', { stdin: large });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/temporary file in [^]*hint: set TMPDIR/)]);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });
});

describe('what has no path', () => {
  it.each(['-', 'https://h/coreos.iso'])('%s cannot be changed in place', async (iso) => {
    const { code, stderr } = await run(`${embed} ${iso}`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot be changed in place\nhint: [^]*-o/)]);
  });

  it.skipIf(!have('mkfifo'))('nor a named pipe, without waiting for its writer', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const { code, stderr } = await run(`${embed} pipe`);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/an image from a pipe cannot be changed in place/),
    ]);
  });
});

it('a file keeps its bytes whatever is read from it', async () => {
  const before = await stat(join(cwd, 'coreos.iso'), { bigint: true });
  await run(`${embed} -o out.iso coreos.iso`);
  expect((await stat(join(cwd, 'coreos.iso'), { bigint: true })).mtimeNs).toBe(before.mtimeNs);
});
