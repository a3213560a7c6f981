import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const config = '{"ignition":{"version":"3.4.0"}}\n';
const eth0 = '[connection]\nid=eth0\ntype=ethernet\n';

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'pxe wrap ')));
  await Promise.all([
    writeFile(join(cwd, 'config.ign'), config),
    writeFile(join(cwd, 'invalid.ign'), '{"ignition":{}}'),
    writeFile(join(cwd, 'eth0.nmconnection'), eth0),
    writeFile(join(cwd, 'short.img'), 'a text\n'),
  ]);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(['pxe', ...line.split(' ').filter((part) => part !== '')], { cwd, ...options });
const file = async (name: string): Promise<Buffer> => readFile(join(cwd, name));

describe('ignition', () => {
  it('wraps to a file or standard output, alike, and unwraps byte for byte', async () => {
    expect(await run('ignition wrap -i config.ign -o x.img')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const { stdoutBytes } = await run('ignition wrap', { stdin: config });
    expect(stdoutBytes).toEqual(await file('x.img'));
    expect(await run('ignition unwrap x.img')).toMatchObject({ code: 0, stdout: config, stderr: '' });
    expect((await run('ignition unwrap', { stdin: stdoutBytes })).stdout).toBe(config);
  });

  it('replaces a file, also one named -; unwrap takes - for standard input, like inspect', async () => {
    await writeFile(join(cwd, 'x.img'), 'old', { mode: 0o640 });
    expect((await run('ignition wrap -i config.ign -o x.img')).code).toBe(0);
    expect((await run('ignition unwrap x.img')).stdout).toBe(config);
    expect((await stat(join(cwd, 'x.img'))).mode & 0o777).toBe(0o640);
    expect((await run('ignition wrap -i config.ign -o -')).stdout).toBe('');
    expect(await readdir(cwd)).toContain('-');
    expect((await run('ignition unwrap ./-')).stdout).toBe(config);
    expect((await run('ignition unwrap -', { stdin: await file('x.img') })).stdout).toBe(config);
  });

  it('refuses an invalid config unless it is told not to look', async () => {
    const refused = await run('ignition wrap -i invalid.ign -o x.img');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('error: not a valid Ignition config: invalid.ign\n');
    expect(await readdir(cwd)).not.toContain('x.img');
    const ways: [string, RunOptions][] = [
      [' --no-validate', {}],
      ['', { env: { IRONIC_COREOS_VALIDATE: '0' } }],
      ['', { programName: 'coreos-installer' }],
    ];
    for (const [flag, options] of ways) {
      const wrapped = await run(`ignition wrap -i invalid.ign${flag}`, options);
      expect([wrapped.code, wrapped.stderr]).toEqual([0, '']);
      expect((await run('ignition unwrap', { stdin: wrapped.stdoutBytes })).stdout).toBe('{"ignition":{}}');
    }
  });
});

describe('network', () => {
  it('wraps, and unwraps as text, JSON and files', async () => {
    await run('network wrap -k eth0.nmconnection -o x.img');
    const text = `########## eth0.nmconnection ##########\n${eth0}`;
    expect(await run('network unwrap x.img')).toMatchObject({ code: 0, stdout: text, stderr: '' });
    expect((await run('network unwrap', { stdin: await file('x.img') })).stdout).toBe(text);
    expect(JSON.parse((await run('network unwrap --format json x.img')).stdout)).toEqual({
      files: [{ name: 'eth0.nmconnection', text: eth0 }],
    });
    expect((await run('network unwrap -C out x.img')).stdout).toBe('out/eth0.nmconnection\n');
    expect((await file('out/eth0.nmconnection')).toString()).toBe(eth0);
  });

  it('wraps network data as keyfiles', async () => {
    const links = [{ id: 'nic1', type: 'phy', ethernet_mac_address: '52:54:00:12:34:56' }];
    await writeFile(join(cwd, 'network_data.json'), JSON.stringify({ links }));
    expect((await run('network wrap --network-data network_data.json -o x.img')).code).toBe(0);
    const { files } = JSON.parse((await run('network unwrap --format json x.img')).stdout);
    expect(files).toEqual([
      { name: 'nic1.nmconnection', text: expect.stringContaining('52:54:00:12:34:56') },
    ]);
  });

  it('finds everything in archives one after the other; a later one wins', async () => {
    const parts = [
      await run('network wrap -k eth0.nmconnection'),
      await run('ignition wrap -i config.ign'),
      await run('ignition wrap --no-validate', { stdin: 'later' }),
    ];
    const stdin = Buffer.concat(parts.map(({ stdoutBytes }) => stdoutBytes));
    expect((await run('ignition unwrap', { stdin })).stdout).toBe('later');
    expect((await run('network unwrap', { stdin })).stdout).toContain(eth0);
  });
});

describe('errors are one line and a hint, and nothing is written', () => {
  it.each([
    ['ignition wrap -i nowhere', 'Ignition config not found: nowhere'],
    ['ignition unwrap nowhere', 'Initramfs not found: nowhere'],
    ['ignition unwrap', "couldn't find Ignition config in archive"],
    ['network unwrap', 'No embedded network settings.'],
    ['network unwrap -C out', 'No embedded network settings.'],
    ['network wrap -k nowhere', 'NetworkManager keyfile not found: nowhere'],
    [
      'network wrap -k eth0.nmconnection -k eth0.nmconnection',
      "multiple input files named 'eth0.nmconnection'",
    ],
    ['ignition unwrap config.ign', 'config.ign is an Ignition config, not an initramfs'],
    [
      'ignition unwrap short.img',
      'short.img: Cannot read the initramfs: reading CPIO entry at byte 0: the archive is truncated',
    ],
  ])('%s', async (line, message) => {
    const before = await readdir(cwd);
    const { code, stderr, stdout } = await run(line);
    expect(stderr.split('\n')).toEqual([`error: ${message}`, expect.stringMatching(/^hint: /), '']);
    expect([code, stdout]).toEqual([1, '']);
    expect(await readdir(cwd)).toEqual(before);
  });
});

it.each([
  'ignition',
  'network',
  'network wrap',
  'ignition wrap config.ign',
  'ignition wrap -o a -o b',
  'ignition unwrap a b',
  'network unwrap --format yaml',
])('pxe %s is a usage error', async (line) => {
  const { code, stdout, stderr } = await run(line);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).not.toBe('');
});

it.each(['ignition', 'ignition wrap', 'ignition unwrap', 'network', 'network wrap', 'network unwrap'])(
  'the help of pxe %s fits 80 columns',
  async (line) => {
    const { code, stdout } = await run(`${line} --help`);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([]);
  },
);
