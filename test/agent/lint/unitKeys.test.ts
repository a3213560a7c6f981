import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import {
  directiveNames,
  findDirective,
  unitKeyRules,
  unitSections,
} from '../../../src/agent/lint/unitKeys.ts';
import type { Config } from '../../../src/ignition/config.ts';
import { formatPath } from '../../../src/core/finding.ts';
import { systemdComplaints, systemdRelease, systemdReleaseNote } from '../../support/systemdComplaints.ts';
import { dataUrl, now, render } from './support.ts';

/** What the rules of this file say of a config: rule, path, message and hint. */
function said(config: Config): string[] {
  const own = new Set(Object.values(unitKeyRules).map(({ id }) => id));
  return lintConfig(config, { now })
    .filter(({ rule }) => own.has(rule.id))
    .map(
      ({ rule, path, message, hint }) => `${rule.id} ${formatPath(path)} ${message} | ${hint ?? rule.hint}`,
    );
}

function ofUnit(name: string, contents: string): string[] {
  return said({ systemd: { units: [{ name, contents }] } });
}

const contents = '$.systemd.units.0.contents';

describe('keys and sections that systemd ignores', () => {
  it.each([
    [
      'a misspelled key',
      '[Service]\nRestartt=always\n',
      `agent-unit-key ${contents} a.service: systemd ignores Restartt= in [Service]: unknown key | use Restart=`,
    ],
    [
      'a key of another section',
      '[Service]\nStartLimitIntervalSec=0\n',
      `agent-unit-start-limit ${contents} a.service: systemd ignores StartLimitIntervalSec= in [Service]: ` +
        'by default, it starts a unit at most 5 times in 10 seconds | move StartLimitIntervalSec= to the section [Unit]',
    ],
    [
      'a misspelled key of another section',
      '[Service]\nWantdBy=multi-user.target\n',
      `agent-unit-key ${contents} a.service: systemd ignores WantdBy= in [Service]: unknown key | ` +
        'use WantedBy=, and move it to the section [Install]',
    ],
    [
      'a key of another type of unit',
      '[Service]\nOnCalendar=daily\n',
      `agent-unit-key ${contents} a.service: systemd ignores OnCalendar= in [Service]: unknown key | ` +
        'remove OnCalendar=; it is valid only in the section [Timer] of .timer units',
    ],
    [
      'a key of nobody',
      '[Service]\nCostCenter=5\n',
      `agent-unit-key ${contents} a.service: systemd ignores CostCenter= in [Service]: unknown key | ` +
        'remove CostCenter=, or rename it to X-CostCenter= if another program reads it',
    ],
    [
      'a key that is gone',
      '[Service]\nBusPolicy=x\n',
      `agent-unit-key ${contents} a.service: systemd 262 ignores BusPolicy= in [Service]: its support was removed | ` +
        'remove BusPolicy=',
    ],
    [
      'a key that is new',
      '[Service]\nRestartMode=direct\n',
      `agent-unit-key-since ${contents} a.service: RestartMode= requires systemd 254; RHEL CoreOS 9 has 252, which ` +
        'ignores it | check the release of systemd in the image with "systemctl --version"',
    ],
    [
      'a misspelled section',
      '[service]\nRestart=always\nRestartt=always\n',
      `agent-unit-section ${contents} a.service: systemd ignores the section [service]: unknown section | use [Service]`,
    ],
    [
      'a section of another type of unit',
      '[Timer]\nOnCalendar=daily\n',
      `agent-unit-section ${contents} a.service: systemd ignores the section [Timer]: unknown section | ` +
        'move the section to a unit whose name ends in .timer',
    ],
    [
      'a section of a quadlet',
      '[Container]\nImage=a\n',
      `agent-unit-section ${contents} a.service: systemd ignores the section [Container]: unknown section | ` +
        'remove the section, or rename it to [X-Container] if another program reads it',
    ],
    [
      'a key above all sections',
      'Restart=always\n[Service]\n',
      `agent-unit-key ${contents} a.service: systemd ignores Restart= above the first section | ` +
        'move it below the header of its section',
    ],
    [
      'the rest of a command, which may hold a secret',
      '[Service]\nExecStart=/bin/podman run \\\n  --net host\n  --env TOKEN=abc \\\n image\n',
      `agent-unit-key ${contents} a.service: systemd ignores a line in [Service]: the text before its "=" is not a key | ` +
        'remove the line, or end the line before it with a backslash if it continues that line',
    ],
  ])('%s', (_title, text, expected) => {
    expect(ofUnit('a.service', text)).toEqual([expected]);
  });

  it.each([
    ['keys of other programs', '[Service]\nX-Restartt=always\n[X-Mine]\nfoo=1\n'],
    [
      'compatible names',
      '[Service]\nStartLimitInterval=0\nStartLimitBurst=1\n[Unit]\nStartLimitInterval=0\n',
    ],
    ['comments', '[Service]\n# Restartt=always\n;[service]\n'],
    ['joined lines', '[Service]\nExecStart=/bin/a \\\n  Restartt=always\\\n[service]\n'],
  ])('%s are not reported', (_title, text) => {
    expect(ofUnit('a.service', text)).toEqual([]);
  });

  it('reports a key once, however often it stands in the unit', () => {
    const text = '[Service]\nEnvironmentt=a=1\nEnvironmentt=b=1\n[Service]\nEnvironmentt=c=1\n';
    expect(ofUnit('a.service', text)).toHaveLength(1);
  });

  it('ends where a text is no unit at all', () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `Restart${index}=1\n`);
    expect(ofUnit('a.service', `[Service]\n${lines.join('')}`)).toHaveLength(1000);
  });

  it('knows units by their ending, templates and instances included', () => {
    expect(ofUnit('a@.timer', '[Timer]\nOnCalendar=daily\n')).toEqual([]);
    expect(ofUnit('a@b.service', '[Timer]\nOnCalendar=daily\n')).toHaveLength(1);
    expect(ofUnit('a.snapshot', '[Anything]\nfoo=1\n')).toEqual([]);
  });

  it('reads drop-ins, whatever the unit itself is', () => {
    const dropins = [
      { name: '10-a.conf', contents: '[Service]\nRestartt=a\n' },
      { name: '20-b.conf', contents: '[Service]\nRestart=always\n' },
    ];
    expect(said({ systemd: { units: [{ name: 'sshd.service', dropins }] } })).toEqual([
      'agent-unit-key $.systemd.units.0.dropins.0.contents ' +
        'sshd.service.d/10-a.conf: systemd ignores Restartt= in [Service]: unknown key | use Restart=',
    ]);
    expect(said({ systemd: { units: [{ name: 'sshd.service', mask: true, dropins }] } })).toEqual([]);
  });

  const found = ['agent-unit-key', 'agent-unit-section'];
  it.each([
    ['/etc/systemd/system/a.service', found],
    ['/etc/systemd/system/a.service.d/10-b.conf', found],
    ['/etc/systemd/system/service.d/10-b.conf', found],
    ['/usr/local/lib/systemd/system/a@b.service', found],
    ['/etc/systemd/user/a.service', found],
    ['/etc/systemd/system/a.timer', ['agent-unit-section']],
    ['/etc/systemd/system/a.service.d/README', []],
    ['/etc/systemd/system/multi-user.target.wants/a.service', []],
    ['/etc/systemd/network/10-eth.network', []],
    ['/etc/systemd/journald.conf', []],
    ['/etc/containers/systemd/a.container', []],
    ['/root/a.service', []],
  ])('in the file %s: %j', (path, expected) => {
    const source = dataUrl('[Service]\nRestartt=always\n[Timer]\nOnCalendar=daily\n[Unit]\nDescription=a\n');
    const rules = said({ storage: { files: [{ path, contents: { source } }] } }).map(
      (text) => text.split(' ', 1)[0],
    );
    expect(rules).toEqual(expected);
  });

  it('finds nothing in what this program renders', () => {
    expect(said(render())).toEqual([]);
  });

  const top = join(import.meta.dirname, '../../..');
  const units = ['deploy', 'templates'].flatMap((folder) =>
    readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.service'))
      .map((name) => `${folder}/${name}`),
  );

  it.each(units)('%s has only the key that its peer has', (name) => {
    const text = readFileSync(join(top, name), 'utf8').replaceAll(/\{\{\w+\}\}/g, '');
    const isOfPeer = ['templates/agent/icc.service', 'templates/agent/assisted.service'].includes(name);
    expect(ofUnit('a.service', text)).toHaveLength(isOfPeer ? 1 : 0);
  });
});

