/** `--color`, `--quiet` and `--verbose`, before the name of a command and behind it; and what the environment says. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { runCli, type RunOptions } from '../support/runCli.ts';

const ESCAPE = '\u001b[';
let cwd: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'global options '));
  writeFileSync(
    join(cwd, 'bad.ign'),
    '{"ignition": {"version": "3.4.0"},\n "storage": {"files": [{"path": "a"}]}}',
  );
  writeFileSync(join(cwd, 'good.ign'), '{"ignition": {"version": "3.4.0"}}');
  writeFileSync(join(cwd, 'live.iso'), liveIso('2023-07'));
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = (line: string, options: RunOptions = {}) => runCli(line.split(' '), { cwd, ...options });

describe('between a group and its command', () => {
  it.each([
    ['iso --verbose kargs show live.iso', '--verbose iso kargs show live.iso'],
    ['iso kargs --verbose show live.iso', '--verbose iso kargs show live.iso'],
    ['iso --quiet kargs --verbose show live.iso', '--quiet --verbose iso kargs show live.iso'],
    ['--verbose iso --quiet kargs show live.iso', '--verbose --quiet iso kargs show live.iso'],
    ['iso --color always kargs show missing.iso', '--color always iso kargs show missing.iso'],
    ['iso kargs --color=always show missing.iso', '--color always iso kargs show missing.iso'],
    ['pxe --verbose ignition wrap -i good.ign', '--verbose pxe ignition wrap -i good.ign'],
    ['iso --verbose --help', 'iso --help'],
    ['iso --verbose', 'iso'],
    ['iso --verbose nonsense', 'iso nonsense'],
    ['iso --verbosely kargs show live.iso', 'iso --verbosely'],
    ['iso kargs -- --verbose', 'iso kargs -- --verbose'],
  ])('%s: as %s', async (line, other) => {
    expect(await run(line)).toEqual(await run(other));
  });
});

describe('--color', () => {
  it.each([
    ['validate bad.ign', {}, false],
    ['validate --color always bad.ign', {}, true],
    ['--color=always validate bad.ign', {}, true],
    ['validate bad.ign', { FORCE_COLOR: '1' }, true],
    ['validate bad.ign', { FORCE_COLOR: '0' }, false],
    ['validate bad.ign', { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    ['validate bad.ign', { FORCE_COLOR: '1', NO_COLOR: '' }, true],
    ['validate --color always bad.ign', { NO_COLOR: '1' }, true],
    ['validate --color never bad.ign', { FORCE_COLOR: '1' }, false],
    ['validate --color auto bad.ign', {}, false],
  ])('%s with %j: %s', async (line, env, isColored) => {
    const { code, stdout } = await run(line, { env });
    expect(code).toBe(1);
    expect(stdout.includes(`${ESCAPE}1m${ESCAPE}31merror`)).toBe(isColored);
    expect(stdout.includes(`${ESCAPE}1m${ESCAPE}31m^^^`)).toBe(isColored);
  });

  it('colours errors of the command line, too', async () => {
    expect((await run('--color always validat x')).stderr).toContain(
      `${ESCAPE}1m${ESCAPE}31merror${ESCAPE}39m${ESCAPE}22m: unknown command`,
    );
    expect((await run('inspect missing --color always')).stderr).toContain(`${ESCAPE}1m${ESCAPE}32mhint`);
  });

  it.each([
    'iso ignition show live.iso',
    'iso kargs show live.iso',
    'validate --format json bad.ign',
    'render --help',
  ])('leaves data alone: %s', async (line) => {
    expect((await run(`${line} --color always`)).stdout).toBe((await run(line)).stdout);
  });

  it.each(['--color blue validate x', 'validate --color blue x', 'iso --color blue kargs show live.iso'])(
    'refuses other values: %s',
    async (line) => {
      const { code, stderr } = await run(line);
      expect([code, stderr]).toEqual([2, expect.stringContaining('hint: use one of auto, always, never')]);
    },
  );
});

describe('--quiet', () => {
  it.each(['validate --quiet good.ign', '--quiet validate good.ign'])('%s says nothing', async (line) => {
    expect(await run(line)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('leaves errors and data', async () => {
    const { code, stderr } = await run('validate --quiet missing.ign bad.ign good.ign');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: Ignition config not found: missing\.ign\nhint: .*\n$/);
    const kargs = await run('iso kargs show live.iso');
    expect(await run('--quiet iso kargs show live.iso')).toEqual(kargs);
  });

  it('leaves out warnings', async () => {
    const line = 'iso kargs modify -d nonsense live.iso -o -';
    expect((await run(line)).stderr).toContain('warning: ');
    expect(await run(`${line} --quiet`)).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('causes of errors', () => {
  it.each([
    [
      'iso kargs show no.iso',
      /^error: ISO image not found: no.iso\nhint: create the file, or use a path that exists\n$/,
    ],
    [
      '--verbose iso kargs show no.iso',
      /hint: create the file, or use a path that exists\ncode: ERR_FILE_MISSING\ncause: Error: ENOENT: .*\n$/,
    ],
    [
      'iso kargs show no.iso --verbose',
      /hint: create the file, or use a path that exists\ncode: ERR_FILE_MISSING\ncause: Error: ENOENT: .*\n$/,
    ],
    [
      'iso --debug kargs show no.iso',
      /hint: create the file, or use a path that exists\ncode: ERR_FILE_MISSING\n {4}at [^]*\ncause: Error: ENOENT: .*\n {4}at /,
    ],
    ['--debug render --debug', /\n {4}at /],
    ['render --debug', /^error: the URL of Ironic is missing\n[^]*\(see --help\)\n$/],
  ])('%s', async (line, text) => {
    expect((await run(line)).stderr).toMatch(text);
  });

  it('are not told for render --debug, which is about the agent', async () => {
    expect((await run('render --debug')).stderr).not.toMatch(/^ {4}at /m);
  });
});

describe('--verbose', () => {
  it.each([
    [
      'validate good.ign',
      ['read good.ign (34 bytes)', 'good.ign: checked as Ignition 3.4.0', 'no unit runs the agent'],
    ],
    ['validate --lint agent good.ign', ['lint agent']],
    ['validate -', ['read standard input (34 bytes)']],
    ['iso kargs show live.iso', [/opened live\.iso: a file of \d+ bytes/]],
    [
      'iso ignition embed -i good.ign live.iso -o -',
      [
        /reserved area in images\/ignition\.img, 262144 bytes at offset \d+/,
        /changed \d+ ranges of the image \(\d+ bytes\); image size unchanged/,
      ],
    ],
    ['iso ignition embed --no-validate -i good.ign live.iso -o -', ['config not validated: --no-validate']],
    ['inspect live.iso', ['live.iso: detected iso']],
    [
      'render --api-url https://192.0.2.1 --no-ssh-key',
      ['profile: default', 'ironic.apiUrls: from --api-url'],
    ],
  ])('%s', async (line, notes) => {
    const stdin = '{"ignition": {"version": "3.4.0"}}';
    const { stderr, stdout, code } = await run(`--verbose ${line}`, { stdin });
    for (const note of notes) expect(stderr).toMatch(note);
    expect(stderr).toMatch(/^note: /);
    const silent = await run(line, { stdin });
    expect([code, stdout]).toEqual([silent.code, silent.stdout]);
    expect(silent.stderr).not.toContain('note: ');
    expect((await run(`${line} --verbose`, { stdin })).stderr).toBe(stderr);
  });

  it('tells the variables that count, and those that do not, without their values', async () => {
    const env = {
      IRONIC_BASE_URL: 'https://192.0.2.1',
      IP_OPTIONS: 'ip=dhcp',
      IRONIC_AGENT_PULL_SECRET: 'hunter2',
    };
    const { stderr } = await run('render --no-ssh-key --verbose', { env });
    expect(stderr).toContain('note: ironic.apiUrls: from environment variable IRONIC_BASE_URL\n');
    expect(stderr).not.toContain('hunter2');
  });

  it('is harmless for terminals', async () => {
    const name = 'a\u001b[31m.ign';
    writeFileSync(join(cwd, name), '{}');
    const { stderr } = await runCli(['validate', '--verbose', name], { cwd });
    expect(stderr).toContain('note: read a\\u001b[31m.ign');
    expect(stderr).not.toContain('\u001b');
  });

  it('the last of --quiet and --verbose counts', async () => {
    expect((await run('--quiet validate --verbose good.ign')).stderr).toContain('note: ');
    expect((await run('--verbose validate --quiet good.ign')).stderr).toBe('');
  });
});
