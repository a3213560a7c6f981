/** Values of options that cannot be right whatever else is given: wrong usage, for every command. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { runCli } from '../support/runCli.ts';
import { choicesOf, wholeProgram } from '../support/wholeProgram.ts';

/** What stands for a value of the kind in the help, and values that are none. */
const kinds: readonly (readonly [placeholder: RegExp, wrong: readonly string[]])[] = [
  [/^<(?:number|mebibytes|n)>$/, ['x', '-1', '1.5', '1e3', '99999999999', '0x10', ' 1', '1 MiB', '']],
  [/^<time>$/, ['x', '-1s', '1.5h', '99999999999d', '5 m', '5minutes', '']],
  [/^<octal>$/, ['x', '888', '64', '01777', '0o', '-rw', '']],
  [/^<(?:version|release)>$/, ['x', '3', '3.99.0', '']],
];

const bmc = ['--name', 'a', '--boot-mac', '52:54:00:00:00:01', '--bmc-address', 'redfish://192.0.2.1/x'];
const serving = ['--inventory', 'hosts.yaml', '--iso', 'a.iso', '--open', '--listen', '127.0.0.1:0'];

/** What commands need besides. */
const needed: Readonly<Record<string, readonly string[]>> = {
  render: ['--api-url', 'https://192.0.2.1', '--no-ssh-key'],
  'render --format': ['--api-url', 'https://192.0.2.1', '--no-ssh-key', '--show-settings'],
  'ignition translate': ['--to', '3.5.0'],
  'iso customize': ['-o', 'out'],
  'iso ignition embed': ['-i', 'site.ign', '-o', 'out'],
  'iso ignition remove': ['-o', 'out'],
  'iso network embed': ['-k', 'eth0.nmconnection', '-o', 'out'],
  'iso network remove': ['-o', 'out'],
  'iso kargs modify': ['-a', 'x', '-o', 'out'],
  'iso kargs reset': ['-o', 'out'],
  'iso extract minimal-iso': [],
  'iso reset': ['-o', 'out'],
  'iso create': ['-o', 'out', '-k', 'site.ign', '-i', 'site.ign'],
  'pxe kargs': ['--base-url', 'http://192.0.2.1', '--embedded'],
  'pxe customize': ['-o', 'out'],
  'pxe ignition wrap': ['-i', 'site.ign', '-o', 'out'],
  'pxe network wrap': ['-k', 'eth0.nmconnection', '-o', 'out'],
  'deploy baremetalhost': bmc,
  'deploy node': ['--name', 'a', '--set'],
  prepare: ['--inventory', 'hosts.yaml', '-o', 'www', '--artifacts', 'ign'],
  serve: serving,
  'serve --expires': serving.filter((arg) => arg !== '--open'),
  try: ['--listen', '127.0.0.1:0'],
  boot: ['--bmc', 'https://192.0.2.1', '--iso', 'a.iso'],
  'try --memory': ['--listen', '127.0.0.1:0', '--qemu', 'a.iso'],
  'try --timeout': ['--listen', '127.0.0.1:0'],
};

interface Tried {
  readonly path: string;
  readonly option: Option;
  readonly command: Command;
}

const below = (command: Command, parents: readonly string[] = []): Tried[] =>
  command.commands.flatMap((child) => {
    const words = [...parents, child.name()];
    if (child.commands.length > 0) return below(child, words);
    return child.options.map((option) => ({ path: words.join(' '), option, command: child }));
  });

function wrongValues({ option }: Tried): readonly string[] {
  const [first] = choicesOf(option) ?? [];
  if (first !== undefined)
    return [`${first}x`, first.toUpperCase() === first ? 'x' : first.toUpperCase(), ''];
  const placeholder = /<.*>/.exec(option.flags)?.[0] ?? '';
  return kinds.find(([pattern]) => pattern.test(placeholder))?.[1] ?? [];
}

const tried = below(wholeProgram()).filter((one) => wrongValues(one).length > 0);

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'wrong values '));
  writeFileSync(join(cwd, 'site.ign'), '{"ignition":{"version":"3.4.0"}}');
  writeFileSync(join(cwd, 'eth0.nmconnection'), '[connection]\nid=eth0\ntype=ethernet\n');
  writeFileSync(join(cwd, 'a.iso'), liveIso('2023-07'));
  writeFileSync(join(cwd, 'hosts.yaml'), 'agent: {ironic.apiUrls: https://192.0.2.1}\nhosts: [{name: a}]\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('a wrong value', () => {
  it('is known of many options', () => {
    expect(tried.length).toBeGreaterThan(100);
  });

  it.each(tried.map((one) => [`${one.path} ${one.option.flags}`, one] as const))(
    '%s',
    async (_title, one) => {
      const { path, option, command } = one;
      const flag = option.long ?? '';
      const given = needed[`${path} ${flag}`] ?? needed[path] ?? [];
      const at = given.indexOf(flag);
      const others = at < 0 ? given : given.toSpliced(at, 2);
      const args = command.registeredArguments
        .filter(({ required }) => required)
        .map(() => (path.startsWith('iso') ? 'a.iso' : 'site.ign'));
      for (const value of wrongValues(one)) {
        const { code, stderr } = await runCli([...path.split(' '), ...others, `${flag}=${value}`, ...args], {
          cwd,
        });
        expect([value, code, stderr]).toEqual([value, 2, expect.stringContaining('error: ')]);
        expect(stderr).toMatch(
          new RegExp(`error: .*(?:${flag}|${value === '' ? 'unknown' : value}|unknown|version|retries)`),
        );
        expect(stderr).toMatch(/\nusage: ironic-coreos .* \(see --help\)\n$/);
      }
    },
  );
});
