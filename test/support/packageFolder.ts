/**
 * The package that the tests start: the one that is built here, or the installed one that IRONIC_COREOS_PACKAGE names. vitest builds
 * it before the first test if the sources are newer.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const installed = process.env['IRONIC_COREOS_PACKAGE'];

export const packageFolder = installed === undefined ? root : resolve(installed);
export const program = join(packageFolder, 'bin/ironic-coreos.js');

/** What `npm run build` reads. */
const SOURCES = ['package.json', 'schemas', 'scripts', 'src'];

/** For `globalSetup` of vitest. */
export function setup(): void {
  if (installed !== undefined) return;
  const built = statSync(join(root, 'dist/man'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.some((name) => changedAt(join(root, name)) > built))
    execFileSync('npm', ['run', 'build'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
}

/** @returns milliseconds, of the newest file */
function changedAt(path: string): number {
  const entries = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
    : [];
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'));
  return Math.max(
    statSync(path).mtimeMs,
    ...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}
