// @ts-check
/** Archives whose bytes depend only on the files in them. */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/**
 * @param {string} folder its name is the top folder in the archive
 * @param {string} name of that folder
 * @param {string} file to write, `.tar.gz`
 * @param {Date} mtime of all files
 */
export async function writeArchive(folder, name, file, mtime) {
  const archive = pack();
  for (const path of listFiles(folder)) {
    const mode = isProgram(path) ? 0o755 : 0o644;
    archive.entry({ name: `${name}/${path}`, mode, mtime }, readFileSync(join(folder, path)));
  }
  archive.finalize();
  writeFileSync(file, gzipSync(await buffer(archive), { level: 9 }));
}

/** @param {string} folder @returns {string[]} paths with `/`, sorted */
export function listFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.replaceAll(sep, '/'))
    .toSorted();
}

/** @param {string} path below the prefix */
export function isProgram(path) {
  return path.startsWith('bin/');
}
