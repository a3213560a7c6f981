// @ts-check
/**
 * What an image, an initramfs or an Ignition config means, as text: the other program decodes archives, so that two files
 * with the same text are the same for it.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';

/** @param {string} peer */
export function openDecoder(peer) {
  /** @param {string} path @returns {string} */
  return function meaningOf(path) {
    if (path.endsWith('.iso')) return imageMeaning(peer, path);
    if (path.endsWith('.img') || path.endsWith('/-')) return archiveMeaning(peer, path);
    return digest(readFileSync(path));
  };
}

/** What is outside the embed area, and what is in it. @param {string} peer @param {string} path */
function imageMeaning(peer, path) {
  const place = execFileSync(peer, ['dev', 'show', 'iso', '--ignition', path], { encoding: 'utf8' });
  const { offset, length } = JSON.parse(place);
  const bytes = readFileSync(path);
  const area = Buffer.from(bytes.subarray(offset, offset + length));
  bytes.fill(0, offset, offset + length);
  const folder = mkdtempSync(join(tmpdir(), 'area-'));
  try {
    writeFileSync(join(folder, 'area'), area);
    const archive = area.every((byte) => byte === 0) ? 'zeros' : archiveMeaning(peer, join(folder, 'area'));
    return `area ${offset} ${length}\nrest ${digest(bytes)}\n${archive}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} peer @param {string} path */
function archiveMeaning(peer, path) {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  try {
    execFileSync(peer, ['dev', 'extract', 'initrd', '-C', folder, path], { stdio: 'pipe' });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
    return files
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted()
      .map((file) => `${file.slice(folder.length + 1)} ${fileMeaning(file)}`)
      .join('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} path */
function fileMeaning(path) {
  const bytes = readFileSync(path);
  return path.endsWith('/config.ign') ? ignitionMeaning(bytes.toString()) : digest(bytes);
}

/** Without unset members, and with what is packed in data URLs unpacked. @param {string} text @returns {string} */
export function ignitionMeaning(text) {
  try {
    return JSON.stringify(simplify(JSON.parse(text)));
  } catch {
    return text; // scripts embed what is no JSON, too
  }
}

/** @param {unknown} value @returns {unknown} */
function simplify(value) {
  if (Array.isArray(value)) return value.map(simplify);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const members = Object.fromEntries(sorted.map(([key, member]) => [key, simplify(member)]));
  const { source, compression, contents } = members;
  if (typeof source === 'string' && source.startsWith('data:;base64,') && compression === 'gzip') {
    return { unpacked: dataMeaning(gunzipSync(Buffer.from(source.slice(13), 'base64')).toString()) };
  }
  if (typeof contents === 'string') members['contents'] = contents.replaceAll(/^#.*\n+/gm, '').trimEnd();
  return members;
}

/** Of a file in a config: JSON and YAML may be written in several ways. @param {string} text @returns {unknown} */
function dataMeaning(text) {
  if (text.startsWith('{')) return ignitionMeaning(text);
  if (!/^[a-z-]+:/.test(text)) return text;
  try {
    return load(text);
  } catch {
    return text;
  }
}

/** @param {Uint8Array} bytes */
function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
