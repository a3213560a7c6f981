/**
 * The changes that docs/architecture.md describes. Each made-up row is added to a copy of src, and the compiler has to name the
 * places that the page says it names, and no others.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './support/docs/markdown.ts';

/** A row, and the text of the file behind which it is inserted. */
interface Change {
  readonly file: string;
  readonly behind: string;
  readonly row: string;
}

/** By the first words of the item in the page. */
const changes: Readonly<Record<string, Change>> = {
  'A kernel argument of CoreOS': {
    file: 'src/kargs/coreosArguments.ts',
    behind: 'export const coreosArguments = {',
    row: "madeUp: { name: 'coreos.made_up' },",
  },
  'An artifact of a host': {
    file: 'src/core/artifacts.ts',
    behind: 'export const hostArtifacts = {',
    row: `madeUp: { noun: 'made up', contentType: BYTES, isOfVendor: false, stage: 'image', part: 'media', way: 'iso',
      fileName: 'made.up', ending: '.up', base: 'iso', source: '--iso', startRank: 6, printRank: 6, help: 'made up' },`,
  },
  'A version of the Ignition spec': {
    file: 'src/ignition/versions.ts',
    behind: 'export const specVersions = [',
    row: "'2.9.0',",
  },
};

const items = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  .split(/\n\n?- |\n\n/)
  .map((item) => item.replaceAll(/\s+/g, ' '));

/** The files that the compiler names for a change, as the page says. */
function namedIn(title: string): readonly string[] {
  const item = items.find((text) => text.startsWith(`**${title}**`)) ?? '';
  const [, sentence = ''] = /The compiler names (.*?)\.(?: |$)/.exec(item) ?? [];
  return Array.from(sentence.matchAll(/`(src\/[^`]+)`/g), ([, path = '']) => path).toSorted();
}

let folder: string;
/** The files with errors. */
let named: readonly string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'changes-'));
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  for (const name of ['tsconfig.json', 'package.json']) cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const { file, behind, row } of Object.values(changes)) {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), text.replace(behind, `${behind}\n${row}`));
  }
  writeFileSync(join(folder, 'tsconfig.src.json'), '{"extends": "./tsconfig.json", "include": ["src"]}');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.src.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  named = [
    ...new Set(Array.from(stdout.matchAll(/^(src\/[^(]+)\(\d/gm), ([, path = '']) => path)),
  ].toSorted();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/architecture.md', () => {
  it.each(Object.keys(changes))('names the places that the compiler names: %s', (title) => {
    const places = namedIn(title);
    expect(places.length).toBeGreaterThan(0);
    expect(places.filter((path) => !named.includes(path))).toEqual([]);
  });

  it('names all places that the compiler names', () => {
    expect(Object.keys(changes).flatMap(namedIn).toSorted()).toEqual(named);
  });
});
