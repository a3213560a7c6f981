/**
 * The files of a release: each is opened, and those for this platform are installed in clean roots and used. They are made by
 * `npm run release -- --dry-run`, which takes minutes and needs the registry of npm and nfpm: only with IRONIC_COREOS_RELEASE=1, or
 * with the path of a folder that contains them already.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { have, oracleNote } from '../support/programs.ts';
import { testSmokeRuns } from '../support/smokeRuns.ts';

const root = resolve(import.meta.dirname, '../..');
const wanted = process.env['IRONIC_COREOS_RELEASE'] ?? '';
const note = wanted === '' ? ' (skipped: IRONIC_COREOS_RELEASE is not set)' : '';
const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const man = readdirSync(join(root, 'dist/man'));

interface Contents {
  readonly metadata: { readonly component: { readonly hashes: readonly { readonly content: string }[] } };
  readonly components: readonly { readonly name: string; readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** The first bytes of executables, and where they name the processor. */
const platforms = [
  ['linux-x64', 'ironic-coreos', '7f454c46', 18, '3e00'],
  ['linux-arm64', 'ironic-coreos', '7f454c46', 18, 'b700'],
  ['macos-arm64', 'ironic-coreos', 'cffaedfe', 4, '0c000001'],
  ['macos-x64', 'ironic-coreos', 'cffaedfe', 4, '07000001'],
  ['windows-x64', 'ironic-coreos.exe', '4d5a', 0, '4d5a'],
] as const;

const pages = man.map((name) => `share/man/man1/${name}`);
/** Also what the documentation names. */
const described = ['deploy', 'dist/schemas', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replace(/^dist\//, '')),
);
const documents = ['CHANGELOG.md', 'LICENSE', 'LICENSES', 'NOTICE', 'README.md', ...described].map(
  (name) => `share/doc/ironic-coreos/${name}`,
);
const completions = [
  'share/bash-completion/completions/ironic-coreos',
  'share/fish/vendor_completions.d/ironic-coreos.fish',
  'share/zsh/site-functions/_ironic-coreos',
];
const units = [
  'lib/systemd/system/ironic-coreos-serve.service',
  'lib/systemd/system/ironic-coreos-serve.socket',
  'lib/sysusers.d/ironic-coreos.conf',
  'lib/tmpfiles.d/ironic-coreos.conf',
];

const own = `${process.platform}-${process.arch}`;
const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const contents = (file: string): Contents => JSON.parse(readFileSync(`${file}.cdx.json`, 'utf8'));
const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });

/** @param zsh path of the completion for zsh, which differs between distributions */
function expectInstalled(clean: string, zsh: string): void {
  const [, , zshFile = ''] = completions;
  const files = [...documents, ...pages, ...units, ...completions.filter((path) => path !== zshFile), zsh];
  expect(files.filter((path) => !existsSync(join(clean, 'usr', path)))).toEqual([]);
  const quickstart =
    'cd /tmp && ironic-coreos quickstart && ironic-coreos validate quickstart/ironic-agent.ign';
  // Without the environment of npm, which changes the names of commands in hints.
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' };
  const args = [clean, '/bin/sh', '-c', quickstart];
  const { status, stdout, stderr } = spawnSync('chroot', args, { env, encoding: 'utf8' });
  expect(stdout + stderr).toContain('quickstart/ironic-agent.ign: valid');
  expect(status).toBe(0);
}

