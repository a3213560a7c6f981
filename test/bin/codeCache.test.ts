import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
let caches: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'code cache '));
  caches = join(folder, 'ironic-coreos', `${process.version}-${process.arch}`);
  writeFileSync(join(folder, 'part-abcd_123.cjs'), 'exports.answer = () => `${__filename}: 42`;\n');
  writeFileSync(join(folder, 'plain.cjs'), 'exports.answer = () => 7;\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the file says, loaded with the cache. */
function run(args: readonly string[], name = 'part-abcd_123.cjs'): string {
  const script = `
    const [cache, folder, name, ...args] = process.argv.slice(1);
    const save = require(cache).useCodeCache(folder, args);
    console.log(require(folder + '/' + name).answer());
    save();`;
  const codeCache = resolve(import.meta.dirname, '../../bin/codeCache.js');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', script, '--', codeCache, folder, name, ...args],
    { encoding: 'utf8', env: { XDG_CACHE_HOME: folder } },
  );
  return stdout + stderr;
}

const answer = () => `${join(folder, 'part-abcd_123.cjs')}: 42\n`;

describe('useCodeCache', () => {
  it('keeps what was compiled, and uses it', () => {
    expect(run(['validate', 'x.ign'])).toBe(answer());
    expect(readdirSync(caches)).toEqual(['part-abcd_123.validate']);
    const kept = join(caches, 'part-abcd_123.validate');
    const before = statSync(kept).ino;
    expect(run(['validate', 'x.ign'])).toBe(answer());
    expect(statSync(kept).ino).toBe(before);
  });

  it('has one for each command, whatever its arguments', () => {
    run(['iso', 'kargs', 'show', 'a']);
    run(['iso', 'kargs', 'show', '--format', 'json']);
    run(['-V']);
    expect(readdirSync(caches)).toEqual(['part-abcd_123', 'part-abcd_123.iso.kargs.show']);
  });

  it('replaces what cannot be used', () => {
    run([]);
    writeFileSync(join(caches, 'part-abcd_123'), 'no code');
    expect(run([])).toBe(answer());
    expect(statSync(join(caches, 'part-abcd_123')).size).toBeGreaterThan(100);
  });

  it('leaves a folder alone that others may write to', () => {
    run([]);
    rmSync(join(caches, 'part-abcd_123'));
    chmodSync(caches, 0o777);
    expect(run([])).toBe(answer());
    expect(readdirSync(caches)).toEqual([]);
  });

  it('leaves files alone whose names do not change with their content', () => {
    expect(run([], 'plain.cjs')).toBe('7\n');
    expect(readdirSync(caches)).toEqual([]);
  });

  it('does not grow for ever', () => {
    run(['a']);
    for (let index = 0; index < 500; index++) writeFileSync(join(caches, `old-${index}`), '');
    run(['b']);
    expect(readdirSync(caches)).toEqual(['part-abcd_123.b']);
  });
});
