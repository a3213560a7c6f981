/** The folders of src and the arrows between them. The linter refuses wrong imports; here is what it cannot see. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');

interface LinterSettings {
  readonly overrides: readonly { readonly files: readonly string[] }[];
}

/** The layers, from the top down, as the linter has them: each is one override, with the folders of the layer. */
const { overrides }: LinterSettings = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8'));
const layers = overrides
  .map(({ files }) => files.flatMap((glob) => /^src\/(\w+)\/\*\*$/.exec(glob)?.[1] ?? []))
  .filter((folders) => folders.length > 0);

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(src, name));

const folderOf = (file: string): string => relative(src, file).split(sep)[0]!;
const layerOf = (folder: string): number => layers.findIndex((folders) => folders.includes(folder));

/** The files that a file imports, also those that it loads later. */
function importsOf(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return Array.from(specifiers, ([, specifier = '']) => resolve(dirname(file), specifier));
}

describe('architecture', () => {
  it('the linter has a rule for each folder of src', () => {
    const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(layers.flat().toSorted());
  });

  it('imports between folders go downwards, also those of modules that are loaded later', () => {
    const inFolders = files.filter((file) => layerOf(folderOf(file)) >= 0);
    const upwards = inFolders.flatMap((file) =>
      importsOf(file)
        .filter((target) => folderOf(target) !== folderOf(file) && folderOf(target) !== 'assets.ts')
        .filter((target) => layerOf(folderOf(target)) <= layerOf(folderOf(file)))
        .map((target) => `${relative(src, file)} → ${relative(src, target)}`),
    );
    expect(upwards).toEqual([]);
  });

  it('an exported name has one meaning', () => {
    const exported =
      /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|enum) (\w+)/gm;
    // Overloads of a function repeat its name in one file.
    const names = files.flatMap((file) => [
      ...new Set(Array.from(readFileSync(file, 'utf8').matchAll(exported), ([, name = '']) => name)),
    ]);
    expect(names.length).toBeGreaterThan(1000);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('data go to standard output by writeStdout alone, which reports what fails', () => {
    const others = files.filter((file) => /\bstdout\??\.write\(/.test(readFileSync(file, 'utf8')));
    expect(others.map((file) => relative(src, file))).toEqual([join('io', 'stdout.ts')]);
  });
});
