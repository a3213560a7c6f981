/** A folder with an inventory and a live ISO, and `prepare` run in it. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Manifest } from '../../../src/hosts/artifacts/manifest.ts';
import { liveIso } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';
import { inventory } from '../../support/twoHosts.ts';

export interface Place {
  readonly path: (...steps: readonly string[]) => string;
  readonly write: (name: string, content: string | Uint8Array) => Promise<void>;
  /** In the folder `boot`, of the inventory `inv.yaml`. */
  readonly prepare: (...args: readonly string[]) => Promise<RunResult>;
  readonly run: (args: readonly string[], env?: Record<string, string>) => Promise<RunResult>;
  /** All files of the folder `boot` but those of `.ironic-coreos`, sorted. */
  readonly list: (folder?: string) => Promise<string[]>;
  readonly read: (...steps: readonly string[]) => string;
  readonly manifest: (folder?: string) => Manifest;
  /** The current file of a host, or of machines that are not listed: `boot/hosts/worker-0/…/config.ign`. */
  readonly fileOf: (host: string | undefined, name: string, folder?: string) => string;
  readonly modeOf: (...steps: readonly string[]) => Promise<string>;
}

/** A new folder for each file of tests. */
export function place(): Place {
  let cwd = '';
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'prepare it '));
    await writeFile(join(cwd, 'inv.yaml'), inventory);
    await writeFile(join(cwd, 'auth.json'), '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}');
    await writeFile(join(cwd, 'live.iso'), liveIso('2023-07'));
  });
  afterAll(async () => rm(cwd, { recursive: true, force: true }));
  const path = (...steps: readonly string[]): string => join(cwd, ...steps);
  const readManifest = (folder = 'boot'): Manifest =>
    JSON.parse(readFileSync(path(folder, 'manifest.json'), 'utf8'));
  const run: Place['run'] = (args, env = {}) => runCli(args, { cwd, env });
  return {
    path,
    run,
    write: (name, content) => writeFile(path(name), content),
    prepare: (...args) => run(['prepare', '--inventory', 'inv.yaml', '-o', 'boot', ...args]),
    list: async (folder = 'boot') => {
      const entries = await readdir(path(folder), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('.ironic-coreos'))
        .map((entry) => join(entry.parentPath, entry.name).slice(path(folder).length + 1))
        .toSorted();
    },
    read: (...steps) => readFileSync(path(...steps), 'utf8'),
    manifest: readManifest,
    fileOf: (host, name, folder = 'boot') => {
      const { files } = readManifest(folder);
      const found = files.filter((file) => file.host === host && file.superseded !== true);
      return `${folder}/${found.find((file) => file.path.endsWith(`/${name}`))?.path}`;
    },
    modeOf: async (...steps) => ((await stat(path(...steps))).mode & 0o777).toString(8),
  };
}

/** Every file is there as manifest and checksums say. */
export async function expectConsistent({ path, list, manifest }: Place, folder = 'boot'): Promise<void> {
  const digest = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(path(folder, name)))
      .digest('hex');
  const { files } = manifest(folder);
  for (const file of files) {
    const data = readFileSync(path(folder, file.path));
    const isListed = file.kind !== 'iso';
    expect([file.path, file.size, file.sha256]).toEqual([
      file.path,
      data.length,
      isListed ? digest(file.path) : undefined,
    ]);
  }
  const sums = readFileSync(path(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  const listed = [...files.map((file) => file.path), 'manifest.json'].toSorted();
  const isos = new Set(files.flatMap(({ kind, path: name }) => (kind === 'iso' ? [name] : [])));
  const summed = listed.filter((name) => !isos.has(name));
  expect(sums).toEqual(summed.map((name) => `${digest(name)}  ${name}`));
  expect(await list(folder)).toEqual([...listed, 'SHA256SUMS'].toSorted());
}
