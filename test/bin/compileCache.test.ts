/** Where Node keeps compiled code: in a folder of the user, or nowhere. Node before 22.1 keeps none. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import module from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { spawnSync } from 'node:child_process';
import { program } from '../support/packageFolder.ts';

const canKeep = 'enableCompileCache' in module;
const note = canKeep ? '' : ' (skipped: Node.js before 22.1 has no enableCompileCache)';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'caches '));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

it.runIf(canKeep).each<[string, Readonly<Record<string, string>>, string | undefined]>([
  ['a relative $HOME', { HOME: '.' }, undefined],
  ['an absolute $HOME', { HOME: 'PLACE' }, '.cache/ironic-coreos/compiled'],
  ['$XDG_CACHE_HOME', { HOME: '/nonexistent', XDG_CACHE_HOME: 'PLACE/x' }, 'x/ironic-coreos/compiled'],
  ['a relative $XDG_CACHE_HOME', { HOME: 'PLACE', XDG_CACHE_HOME: 'x' }, undefined],
  ['no $HOME', {}, undefined],
])(`%s${note}`, (_title, given, expected) => {
  const env = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value.replace('PLACE', place)]),
  );
  const { stdout } = spawnSync(process.execPath, [program, '--version'], {
    cwd: place,
    env,
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/^\d/);
  const kept = ['.cache/ironic-coreos/compiled', 'x/ironic-coreos/compiled'].filter((path) =>
    existsSync(join(place, path)),
  );
  expect(kept).toEqual(expected === undefined ? [] : [expected]);
});
