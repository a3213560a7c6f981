/** The package as it is handed out: packed, installed elsewhere without a network, and used as program and library. */

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
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
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
    packed = install(top);
    folder = join(top, 'node_modules/ironic-coreos');
    for (const name of ['@types/node', 'undici-types']) {
      mkdirSync(dirname(join(top, 'node_modules', name)), { recursive: true });
      symlinkSync(realpathSync(join(root, 'node_modules', name)), join(top, 'node_modules', name));
    }
  }, 180_000);
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
      'deploy',
      'dist',
      'docs',
      'package.json',
      'src',
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

  it('is a library for ES modules', () => {
    writeFileSync(join(top, 'use.mjs'), libraryUse);
    expect(execFileSync(node, ['use.mjs'], { cwd: top, encoding: 'utf8' })).toBe('true live-iso 3.2.0\n');
  });

  it('is a library for CommonJS', () => {
    const load =
      "const { validate } = require('ironic-coreos'); validate('{}').then(({ valid }) => console.log(valid))";
    writeFileSync(join(top, 'use.cjs'), load);
    expect(
      execFileSync(node, ['use.cjs'], { cwd: top, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    ).toBe('false\n');
  });

  const entries = Object.entries(readManifest(root).exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [[path, target.types] as const],
  );
  it.each(entries)('exports what its source exports: %s', async (path, types) => {
    const list = `console.log(Object.keys(await import('ironic-coreos${path.slice(1)}')).join())`;
    const args = ['--input-type=module', '--eval', list];
    const names = execFileSync(node, args, { cwd: top, encoding: 'utf8' }).trim().split(',');
    const source = types.replace('./dist/', 'src/').replace('.d.ts', '.ts');
    const own: object = await import(join(root, source));
    expect(names.toSorted()).toEqual(Object.keys(own).toSorted());
  });

  it.each([
    ['nothing in SARIF if its repository is unknown', undefined, undefined, undefined],
    [
      'its repository in SARIF after scripts/setRepository.js',
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
import { type CallOptions, embed } from 'ironic-coreos';
import { type BootSettings, kernelArguments } from 'ironic-coreos/boot';
import { type Io, serve } from 'ironic-coreos/commands';
import { type Report, validateConfig } from 'ironic-coreos/ignition';
import { type LiveIso, openLiveIso } from 'ironic-coreos/image';
import { convertNmstate, type Keyfile } from 'ironic-coreos/network';
export type Types = BootSettings | CallOptions | Io | Keyfile | LiveIso;
export const values = [convertNmstate, embed, kernelArguments, openLiveIso, serve];
const report: Report = validateConfig(Buffer.from('{}'));
export const messages: string[] = report.findings.map((finding) => finding.message);
`;

const libraryUse = `
import { embed, inspect, render, validate } from 'ironic-coreos';
import { writeSampleIso } from 'ironic-coreos/image';
const iso = writeSampleIso({ label: 'fedora-coreos-44.20261101.3.0', date: new Date(0) });
const { config } = await render({ 'ironic.apiUrls': ['https://192.0.2.1'] });
const { valid } = await validate(config);
const { image } = await embed({ iso, config });
const { ignition, kind } = await inspect(image);
console.log(valid, kind, ignition.version);
`;

/** Installs the package, which depends on no other, as npm has no cache and no network. */
function install(target: string): Packed {
  const env = { ...process.env, npm_config_cache: join(target, 'cache'), npm_config_offline: 'true' };
  const npm = (...args: readonly string[]): string =>
    execFileSync('npm', [...args, '--ignore-scripts', '--json'], { cwd: target, env, encoding: 'utf8' });
  // A list, or with newer versions of npm an object.
  const answer: Readonly<Record<string, Packed>> = JSON.parse(npm('pack', root));
  const own = Object.values(answer)[0] ?? { filename: '', size: 0, files: [] };
  writeFileSync(join(target, 'package.json'), '{ "private": true }');
  npm('install', '--no-audit', '--no-fund', `./${own.filename}`);
  return own;
}
