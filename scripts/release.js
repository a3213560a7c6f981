// @ts-check
/**
 * Makes all that is released, from what is built: `npm run release -- [PART…] [--output FOLDER] [--node NODE]`. Without a part it
 * makes all parts, in an empty folder.
 *
 * | part | files |
 * |---|---|
 * | package | the package for npm |
 * | platform | for the platform that this runs on: an archive of the executable; on Linux, RPM and deb |
 * | checksums | SHA256SUMS of all files in the folder |
 *
 * Beside the package and each archive is a list of what is in them (CycloneDX). The same commit gives the same files, but for
 * compiled code in the executable.
 * With --dry-run, it makes all parts for all platforms on this machine, with Node from packages of npm. Executables of other
 * platforms are neither run nor signed then.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseLicenses } from './bundle/licenses.js';
import { writeArchive } from './release/archive.js';
import { writeLinuxPackages } from './release/linuxPackages.js';
import { ownPlatform, platforms } from './release/platforms.js';
import { writeTree } from './release/tree.js';
import { describeContents } from './sbom.js';

const root = resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    output: { type: 'string', default: join(root, 'release') },
    node: { type: 'string', default: process.execPath },
    'dry-run': { type: 'boolean', default: false },
  },
});
const output = resolve(values.output);
const time = commitTime();
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** @type {Record<string, () => void | Promise<void>>} */
const parts = {
  package: packPackage,
  platform: () => packOwnPlatform(values.node),
  checksums: writeChecksums,
};
if (positionals.length === 0) rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
if (values['dry-run']) {
  packPackage();
  await packAllPlatforms();
  writeChecksums();
} else {
  for (const name of positionals.length === 0 ? Object.keys(parts) : positionals) {
    const make = parts[name];
    if (make === undefined) {
      throw new Error(`unknown part ${name}; known: ${Object.keys(parts).join(', ')}`);
    }
    await make();
  }
}

/** That the same commit gives the same files; reproducible-builds.org has the variable. @returns {Date} */
function commitTime() {
  const seconds =
    process.env['SOURCE_DATE_EPOCH'] ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return new Date(Number(seconds) * 1000);
}

/**
 * The package without what only developers need: npm warns of scripts such as `prepare`, though it would not run them, and would
 * install dependencies whose code is inside. Its manual pages are listed, because npm finds those of a folder only when it publishes.
 */
function packPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  try {
    const {
      scripts: _scripts,
      dependencies: _inside,
      devDependencies: _tools,
      directories: { man: pages },
      overrides: _overrides,
      knip: _knip,
      ...published
    } = manifest;
    const man = readdirSync(join(root, pages)).map((name) => `${pages}/${name}`);
    const folders = published.files.map((/** @type {string} */ pattern) => pattern.replace(/\/\*.*/, ''));
    for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', ...folders])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...published, man }, null, 2)}\n`);
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', output];
    const name = execFileSync('npm', args, {
      cwd: folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    describe(join(output, name.trim()), {
      type: 'library',
      inside: parseLicenses(readFileSync(join(root, 'dist/bundled.LICENSES'), 'utf8')),
      others: [],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} node */
async function packOwnPlatform(node) {
  await packPlatform(ownPlatform(), node, node);
}

/** Node of all platforms, in the version of the release, comes from npm. */
async function packAllPlatforms() {
  const folder = mkdtempSync(join(tmpdir(), 'nodes-'));
  try {
    const version = readFileSync(join(import.meta.dirname, 'release/node-version'), 'utf8').trim();
    /** @type {Map<import('./release/platforms.js').Platform, string>} */
    const nodes = new Map();
    for (const platform of platforms) {
      const prefix = join(folder, platform.name);
      mkdirSync(prefix);
      // Packages of other platforms are refused without --force; the scripts that link Node are not needed.
      const args = [
        'install',
        '--force',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--silent',
        '--prefix',
        prefix,
      ];
      execFileSync('npm', [...args, `${platform.node}@${version}`], { cwd: prefix });
      const file = platform.executable.endsWith('.exe') ? 'node.exe' : 'node';
      nodes.set(platform, join(prefix, 'node_modules', platform.node, 'bin', file));
    }
    const builder = nodes.get(ownPlatform()) ?? '';
    for (const [platform, node] of nodes) await packPlatform(platform, node, builder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {import('./release/platforms.js').Platform} platform
 * @param {string} node the Node of the platform
 * @param {string} builder a Node of the same version that runs here
 */
async function packPlatform(platform, node, builder) {
  const name = `ironic-coreos-${manifest.version}-${platform.name}`;
  const folder = mkdtempSync(join(tmpdir(), 'platform-'));
  try {
    writeTree(root, folder, platform);
    const executable = join(folder, 'bin', platform.executable);
    const args = ['--output', executable, '--node', node, '--builder', builder];
    execFileSync(process.execPath, [join(import.meta.dirname, 'executable.js'), ...args], {
      stdio: 'inherit',
    });
    const licenses = join(folder, 'share/doc/ironic-coreos/LICENSES');
    mkdirSync(dirname(licenses), { recursive: true });
    renameSync(`${executable}.LICENSES`, licenses);
    const archive = join(output, `${name}.tar.gz`);
    await writeArchive(folder, name, archive, time);
    describe(archive, {
      type: 'application',
      inside: parseLicenses(readFileSync(licenses, 'utf8')),
      others: partsOfNode(builder),
    });
    const { architecture } = platform;
    if (architecture !== undefined) writeLinuxPackages(folder, output, { ...manifest, time, architecture });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Node and the libraries in it, which security notices name. @param {string} node @returns {import('./sbom.js').Component[]} */
function partsOfNode(node) {
  /** @type {Record<string, string>} */
  const versions = JSON.parse(
    execFileSync(node, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }),
  );
  const { modules: _modules, napi: _napi, ...others } = versions; // numbers of interfaces
  return Object.entries(others).map(([name, version]) => ({
    'bom-ref': `node/${name}@${version}`,
    type: name === 'node' ? 'platform' : 'library',
    name,
    version,
    purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
  }));
}

/** Writes the list of contents beside a file. @param {string} file @param {import('./sbom.js').Contents} contents */
function describe(file, contents) {
  writeFileSync(`${file}.cdx.json`, describeContents(root, { file, time, ...contents }));
}

/** As `sha256sum --check` reads them. */
function writeChecksums() {
  const names = readdirSync(output).filter((name) => name !== 'SHA256SUMS');
  const lines = names.toSorted().map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(output, name)))
      .digest('hex');
    return `${digest}  ${name}\n`;
  });
  writeFileSync(join(output, 'SHA256SUMS'), lines.join(''));
}
