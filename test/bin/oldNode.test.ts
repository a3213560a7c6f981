/** The entry point on versions of Node.js that are too old: it is parsed, prints which version is required, and exits. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const source = readFileSync(`${root}/bin/ironic-coreos.js`, 'utf8');

/** What the entry point does on a Node.js of this version: prints, exits, loads modules. */
function runOn(node: string, modules: object) {
  const ran = { stderr: '', required: [] as string[], exitCode: undefined as number | undefined };
  const process = {
    versions: { node },
    stderr: { write: (text: string) => void (ran.stderr += text) },
    exit: (code: number) => {
      ran.exitCode = code;
      throw new Error('exited');
    },
    argv: ['node', 'ironic-coreos'],
    ...modules,
  };
  const require = (id: string) => {
    ran.required.push(id);
    return { start: () => undefined };
  };
  try {
    runInNewContext(source.replace(/^#!.*/, ''), { process, require, __dirname: '/bin' });
  } catch (error) {
    if (ran.exitCode === undefined) throw error;
  }
  return ran;
}

/** Kinds of syntax, as the parser calls them; a declaration by its keyword. */
const ES5 =
  /^(?:Program|Identifier|Literal|var|VariableDeclarator|(?:Expression|Block|If)Statement|(?:Member|Call|Function|Unary|Binary|Logical|Assignment)Expression)$/;

const getBuiltinModule = (id: string) => process.getBuiltinModule(id);

describe('the entry point', () => {
  it.each([
    ['0.10.10', {}],
    ['14.21.3', {}],
    ['18.20.8', {}],
    ['20.18.3', { getBuiltinModule }],
    ['21.7.3', {}],
    ['22.2.0', {}],
  ])('names the required version on Node.js %s', (version, modules) => {
    expect(runOn(version, modules)).toEqual({
      stderr: `error: Node.js ${version} is too old: 20.19, or 22.3 or newer, is required\nhint: install Node.js 24, or use the single executable\n`,
      required: [],
      exitCode: 1,
    });
  });

  it.each(['20.19.0', '22.3.0', '24.0.0', '26.1.0'])('starts the program on Node.js %s', (version) => {
    expect(runOn(version, { getBuiltinModule })).toEqual({
      stderr: '',
      required: ['./start.js'],
      exitCode: undefined,
    });
  });

  it('requires the versions that package.json names', () => {
    const { engines }: { engines: object } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
    expect(engines).toEqual({ node: '^20.19 || >=22.3' });
  });

  it('is ES5: what old versions cannot parse does not occur in it', () => {
    const kinds = new Set<string>();
    const visit = (node: object): void => {
      if ('type' in node)
        kinds.add(String('kind' in node && node.type !== 'Property' ? node.kind : node.type));
      for (const value of Object.values(node)) {
        if (typeof value === 'object' && value !== null) visit(value);
      }
    };
    visit(parseAst(source.replace(/^#!.*/, '')));
    expect([...kinds].filter((kind) => !ES5.test(kind))).toEqual([]);
    expect(source).not.toMatch(/,\s*\)|`/); // a comma after the last argument is of ES2017
  });
});
