import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { unitEnvironmentRules } from '../../../src/agent/lint/unit.ts';
import type { File } from '../../../src/ignition/config.ts';
import { dataUrl, now, render } from './support.ts';

function reported(lines: string, ...files: readonly File[]): string[] {
  const config = render();
  const units = [{ name: 'x.service', contents: `[Service]\n${lines}\n` }];
  const storage = { files: [...(config.storage?.files ?? []), ...files] };
  const own = new Set(Object.values(unitEnvironmentRules).map(({ id }) => id));
  return lintConfig({ ...config, systemd: { units }, storage }, { now })
    .filter(({ rule }) => own.has(rule.id))
    .map(({ message = '', rule }) => `${rule.id} ${message}`);
}

const unset = (name: string): string[] => [
  `agent-unit-variable x.service: ExecStart=: the variable ${name} is not set, so systemd replaces it with nothing`,
];
const absent = [
  `agent-unit-environment-file x.service: EnvironmentFile=: ${unitEnvironmentRules.file.message}`,
];
const start = 'ExecStart=/bin/true';
const file = (contents: string): File => ({ path: '/etc/a.env', contents: { source: dataUrl(contents) } });

describe('the environment of units', () => {
  it.each<readonly [title: string, reported: readonly string[], expected: readonly string[]]>([
    ['a variable', reported(`${start} --a=\${A}`), unset('A')],
    ['a word', reported(`${start} $A`), unset('A')],
    ['a variable in quotes', reported(`${start} -c 'a=1; echo \${a}'`), unset('a')],
    ['dollar signs', reported(`${start} $$A $\${A} a$A '$1' $(a)`), []],
    ['no replacement', reported(`ExecStart=:/bin/true \${A}`), []],
    ['a variable that is set', reported(`Environment="A=b c"\n${start} \${A}`), []],
    ['one that systemd sets', reported(`${start} \${HOME} $MAINPID \${https_proxy}`), []],
    ['one in a file', reported(`EnvironmentFile=-/etc/a.env\n${start} $A`, file('B=1\nA=2')), []],
    [
      'one that is not in a file',
      reported(`EnvironmentFile=/etc/a.env\n${start} $A`, file('B=1')),
      unset('A'),
    ],
    ['one that may be in a file', reported(`EnvironmentFile=-/etc/b.env\n${start} $A`), []],
    ['one that may be in another unit', reported(`${start} $A`, { path: '/etc/systemd/a.conf' }), []],
    ['a file', reported(`EnvironmentFile=/etc/b.env\n${start}`), absent],
    ['a file that a command writes', reported(`EnvironmentFile=/etc/b.env\n${start} /etc/b.env`), []],
    ['a file of CoreOS', reported(`EnvironmentFile=/etc/os-release\n${start}`), []],
  ])('%s', (_title, found, expected) => expect(found).toEqual(expected));
});
