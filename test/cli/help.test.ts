/** The help of every command: what it has to say, in 80 columns; and the tree of all commands, options and values. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DeclaredArgument, type DeclaredOption, ProgramCommand } from '../../src/cli/program.ts';
import { runCli } from '../support/runCli.ts';
import { allOptions, choicesOf, wholeProgram } from '../support/wholeProgram.ts';

interface Declared {
  readonly path: string;
  readonly command: ProgramCommand;
}

function declaredBelow(command: ProgramCommand, parents: readonly string[] = []): Declared[] {
  return command.commands.flatMap((child) => {
    if (!(child instanceof ProgramCommand)) return [];
    const words = [...parents, child.name()];
    return [{ path: words.join(' '), command: child }, ...declaredBelow(child, words)];
  });
}

const ownOptions = (command: ProgramCommand): readonly DeclaredOption[] =>
  allOptions(command).filter(({ helpGroupHeading }) => helpGroupHeading !== 'Global options:');

const all = declaredBelow(wholeProgram());
const leaves = all.filter(({ command }) => command.commands.length === 0);
const groups = all.filter(({ command }) => command.commands.length > 0);

const help = async (path: string, flag = '--help-all'): Promise<string> => {
  const { code, stdout, stderr } = await runCli([...path.split(' ').filter(Boolean), flag]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

describe('help', () => {
  it('of each command has purpose, exit codes and examples', async () => {
    for (const { path } of leaves) {
      const text = await help(path);
      expect.soft(text, path).toMatch(/^Usage: ironic-coreos .*\n(?: .*\n)*\n[A-Z].+/);
      expect.soft(text, path).toMatch(/^Exit codes:\n {2}0 {2}\S.*\n(?: {2}1 {2}.*\n)? {2}2 {2}/m);
      expect.soft(text, path).toMatch(/^Examples?:\n {2}\S/m);
      expect.soft(text, path).toContain(`ironic-coreos ${path}`);
      expect.soft(text, path).toContain('Global options:\n');
    }
  });

  it('of each group has purpose, commands, and how to go on', async () => {
    for (const { path } of groups) {
      const text = await help(path);
      expect.soft(text, path).toMatch(/^Usage: .*\n\n[A-Z].+/);
      expect.soft(text, path).toMatch(/^Commands:\n {2}\S/m);
      expect
        .soft(text, path)
        .toContain(`\nRun 'ironic-coreos ${path} COMMAND --help' for help on a command.\n`);
    }
  });

  it('has 80 columns everywhere', async () => {
    for (const path of ['', ...all.map((command) => command.path)]) {
      const tooLong = (await help(path)).split('\n').filter((line) => line.length > 80);
      expect.soft(tooLong, path).toEqual([]);
    }
  });

  it.each([
    ['72', 72],
    ['120', 120],
    ['8', 80],
    ['wide', 80],
  ])('is as wide as COLUMNS=%s says', async (COLUMNS, width) => {
    const { stdout } = await runCli(['boot', '--help'], { env: { COLUMNS } });
    const options = stdout.split('\n').filter((line) => /^ {2}-|^ {16}/.test(line));
    const longest = Math.max(...options.map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(width);
    expect(longest).toBeGreaterThan(width * 0.8);
  });

  it('of the program has exit codes and examples', async () => {
    const text = await help('');
    expect(text).toContain('\nExit codes:\n');
    expect(text).toContain('\nExamples:\n');
  });

  it('of a command with many options has at most 20 of them, and --help-all has them all', async () => {
    for (const { path, command } of leaves) {
      const short = await help(path, '--help');
      const options = ownOptions(command);
      const shown = options.filter(({ long }) => short.includes(`${long} `));
      expect.soft(shown.length, path).toBeLessThanOrEqual(20);
      const isShort = shown.length < options.length;
      expect.soft(short.includes(`ironic-coreos ${path} --help-all`), path).toBe(isShort);
      expect.soft(short.includes('\n  --help-all '), path).toBe(isShort);
    }
  });

  it('groups options where there are many', () => {
    const long = leaves.filter(({ command }) => {
      const own = ownOptions(command);
      return own.length > 14 && new Set(own.map(({ helpGroupHeading }) => helpGroupHeading)).size < 2;
    });
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe('values to choose from', () => {
  const choices = leaves.flatMap(({ path, command }) =>
    command.options
      .filter((option) => choicesOf(option) !== undefined && option.long !== '--to') // versions are a range
      .map((option) => ({ path, flag: option.long ?? '', option })),
  );

  it('are in the help', async () => {
    expect(choices.length).toBeGreaterThan(10);
    for (const { path, flag, option } of choices) {
      const text = (await help(path)).replaceAll(/\s+/g, ' ');
      for (const value of choicesOf(option) ?? []) expect.soft(text, `${path} ${flag}`).toContain(value);
    }
  });

  const file = import.meta.filename;
  const folder = mkdtempSync(join(tmpdir(), 'help test '));
  const inventory = join(folder, 'ramdisk.yaml');
  writeFileSync(inventory, 'agent: {ironic.apiUrls: https://192.0.2.1}\n');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  /** What a command needs before it looks at the option. */
  const needed: Readonly<Record<string, readonly string[]>> = {
    'deploy baremetalhost': ['--name', 'a'],
    'deploy node': ['--name', 'a', '--set'],
    'render --format': ['--api-url', 'https://192.0.2.1', '--show-settings'],
    'render --pull-policy': ['--api-url', 'https://192.0.2.1', '--no-ssh-key'],
    'prepare --profile': ['--inventory', inventory, '-o', 'x', '--artifacts', 'ign'],
  };

  it('are offered where any other is given, which is refused', async () => {
    for (const { path, flag, option } of choices) {
      const first = choicesOf(option)?.[0] ?? '';
      const args = wantsArgument(path) ? [file] : [];
      const more = needed[`${path} ${flag}`] ?? needed[path] ?? [];
      const { code, stderr } = await runCli([...path.split(' '), `${flag}=${first}x`, ...more, ...args]);
      expect.soft(code, `${path} ${flag}`).toBe(2);
      for (const value of choicesOf(option) ?? []) expect.soft(stderr, `${path} ${flag}`).toContain(value);
    }
  });

  function wantsArgument(path: string): boolean {
    return (leaves.find((leaf) => leaf.path === path)?.command.registeredArguments.length ?? 0) > 0;
  }

  it.each([
    [['validate', '--format', 'jsn', 'x.ign'], 'hint: use json; valid values: text, json, github'],
    [['iso', 'kargs', 'show', '--format', 'tex', 'x.iso'], 'hint: use text; valid values: '],
    [['pxe', 'kargs', '--base-url', 'http://a', '--format', 'pxelinx'], 'hint: use pxelinux; valid values: '],
    [['render', '--profile', 'buildpi'], 'hint: use buildpy; valid values: '],
    [['deploy', 'node', '--format', 'comand'], 'hint: use command; valid values: '],
    [['completion', 'bsh'], 'hint: use bash; valid values: '],
    [['man', 'is'], 'hint: use iso; valid values: '],
    [['renderr'], '(Did you mean render?)'],
    [['iso', 'igniton', 'embed'], '(Did you mean ignition?)'],
    [['pxe', 'network', 'unwarp', 'x'], '(Did you mean unwrap?)'],
    [['inspct', '--help'], '(Did you mean inspect?)'],
    [['inspect', '--formt', 'json', 'x'], '(Did you mean --format?)'],
    [['iso', 'reset', '--outptu', 'x'], '(Did you mean --output?)'],
  ])('%j: %s', async (args, hint) => {
    const { code, stderr } = await runCli(args);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });
});

