/** The rules that the modules of src declare with texts, read from their source: many are not exported. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { type Node, visit } from './importGraph.ts';
import { textOf } from './statements.ts';

const declarations = {
  errorRule: { severity: 'error', isLint: false },
  warningRule: { severity: 'warning', isLint: false },
  infoRule: { severity: 'info', isLint: false },
  lintError: { severity: 'error', isLint: true },
  lintWarning: { severity: 'warning', isLint: true },
  lintNote: { severity: 'info', isLint: true },
} as const;

interface WrittenRule {
  readonly id: string;
  readonly severity: string;
  readonly isLint: boolean;
  /** Matches the message. */
  readonly message: RegExp;
}

/** All but those whose id is composed. */
export function writtenRules(): readonly WrittenRule[] {
  const src = resolve(import.meta.dirname, '../../src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => rulesOf(readFileSync(join(src, path), 'utf8')));
}

function rulesOf(source: string): readonly WrittenRule[] {
  if (!Object.keys(declarations).some((name) => source.includes(name))) return [];
  const rules: WrittenRule[] = [];
  visit(parseAst(source, { lang: 'ts' }), (node, role, call) => {
    const given: unknown = call['arguments'];
    if (role !== 'callee' || !Array.isArray(given)) return;
    for (const [name, kind] of Object.entries(declarations)) {
      // A rule, or a table of rules by their names.
      const texts = node['name'] === name ? [given] : node['name'] === `${name}s` ? rowsOf(given[0]) : [];
      for (const [id, message = '…'] of texts.map((row) => row.map((one) => textOf(one.type, one)))) {
        if (id !== undefined && !id.includes('…')) rules.push({ id, ...kind, message: matcherOf(message) });
      }
    }
  });
  return rules;
}

/** None of a table that is composed. */
function rowsOf({
  properties = [],
}: {
  readonly properties?: readonly Property[];
}): readonly (readonly Node[])[] {
  return properties.map(({ key, value }) => [
    key.type === 'Identifier' ? { ...key, type: 'Literal', value: key['name'] } : key,
    ...value.elements,
  ]);
}

interface Property {
  readonly key: Node;
  readonly value: { readonly elements: readonly Node[] };
}

/** An inserted value is written as `…`. */
function matcherOf(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}
