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

/** For `globalSetup` of vitest. */
export function setup(): void {
  if (installed !== undefined) return;
  const built = statSync(join(root, 'dist/man'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (listSources().every((path) => statSync(join(root, path)).mtimeMs <= built)) return;
  execFileSync('npm', ['run', 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** What `npm run build` reads; also the folders, which are newer when a file is gone. */
function listSources(): readonly string[] {
  const inFolders = ['docs', 'schemas', 'scripts', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const site = join('scripts', 'site'); // has packages and pages of its own
  return ['package.json', ...inFolders.filter((path) => !path.startsWith(site))];
}