describe('tree', () => {
  it('is as it was', async () => {
    const lines = [
      ['ironic-coreos', wholeProgram()] as const,
      ...all.map(({ path, command }) => [path, command] as const),
    ];
    const text = lines.map(([path, command]) => formatCommand(path, command)).join('\n');
    await expect(text).toMatchFileSnapshot('../golden/commandTree.txt');
  });
});

function formatCommand(path: string, command: ProgramCommand): string {
  const { children, parent, registeredArguments } = command;
  const isHidden = parent instanceof ProgramCommand && !parent.children.includes(command);
  return [
    `${path}${isHidden ? ' (hidden)' : ''}`,
    ...registeredArguments.map(
      (one) => `  ${one.name()}${formatValue(one instanceof DeclaredArgument && one)}`,
    ),
    ...ownOptions(command).map((option) => {
      return `  ${option.flags}${formatValue(option)}${option.declared.isList ? ', repeatable' : ''}`;
    }),
    ...(children.length > 0 ? [`  commands: ${children.map((child) => child.name()).join(', ')}`] : []),
    '',
  ].join('\n');
}

function formatValue(declared: DeclaredArgument | DeclaredOption | false): string {
  const value = (declared && declared.declared.value?.completion) || 'any';
  if (value === 'any') return '';
  return typeof value === 'string' ? `: ${value}` : `: ${value.join(' | ')}`;
}