describe.skipIf(wanted === '')(`a release${note}`, () => {
  const top = mkdtempSync(join(tmpdir(), 'release of '));
  const folder = existsSync(wanted) ? resolve(wanted) : join(top, 'release');
  const inFolder = (name: string): string => join(folder, name);
  const tarball = inFolder(`ironic-coreos-${version}.tgz`);
  const archive = (platform: string): string => inFolder(`ironic-coreos-${version}-${platform}.tar.gz`);
  const extracted = join(top, 'archive');

  beforeAll(() => {
    if (!existsSync(wanted)) {
      // A tree without git has no time of its commit.
      const env = { SOURCE_DATE_EPOCH: '1790000000', ...process.env };
      const args = [join(root, 'scripts/release.js'), '--dry-run', '--output', folder];
      execFileSync(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    }
    mkdirSync(extracted);
    if (existsSync(archive(own)))
      run('tar', '-xzf', archive(own), '--strip-components', '1', '-C', extracted);
  }, 1_800_000);
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  it('has all files, and the checksum of each', () => {
    const expected = [
      `ironic-coreos-${version}.tgz`,
      ...platforms.map(([name]) => `ironic-coreos-${version}-${name}.tar.gz`),
    ].flatMap((name) => [name, `${name}.cdx.json`]);
    for (const [rpm, deb] of [
      ['x86_64', 'amd64'],
      ['aarch64', 'arm64'],
    ]) {
      expected.push(`ironic-coreos-${version}-1.${rpm}.rpm`, `ironic-coreos_${version}-1_${deb}.deb`);
    }
    expect(readdirSync(folder).toSorted()).toEqual([...expected, 'SHA256SUMS'].toSorted());
    const lines = readFileSync(inFolder('SHA256SUMS'), 'utf8').trim().split('\n');
    expect(lines).toEqual(expected.toSorted().map((name) => `${digest(inFolder(name))}  ${name}`));
  });

  it.each(platforms)('has an archive for %s', (platform, executable, magic, offset, processor) => {
    const listed = run('tar', '-tzf', archive(platform)).trim().split('\n');
    const name = `ironic-coreos-${version}-${platform}`;
    const expected = [`bin/${executable}`, ...documents];
    if (platform !== 'windows-x64') expected.push(...pages, ...completions);
    if (platform.startsWith('linux')) expected.push(...units);
    expect(listed.toSorted()).toEqual(expected.map((path) => `${name}/${path}`).toSorted());
    const { stdout } = spawnSync('tar', ['-xzOf', archive(platform), `${name}/bin/${executable}`], {
      maxBuffer: 1 << 28,
    });
    expect(stdout.toString('hex', 0, magic.length / 2)).toBe(magic);
    expect(stdout.toString('hex', offset, offset + processor.length / 2)).toBe(processor);
    expect(stdout.includes('NODE_SEA')).toBe(true);
    expect(stdout.includes('dist/compiled/fields-3.4.0.json')).toBe(true);
  });

  it('lists what is in the package', () => {
    const { components, metadata } = contents(tarball);
    const listed = components.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(['commander', 'prom-client', 'openpgp', 'undici']));
    expect(listed.filter((name) => /^(?:vitest|typescript|rolldown|node)$/.test(name))).toEqual([]);
    expect(metadata.component.hashes).toMatchObject([{ content: digest(tarball) }]);
  });

  it.each(platforms)('lists what is in the archive for %s, and what needs it', (platform) => {
    const { components, dependencies } = contents(archive(platform));
    const listed = components.map(({ name }) => name);
    expect(listed).toEqual(expect.arrayContaining(['commander', 'js-yaml', 'node', 'openssl', 'v8']));
    const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect(components.map((component) => component['bom-ref']).filter((ref) => !needed.has(ref))).toEqual([]);
  });

  it('lists all packages whose licences are in the archive', () => {
    const text = readFileSync(join(extracted, 'share/doc/ironic-coreos/LICENSES'), 'utf8');
    const licensed = [...text.matchAll(/^=== (\S+) \S+ \(.+\)$/gm)].map(([, name = '']) => name);
    expect(licensed).toContain('openpgp');
    const listed = new Set(contents(archive(own)).components.map(({ name }) => name));
    expect(licensed.filter((name) => !listed.has(name))).toEqual([]);
  });

  // A folder from before may be of another commit.
  it.skipIf(existsSync(wanted))('packs the same package again', () => {
    const again = join(top, 'again');
    run(process.execPath, join(root, 'scripts/release.js'), 'package', '--output', again);
    expect(digest(join(again, `ironic-coreos-${version}.tgz`))).toBe(digest(tarball));
  });

  describe('the package', () => {
    const prefix = join(top, 'prefix');
    it('is installed without a network and another package', () => {
      const env = {
        PATH: process.env['PATH'],
        HOME: join(top, 'home'),
        npm_config_offline: 'true',
        npm_config_prefix: prefix,
      };
      const { status, stderr } = spawnSync('npm', ['install', '-g', tarball], {
        env,
        cwd: top,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(readdirSync(join(prefix, 'lib/node_modules'))).toEqual(['ironic-coreos']);
      expect(readdirSync(join(prefix, 'share/man/man1'))).toHaveLength(man.length);
    });
    testSmokeRuns(() => [join(prefix, 'bin/ironic-coreos')]);
  });

  describe.skipIf(own !== 'linux-x64')('the archive for this platform', () => {
    const program = join(extracted, 'bin/ironic-coreos');
    testSmokeRuns(() => [program]);

    it('serves', async () => {
      execFileSync(program, ['quickstart'], { cwd: top });
      writeFileSync(
        join(top, 'hosts.yaml'),
        'agent:\n  ironic.apiUrls: https://192.0.2.1\n  agent.image: registry.example.com/agent\n',
      );
      const options = [
        '--inventory',
        'hosts.yaml',
        '--iso',
        'quickstart/sample-live.iso',
        '--discovery',
        '--open',
      ];
      const args = ['serve', ...options, '--log', 'json', '--listen', '127.0.0.1:0'];
      const service = spawn(program, args, { cwd: top });
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

  /** What the executable and the scripts of packages need of a system: a shell and libraries. */
  const makeRoot = (name: string): string => {
    const clean = join(top, name);
    for (const path of ['tmp', 'proc', 'dev', 'etc', 'var/lib/dpkg/info', 'var/lib/dpkg/updates']) {
      mkdirSync(join(clean, path), { recursive: true });
    }
    writeFileSync(join(clean, 'var/lib/dpkg/status'), '');
    const program = join(extracted, 'bin/ironic-coreos');
    const libraries = ['/bin/sh', program].flatMap((file) => run('ldd', file).match(/\/\S+/g) ?? []);
    for (const file of new Set(['/bin/sh', ...libraries])) {
      mkdirSync(dirname(join(clean, file)), { recursive: true });
      cpSync(realpathSync(file), join(clean, file));
    }
    return clean;
  };

  const isRoot = process.getuid?.() === 0;
  const canInstall = own === 'linux-x64' && isRoot;

  describe.skipIf(!canInstall || !have('dpkg'))(`the deb${oracleNote('dpkg')}`, () => {
    const file = inFolder(`ironic-coreos_${version}-1_amd64.deb`);

    it('is installed in a clean root, runs there and is removed', () => {
      const clean = makeRoot('debian');
      // Libraries are files in this root, and no packages.
      const dpkg = (...args: readonly string[]): string =>
        run('dpkg', `--root=${clean}`, '--force-depends', '--log=/dev/null', ...args);
      dpkg('--install', file);
      expectInstalled(clean, 'share/zsh/vendor-completions/_ironic-coreos');
      dpkg('--remove', 'ironic-coreos');
      expect(existsSync(join(clean, 'usr/bin/ironic-coreos'))).toBe(false);
    });

    it('depends on the packages of its libraries', () => {
      const depends = run('dpkg-deb', '--field', file, 'Depends');
      const libraries = run('ldd', join(extracted, 'bin/ironic-coreos')).match(/(?<==> )\/\S+/g) ?? [];
      // Their paths may be links into /usr.
      const owners = libraries.flatMap((path) =>
        run('dpkg', '-S', `*${path.replace('/usr', '')}`)
          .trim()
          .split('\n'),
      );
      const packages = owners
        .map((line) => line.replace(/:.*/, ''))
        .filter((name) => !name.endsWith('-cross'));
      const named = depends
        .trim()
        .split(', ')
        .map((text) => text.replace(/ .*/, ''));
      expect(new Set(packages)).toEqual(new Set(named));
    });
  });

  describe.skipIf(!canInstall || !have('rpm'))(`the RPM${oracleNote('rpm')}`, () => {
    const file = inFolder(`ironic-coreos-${version}-1.x86_64.rpm`);

    it('is installed in a clean root, runs there and is removed', () => {
      const clean = makeRoot('fedora');
      run('rpm', '--root', clean, '--nodeps', '--install', file);
      expectInstalled(clean, 'share/zsh/site-functions/_ironic-coreos');
      run('rpm', '--root', clean, '--erase', 'ironic-coreos');
      expect(existsSync(join(clean, 'usr/bin/ironic-coreos'))).toBe(false);
    });

    it('requires its libraries', () => {
      const required = run('rpm', '--query', '--package', '--requires', file);
      const needed =
        run('objdump', '-p', join(extracted, 'bin/ironic-coreos')).match(/(?<=NEEDED +)\S+/g) ?? [];
      const inLibc = /^(?:libdl|libm|libpthread|ld-linux-x86-64)\./;
      for (const library of needed.filter((name) => !inLibc.test(name)))
        expect(required).toContain(`${library}(`);
    });
  });
});
