// @ts-check
/** The test files that may notice a change of a source, and how long they take. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** What a file imports when it runs, also later; an `import type` has no effect then. */
const IMPORT = /(?:^|\n)(?:import|export)\s(?!type\s)[^;]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/g;

/**
 * What a whole run of the suite showed about a test file that passed.
 * @typedef {{ readonly seconds: number, readonly functions: readonly string[] }} Recorded the functions as `src/x.ts readX`
 */

/**
 * `related` finds the tests that execute a function of a source, and those of its folder that run the built program. Where no test
 * executes the function in its own process, and for code outside of functions, the tests that reach the source by imports take
 * their place. It returns the paths of tests: first those of the folder of the source, then the fastest.
 * `startsBuild` has the tests that run the program as it is built, also through others.
 * @param {string} root
 * @param {ReadonlyMap<string, Recorded>} recorded by the path of the test
 * @returns {{ related: (path: string, functionName: string | undefined) => string[], startsBuild: ReadonlySet<string> }}
 */
export function readTests(root, recorded) {
  const files = importsOf(root);
  const importing = createImportingTests(files);
  const starting = [...files].filter(
    ([path, { text }]) => path.startsWith('test/') && /bin\/ironic-coreos|'bin'|\bdist\b/.test(text),
  );
  const startsBuild = new Set(starting.flatMap(([path]) => importing(path)));
  /** @type {Map<string, string[]>} */
  const executing = new Map();
  for (const [test, { functions }] of recorded) {
    for (const name of functions) executing.set(name, [...(executing.get(name) ?? []), test]);
  }
  /** @param {string} path @param {string | undefined} functionName */
  const related = (path, functionName) => {
    const ownFolder = dirname(path).replace(/^src/, 'test');
    /** @param {string} test */
    const isNear = (test) => dirname(test) === ownFolder;
    const found = executing.get(`${path} ${functionName}`) ?? importing(path);
    const tests = [...new Set([...found, ...[...startsBuild].filter(isNear)])].toSorted(
      (a, b) => (recorded.get(a)?.seconds ?? 0) - (recorded.get(b)?.seconds ?? 0),
    );
    return [...tests.filter(isNear), ...tests.filter((test) => !isNear(test))];
  };
  return { related, startsBuild };
}

/** @typedef {{ readonly text: string, readonly imports: readonly string[] }} SourceFile */

/** @param {string} root @returns {ReadonlyMap<string, SourceFile>} by its path */
function importsOf(root) {
  const paths = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.[tj]s$/.test(name))
      .map((name) => join(folder, name)),
  );
  return new Map(
    paths.map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const imports = Array.from(text.matchAll(IMPORT), ([, once, later]) =>
        relative(root, resolve(root, dirname(path), once ?? later ?? '')),
      );
      return [path, { text, imports }];
    }),
  );
}

/** @param {ReadonlyMap<string, SourceFile>} files @returns {(path: string) => string[]} from a file to the tests that import it, also through others */
function createImportingTests(files) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  for (const [path, { imports }] of files) {
    for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  return (path) => {
    const reached = new Set([path]);
    for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
    return [...reached].filter((file) => file.endsWith('.test.ts'));
  };
}

/**
 * The first of the tests whose times together are within the budget, at least one.
 * @param {readonly string[]} tests
 * @param {ReadonlyMap<string, Recorded>} recorded by the path of the test; others did not pass
 * @param {number} budget
 * @returns {{ readonly tests: string[], readonly seconds: number }}
 */
export function testsWithin(tests, recorded, budget) {
  /** @type {string[]} */
  const chosen = [];
  let sum = 0;
  for (const test of tests) {
    const needed = recorded.get(test)?.seconds;
    if (needed === undefined || (chosen.length > 0 && sum + needed > budget)) continue;
    chosen.push(test);
    sum += needed;
  }
  return { tests: chosen, seconds: sum };
}
