import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const eth0 = '[connection]\nid=eth0\ntype=ethernet\n';
const nmstate =
  'interfaces:\n- name: eth1\n  type: ethernet\n  state: up\n  ipv4: {enabled: true, dhcp: true}\n';
const config = '{"ignition":{"version":"3.4.0"}}';
const original = liveIso('2023-07');

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso network ')));
  await Promise.all([
    writeFile(join(cwd, 'coreos.iso'), original),
    writeFile(join(cwd, 'eth0.nmconnection'), eth0),
    writeFile(join(cwd, 'b.nmconnection'), '[connection]\nid=b\ntype=ethernet'),
    writeFile(join(cwd, 'noise'), Buffer.from([0xff, 0xfe])),
    writeFile(join(cwd, 'worker.yaml'), nmstate),
  ]);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(['iso', ...line.split(' ').filter((part) => part !== '')], { cwd, ...options });
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const file = async (name: string): Promise<Buffer> => readFile(join(cwd, name));
const done = { code: 0, stdout: '', stderr: '' };
const runUnchecked = (line: string): Promise<RunResult> =>
  run(line, { env: { IRONIC_COREOS_VALIDATE: '0' } });

describe.each(['2023-07', '2022-02', 's390x'] as const)('layout %s', (layout) => {
  it('embed, extract, remove in place: the keyfiles come back, then the original bytes', async () => {
    const bytes = liveIso(layout);
    await writeFile(join(cwd, 'coreos.iso'), bytes);
    expect(await run('network embed -k eth0.nmconnection -k b.nmconnection coreos.iso')).toMatchObject(done);
    expect((await run('network extract coreos.iso')).stdout).toBe(
      `########## b.nmconnection ##########\n[connection]\nid=b\ntype=ethernet\n########## eth0.nmconnection ##########\n${eth0}`,
    );
    expect(await run('network remove coreos.iso')).toMatchObject(done);
    expect(digest(await file('coreos.iso'))).toBe(digest(bytes));
  });
});

describe('embed', () => {
  it('gives the same bytes in place, to a file and to standard output', async () => {
    await run('network embed -k eth0.nmconnection -o copy.iso coreos.iso');
    const { stdoutBytes } = await run('network embed -k eth0.nmconnection -o - coreos.iso');
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
    await run('network embed --keyfile=eth0.nmconnection coreos.iso');
    expect(digest(await file('copy.iso'))).toBe(digest(await file('coreos.iso')));
    expect(digest(stdoutBytes)).toBe(digest(await file('coreos.iso')));
  });

  it('leaves an Ignition config alone, and is left alone by one', async () => {
    await run('ignition embed coreos.iso', { stdin: config });
    await run('network embed -k eth0.nmconnection coreos.iso');
    expect((await run('ignition show coreos.iso')).stdout).toBe(config);
    await run('ignition remove coreos.iso');
    expect((await run('network extract coreos.iso')).stdout).toContain(eth0);
  });

  it('replaces all settings when it is forced to', async () => {
    await run('network embed -k eth0.nmconnection coreos.iso');
    const refused = await run('network embed -k b.nmconnection coreos.iso');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'This ISO image already has embedded network settings; use -f to force.',
      ),
    });
    expect(await run('network embed -f -k b.nmconnection coreos.iso')).toMatchObject(done);
    const { stdout } = await run('network extract coreos.iso --format json');
    expect(JSON.parse(stdout)).toEqual({
      files: [{ name: 'b.nmconnection', text: '[connection]\nid=b\ntype=ethernet' }],
    });
  });

  it('refuses what NetworkManager would not take, or embeds it with a warning if nothing is checked', async () => {
    await writeFile(join(cwd, 'text'), 'hello\n');
    await writeFile(join(cwd, 'none'), '[ipv4]\nmethod=auto\n');
    const refused = await run('network embed -k text coreos.iso');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'error: text: Invalid keyfile line 1: it is before the first section\nhint: start with [connection]\n',
    ]);
    const { code, stderr } = await runUnchecked('network embed -k noise -k text -k none coreos.iso');
    expect(code).toBe(0);
    expect(stderr.match(/^warning: .*$/gm)).toEqual([
      'warning: noise: the keyfile is not UTF-8 text',
      'warning: text: Invalid keyfile line 1: it is before the first section',
      'warning: none: the keyfile has no section [connection]',
    ]);
    const { files } = JSON.parse((await run('network extract coreos.iso --format json')).stdout);
    expect(files).toEqual([
      { name: 'noise', base64: '//4=' },
      { name: 'none', text: '[ipv4]\nmethod=auto\n' },
      { name: 'text', text: 'hello\n' },
    ]);
  });

  it('converts nmstate, beside keyfiles', async () => {
    expect(await run('network embed -k eth0.nmconnection --nmstate worker.yaml coreos.iso')).toMatchObject(
      done,
    );
    const { stdout } = await run('network extract coreos.iso');
    expect(stdout).toMatch(/^#+ eth0\.nmconnection #+$/m);
    expect(stdout).toMatch(/^#+ eth1\.nmconnection #+\n\[connection\]$/m);
    expect(stdout).toContain('interface-name=eth1\n');
  });

  it.each([
    ['interfaces: []\n', 0, 'warning: state.yaml contains no connections\n'],
    ['interfaces: [\n', 1, /^error: state\.yaml:2:1: Invalid YAML/],
    ['interfaces:\n- name: v\n  type: vrf\n', 1, /^error: state\.yaml:3:\d+: /],
  ])('nmstate %j', async (text, expected, message) => {
    await writeFile(join(cwd, 'state.yaml'), text);
    const { code, stderr } = await run('network embed -k eth0.nmconnection --nmstate state.yaml coreos.iso');
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
  });
});

