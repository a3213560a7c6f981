// @ts-check
/**
 * Gets oracles: Debian's packages by apt-get, everything else into the folder of the oracles. What is there in the wanted version is
 * not got again, so nothing is asked of a registry where all is complete. The output of each is in `logs/` of that folder.
 */

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, folder, missingParts, root } from './find.js';

/** @typedef {import('./find.js').Oracle} Oracle */
/** @typedef {import('./table.js').Source} Source */

/** @param {readonly Oracle[]} wanted @returns {Map<string, string>} why some cannot be got, by name */
export function getOracles(wanted) {
  for (const name of ['bin', 'logs', 'stamps']) mkdirSync(join(folder, name), { recursive: true });
  installPackages(
    wanted.filter((oracle) => missingParts(oracle.name).length > 0 || !ownSources(oracle).every(isCurrent)),
  );
  /** @type {Map<string, string>} */
  const failures = new Map();
  for (const oracle of wanted) {
    const failure = getOracle(oracle);
    if (failure !== undefined) failures.set(oracle.name, failure);
  }
  return failures;
}

/** @param {Oracle} oracle @returns {string | undefined} why it cannot be got */
function getOracle(oracle) {
  const wanted = ownSources(oracle).filter((source) => !isCurrent(source));
  if (wanted.length > 0) {
    console.log(`getting ${oracle.name} …`);
    const log = join(folder, 'logs', `${fileName(oracle.name)}.log`);
    writeFileSync(log, '');
    for (const source of wanted) {
      try {
        getSource(source, log);
      } catch (error) {
        return String(error).replace(/^Error: /, '');
      }
      writeFileSync(stampOf(source), stampText(source));
    }
  }
  const missing = missingParts(oracle.name);
  return missing.length === 0 ? undefined : `no ${missing.map((part) => oracle.parts[part]).join(', no ')}`;
}

/** What goes into the folder of the oracles. @param {Oracle} oracle */
const ownSources = ({ from }) => from.filter((source) => !('debian' in source));

/** Oracles that share a source get it once. @param {Source} source */
function isCurrent(source) {
  const stamp = stampOf(source);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === stampText(source);
}

/** @param {Source} source */
const stampOf = (source) => join(folder, 'stamps', fileName(nameOf(source)));

/** What a source makes, whatever its version. @param {Source} source */
function nameOf(source) {
  if ('cargo' in source) return source.cargo.replace(/@.*/, '');
  if ('tree' in source) return source.tree;
  if ('script' in source) return source.script.join(' ');
  return 'as' in source ? source.as : '';
}

/** @param {string} name */
const fileName = (name) => name.replaceAll(/\W+/g, '-');

/** What it is made of. @param {Source} source */
function stampText(source) {
  const files = 'goFolder' in source ? [source.goFolder] : 'script' in source ? source.files : [];
  return `${JSON.stringify(source)}\n${digestOf(files)}\n`;
}

/** @param {readonly Oracle[]} wanted */
function installPackages(wanted) {
  const names = wanted.flatMap(({ from }) =>
    from.flatMap((source) => ('debian' in source ? source.debian : [])),
  );
  const missing = [...new Set(names)].filter((name) => packageVersion(name) === undefined);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    console.log(`missing packages: sudo apt-get install ${missing.join(' ')}`);
    return;
  }
  console.log(`installing ${missing.length} Debian packages …`);
  const log = join(folder, 'logs', 'apt-get.log');
  writeFileSync(log, '');
  // A policy that refuses to start services: only the programs are wanted.
  const policy = '/usr/sbin/policy-rc.d';
  const isOwn = !existsSync(policy);
  if (isOwn) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    run(['apt-get', 'update'], { log });
    // One package that the release does not have must not keep the others away.
    const known = missing.filter((name) => spawnSync('apt-cache', ['show', name]).status === 0);
    run(['apt-get', 'install', '--yes', '--no-install-recommends', ...known], { log });
  } catch (error) {
    console.log(String(error));
  } finally {
    if (isOwn) rmSync(policy);
  }
}

/** @param {string} name @returns {string | undefined} undefined if the package is not installed */
export function packageVersion(name) {
  const format = ['-W', '-f', '${db:Status-Status} ${Version}', name];
  const { status, stdout } = spawnSync('dpkg-query', format, { encoding: 'utf8' });
  return status === 0 && stdout.startsWith('installed ') ? stdout.slice('installed '.length) : undefined;
}

