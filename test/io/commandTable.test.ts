import { PassThrough, Readable } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { declareTable, type CommandTable } from '../../src/io/commandLine.ts';

const io = {
  stdin: Readable.from([]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '/',
  programName: 'x',
};
const inner: CommandTable = {
  show: { summary: 'shows', declare: (command) => void command.option('--all') },
  edit: { summary: 'edits', declare: (command) => void command.option('--force') },
};
const table: CommandTable = {
  group: { summary: 'a group', declare: (command, context) => declareTable(command, inner, context) },
  secret: { summary: 'not shown', hidden: true, declare: (command) => void command.option('-x') },
};

/** Each command as its path, with its options behind it. */
async function declared(args: readonly string[] | 'unknown'): Promise<string[]> {
  const list = (command: Command, path: string): string[] =>
    command.commands.flatMap((child) => {
      const name = `${path}${child.name()}`;
      return [[name, ...child.options.map(({ flags }) => flags)].join(' '), ...list(child, `${name}/`)];
    });
  const group = new Command('top');
  await declareTable(group, table, { io, args, finish: () => undefined, print: () => undefined });
  return list(group, '');
}

describe('declareTable', () => {
  it.each<[string, readonly string[] | 'unknown', string[]]>([
    ['all of all', 'unknown', ['group', 'group/show --all', 'group/edit --force', 'secret -x']],
    ['only what is asked for', ['group', 'edit', 'show'], ['group', 'group/edit --force']],
    ['behind the end of options', ['--', 'group', '--', 'show'], ['group', 'group/show --all']],
    ['names alone for help', ['--help', 'secret'], ['group', 'secret']],
    ['names alone for help of a group', ['group', '-h'], ['group', 'group/show', 'group/edit']],
    ['names alone for suggestions', ['grop'], ['group', 'secret']],
    ['names alone without arguments', [], ['group', 'secret']],
  ])('%s', async (_title, args, expected) => {
    expect(await declared(args)).toEqual(expected);
  });

  it('shows summaries, but not of hidden commands', async () => {
    const group = new Command('top');
    await declareTable(group, table, { io, args: [], finish: () => undefined, print: () => undefined });
    expect(group.helpInformation()).toContain('a group');
    expect(group.helpInformation()).not.toContain('secret');
  });
});