/** An empty value of others is no reason to leave the rest of the unit unread. */
const values = new Map([['DynamicUser', 'yes']]);

function isKnowable(section: string, key: string): boolean {
  const directive = findDirective(section, key);
  return typeof directive !== 'object' || directive.since <= systemdRelease;
}

/**
 * Every key in every section of every type of unit that is loaded from files, as far as this release of systemd can know
 * them, and names that it does not know.
 */
function allUnits(): ReadonlyMap<string, string> {
  const known = new Set(sections.flatMap((section) => directiveNames(section)));
  const all = [...sections, 'X-Own', 'service', ' Unit ', 'Container'];
  return new Map(
    types.flatMap((type) =>
      all.map((section, index) => {
        const keys = [
          ...known,
          'Restartt',
          'restart',
          'X-Own',
          'constructor',
          'BusPolicy',
          'CPUShares',
        ].filter((key) => isKnowable(section, key));
        const lines = keys.map((key) => `${key}=${values.get(key) ?? ''}\n`).join('');
        return [`a${index}.${type}`, `Restart=\n[${section}]\n${lines}`] as const;
      }),
    ),
  );
}

const types = [
  'service',
  'socket',
  'timer',
  'mount',
  'automount',
  'swap',
  'path',
  'slice',
  'target',
  'device',
];
const sections = [...new Set(types.flatMap((type) => unitSections(type) ?? []))];

