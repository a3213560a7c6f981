/** The arrows between the layers, read from the imports: a wrong one fails here. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');
const base = ['assets', 'core', 'errors', 'report'];
const domain = [
  'agent',
  'ignition',
  'image',
  'boot',
  'deploy',
  'artifacts',
  'prepare',
  'serve',
  'ironic',
  'trial',
  'preprovisioning',
];

/** What each layer may import, besides itself. */
const allowed: Record<string, readonly string[]> = {
  assets: [],
  core: ['formats'],
  errors: [],
  report: [],
  formats: base,
  ...Object.fromEntries(domain.map((layer) => [layer, [...base, ...domain, 'formats']])),
  io: [...base, ...domain, 'formats'],
  reporters: [...base, 'formats'],
  commands: [...base, ...domain, 'formats', 'io', 'reporters'],
  program: [...base, 'commands', 'io'],
  cli: [...base, 'io', 'program', 'reporters'],
  index: [...base, ...domain, 'formats', 'io', 'reporters', 'commands'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const layerOf = (file: string): string => relative(src, file).split(sep)[0]!.replace(/\.ts$/, '');

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]!);
  return specifiers.map((specifier) => ({ from: file, to: resolve(dirname(file), specifier) }));
}

/** Files by those that import them; imports of types count, too. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** The files from `start` back to itself; empty where no way leads back. */
function shortestCircle(start: string, graph: Graph): string[] {
  const cameFrom = new Map<string, string>();
  const reached = [start];
  for (const file of reached) {
    for (const next of graph.get(file) ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      reached.push(next);
    }
    if (cameFrom.has(start)) return wayTo(start, cameFrom);
  }
  return [];
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end];
  for (let file = cameFrom.get(end); file !== undefined; file = cameFrom.get(file)) {
    way.unshift(file);
    if (file === end) break;
  }
  return way;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(src, name));

describe('architecture', () => {
  it.each(files.map((file) => [relative(src, file), file]))(
    '%s imports only what its layer may',
    (_name, file) => {
      const wrong = importsOf(file)
        .filter(({ to }) => to.startsWith(src + sep))
        .filter(({ to }) => layerOf(to) !== layerOf(file) && !allowed[layerOf(file)]?.includes(layerOf(to)))
        .map(({ to }) => relative(src, to));
      expect(wrong).toEqual([]);
    },
  );

  it('formats and domain touch neither files, network nor the process', () => {
    const pure = files.filter((file) => ['formats', ...domain].includes(layerOf(file)));
    const impure = pure.filter((file) =>
      /from 'node:(fs|fs\/promises|http|https|net|child_process|process)'|\bprocess\./.test(
        readFileSync(file, 'utf8'),
      ),
    );
    expect(impure.map((file) => relative(src, file))).toEqual([]);
  });

  it('data go to standard output by writeStdout alone, which reports what fails', () => {
    const others = files.filter((file) => /\bstdout\??\.write\(/.test(readFileSync(file, 'utf8')));
    expect(others.map((file) => relative(src, file))).toEqual(['io/stdout.ts']);
  });

  it('no file of src imports itself, also not by way of others', () => {
    const graph: Graph = new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)]));
    const circles = files
      .map((file) => shortestCircle(file, graph))
      .filter((circle) => circle.length > 0)
      .map((circle) => circle.map((file) => relative(src, file)));
    // A circle is told once: from its first file on.
    const told = circles.filter(([first = '', ...others]) => others.every((file) => first <= file));
    expect(told.map((circle) => circle.join(' → '))).toEqual([]);
  });

  it.each([
    ['none', { a: ['b'], b: ['c'], c: [] }, []],
    ['a file that imports itself', { a: ['a'] }, ['a', 'a']],
    ['two files', { a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
    [
      'three files, the long way round left out',
      { a: ['x', 'b'], b: ['c'], c: ['a'], x: ['b'] },
      ['a', 'b', 'c', 'a'],
    ],
    ['a circle that is only reached', { a: ['b'], b: ['c'], c: ['b'] }, []],
  ])('circles are found: %s', (_title, graph, circle) => {
    expect(shortestCircle('a', new Map(Object.entries(graph)))).toEqual(circle);
  });
});
