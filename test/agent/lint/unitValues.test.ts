import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import type { Unit } from '../../../src/ignition/config.ts';
import { now, render } from './support.ts';

const base = '[Service]\nExecStart=/bin/true\n';

/** The hints for a unit besides that of the agent. */
function hintsFor(contents: string, unit: Partial<Unit> = {}): (string | undefined)[] {
  const config = render();
  const units = [...(config.systemd?.units ?? []), { name: 'x.service', contents, ...unit }];
  return lintConfig({ ...config, systemd: { units } }, { now }).map(({ hint }) => hint);
}

describe('values in units', () => {
  it.each([
    ['a type that systemd does not know', `${base}Type=notfy`, ['use Type=notify']],
    ['another case', `${base}Restart=Always`, ['use Restart=always']],
    ['a value far from all', `${base}KillMode=soft`, ['use one of: control-group, process, mixed, none']],
    ['a boolean', `${base}RemainAfterExit=True`, []],
    ['no boolean', `${base}RemainAfterExit=enabled`, ['use one of: yes, no']],
    ['an output with an argument', `${base}StandardOutput=append:/var/log/x`, []],
    ['time spans', `${base}RestartSec=.5\nTimeoutStartSec=1min2s 3\nTimeoutStopSec=infinity`, []],
    [
      'a unit of time that systemd does not know',
      `${base}RestartSec=5S`,
      ['use a number with a unit, such as 30s, 5min or 1h, or use infinity'],
    ],
    [
      'a relative path',
      `${base}EnvironmentFile=-etc/x`,
      ['use an absolute path, such as EnvironmentFile=-/etc/FILE'],
    ],
    [
      'names of units',
      `[Unit]\nAfter=a@b.service -.mount\n${base}[Install]\nWantedBy=a.target x.service`,
      [],
    ],
    [
      'a name without its suffix',
      `[Unit]\nAfter=network-online\n${base}`,
      ['use network-online.target, and separate names with spaces'],
    ],
    [
      'names with a comma',
      `[Unit]\nAfter=a.service,b.service\n${base}`,
      ['use NAME.service or NAME.target, and separate names with spaces'],
    ],
    ['a misspelled target', `${base}[Install]\nWantedBy=multiuser.target`, ['use multi-user.target']],
    [
      'an assignment without quotes',
      `${base}Environment=A=b c`,
      ['put an assignment that contains spaces in quotes: "NAME=some words"'],
    ],
    ['assignments', `${base}Environment=A=b "C=d e" F=`, []],
    ['a specifier', `${base}Environment=%n\nRestartSec=%i`, []],
    ['an empty value', `${base}Restart=\nEnvironment=`, []],
  ])('%s', (_title, contents, expected) => {
    expect(hintsFor(contents)).toEqual(expected);
  });
});

describe('units that systemd refuses', () => {
  const prefix = 'use ExecStartPre= for all commands before the last one';
  it.each([
    ['a oneshot that always restarts', `${base}Type=oneshot\nRestart=always`, ['use Restart=on-failure']],
    ['a oneshot whose last value is another', `${base}Type=oneshot\nRestart=always\nRestart=no`, []],
    ['several commands', `${base}ExecStart=/bin/false`, [prefix]],
    ['several commands in a line', '[Service]\nExecStart=/bin/true ; /bin/false', [prefix]],
    ['a command after a reset', `${base}ExecStart=\nExecStart=/bin/false`, []],
    ['several commands of a oneshot', `${base}ExecStart=/bin/false\nType=oneshot`, []],
    [
      'a relative program',
      '[Service]\nExecStart=bin/true',
      ['write the path with a leading slash, such as /usr/bin/podman'],
    ],
    ['programs that systemd finds', '[Service]\nExecStartPre=true\nExecStart=@/bin/true -x', []],
    ['a relative program that may fail', `${base}ExecStartPre=-bin/true`, []],
    [
      'a quote that is not closed',
      '[Service]\nExecStart=/bin/echo "a',
      ['close the quote, or write \\" for a literal quote'],
    ],
    [
      'an apostrophe in a later command',
      `${base}ExecStop=/bin/echo it's`,
      ['close the quote, or write \\" for a literal quote'],
    ],
    [
      'a broken command that systemd ignores',
      `${base}ExecStartPre=-/bin/echo "a`,
      ['close the quote, or write \\" for a literal quote'],
    ],
    ['a relative folder', `${base}WorkingDirectory=tmp`, ['write the path with a leading slash']],
    ['folders', `${base}WorkingDirectory=/tmp\nWorkingDirectory=~`, []],
  ])('%s', (_title, contents, expected) => {
    expect(hintsFor(contents)).toEqual(expected);
  });

  it('reports names that systemd ignores', () => {
    expect(hintsFor(base, { name: 'my agent.service' })).toEqual(['use my-agent.service']);
    expect(hintsFor('Type=x', { mask: true })).toEqual([]);
  });
});