/** What this program says of a unit, in the form of {@link systemdComplaints}. */
function complaints(name: string, text: string): string[] {
  const config = {
    storage: { files: [{ path: `/etc/systemd/system/${name}`, contents: { source: dataUrl(text) } }] },
  };
  return lintConfig(config, { now })
    .filter(({ rule }) => rule.severity === 'warning' || rule === unitKeyRules.startLimit)
    .map(({ message = '' }) => {
      const [, key = '', section = ''] = /ignores (\S+)= in \[(.*?)\]:/.exec(message) ?? [];
      const header = /ignores the section (\[.*\]):/.exec(message)?.[1];
      if (message.includes('above the first section')) return 'outside';
      return header ?? (message.includes('support was removed') ? key : `[${section}]${key}`);
    });
}

describe.skipIf(systemdRelease === 0)(`beside systemd-analyze${systemdReleaseNote}`, () => {
  const units = new Map([
    ...allUnits(),
    ['b.service.d/a.conf', '[Service]\nRestartt=a\n[Timer]\nOnCalendar=daily\n'],
    ['b.service', '[Service]\nExecStart=/bin/true \\\n# no\n Restartt=a\n; \\\nRestartx=a\nA=\\\nB=c\n'],
    ['b@.service', '\uFEFF[Service]\r\nExecStart=/bin/true\r\nRestartt=a\r\n'],
  ]);
  const theirs = systemdComplaints(units);

  it.each([...units])('%s', (name, text) => {
    const known = theirs.get(name);
    // Support may have been removed after the release of this machine.
    const isYoung = (key: string): boolean => /^(?!outside$)\w+$/.test(key) && known?.has(key) !== true;
    const ours = complaints(name, text).filter((key) => !isYoung(key));
    expect(new Set(ours)).toEqual(known);
    expect(ours.length).toBeGreaterThan(0);
  });
});
