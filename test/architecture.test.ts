/** The arrows between the layers, read from the imports: a wrong one fails here. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '../src');
const base = ['assets', 'errors', 'report'];
const domain = ['agent', 'ignition', 'image', 'boot', 'deploy', 'artifacts', 'prepare'];

/** What each layer may import, besides itself. */
const allowed: Record<string, readonly string[]> = {
  assets: [],
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
});
