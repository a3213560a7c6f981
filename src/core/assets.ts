/**
 * The files that this package carries: `templates/`, `docs/`, the tables in `src/`, and what the build makes of `schemas/`. They
 * are read from the folder of the package, whether the code runs from `src/` or from `dist/`, and in the single-file executable
 * (`scripts/executable.js`) from inside it. Never for the user's files.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { getAsset, isSea } from 'node:sea';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { once } from './once.ts';

/** The package: the code runs from this file, or from a bundle in a folder of the package, such as `dist/`. */
const root = new URL(import.meta.url.endsWith('/src/core/assets.ts') ? '../..' : '..', import.meta.url);

/** The text of a file of this package, e.g. `templates/agent/ironic-agent.service`. Many hosts use the same few files: each is read once. */
export function readAsset(path: string): string {
  const text =
    texts.get(path) ?? (isSea() ? getAsset(path, 'utf8') : readFileSync(new URL(path, root), 'utf8'));
  texts.set(path, text);
  return text;
}

const texts = new Map<string, string>();

/** What a module that the build makes exports, e.g. `dist/compiled/inventory.js`: who asks knows of which type it is. */
export async function importAsset(path: string) {
  return import(new URL(path, root).href);
}

/** The folders whose files the program reads. */
const FOLDERS = ['dist/compiled', 'docs', 'src', 'templates'];
const COMPILED = 'dist/compiled/';

/** Chunks of the program, except packages that `download` and `try` load when they start. */
const CHUNK = /^(?!openpgp-|node-forge-).*\.js$/;

/** As hooks of Node get it; the types are those of Node 20, which has none. */
interface ResolveContext {
  readonly parentURL?: string;
}

/**
 * Loads all code and files that the program has not loaded yet. For a process that runs for long: an upgrade of the package
 * replaces them meanwhile. The executable stays open while it runs. Node before 22.15 looks for the files of chunks again when they
 * are imported, so there a service must be restarted after an upgrade.
 */
export const loadPackage = once(async (): Promise<void> => {
  if (isSea()) return;
  const chunks = new URL('.', import.meta.url);
  for (const folder of FOLDERS) {
    const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' });
    for (const name of names) {
      const path = `${folder}/${name.replaceAll('\\', '/')}`;
      if (path.startsWith(COMPILED) && path.endsWith('.js')) await importAsset(path);
      else if (!path.endsWith('.ts') && statSync(new URL(path, root)).isFile()) readAsset(path);
    }
  }
  readAsset('package.json');
  for (const name of readdirSync(chunks)) {
    if (!CHUNK.test(name)) continue;
    await import(new URL(name, chunks).href);
    await nextTurn(); // requests are answered meanwhile
  }
  const registerHooks: unknown = Reflect.get(module, 'registerHooks');
  if (typeof registerHooks !== 'function') return;
  Reflect.apply(registerHooks, module, [
    {
      resolve: (
        specifier: string,
        context: ResolveContext,
        next: (specifier: string, context: ResolveContext) => object,
      ) =>
        specifier.startsWith('./') && context.parentURL?.startsWith(chunks.href) === true
          ? { url: new URL(specifier, chunks).href, shortCircuit: true }
          : next(specifier, context),
    },
  ]);
});
