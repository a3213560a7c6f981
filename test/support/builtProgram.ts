/** The program as a process of its own, for tests that kill it: built from the sources as they are now. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { build } from 'rolldown';

const root = resolve(import.meta.dirname, '../..');

export interface BuiltProgram {
  /** What starts it, before its arguments. */
  readonly command: readonly string[];
  readonly start: (args: readonly string[], cwd: string) => ChildProcess;
  readonly remove: () => Promise<void>;
}

export async function buildProgram(): Promise<BuiltProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'built program '));
  for (const name of ['dist', 'docs', 'node_modules', 'package.json', 'src', 'templates'])
    await symlink(join(root, name), join(folder, name));
  await build({
    input: { cli: join(root, 'src/cli/main.ts') },
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    output: { dir: join(folder, 'program'), format: 'esm' },
    logLevel: 'silent',
  });
  const start = join(folder, 'start.js');
  await writeFile(
    start,
    "const { main } = await import('./program/cli.js'); process.exitCode = await main(process.argv);",
  );
  return {
    command: [process.execPath, start],
    start: (args, cwd) =>
      spawn(process.execPath, [start, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
