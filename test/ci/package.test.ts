/** The package as it is handed out: packed, unpacked elsewhere beside nothing but what it depends on, and used. */

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
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
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
    linkDependencies(folder, dirname(folder));
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  it('is small, and holds nothing but what is used', () => {
    expect(packed.size).toBeLessThan(3 << 20);
    const tops = new Set(packed.files.map(({ path }) => path.replace(/\/.*/, '')));
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
    expect(packed.files.filter(({ path }) => /\btests?\b|\.(?:map|log)$|(?<!\.d)\.ts$/.test(path))).toEqual(
      [],
    );
  });

  it('is installed without scripts', () => {
    const { scripts } = readManifest(folder);
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });

  it('brings the licences of the packages that are in its code', () => {
    const text = readFileSync(join(folder, 'dist/bundled.LICENSES'), 'utf8');
    const names = [...text.matchAll(/^=== (\S+) \S+ \(.+\)$/gm)].map((match) => match[1]);
    expect(names).toContain('commander');
    expect(names).toContain('prom-client');
    expect(text).toContain('Copyright (c) 2011 TJ Holowaychuk');
    expect(names.filter((name = '') => name in readManifest(folder).dependencies)).toEqual([]);
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

  it.each([
    ['nothing in SARIF if its repository is unknown', undefined, undefined, undefined],
    [
      'its repository in SARIF after .ci/setRepository.js',
      { type: 'git', url: 'git+https://git.example.com/us/ours.git' },
      'https://git.example.com/us/ours',
      'https://git.example.com/us/ours/blob/v0.0.1/docs/rules.md#path-relative',
    ],
  ])('links to %s', (_title, repository, informationUri, helpUri) => {
    const manifest = { ...readManifest(folder), version: '0.0.1', repository };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(
      join(top, 'a.ign'),
      '{"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "etc/x"}]}}',
    );
    const args = [join(folder, 'bin/ironic-coreos.js'), 'validate', '--format', 'sarif', 'a.ign'];
    const { stdout } = spawnSync(node, args, { cwd: top, encoding: 'utf8' });
    const { driver } = JSON.parse(stdout).runs[0].tool;
    expect([driver.informationUri, driver.rules[0].helpUri]).toEqual([informationUri, helpUri]);
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

/** Beside the package, what it depends on and what that depends on; for its types also those of Node. */
function linkDependencies(folder: string, target: string): void {
  const names = new Set(['@types/node', 'undici-types', ...Object.keys(readManifest(folder).dependencies)]);
  for (const name of names) {
    const source = realpathSync(join(root, 'node_modules', name));
    for (const needed of Object.keys(readManifest(source).dependencies ?? {})) names.add(needed);
    mkdirSync(dirname(join(target, name)), { recursive: true });
    symlinkSync(source, join(target, name));
  }
}
