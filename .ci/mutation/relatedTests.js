// @ts-check
/** The test files that run a source file, by the graph of imports, and how long they take. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** What a file imports when it runs, also later; an `import type` has no effect then. */
const IMPORT = /(?:^|\n)(?:import|export)\s(?!type\s)[^;]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/g;

/**
 * The test files that reach each source file.
 * @param {string} root
 * @returns {(path: string) => string[]} from the path of a source to those of tests: first those of its folder, then by fewest imports between
 */
export function createRelatedTests(root) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[tj]s$/.test(name))
      .map((name) => join(folder, name)),
  );
  for (const file of files) {
    for (const [, once, later] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const target = relative(root, resolve(root, dirname(file), once ?? later ?? ''));
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return (path) => {
    const reached = new Set([path]);
    for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
    const ownFolder = dirname(path).replace(/^src/, 'test');
    const tests = [...reached].filter((file) => file.endsWith('.test.ts'));
    return [
      ...tests.filter((test) => dirname(test) === ownFolder),
      ...tests.filter((test) => dirname(test) !== ownFolder),
    ];
  };
}

/**
 * The first of the tests whose times together are within the budget, at least one.
 * @param {readonly string[]} tests
 * @param {ReadonlyMap<string, number>} seconds of each test file; others did not pass
 * @param {number} budget
 * @returns {{ readonly tests: string[], readonly seconds: number }}
 */
export function testsWithin(tests, seconds, budget) {
  /** @type {string[]} */
  const chosen = [];
  let sum = 0;
  for (const test of tests) {
    const needed = seconds.get(test);
    if (needed === undefined || (chosen.length > 0 && sum + needed > budget)) continue;
    chosen.push(test);
    sum += needed;
  }
  return { tests: chosen, seconds: sum };
}
