/** The package as it is handed out: packed, installed elsewhere without a network, and used as program and library. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSmokeRuns } from '../support/smokeRuns.ts';

const root = resolve(import.meta.dirname, '../..');
const node = process.env['SMOKE_NODE'] ?? process.execPath;

interface Manifest {
  readonly man: readonly string[];
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

describe('the package', () => {
  let top = '';
  let folder = '';
  let tarball = '';
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), 'package of '));
    tarball = install(top);
    folder = join(top, 'node_modules/ironic-coreos');
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));
  const packedFiles = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));

  it('is small, and holds nothing but what is used', () => {
    expect(statSync(tarball).size).toBeLessThan(3 << 20);
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
    for (const key of ['scripts', 'dependencies', 'devDependencies', 'overrides'])
      expect(manifest).not.toHaveProperty(key);
  });

  it('contains its manual pages', () => {
    const pages = packedFiles().filter((path) => path.startsWith('dist/man/'));
    expect(pages).toContain('dist/man/ironic-coreos-iso-ignition-embed.1');
    expect(pages.toSorted()).toEqual(readManifest(folder).man.toSorted());
  });

  it('brings the licences of the packages that are in its code', () => {
    const text = readFileSync(join(folder, 'dist/bundled.LICENSES'), 'utf8');
    const names = [...text.matchAll(/^=== (\S+) \S+ \(.+\)$/gm)].map((match) => match[1]);
    expect(names).toContain('commander');
    expect(names).toContain('prom-client');
    expect(text).toContain('Copyright (c) 2011 TJ Holowaychuk');
    expect(names).toEqual(expect.arrayContaining(['chalk', 'js-yaml', 'undici']));
  });

  it('has no finding of publint', async () => {
    const { messages } = await publint({ pkgDir: folder, pack: false });
    expect(messages).toEqual([]);
  });

  it('has types that each kind of module resolution finds', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)), {
      excludeEntrypoints: [/^\.\/schemas/, './package.json'],
    });
    if (analysis.types === false) throw new Error('no types');
    // CommonJS loads ES modules by import() before Node.js 20.19; the oldest resolution knows no `exports`.
    const findings = analysis.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' &&
        !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    );
    expect(findings).toEqual([]);
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
    typeof target === 'string' ? [] : [[path, target.default] as const],
  );
  it.each(entries)('exports what its source exports: %s', async (path, file) => {
    const list = `console.log(Object.keys(await import('ironic-coreos${path.slice(1)}')).join())`;
    const args = ['--input-type=module', '--eval', list];
    const names = execFileSync(node, args, { cwd: top, encoding: 'utf8' }).trim().split(',');
    const source = file.replace('./dist/', path === '.' ? 'src/' : 'src/library/').replace('.js', '.ts');
    const own: object = await import(join(root, source));
    expect(names.toSorted()).toEqual(Object.keys(own).toSorted());
  });

  testSmokeRuns(() => [node, join(folder, 'bin/ironic-coreos.js')]);
});

const libraryUse = `
import { embed, inspect, render, validate } from 'ironic-coreos';
import { writeSampleIso } from 'ironic-coreos/image';
const iso = await writeSampleIso({ label: 'fedora-coreos-44.20261101.3.0', date: new Date(0) });
const { config } = await render({ 'ironic.apiUrls': ['https://192.0.2.1'], 'agent.image': 'registry.example.com/agent' });
const { valid } = await validate(config);
const { image } = await embed({ iso, config });
const { ignition, kind } = await inspect(image);
console.log(valid, kind, ignition.version);
`;

/**
 * Packs the package as a release does, and installs it: npm has no cache and no network, and the package depends on no other.
 * @returns path of the packed file
 */
function install(target: string): string {
  const env = {
    ...process.env,
    SOURCE_DATE_EPOCH: '1790000000', // for trees without Git
    npm_config_cache: join(target, 'cache'),
    npm_config_offline: 'true',
  };
  const script = join(root, 'scripts/release.js');
  execFileSync(process.execPath, [script, 'package', '--output', join(target, 'release')], { env });
  const name = readdirSync(join(target, 'release')).find((file) => file.endsWith('.tgz')) ?? '';
  writeFileSync(join(target, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', `./release/${name}`], {
    cwd: target,
    env,
    shell: process.platform === 'win32',
  });
  return join(target, 'release', name);
}
