/** The real `nmstatectl gc`. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '../../src/formats/yaml.ts';
import { oracleFile, have, oracleNote } from './programs.ts';

/** The program; undefined where it is missing. */
export const nmstatectl: string | undefined = have('nmstatectl') ? oracleFile('nmstatectl') : undefined;

interface GcKeyfile {
  readonly name: string;
  readonly text: string;
}

/** For test titles. */
export const nmstatectlNote = oracleNote('nmstatectl');

/** Runs `use` with a function that gives what nmstatectl makes of a text: keyfiles, or undefined if it refuses it. */
export function withNmstatectl<T>(
  program: string,
  use: (convert: (text: string) => readonly GcKeyfile[] | undefined) => T,
): T {
  const folder = mkdtempSync(join(tmpdir(), 'nmstate test '));
  const path = join(folder, 'state.yaml');
  try {
    return use((text) => {
      writeFileSync(path, text);
      const { status, stdout } = spawnSync(program, ['gc', path], { encoding: 'utf8' });
      return status === 0 ? parseGcOutput(stdout) : undefined;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Names and texts of the keyfiles in the output of `nmstatectl gc`. */
export function parseGcOutput(output: string): GcKeyfile[] {
  const { value } = parseYaml(output);
  const list: unknown =
    typeof value === 'object' && value !== null && 'NetworkManager' in value ? value.NetworkManager : [];
  if (!Array.isArray(list)) throw new Error('this is no output of nmstatectl gc');
  return list.map(([name, text]: readonly string[]) => ({ name: name ?? '', text: text ?? '' }));
}

/** Keyfiles are in a folder, so they have no order. */
export function sortedTexts(keyfiles: readonly GcKeyfile[]): readonly GcKeyfile[] {
  const texts = keyfiles.map(({ name, text }) => ({ name, text }));
  return texts.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
