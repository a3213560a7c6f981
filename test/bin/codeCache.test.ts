import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
let caches: string;
let nodeOptions: string;

beforeEach(() => {
  nodeOptions = '';
  folder = mkdtempSync(join(tmpdir(), 'code cache '));
  caches = join(folder, 'ironic-coreos', `${process.version}-${process.arch}`);
  writeFileSync(join(folder, 'part-abcd_123.cjs'), 'exports.answer = () => `${__filename}: 42`;\n');
  writeFileSync(join(folder, 'plain.cjs'), 'exports.answer = () => 7;\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the file says, loaded with the cache. */
function run(
  args: readonly string[],
  name = 'part-abcd_123.cjs',
  from = folder,
  XDG_CACHE_HOME = folder,
): string {
  const script = `
    const [cache, folder, name, ...args] = process.argv.slice(1);
    const save = require(cache).useCodeCache(folder, args);
    console.log(require(folder + '/' + name).answer());
    save();`;
  const codeCache = resolve(import.meta.dirname, '../../bin/codeCache.js');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', script, '--', codeCache, from, name, ...args],
    { encoding: 'utf8', env: { XDG_CACHE_HOME, NODE_OPTIONS: nodeOptions }, timeout: 10_000 },
  );
  return stdout + stderr;
}

const answer = (from = folder) => `${join(from, 'part-abcd_123.cjs')}: 42\n`;

/** The files of the cache, without what they have of the path. */
const names = () => readdirSync(caches).map((name) => name.slice(name.indexOf('part-')));

const pathOf = (name: string) =>
  join(caches, readdirSync(caches).find((each) => each.endsWith(name)) ?? name);

describe('useCodeCache', () => {
  it('keeps what was compiled, and uses it', () => {
    expect(run(['validate', 'x.ign'])).toBe(answer());
    expect(names()).toEqual(['part-abcd_123.validate']);
    const kept = pathOf('part-abcd_123.validate');
    const before = statSync(kept).ino;
    expect(run(['validate', 'x.ign'])).toBe(answer());
    expect(statSync(kept).ino).toBe(before);
  });

  it('has one for each command, whatever its arguments', () => {
    run(['iso', 'kargs', 'show', 'a']);
    run(['iso', 'kargs', 'show', '--format', 'json']);
    run(['-V']);
    expect(names()).toEqual(['part-abcd_123', 'part-abcd_123.iso.kargs.show']);
  });

  it('replaces what cannot be used', () => {
    run([]);
    writeFileSync(pathOf('part-abcd_123'), 'no code');
    expect(run([])).toBe(answer());
    expect(statSync(pathOf('part-abcd_123')).size).toBeGreaterThan(100);
  });

  it('leaves a folder alone that others may write to', () => {
    run([]);
    rmSync(pathOf('part-abcd_123'));
    chmodSync(caches, 0o777);
    expect(run([])).toBe(answer());
    expect(readdirSync(caches)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('works without a cache where no folder can be created', () => {
    expect(run([], undefined, undefined, '/proc/x')).toBe(answer());
  });

  it('leaves files alone whose names do not change with their content', () => {
    expect(run([], 'plain.cjs')).toBe('7\n');
    expect(readdirSync(caches)).toEqual([]);
  });

  it('does not grow for ever', () => {
    run(['a']);
    for (let index = 0; index < 500; index++) writeFileSync(join(caches, `old-${index}`), '');
    run(['b']);
    expect(names()).toEqual(['part-abcd_123.b']);
  });

  it('runs new code of the same length, as in the stack trace', () => {
    run([]);
    const before = readFileSync(pathOf('part-abcd_123'));
    writeFileSync(join(folder, 'part-abcd_123.cjs'), 'exports.answer = () => `${__filename}: 43`;\n');
    expect(run([])).toBe(answer().replace('42', '43'));
    expect(readFileSync(pathOf('part-abcd_123')).equals(before)).toBe(false);
    expect(run([])).toBe(answer().replace('42', '43'));
  });

  it('keeps what folders have of one name apart', () => {
    const code =
      'exports.answer = () => new Error("here").stack.split("\\n")[1].replace(/.*\\(|:.*/g, "");\n';
    const folders = ['one', 'two'].map((name) => join(folder, name));
    for (const each of folders) {
      mkdirSync(each);
      writeFileSync(join(each, 'part-abcd_123.cjs'), code);
      expect(run([], 'part-abcd_123.cjs', each)).toBe(`${join(each, 'part-abcd_123.cjs')}\n`);
    }
    expect(names()).toEqual(['part-abcd_123', 'part-abcd_123']);
    const before = readdirSync(caches).map((name) => statSync(join(caches, name)).ino);
    for (const each of folders)
      expect(run([], 'part-abcd_123.cjs', each)).toBe(`${join(each, 'part-abcd_123.cjs')}\n`);
    expect(readdirSync(caches).map((name) => statSync(join(caches, name)).ino)).toEqual(before);
  });

  it('takes nothing of a folder whose path is only written alike', () => {
    const [one, two] = [join(folder, 'a b'), join(folder, 'a+b')];
    for (const each of [one, two]) {
      mkdirSync(each);
      cpSync(join(folder, 'part-abcd_123.cjs'), join(each, 'part-abcd_123.cjs'));
      expect(run([], 'part-abcd_123.cjs', each)).toBe(answer(each));
    }
    expect(names()).toEqual(['part-abcd_123']);
  });

  it('leaves it to V8 to refuse the data of other flags', () => {
    run([]);
    const before = statSync(pathOf('part-abcd_123')).ino;
    nodeOptions = '--interpreted-frames-native-stack';
    expect(run([])).toBe(answer());
    expect(statSync(pathOf('part-abcd_123')).ino).not.toBe(before);
  });
});

/** What a crash, a bad disk or another program makes of a file. */
const damages: Readonly<Record<string, (bytes: Buffer, at: number) => Buffer>> = {
  'flipped bits': (bytes, at) => {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
    return bytes;
  },
  'zeros to the end': (bytes, at) => bytes.fill(0, at),
  'zeros from the beginning': (bytes, at) => bytes.fill(0, 0, at + 1),
  'zeros in between': (bytes, at) => bytes.fill(0, at, Math.min(at + 4096, bytes.length)),
  'ends that are missing': (bytes, at) => bytes.subarray(0, at),
  'bytes too many': (bytes, at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + 1), bytes]),
};

describe('the program, with a damaged cache', () => {
  const program = resolve(import.meta.dirname, '../../bin/ironic-coreos.js');

  function validate(): object {
    const config = join(folder, 'config.ign');
    writeFileSync(config, '{"ignition":{}}');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [program, 'validate', '--format', 'json', config],
      { encoding: 'utf8', env: { XDG_CACHE_HOME: folder }, timeout: 20_000 },
    );
    return { status, stdout, stderr };
  }

  it.each(Object.entries(damages))('answers as ever and replaces what has %s', (_, damage) => {
    const right = validate();
    for (let number = 0; number < 6; number++) {
      const files = readdirSync(caches).map((name) => join(caches, name));
      const damaged = files.map((file) => {
        const bytes = readFileSync(file);
        const at = Math.floor((bytes.length * (number + 0.5)) / 6);
        const content = damage(bytes, at);
        writeFileSync(file, content);
        return { file, content };
      });
      expect(validate()).toEqual(right);
      for (const { file, content } of damaged) expect(readFileSync(file).equals(content)).toBe(false);
    }
  });
});
