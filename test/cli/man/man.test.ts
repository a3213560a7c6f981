/** The manual pages: what each has, by what programs that show them say of them. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { escapeRoff, formatNotes } from '../../../src/cli/man.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';
import { wholeProgram, withDescendants } from '../../support/wholeProgram.ts';

const commands = withDescendants(wholeProgram());
let folder: string;
let written: RunResult;
const pathOf = (words: readonly string[]): string => join(folder, `${words.join('-')}.1`);
const epoch = { SOURCE_DATE_EPOCH: '1795219200' };

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'man test ')), 'share', 'man 1');
  written = await runCli(['man', '-C', folder], { env: epoch });
});

afterAll(() => rmSync(join(folder, '../..'), { recursive: true, force: true }));

describe('man', () => {
  it('writes a page for every command that is shown', () => {
    expect(written).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const names = commands.map(({ path }) => `${path.replaceAll(' ', '-')}.1`);
    expect(readdirSync(folder).toSorted()).toEqual(names.toSorted());
    expect(names).toContain('ironic-coreos-iso-ignition-embed.1');
    expect(names.filter((name) => /coreos-(dev|pack)|iso-embed/.test(name))).toEqual([]);
  });

  it.each(commands.map((command) => [command.path, command] as const))(
    '%s has all parts',
    (path, command) => {
      const page = readFileSync(pathOf(path.split(' ')), 'utf8');
      expect(page).toMatch(/^\.TH IRONIC-COREOS\S* 1 2026-11-21 "ironic-coreos \d/);
      for (const section of ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS'])
        expect(page).toContain(`\n.SH ${section}\n`);
      for (const section of command.commands.length === 0 ? ['EXIT STATUS', 'EXAMPLES'] : ['COMMANDS'])
        expect(page).toContain(`\n.SH ${section}\n`);
    },
  );

  const { man: listed }: { readonly man?: readonly string[] } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
  );

  it.skipIf(listed === undefined)(
    `package.json lists them for npm${listed === undefined ? ' (skipped: it lists none)' : ''}`,
    () => {
      const pages = commands.map(({ path }) => `dist/man/${path.replaceAll(' ', '-')}.1`);
      expect(listed?.toSorted()).toEqual(pages.toSorted());
    },
  );

  it('prints one page', async () => {
    const { code, stdout } = await runCli(['man', 'iso', 'kargs'], { env: epoch });
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(pathOf(['ironic-coreos', 'iso', 'kargs']), 'utf8'));
  });

  it.each([
    [['man', 'iso', 'nonsense'], 'use one of customize'],
    [['man', 'validate', 'x'], 'ironic-coreos validate has no commands'],
    [['man', '-C', 'x', 'iso'], 'remove -C, or remove "iso"'],
  ])('%j is refused', async (args, hint) => {
    const { code, stderr } = await runCli(args);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  it.skipIf(!have('man'))(`man has nothing against them${oracleNote('man')}`, () => {
    const pages = readdirSync(folder).map((name) => join(folder, name));
    const { status, stderr, stdout } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', ...pages], {
      encoding: 'utf8',
      env: { ...process.env, MANPAGER: 'cat', MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.match(/^EXAMPLES|^COMMANDS/gm)?.length).toBeGreaterThanOrEqual(pages.length);
  });

  it.skipIf(!have('mandoc'))(`mandoc has nothing against them${oracleNote('mandoc')}`, () => {
    const pages = readdirSync(folder).map((name) => join(folder, name));
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...pages], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});

describe('formatNotes', () => {
  it('makes sections of headings, and keeps the lines of what is indented', () => {
    const { intro, sections } = formatNotes(
      '\nOne line\nand another.\n\nExit codes:\n  0  done\n\nExample:\n  a \\\n    .b\n',
    );
    expect(intro).toEqual(['.PP', 'One line', 'and another.']);
    expect(sections).toEqual([
      '.SH EXIT STATUS',
      '.nf',
      '  0  done',
      '.fi',
      '.SH EXAMPLES',
      '.nf',
      '  a \\e',
      '    .b',
      '.fi',
    ]);
  });

  it.each([
    ['.SH x', '\\&.SH x'],
    ["'x'", '\\&\\(aqx\\(aq'],
    ['a\\b --c', 'a\\eb \\-\\-c'],
  ])('%j is text', (text, escaped) => {
    expect(escapeRoff(text)).toBe(escaped);
  });
});
