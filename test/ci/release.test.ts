/** What is handed out, made by the script and used far from the sources. Takes a minute: only with IRONIC_COREOS_SEA=1. */

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSmokeRuns } from '../support/smokeRuns.ts';

const root = resolve(import.meta.dirname, '../..');
const wanted = process.env['IRONIC_COREOS_SEA'] === '1';
const node = process.env['SMOKE_NODE'] ?? process.execPath;

interface Contents {
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly hashes: readonly { readonly content: string }[] } };
  readonly components: readonly { readonly name: string; readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const contents = (file: string): Contents => JSON.parse(readFileSync(`${file}.cdx.json`, 'utf8'));

describe.skipIf(!wanted)(`a release${wanted ? '' : ' (skipped: IRONIC_COREOS_SEA=1 is not set)'}`, () => {
  let folder = '';
  let names: string[] = [];
  const program = (): string => join(folder, `ironic-coreos-${process.platform}-${process.arch}`);
  const packageFile = (): string => join(folder, names.find((name) => name.endsWith('.tgz')) ?? '');

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'release of '));
    const script = join(root, '.ci/release.js');
    // A tree without git has no time of its commit.
    const env = { SOURCE_DATE_EPOCH: '1790000000', ...process.env };
    execFileSync(process.execPath, [script, '--output', folder, '--node', node], { env, stdio: 'ignore' });
    names = readdirSync(folder);
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the checksum of each file', () => {
    const lines = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
    const others = names.filter((name) => name !== 'SHA256SUMS').toSorted();
    expect(lines).toEqual(others.map((name) => `${digest(join(folder, name))}  ${name}`));
    expect(others).toHaveLength(5);
  });

  it('lists what is in the package, or comes with it', () => {
    const list = contents(packageFile());
    const listed = list.components.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(['commander', 'prom-client', 'openpgp', 'undici']));
    expect(listed.filter((name) => /^(?:vitest|typescript|rolldown|node)$/.test(name))).toEqual([]);
    expect(list.metadata.component.hashes).toMatchObject([{ content: digest(packageFile()) }]);
  });

  it('lists what is in the executable', () => {
    const listed = contents(program()).components.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(['commander', 'js-yaml', 'node', 'openssl', 'v8']));
    const text = readFileSync(`${program()}.LICENSES`, 'utf8');
    const licensed = [...text.matchAll(/^=== (\S+) \S+ \(.+\)$/gm)].map(([, name = '']) => name);
    expect(licensed).toContain('openpgp');
    expect(licensed.filter((name) => !listed.includes(name))).toEqual([]);
  });

  it('says of each component what needs it', () => {
    const { components, dependencies } = contents(program());
    const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect(components.map((component) => component['bom-ref']).filter((ref) => !needed.has(ref))).toEqual([]);
  });

  it('packs the same bytes again', () => {
    const again = mkdtempSync(join(folder, 'again '));
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', again];
    const name = execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim();
    expect(digest(join(again, name))).toBe(digest(packageFile()));
  });

  testSmokeRuns(() => [program()]);

  it('serves', async () => {
    execFileSync(program(), ['quickstart'], { cwd: folder });
    writeFileSync(join(folder, 'hosts.yaml'), 'agent:\n  ironic.apiUrls: https://192.0.2.1\n');
    const iso = 'quickstart/sample-live.iso';
    const args = [
      'serve',
      '--inventory',
      'hosts.yaml',
      '--iso',
      iso,
      '--discovery',
      '--open',
      '--log',
      'json',
    ];
    const service = spawn(program(), [...args, '--listen', '127.0.0.1:0'], { cwd: folder });
    const ended = new Promise((end) => service.once('close', end));
    let log = '';
    for await (const piece of service.stderr) {
      log += String(piece);
      const url = /"event":"ready","url":"([^"]+)"/.exec(log)?.[1];
      if (url === undefined) continue;
      expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok\n');
      break;
    }
    service.kill();
    expect(await ended).toBe(0);
  });
});