const writeNetworkData = async (type: string): Promise<void> => {
  const link = { id: 'nic1', type: 'phy', ethernet_mac_address: '52:54:00:12:34:56' };
  const networks = [{ id: 'n', link: 'nic1', type }];
  await writeFile(join(cwd, 'network_data.json'), JSON.stringify({ links: [link], networks }));
};

describe('embed --network-data', () => {
  it('embeds a keyfile for each link', async () => {
    await writeNetworkData('ipv4_dhcp');
    expect(await run('network embed --network-data network_data.json coreos.iso')).toMatchObject(done);
    const { stdout } = await run('network extract coreos.iso');
    expect(stdout).toMatch(/^#+ nic1\.nmconnection #+\n\[connection\]$/m);
    expect(stdout).toContain('mac-address=52:54:00:12:34:56\n');
  });

  it('says where a document is wrong', async () => {
    await writeNetworkData('ipv5');
    const { code, stderr } = await run('network embed --network-data network_data.json coreos.iso');
    expect(stderr).toMatch(/^error: network_data\.json:1:\d+: expected one of ipv4, /);
    expect(code).toBe(1);
  });
});

describe('extract', () => {
  it('writes files that are new, and prints their paths', async () => {
    await runUnchecked('network embed -k eth0.nmconnection -k noise coreos.iso');
    const { stdout } = await run('network extract -C a/b coreos.iso');
    expect(stdout).toBe('a/b/eth0.nmconnection\na/b/noise\n');
    expect(await file('a/b/eth0.nmconnection')).toEqual(Buffer.from(eth0));
    expect(await file('a/b/noise')).toEqual(await file('noise'));
    expect((await stat(join(cwd, 'a/b/noise'))).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(await run('network extract -C a/b coreos.iso')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('File exists: a/b/eth0.nmconnection'),
    });
    const json = await run('network extract --format json -C c coreos.iso');
    expect(JSON.parse(json.stdout)).toEqual({
      files: [
        { name: 'eth0.nmconnection', path: 'c/eth0.nmconnection' },
        { name: 'noise', path: 'c/noise' },
      ],
    });
  });

  it('replaces files with --overwrite, and only their owner can read secrets', async () => {
    await writeFile(join(cwd, 'wifi.nmconnection'), `${eth0}[wifi-security]\npsk=secret\n`);
    await runUnchecked('network embed -k eth0.nmconnection -k wifi.nmconnection coreos.iso');
    const [folder, replaced] = [join(cwd, 'new'), join(cwd, 'new/eth0.nmconnection')];
    await mkdir(folder);
    await writeFile(replaced, 'mine');
    expect((await run('network extract -C new coreos.iso')).code).toBe(1);
    expect(await readdir(folder)).toEqual(['eth0.nmconnection']);
    expect((await run('network extract -C new --overwrite coreos.iso')).code).toBe(0);
    expect(await readFile(replaced, 'utf8')).toBe(eth0);
    expect((await stat(join(folder, 'wifi.nmconnection'))).mode & 0o777).toBe(0o600);
  });

  it('makes no folder where there is nothing', async () => {
    const { code, stderr } = await run('network extract -C out coreos.iso');
    expect([code, stderr.split('\n')[0]]).toEqual([1, 'error: No embedded network settings.']);
    expect(await readdir(cwd)).not.toContain('out');
  });
});

describe('errors are one line and a hint, and nothing changes', () => {
  it.each([
    ['embed -k nowhere nowhere.iso', 'NetworkManager keyfile not found: nowhere'],
    ['embed -k eth0.nmconnection nowhere.iso', 'ISO image not found: nowhere.iso'],
    ['embed -k . coreos.iso', '. is a directory'],
    ['embed --nmstate nowhere coreos.iso', 'Network state not found: nowhere'],
    [
      'embed -k eth0.nmconnection -k ./eth0.nmconnection coreos.iso',
      "multiple input files named 'eth0.nmconnection'",
    ],
    ['embed -k eth0.nmconnection old.iso', 'This OS image does not support customizing network settings.'],
    ['embed -k eth0.nmconnection -o eth0.nmconnection coreos.iso', 'File exists: eth0.nmconnection'],
    [
      'embed -k eth0.backup coreos.iso',
      'eth0.backup: NetworkManager ignores the keyfile in the initramfs: its name does not end in .nmconnection',
    ],
    [
      'embed -k .eth0.nmconnection coreos.iso',
      '.eth0.nmconnection: NetworkManager ignores the keyfile in the initramfs: its name starts with a period',
    ],
    ['extract coreos.iso', 'No embedded network settings.'],
    ['extract eth0.nmconnection', 'eth0.nmconnection: not an ISO 9660 image'],
    ['remove nowhere.iso', 'ISO image not found: nowhere.iso'],
  ])('%s', async (line, message) => {
    await writeFile(join(cwd, 'old.iso'), liveIso('2021-09'));
    for (const name of ['eth0.backup', '.eth0.nmconnection']) await writeFile(join(cwd, name), eth0);
    const before = await readdir(cwd);
    const { code, stderr, stdout } = await run(`network ${line}`);
    expect(stderr.split('\n')).toEqual([`error: ${message}`, expect.stringMatching(/^hint: /), '']);
    expect([code, stdout]).toEqual([1, '']);
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
    expect(await readdir(cwd)).toEqual(before);
  });
});

describe('usage errors', () => {
  it.each([
    '',
    'embed',
    'embed coreos.iso',
    'embed -k eth0.nmconnection',
    'embed -k eth0.nmconnection -f -f coreos.iso',
    'extract -C a -C b coreos.iso',
    'extract --format yaml coreos.iso',
    'remove',
    'unknown',
  ])('iso network %s', async (line) => {
    const { code, stdout, stderr } = await run(`network ${line}`);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
  });
});

it.each(['', 'embed', 'extract', 'remove'])('the help of iso network %s fits 80 columns', async (line) => {
  const { code, stdout } = await run(`network ${line} --help`);
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([]);
});
