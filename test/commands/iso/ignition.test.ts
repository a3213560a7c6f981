import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layouts, liveIso } from '../../support/liveIso.ts';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const config = '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/x"}]}}\n';
const invalid = '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"etc/x"}]}}\n';
const original = liveIso('2023-07');

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso ignition ')));
  await Promise.all([
    writeFile(join(cwd, 'coreos.iso'), original),
    writeFile(join(cwd, 'config.ign'), config),
    writeFile(join(cwd, 'invalid.ign'), invalid),
  ]);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(['iso', ...line.split(' ').filter((part) => part !== '')], { cwd, ...options });
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const file = async (name: string): Promise<Buffer> => readFile(join(cwd, name));

describe.each(layouts)('layout %s', (layout) => {
  it('embed, show, remove in place: the config comes back, then the original bytes', async () => {
    const bytes = liveIso(layout);
    await writeFile(join(cwd, 'coreos.iso'), bytes);
    expect(await run('ignition embed -i config.ign coreos.iso')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(await run('ignition show coreos.iso')).toMatchObject({ code: 0, stdout: config, stderr: '' });
    expect(await run('ignition remove coreos.iso')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(digest(await file('coreos.iso'))).toBe(digest(bytes));
  });
});

describe('embed', () => {
  it('gives the same bytes in place, to a file and to standard output', async () => {
    await run('ignition embed -i config.ign -o copy.iso coreos.iso');
    const { stdoutBytes } = await run('ignition embed -i config.ign --output - coreos.iso');
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
    await run('ignition embed --ignition-file=config.ign coreos.iso');
    expect(digest(await file('copy.iso'))).toBe(digest(await file('coreos.iso')));
    expect(digest(stdoutBytes)).toBe(digest(await file('coreos.iso')));
    expect((await stat(join(cwd, 'copy.iso'))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('reads the config from standard input, and takes - for a file name', async () => {
    await run('ignition embed coreos.iso', { stdin: config });
    expect((await run('ignition show coreos.iso')).stdout).toBe(config);
    const named = await run('ignition embed -f -i - coreos.iso', { stdin: config });
    expect(named).toMatchObject({
      code: 1,
      stderr:
        'error: Ignition config not found: -\nhint: omit the option to read the config from standard input\n',
    });
  });

  it('replaces an embedded config only with --force', async () => {
    await run('ignition embed -i config.ign coreos.iso');
    const before = digest(await file('coreos.iso'));
    expect(await run('ignition embed -i config.ign coreos.iso')).toMatchObject({
      code: 1,
      stderr: 'error: This ISO image already has an embedded Ignition config; use -f to force.\n',
    });
    expect(digest(await file('coreos.iso'))).toBe(before);
    const other = '{"ignition":{"version":"3.0.0"}}';
    expect((await run('ignition embed --force coreos.iso', { stdin: other })).code).toBe(0);
    expect((await run('ignition show coreos.iso')).stdout).toBe(other);
  });

  it('refuses an invalid config, shows what is wrong, and changes nothing', async () => {
    const { code, stderr } = await run('ignition embed -i invalid.ign coreos.iso');
    expect(code).toBe(1);
    expect(stderr).toMatch(/invalid\.ign:1:\d+[^]*not a valid Ignition config: /);
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
    const toFile = await run('ignition embed -i invalid.ign -o copy.iso coreos.iso');
    expect(toFile.code).toBe(1);
    expect(await readdir(cwd)).not.toContain('copy.iso');
  });

  it.each<[string, string, RunOptions]>([
    ['--no-validate', '--no-validate', {}],
    ['IRONIC_COREOS_VALIDATE=0', '', { env: { IRONIC_COREOS_VALIDATE: '0' } }],
    ['the name coreos-installer', '', { programName: 'coreos-installer' }],
  ])('%s embeds any bytes, also none', async (_title, flag, options) => {
    for (const stdin of [invalid, '{"ignition": {', '']) {
      const result = await run(`ignition embed -f ${flag} coreos.iso`, { ...options, stdin });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect((await run('ignition show coreos.iso')).stdout).toBe(stdin);
    }
  });

  it('prints warnings and embeds', async () => {
    const stdin = '{"ignition":{"version":"3.4.0"},"unknown":1}';
    const { code, stderr } = await run('ignition embed coreos.iso', { stdin });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: /);
    expect((await run('ignition show coreos.iso')).stdout).toBe(stdin);
  });
});

describe('errors are one line and a hint, and nothing changes', () => {
  it.each([
    ['embed -i nowhere.ign nowhere.iso', 'Ignition config not found: nowhere.ign'],
    ['embed -i config.ign nowhere.iso', 'ISO image not found: nowhere.iso'],
    ['embed -i config.ign .', '. is a directory'],
    ['embed -i config.ign --iso-file nowhere:a coreos.iso', 'File for the medium not found: nowhere'],
    ['embed -i . coreos.iso', '. is a directory'],
    [
      'embed -i https://a:b@c/config.ign coreos.iso',
      'Ignition config not found: https://(secret)@c/config.ign',
    ],
    ['embed -i config.ign config.ign', 'config.ign: not an ISO 9660 image'],
    ['embed -i config.ign cut.iso', 'cut.iso: ISO image is incomplete'],
    ['embed -i config.ign -o coreos.iso coreos.iso', 'File exists: coreos.iso is the input'],
    ['embed -i config.ign -o config.ign coreos.iso', 'File exists: config.ign'],
    ['embed -i config.ign -o nowhere/x.iso coreos.iso', 'The folder for nowhere/x.iso does not exist'],
    ['embed --no-validate -i noise coreos.iso', 'Compressed initramfs is too large: 300272 > 262144'],
    ['remove nowhere.iso', 'ISO image not found: nowhere.iso'],
    ['remove -o config.ign coreos.iso', 'File exists: config.ign'],
    ['show cut.iso', 'cut.iso: ISO image is incomplete'],
    ['show coreos.iso', 'No embedded Ignition config.'],
  ])('%s', async (line, message) => {
    const noise = createHash('shake256', { outputLength: 300_000 }).update('noise').digest();
    await writeFile(join(cwd, 'noise'), noise);
    await writeFile(join(cwd, 'cut.iso'), original.subarray(0, 300_000));
    const before = await readdir(cwd);
    const { code, stderr, stdout } = await run(`ignition ${line}`);
    expect(stderr.split('\n')).toEqual([`error: ${message}`, expect.stringMatching(/^hint: /), '']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
    expect(await file('config.ign')).toEqual(Buffer.from(config));
    expect(await readdir(cwd)).toEqual(before);
  });
});

describe('usage errors', () => {
  it.each([
    '',
    'ignition',
    'ignition embed',
    'ignition embed -i config.ign',
    'ignition embed a b',
    'ignition embed -f -f coreos.iso',
    'ignition embed -i config.ign -i config.ign coreos.iso',
    'ignition embed -o a -o b coreos.iso',
    'ignition embed --unknown coreos.iso',
    'ignition show',
    'ignition show -o x coreos.iso',
    'ignition remove -f coreos.iso',
    'ignition unknown',
  ])('iso %s', async (line) => {
    const { code, stdout, stderr } = await run(line);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
    expect(digest(await file('coreos.iso'))).toBe(digest(original));
  });
});

describe('help', () => {
  it.each(['', 'ignition', 'ignition embed', 'ignition show', 'ignition remove'])(
    'of iso %s fits 80 columns',
    async (line) => {
      const { code, stdout } = await run(`${line} --help`);
      expect(code).toBe(0);
      expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([]);
    },
  );
});

describe('remove', () => {
  it('succeeds where there is nothing, also into a copy', async () => {
    expect((await run('ignition remove coreos.iso')).code).toBe(0);
    expect((await run('ignition remove -o copy.iso coreos.iso')).code).toBe(0);
    expect(digest(await file('copy.iso'))).toBe(digest(original));
  });
});
