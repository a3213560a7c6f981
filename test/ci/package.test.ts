/** The package as it is handed out: packed, unpacked elsewhere, and used. It depends on no other package. */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSmokeRuns } from '../support/smokeRuns.ts';

const root = resolve(import.meta.dirname, '../..');
const built = existsSync(join(root, 'dist/index.d.ts')) && existsSync(join(root, 'dist/cli.cjs'));
const node = process.env['SMOKE_NODE'] ?? process.execPath;

interface Manifest {
  readonly man: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

describe.skipIf(!built)(`the package${built ? '' : ' (skipped: it is not built)'}`, () => {
  let top = '';
  let folder = '';
  let packed: Packed = { filename: '', size: 0, files: [] };
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), 'package of '));
    packed = pack(top);
    execFileSync('tar', ['-xzf', join(top, packed.filename), '-C', top]);
    folder = join(top, 'node_modules/ironic-coreos');
    mkdirSync(dirname(folder));
    execFileSync('mv', [join(top, 'package'), folder]);
    linkTypesOfNode(dirname(folder));
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));
  const packedFiles = (): string[] => packed.files.map(({ path }) => path);

  it('is small, and holds nothing but what is used', () => {
    expect(packed.size).toBeLessThan(3 << 20);
    const tops = new Set(packedFiles().map((path) => path.replace(/\/.*/, '')));
    const named = [
      'LICENSE',
      'NOTICE',
      'README.md',
      'bin',
      'dist',
      'docs',
      'package.json',
      'schemas',
      'templates',
    ];
    expect([...tops].toSorted()).toEqual(named);
    expect(packedFiles().filter((path) => /\btests?\b|\.(?:map|log)$|(?<!\.d)\.ts$/.test(path))).toEqual([]);
  });

  it('is installed without scripts and other packages', () => {
    const manifest = readManifest(folder);
    expect(Object.keys(manifest.scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
    expect(manifest).not.toHaveProperty('dependencies');
  });

  it('contains its manual pages', () => {
    const pages = packedFiles().filter((path) => path.startsWith('dist/man/'));
    expect(pages.toSorted()).toEqual(readManifest(folder).man.toSorted());
  });

  it('brings the licences of the packages that are in its code', () => {
    const text = readFileSync(join(folder, 'dist/bundled.LICENSES'), 'utf8');
    const names = [...text.matchAll(/^=== (\S+) \S+ \(.+\)$/gm)].map((match) => match[1]);
    expect(names).toContain('commander');
    expect(names).toContain('prom-client');
    expect(text).toContain('Copyright (c) 2011 TJ Holowaychuk');
    expect(names).toEqual(expect.arrayContaining(['cli-progress', 'js-yaml', 'undici']));
  });

  it.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])('has types: module %s, resolution %s', (module, moduleResolution) => {
    writeFileSync(join(top, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(top, 'use.ts'), consumer);
    const settings = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      types: ['node'],
      module,
      moduleResolution,
    };
    writeFileSync(
      join(top, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: settings, files: ['use.ts'] }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', top], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it('is a library', () => {
    writeFileSync(
      join(top, 'use.mjs'),
      "import { specVersions } from 'ironic-coreos';\nconsole.log(specVersions.join());\n",
    );
    expect(execFileSync(node, [join(top, 'use.mjs')], { encoding: 'utf8' })).toMatch(/3\.2\.0,/);
  });

  it('exports what its source exports', async () => {
    const list = "console.log(Object.keys(await import('ironic-coreos')).join())";
    const args = ['--input-type=module', '--eval', list];
    const names = execFileSync(node, args, { cwd: top, encoding: 'utf8' }).trim().split(',');
    expect(names.toSorted()).toEqual(Object.keys(await import('../../src/index.ts')).toSorted());
  });

  testSmokeRuns(() => [node, join(folder, 'bin/ironic-coreos.js')]);
});

const consumer = `
import { type Report, validateConfig } from 'ironic-coreos';
const report: Report = validateConfig(Buffer.from('{}'));
export const messages: string[] = report.findings.map((finding) => finding.message);
`;

function pack(target: string): Packed {
  const env = { ...process.env, npm_config_cache: join(target, 'cache'), npm_config_offline: 'true' };
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', target];
  const answer: Readonly<Record<string, Packed>> = JSON.parse(
    execFileSync('npm', args, { cwd: root, env, encoding: 'utf8' }),
  );
  // A list, or with newer versions of npm an object, of one.
  return Object.values(answer)[0] ?? { filename: '', size: 0, files: [] };
}

/** For the types of the package. */
function linkTypesOfNode(target: string): void {
  for (const name of ['@types/node', 'undici-types']) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    symlinkSync(realpathSync(join(root, 'node_modules', name)), join(target, name));
  }
}
