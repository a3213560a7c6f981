/**
 * Configs of other people: the folder that PUBLIC_CONFIGS names has files of public repositories, at any depth. They are not in this
 * repository; each is told apart by its content.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { oracleFile } from './programs.ts';

const folder = oracleFile('public configs');

export type PublicKind = 'butane' | 'conf' | 'ignition' | 'unit' | 'other';

export interface PublicFile {
  readonly name: string;
  readonly text: string;
  readonly kind: PublicKind;
}

export function publicFiles(kind: PublicKind): readonly PublicFile[] {
  return all.filter((file) => file.kind === kind);
}

const all: readonly PublicFile[] = (
  folder === '' ? [] : readdirSync(folder, { recursive: true, withFileTypes: true })
)
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => {
    const text = readFileSync(join(parentPath, name), 'utf8');
    return { name: join(parentPath, name), text, kind: kindOf(name, text) };
  });

function kindOf(name: string, text: string): PublicKind {
  if (/^variant:\s*['"]?fcos['"]?\s*$/m.test(text)) return 'butane';
  if (name.endsWith('.ign') || /^\s*\{[^]*"ignition"\s*:\s*\{/.test(text)) return 'ignition';
  if (basename(name).endsWith('.conf')) return 'conf';
  return /\.(?:service|timer|mount|socket)$/.test(name) && /^\[\w+\]$/m.test(text) ? 'unit' : 'other';
}
