/** `validate` of live ISOs and initramfs archives. */

import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeInitrd } from '../../../src/image/initrd.ts';
import { sampleFiles } from '../../support/sampleIso.ts';
import { liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const initrd = sampleFiles('fedora-coreos-99').get('images/pxeboot/initrd.img') ?? new Uint8Array();
const invalid = '{"ignition":{"version":"3.4.0"},\n"storage":{"files":[{"path":"a"}]}}';
const valid = '{"ignition":{"version":"3.4.0"}}';

/** A live ISO whose embed area holds this config. */
const isoWith = (config: string): Uint8Array =>
  liveIsoWith((files) => {
    const archive = writeInitrd(new Map([['config.ign', Buffer.from(config)]]));
    files.set('images/ignition.img', Buffer.concat([archive], 262_144));
  });
const archiveWith = (config: string): Uint8Array =>
  writeInitrd(new Map([['config.ign', Buffer.from(config)]]));

let cwd: string;
const validate = (...args: string[]): Promise<RunResult> => runCli(['validate', ...args], { cwd });

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'validate images '));
  await mkdir(join(cwd, 'folder'));
  const files: Readonly<Record<string, Uint8Array>> = {
    'valid.iso': isoWith(valid),
    'invalid.iso': isoWith(invalid),
    'empty.iso': liveIso('2023-07'),
    'folder/invalid.iso': isoWith(invalid),
    'damaged.iso': liveIsoWith((all) =>
      all.set('images/ignition.img', Buffer.concat([Buffer.from('x')], 262_144)),
    ),
    'cut.iso': liveIso('2023-07').subarray(0, 300_000),
    'named-otherwise': isoWith(invalid),
    'large.iso': Buffer.concat([isoWith(invalid)], 5 * 1024 * 1024),
    'valid.img': archiveWith(valid),
    'invalid.img': Buffer.concat([initrd, archiveWith(invalid)]),
    'released.img': initrd,
    'cut.img': initrd.subarray(0, 50),
    'large.ign': Buffer.concat([Buffer.from(valid), Buffer.alloc(5 * 1024 * 1024, ' ')]),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(cwd, name), bytes);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe('validate of images', () => {
  it.each<[readonly string[], number, string]>([
    [['valid.iso'], 0, 'valid.iso: valid\n'],
    [['invalid.iso'], 1, 'invalid.iso: invalid (1 error)\n'],
    [['named-otherwise'], 1, 'named-otherwise: invalid (1 error)\n'],
    [['large.iso'], 1, 'large.iso: invalid (1 error)\n'],
    [['large.ign'], 0, 'large.ign: valid\n'],
    [['valid.img'], 0, 'valid.img: valid\n'],
    [['invalid.img'], 1, 'invalid.img: invalid (1 error)\n'],
    [['damaged.iso'], 1, 'damaged.iso: invalid (1 error)\n'],
    [['cut.iso'], 1, 'error: cut.iso: ISO image is incomplete\n'],
    [['cut.img'], 1, 'error: cut.img: '],
    [['empty.iso'], 0, 'empty.iso: valid (1 warning)\n'],
    [['released.img'], 0, 'released.img: valid (1 warning)\n'],
    [['--strict', 'empty.iso'], 1, 'empty.iso: invalid (1 warning, warnings are treated as errors)\n'],
    [['--lint', 'none', '--strict', 'empty.iso'], 0, 'empty.iso: valid\n'],
    [['--lint', 'none', 'damaged.iso'], 1, 'damaged.iso: invalid (1 error)\n'],
  ])('%j: %i', async (args, code, stderr) => {
    const result = await validate(...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(stderr);
  });

  it('shows the place in the config', async () => {
    expect((await validate('invalid.iso')).stdout).toBe(
      'error: path not absolute [$.storage.files.0.path] (path-relative)\n  --> invalid.iso: config.ign:2:29\n   |\n' +
        ' 2 | "storage":{"files":[{"path":"a"}]}}\n   |                             ^^^\nhint: write "/a"\n',
    );
  });

  it('reads an archive from standard input', async () => {
    const result = await runCli(['validate', '-'], { cwd, stdin: archiveWith(invalid) });
    expect(result).toMatchObject({ code: 1, stderr: 'standard input: invalid (1 error)\n' });
    expect(result.stdout).toContain('--> standard input: config.ign:2:29');
  });

  it('passes over images in folders', async () => {
    expect((await validate('folder')).stderr).toContain('No file to check in folder');
    expect((await validate('folder/*')).stderr).toBe('folder/invalid.iso: invalid (1 error)\n');
  });

  it('names the document in JSON', async () => {
    const isReport = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
      JSON.parse(readFileSync('schemas/report.json', 'utf8')),
    );
    const report: unknown = JSON.parse((await validate('--format', 'json', 'invalid.iso')).stdout);
    isReport(report);
    expect(isReport.errors).toBeNull();
    expect(report).toMatchObject({
      file: 'invalid.iso',
      valid: false,
      messages: [{ rule: 'path-relative', line: 2, column: 29, member: 'config.ign' }],
    });
  });

  it('annotates the image', async () => {
    expect((await validate('--format', 'github', 'invalid.iso')).stdout).toBe(
      '::error file=invalid.iso,title=path-relative::path not absolute [$.storage.files.0.path]' +
        '%0Ain config.ign:2:29%0Ahint: write "/a"\n',
    );
  });
});

it.each([
  ['configure-coreos-ipa', 1],
  ['default', 0],
])('compares the kernel arguments of an ISO with its config: profile %s', async (profile, code) => {
  const env = {
    IRONIC_BASE_URL: 'https://192.0.2.1',
    IRONIC_AGENT_IMAGE: 'registry.example.com/ironic-agent',
  };
  const { stdout } = await runCli(['render', '--profile', profile], { cwd, env });
  await writeFile(join(cwd, 'kargs.iso'), isoWith(stdout));
  const modify = ['iso', 'kargs', 'modify', '-a', 'ipa-insecure=1', 'kargs.iso'];
  expect((await runCli(modify, { cwd })).code).toBe(0);
  const result = await runCli(['validate', '--strict', '--lint', 'agent', 'kargs.iso'], { cwd });
  const isReported = code === 1;
  expect(/^warning: .*\(ipa-insecure\)$/m.test(result.stdout)).toBe(isReported);
  expect((await runCli(['inspect', 'kargs.iso'], { cwd })).stdout.includes('(ipa-insecure)')).toBe(
    isReported,
  );
  expect(result.code).toBe(code);
});
