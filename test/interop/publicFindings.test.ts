/**
 * What lint says of configs of other people that ignition-validate accepts, confirmed by the programs that read them: systemd,
 * ssh and NetworkManager. Findings about files that work for their owners would not be confirmed.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintHost } from '../../src/agent/lint/lintConfig.ts';
import { translateButane } from '../../src/butane/translate.ts';
import { formatPath } from '../../src/core/finding.ts';
import type { Config } from '../../src/ignition/config.ts';
import type { Finding } from '../../src/core/finding.ts';
import { readConfig, validateConfig } from '../../src/library/ignition.ts';
import { have, oracleNote } from '../support/programs.ts';
import { publicFiles } from '../support/publicConfigs.ts';

const programs = ['systemd-analyze', 'ssh-keygen'] as const;
const needed = [...programs, 'public configs'];

describe.skipIf(!have(...needed))(`findings about public configs${oracleNote(...needed)}`, () => {
  it('are confirmed by the programs that read them', () => {
    const configs = [
      ...publicFiles('ignition').filter(({ text }) => validateConfig(text).valid),
      ...publicFiles('butane').flatMap(({ name, text }) => {
        const { config } = translated(text);
        return config === undefined ? [] : [{ name, text: JSON.stringify(config) }];
      }),
      ...publicFiles('unit').map(({ name, text }) => ({ name, text: wrapped(name, text) })),
    ];
    const found: Record<string, number> = {};
    const unconfirmed = configs.flatMap(({ name, text }) => {
      const config = readConfig(text);
      return lintHost(config, { now: new Date() }).flatMap((issue) => {
        const { rule: id } = issue;
        found[id] = (found[id] ?? 0) + 1;
        return isConfirmed(issue, config) ? [] : [`${name} ${id} ${formatPath(issue.path)} ${issue.message}`];
      });
    });
    console.log(JSON.stringify({ configs: configs.length, found }));
    expect(configs.length).toBeGreaterThan(100);
    expect(unconfirmed).toEqual([]);
  });
});

function translated(text: string): { readonly config?: Config | undefined } {
  try {
    return translateButane(text, undefined);
  } catch {
    return {};
  }
}

function wrapped(path: string, contents: string): string {
  const name = path.replace(/^.*[/+]/, '');
  return JSON.stringify({
    ignition: { version: '3.4.0' },
    systemd: { units: [{ name, enabled: true, contents }] },
  });
}

/** What no program on this machine says. */
const STATED = new Set([
  'agent-account-exists', // ignition.test.ts creates such accounts with Ignition itself
  'agent-account-missing',
  'agent-keyfile', // keyfiles.test.ts compares with libnm
  'agent-mode-decimal',
  'agent-network',
  'agent-password-hash', // not a hash of crypt(5)
]);

function isConfirmed({ path, rule }: Finding, config: Config): boolean {
  const [section, , index] = path;
  if (STATED.has(rule)) return true;
  if (section === 'systemd') {
    const { contents = '', name = '' } = config.systemd?.units?.[Number(index)] ?? {};
    return complains(name, contents);
  }
  if (section === 'passwd' && rule === 'agent-ssh-key') {
    const key = config.passwd?.users?.[Number(index)]?.sshAuthorizedKeys?.[Number(path[4])] ?? '';
    // ssh-keygen takes a type that is there twice for options, which sshd refuses.
    const isTwice = /^(\S+) \1 /.test(key);
    return isTwice || spawnSync('ssh-keygen', ['-l', '-f', '-'], { input: `${key}\n` }).status !== 0;
  }
  return false;
}

function complains(name: string, contents: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'unit-'));
  try {
    writeFileSync(join(folder, name), contents);
    const env = {
      PATH: '/usr/bin:/bin',
      LC_ALL: 'C.UTF-8',
      SYSTEMD_UNIT_PATH: `${folder}:/usr/lib/systemd/system`,
    };
    const args = ['verify', '--man=no', '--recursive-errors=no', name];
    const { stderr } = spawnSync('systemd-analyze', args, { cwd: folder, env, encoding: 'utf8' });
    return stderr.split('\n').some((line) => line.includes(name) && !line.includes('is not executable'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
