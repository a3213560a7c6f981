/** The bundle does what the sources do, and short commands load little of it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';
import { bundleOptions, outputOptions } from '../../scripts/bundle/options.js';

const root = resolve(import.meta.dirname, '../..');

/** Counts calls whose results are not used: they are there for what they do or refuse. */
function countStatementCalls(code: string, lang: 'js' | 'ts'): number {
  let count = 0;
  const visit = (node: object): void => {
    if ('type' in node && node.type === 'ExpressionStatement' && 'expression' in node)
      if (isCall(node.expression)) count++;
    for (const value of Object.values(node)) {
      if (typeof value === 'object' && value !== null) visit(value);
    }
  };
  visit(parseAst(code, { lang }));
  return count;
}

function isCall(node: unknown): boolean {
  if (typeof node !== 'object' || node === null || !('type' in node)) return false;
  if (node.type === 'CallExpression' || node.type === 'NewExpression') return true;
  const inner = 'argument' in node ? node.argument : 'expression' in node ? node.expression : undefined;
  return inner !== undefined && isCall(inner);
}

describe('the bundler', () => {
  it('keeps each call that is a statement', async () => {
    const bundle = await rolldown({ ...bundleOptions, input: 'src/cli/main.ts', logLevel: 'silent' });
    const { output } = await bundle.generate(outputOptions);
    const ours = output
      .flatMap((file) => (file.type === 'chunk' ? Object.entries(file.modules) : []))
      .filter(([id]) => id.startsWith(join(root, 'src')) && id.endsWith('.ts'));
    expect(ours.length).toBeGreaterThan(400);
    const lost = ours.filter(([id, { code }]) => {
      const own = code?.replaceAll(/^init_\w+\(\);$/gm, '') ?? ''; // rolldown starts wrapped modules by such calls
      return countStatementCalls(own, 'js') !== countStatementCalls(readFileSync(id, 'utf8'), 'ts');
    });
    expect(lost.map(([id]) => id)).toEqual([]);
  });

  it.each([
    ['these options', bundleOptions, outputOptions, true],
    ['its tree shaking', { ...bundleOptions, treeshake: true }, outputOptions, false],
    ['its minifier as it is by default', bundleOptions, {}, false],
  ])('with %s, a check of percent escapes stays, or not', async (_title, options, output, stays) => {
    const source = 'export function check(path) { decodeURIComponent(path); return path; }';
    const plugins = [{ name: 'source', resolveId: (id: string) => id, load: () => source }];
    const bundle = await rolldown({ ...options, input: 'check.js', plugins });
    const [{ code }] = (await bundle.generate(output)).output;
    expect(code.includes('decodeURIComponent(path)')).toBe(stays);
  });
});

describe('the chunks', () => {
  const dist = join(root, 'dist');
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'));

  /** A chunk and all that it imports at its start, without hashes. */
  function loadedWith(start: string): readonly string[] {
    const loaded = new Set([files.find((name) => name.startsWith(start)) ?? start]);
    for (const name of loaded) {
      const code = readFileSync(join(dist, name), 'utf8');
      for (const [, next = ''] of code.matchAll(/^(?:import|export) .*?["']\.\/([^"']+)["'];$/gm))
        loaded.add(next);
    }
    return [...loaded].map((name) => name.replace(/(?:-[\w-]{8})?\.js$/, '')).toSorted();
  }

  it('that every command loads are few', () => {
    expect(loadedWith('cli.js')).toEqual(['cli', 'core', 'program', 'rolldown-runtime']);
  });

  it('that validate loads are few, and none of them is for Butane, images or networks', () => {
    expect(loadedWith('validate-')).toEqual(['core', 'rolldown-runtime', 'validate']);
  });

  it('that render and iso ignition embed load are the same but for the settings, and changes of images; the library loads them, too, without the program', () => {
    const both = ['core', 'images', 'rolldown-runtime', 'validate'];
    expect(loadedWith('renderConfig-')).toEqual([...both, 'renderConfig'].toSorted());
    expect(loadedWith('iso-')).toEqual([...both, 'iso'].toSorted());
  });
});