/** Throws with the reason. @param {Source} source @param {string} log */
function getSource(source, log) {
  if ('cargo' in source)
    run(['cargo', 'install', '--locked', '--force', '--root', folder, source.cargo], { log });
  else if ('go' in source) inWorkFolder((work) => goInstall(source.go, source.as, work, log));
  else if ('goFolder' in source) inWorkFolder((work) => goBuild(source, work, log));
  else if ('pypi' in source) createEnvironment(source, log);
  else if ('tree' in source) exportTree(source.tree, log);
  else if ('script' in source) {
    run(
      source.script.map((word) => (word.startsWith('./') ? join(folder, word) : word)),
      { log, cwd: root },
    );
  }
}

/** @param {string} module with its version @param {string} name of the new program @param {string} work @param {string} log */
function goInstall(module, name, work, log) {
  run(['go', 'install', module], { log, env: { GOBIN: work, GOFLAGS: '-buildvcs=false' } });
  const [program = ''] = readdirSync(work);
  moveInto(join(work, program), join(folder, 'bin', name), log);
}

/**
 * @param {{ readonly goFolder: string, readonly as: string, readonly tags?: string, readonly main?: string }} source `main`: a
 *   package of a module that the folder requires; by default the folder itself
 * @param {string} work
 * @param {string} log
 */
function goBuild({ as, goFolder, main = '.', tags = '' }, work, log) {
  cpSync(join(root, goFolder), work, { recursive: true });
  const output = join(work, '.program');
  run(['go', 'build', '-mod=mod', '-tags', tags, '-o', output, main], { log, cwd: work });
  moveInto(output, join(folder, 'bin', as), log);
}

/** Also to another file system. @param {string} from @param {string} to @param {string} log */
function moveInto(from, to, log) {
  run(['cp', from, `${to}.new`], { log });
  renameSync(`${to}.new`, to);
}

/**
 * @param {{ readonly pypi: readonly string[], readonly as: string, readonly trees?: readonly string[] }} source
 * @param {string} log
 */
function createEnvironment({ as, pypi, trees = [] }, log) {
  const path = join(folder, as);
  rmSync(path, { recursive: true, force: true });
  run(['python3', '-m', 'venv', path], { log });
  run([join(path, 'bin/pip'), 'install', '--disable-pip-version-check', ...pypi], { log });
  const [library = ''] = readdirSync(join(path, 'lib'));
  const packages = join(path, 'lib', library, 'site-packages');
  const paths = trees.map((tree) => `${join(folder, 'trees', tree)}\n`);
  writeFileSync(join(packages, 'trees.pth'), paths.join(''));
}

/** @param {string} name @returns {string} the clone in the folder that UPSTREAM_TREES names */
function cloneOf(name) {
  const trees = process.env['UPSTREAM_TREES'] ?? '';
  if (trees === '')
    throw new Error('UPSTREAM_TREES does not name a folder with clones, as ORGANIZATION+NAME');
  const clone = [join(trees, name, 'repo'), join(trees, name)].find((path) => existsSync(path));
  if (clone === undefined) throw new Error(`UPSTREAM_TREES has no clone ${name}`);
  return clone;
}

/** @param {string} name @param {string} log */
function exportTree(name, log) {
  const path = join(folder, 'trees', name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  run(['sh', '-c', 'git -C "$0" archive HEAD | tar -x -C "$1"', cloneOf(name), path], { log });
}

/** @param {(work: string) => void} use of a folder that is removed afterwards */
function inWorkFolder(use) {
  const work = mkdtempSync(join(tmpdir(), 'oracle-'));
  try {
    use(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Throws the last line of its output if it fails.
 * @param {readonly string[]} command
 * @param {{ readonly log: string, readonly cwd?: string, readonly env?: NodeJS.ProcessEnv }} options
 */
function run([program = '', ...args], { cwd = folder, env = {}, log }) {
  const output = openSync(log, 'a');
  try {
    const ownEnv = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', ...env };
    const { error, status } = spawnSync(program, args, {
      cwd,
      env: ownEnv,
      stdio: ['ignore', output, output],
    });
    if (error !== undefined) throw new Error(`${program} is not installed`);
    if (status === 0) return;
    const last = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1);
    throw new Error(`${program} failed: ${last} (${log})`);
  } finally {
    closeSync(output);
  }
}
