/**
 * What people have written into configs of machines. All of it is valid for ignition-validate: without an agent, it is a warning;
 * what stops a live system is an error for commands that embed it.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config, File } from '../../../src/ignition/config.ts';
import { liveIso } from '../../support/liveIso.ts';
import { runCli } from '../../support/runCli.ts';

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'faults '));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

interface Message {
  readonly severity: string;
  readonly rule: string;
  readonly path: string;
}

/** Exit status and `severity rule path`; `command` writes or reads the file x.ign. */
async function validate(config: Config, options = ''): Promise<[code: number, found: string[]]> {
  await writeFile(join(cwd, 'x.ign'), JSON.stringify({ ignition: { version: '3.4.0' }, ...config }));
  const args = `validate --format json ${options} x.ign`.split(' ').filter((word) => word !== '');
  const { code, stdout } = await runCli(args, { cwd });
  const { messages }: { messages: readonly Message[] } = JSON.parse(stdout);
  const found = messages.filter(({ severity }) => severity !== 'info');
  return [code, found.map(({ path, rule, severity }) => `${severity} ${rule} ${path}`)];
}

const text = (content: string): string => `data:,${encodeURIComponent(content)}`;
const file = (path: string, content: string, other: Partial<File> = {}): Config => ({
  storage: { files: [{ path, contents: { source: text(content) }, ...other }] },
});

describe('faults without an agent', () => {
  it.each<[string, Config, string]>([
    [
      'a path below /usr, which no system can write',
      file('/usr/bin/x', '#!/bin/sh\n', { mode: 0o755 }),
      'warning agent-path-read-only $.storage.files.0.path',
    ],
    [
      'a mode that was written as octal digits',
      file('/etc/x', 'x', { mode: 444 }),
      'warning agent-mode-decimal $.storage.files.0.mode',
    ],
    [
      'a password in place of its hash',
      { passwd: { users: [{ name: 'core', passwordHash: 'secret' }] } },
      'warning agent-password-hash $.passwd.users.0.passwordHash',
    ],
  ])('%s', async (_title, config, finding) => {
    expect(await validate(config)).toEqual([0, [finding]]);
    expect((await validate(config, '--strict'))[0]).toBe(1);
    expect(await validate(config, '--lint none')).toEqual([0, []]);
    const [, rule = ''] = finding.split(' ');
    expect(await validate(config, `--ignore ${rule}`)).toEqual([0, []]);
  });

  it('are errors where the agent or a known machine runs the config', async () => {
    const config = file('/usr/bin/x', '#!/bin/sh\n', { mode: 0o755 });
    const [code, found] = await validate(config, '--lint agent');
    expect([code, found]).toEqual([1, ['error agent-path-read-only $.storage.files.0.path']]);
    await writeFile(join(cwd, 'a.iso'), liveIso('2023-07'));
    const { code: embedded } = await runCli('iso ignition embed -i x.ign a.iso'.split(' '), { cwd });
    expect(embedded).toBe(1);
  });
});

describe('faults of a live system', () => {
  it.each<[string, Config, string]>([
    ['kernel arguments', { kernelArguments: { shouldExist: ['nosmt'] } }, 'agent-live-kernel-arguments'],
    ['a file outside /etc and /var', file('/data/x', 'x', { mode: 0o644 }), 'agent-path-read-only'],
    ['a folder at the top', { storage: { directories: [{ path: '/data' }] } }, 'agent-path-read-only'],
    [
      'a mount point at the top',
      { storage: { filesystems: [{ device: '/dev/sda1', path: '/data', format: 'xfs' }] } },
      'agent-path-read-only',
    ],
  ])(
    '%s: refused by commands that embed it, but valid for an installed system',
    async (_title, config, rule) => {
      expect(await validate(config)).toEqual([0, []]);
      await writeFile(join(cwd, 'a.iso'), liveIso('2023-07'));
      const run = (line: string) => runCli(line.split(' '), { cwd });
      for (const line of [
        'iso ignition embed -i x.ign a.iso',
        'iso customize --live-ignition x.ign a.iso',
        'pxe ignition wrap -i x.ign -o x.img',
      ]) {
        const { code, stderr } = await run(line);
        expect([line, code, stderr.includes(`(${rule})`)]).toEqual([line, 1, true]);
      }
      expect((await run('iso customize --dest-ignition x.ign --dest-device /dev/sda a.iso')).code).toBe(0);
      expect((await run('validate --lint none a.iso')).code).toBe(0);
    },
  );
});
