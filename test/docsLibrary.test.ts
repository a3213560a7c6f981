/**
 * The examples of docs/library.md compile against the types of the built package, and print what the page says. They are
 * run in the order of the page, in one folder.
 */

import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from 'rolldown';
import { type Block, readBlocks, readPages, root } from './support/docs/markdown.ts';
import { liveIso } from './support/liveIso.ts';

const page = readPages().find(({ name }) => name === 'docs/library.md');
const blocks = readBlocks(page?.text ?? '');
const examples = blocks.filter(({ language }) => language === 'ts');
const headingOf = ({ start }: Block): string =>
  (page?.text.split('\n').slice(0, start) ?? []).findLast((line) => line.startsWith('## '))?.slice(3) ?? '';
const nameOf = ({ start }: Block): string => `line-${start}.ts`;

let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'docs library ')));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/ironic-coreos'));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'coreos.iso'), liveIso('2023-07'));
  for (const example of examples) writeFileSync(join(folder, nameOf(example)), example.lines.join('\n'));
  await build({
    input: examples.map((example) => join(folder, nameOf(example))),
    platform: 'node',
    external: (id) => /^(?:ironic-coreos(?:$|\/)|node:)/.test(id),
    output: { dir: join(folder, 'run'), format: 'esm' },
    logLevel: 'silent',
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/library.md', () => {
  it('compiles, as strict as this project itself', () => {
    const compilerOptions = { types: ['node'], skipLibCheck: false };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it.each(examples.map((example) => [headingOf(example), nameOf(example), example] as const))(
    '%s (%s)',
    async (_heading, name, example) => {
      const file = join(folder, 'run', name.replace('.ts', '.js'));
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: folder });
      const next = blocks[blocks.indexOf(example) + 1];
      const expected = next?.language === 'text' ? next.lines : [];
      expect(`${stdout}${stderr}`.trimEnd().split('\n')).toEqual(expected.length === 0 ? [''] : expected);
    },
  );
});
