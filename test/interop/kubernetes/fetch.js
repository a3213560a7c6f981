// @ts-check
/**
 * Builds etcd and kube-apiserver from the Go module proxy for the tests against a real API server, and generates the
 * definition of the kind Ironic:
 *
 *   node test/interop/kubernetes/fetch.js
 *
 * Needs Go and 3 GB for its caches; takes about six minutes on two cores, and no time once they are built.
 *
 * Neither builds as `go install MODULE@VERSION`, which refuses modules with replace directives. So each is built as a
 * dependency of an empty module, where its directives do not apply. Kubernetes' point to folders of its repository, whose
 * contents are also published as modules, under versions that begin with 0 in the place of 1.
 *
 * The definition comes from the types of ironic-standalone-operator, by the generator of its makefile. It equals the file in the tree
 * of that release, up to the version of the generator that an annotation names.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cacheFolder,
  ironicDefinition,
  ironicRelease,
  missingPrograms,
  programFile,
  versions,
} from './programs.js';

/** @typedef {{ readonly module: string, readonly version: string, readonly main: string, readonly linked: readonly string[] }} Source */

const kubernetes = versions['kube-apiserver'];
/** Without it the server says that it is 0.0.0, which clients take for too old. */
const reported = `k8s.io/component-base/version.gitVersion=v${kubernetes}`;

/** @type {Record<keyof typeof versions, Source>} */
const sources = {
  etcd: {
    module: 'go.etcd.io/etcd/server/v3',
    version: `v${versions.etcd}`,
    main: 'go.etcd.io/etcd/server/v3',
    linked: [],
  },
  'kube-apiserver': {
    module: 'k8s.io/kubernetes',
    version: `v${kubernetes}`,
    main: 'k8s.io/kubernetes/cmd/kube-apiserver',
    linked: ['-X', reported],
  },
};

for (const name of missingPrograms()) build(name);
if (!existsSync(ironicDefinition)) defineIronic();
console.log(`etcd, kube-apiserver and the definition of Ironic are in ${cacheFolder}`);

function defineIronic() {
  console.log(`generating the definition of Ironic ${ironicRelease} …`);
  const types = 'github.com/metal3-io/ironic-standalone-operator/api';
  const generator = 'sigs.k8s.io/controller-tools';
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos-fetch-'));
  try {
    go(folder, 'mod', 'init', 'example.invalid/define');
    /** @type {{ Sum: string }} */
    const { Sum } = JSON.parse(go(folder, 'mod', 'download', '-json', `${types}@v${ironicRelease}`));
    // Not every checksum database knows the module.
    const expected = 'h1:6bWAQ5PwYuuKzvMlBH+lu8jIMjYArRjCfDVcacGOQcQ=';
    if (Sum !== expected) throw new Error(`${types} has the digest ${Sum} instead of ${expected}`);
    writeFileSync(join(folder, 'types.go'), `package types\n\nimport _ "${types}/v1alpha1"\n`);
    go(folder, 'mod', 'edit', `-require=${types}@v${ironicRelease}`, `-require=${generator}@v0.19.0`);
    const options = ['crd', `paths=${types}/v1alpha1`, 'output:crd:dir=made'];
    go(folder, 'run', `${generator}/cmd/controller-gen`, ...options);
    const staged = `${ironicDefinition}.${process.pid}`;
    cpSync(join(folder, 'made/ironic.metal3.io_ironics.yaml'), staged);
    renameSync(staged, ironicDefinition);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {keyof typeof versions} name */
function build(name) {
  console.log(`building ${name} ${versions[name]} …`);
  const { module, version, main, linked } = sources[name];
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos-fetch-'));
  try {
    go(folder, 'mod', 'init', 'example.invalid/build');
    const replacements = publishedFolders(folder, `${module}@${version}`);
    go(folder, 'mod', 'edit', `-require=${module}@${version}`, ...replacements);
    const flags = ['-trimpath', `-ldflags=${['-s', '-w', ...linked].join(' ')}`];
    go(folder, 'build', ...flags, '-o', join(folder, 'program'), main);
    const staged = `${programFile(name)}.${process.pid}`;
    execFileSync('cp', [join(folder, 'program'), staged]);
    renameSync(staged, programFile(name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {string} module with its version
 * @returns {string[]} arguments of `go mod edit`
 */
function publishedFolders(folder, module) {
  /** @type {{ GoMod: string }} */
  const { GoMod } = JSON.parse(go(folder, 'mod', 'download', '-json', module));
  /** @type {{ Replace?: { Old: { Path: string }, New: { Path: string } }[] | null }} */
  const { Replace } = JSON.parse(go(folder, 'mod', 'edit', '-json', GoMod));
  const version = kubernetes.replace(/^1/, '0');
  return (Replace ?? [])
    .filter((it) => it.New.Path.startsWith('./staging/'))
    .map(({ Old }) => `-replace=${Old.Path}=${Old.Path}@v${version}`);
}

/** @param {string} cwd @param {readonly string[]} args @returns {string} */
function go(cwd, ...args) {
  const own = {
    GOWORK: 'off',
    GOFLAGS: '-buildvcs=false -mod=mod',
    CGO_ENABLED: '0',
    GONOSUMDB: 'github.com/metal3-io/*',
  };
  const env = { ...process.env, ...own };
  return execFileSync('go', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
