/** The rules that the modules of src declare with texts, read from their source: many are not exported. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { visit } from './importGraph.ts';
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
  if (!Object.keys(declarations).some((name) => source.includes(`${name}(`))) return [];
  const rules: WrittenRule[] = [];
  visit(parseAst(source, { lang: 'ts' }), (node, role, call) => {
    if (role !== 'callee') return;
    const kind = Object.entries(declarations).find(([name]) => name === nameOf(node))?.[1];
    const [id, message] = textsOf(call);
    if (kind !== undefined && id !== undefined && !id.includes('…')) {
      rules.push({ id, ...kind, message: matcherOf(message ?? '…') });
    }
  });
  return rules;
}

function nameOf({ name }: Readonly<Record<string, unknown>>): unknown {
  return name;
}

/** The arguments of a call; undefined for what is not written as one text. */
function textsOf({ arguments: given }: Readonly<Record<string, unknown>>): readonly (string | undefined)[] {
  return Array.isArray(given) ? given.map((one) => textOf(one.type, one)) : [];
}

/** An inserted value is written as `…`. */
function matcherOf(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}
