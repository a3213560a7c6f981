// @ts-check
/**
 * Makes all that is handed out, from what is built: `npm run release [-- --output FOLDER --node NODE]`. The package, the
 * executable for this platform, a list of what is in each of them (CycloneDX), and checksums of all of these.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseLicenses } from './bundle/licenses.js';
import { describeContents } from './sbom.js';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    output: { type: 'string', default: join(root, 'release') },
    node: { type: 'string', default: process.execPath },
  },
});
release(resolve(values.output), values.node);

/** @param {string} folder @param {string} node */
function release(folder, node) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const time = commitTime();
  const tarball = packPackage(folder);
  writeContents({
    file: tarball,
    type: 'library',
    inside: parseLicenses(readFileSync(join(root, 'dist/bundled.LICENSES'), 'utf8')),
    installed: 'with dependencies',
    others: [],
    time,
  });
  const executable = makeExecutable(folder, node);
  writeContents({
    file: executable,
    type: 'application',
    inside: parseLicenses(readFileSync(`${executable}.LICENSES`, 'utf8')),
    installed: 'alone',
    others: partsOfNode(node),
    time,
  });
  writeFileSync(join(folder, 'SHA256SUMS'), checksums(folder));
}

/** That the same commit gives the same files; reproducible-builds.org has the variable. @returns {Date} */
function commitTime() {
  const seconds =
    process.env['SOURCE_DATE_EPOCH'] ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return new Date(Number(seconds) * 1000);
}

/** @param {string} folder */
function packPackage(folder) {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  return join(folder, execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim());
}

/** @param {string} folder @param {string} node */
function makeExecutable(folder, node) {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const file = join(folder, `ironic-coreos-${process.platform}-${process.arch}${suffix}`);
  const script = join(import.meta.dirname, 'executable.js');
  execFileSync(process.execPath, [script, '--output', file, '--node', node], { stdio: 'inherit' });
  return file;
}

/** Node and the libraries in it, which security notices name. @param {string} node @returns {import('./sbom.js').Component[]} */
function partsOfNode(node) {
  /** @type {Record<string, string>} */
  const versions = JSON.parse(
    execFileSync(node, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }),
  );
  const { modules: _modules, napi: _napi, ...parts } = versions; // numbers of interfaces
  return Object.entries(parts).map(([name, version]) => ({
    'bom-ref': `node/${name}@${version}`,
    type: name === 'node' ? 'platform' : 'library',
    name,
    version,
    purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
  }));
}

/** @param {import('./sbom.js').Artifact} artifact */
function writeContents(artifact) {
  writeFileSync(`${artifact.file}.cdx.json`, describeContents(root, artifact));
}

/** As `sha256sum --check` reads them. @param {string} folder */
function checksums(folder) {
  const lines = readdirSync(folder)
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  return lines.join('');
}
