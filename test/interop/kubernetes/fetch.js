// @ts-check
/**
 * Builds etcd and kube-apiserver from the Go module proxy for the tests against a real API server, and generates the resource
 * definitions of Metal3:
 *
 *   node test/interop/kubernetes/fetch.js
 *
 * Needs Go and 3 GB for its caches; takes about six minutes on two cores, and no time once they are built.
 *
 * Neither builds as `go install MODULE@VERSION`, which refuses modules with replace directives. So each is built as a
 * dependency of an empty module, where its directives do not apply. Kubernetes' point to folders of its repository, whose
 * contents are also published as modules, under versions that begin with 0 in the place of 1.
 *
 * The definitions come from the types of the operators, by the generator and the options of their makefiles. They equal the files
 * in the trees of these releases, up to the version of the generator that an annotation names.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cacheFolder,
  definitionFile,
  definitions,
  missingDefinitions,
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

/**
 * The modules of the types, with their digests: not every checksum database knows them.
 * @type {Record<keyof typeof definitions, { readonly module: string, readonly folder: string, readonly sum: string }>}
 */
const typeModules = {
  ironics: {
    module: 'github.com/metal3-io/ironic-standalone-operator/api',
    folder: 'v1alpha1',
    sum: 'h1:6bWAQ5PwYuuKzvMlBH+lu8jIMjYArRjCfDVcacGOQcQ=',
  },
  baremetalhosts: {
    module: 'github.com/metal3-io/baremetal-operator/apis',
    folder: 'metal3.io/v1alpha1',
    sum: 'h1:tLe+VocO7nwGLiIK7vcnFE5f3jcM4AhJ5mCLDVrEAtU=',
  },
};

const generator = 'sigs.k8s.io/controller-tools';
const generatorVersion = 'v0.19.0';

for (const name of missingPrograms()) build(name);
for (const name of missingDefinitions()) define(name);
console.log(`etcd, kube-apiserver and the definitions of Metal3 are in ${cacheFolder}`);

/** @param {keyof typeof definitions} name */
function define(name) {
  console.log(`generating the definition of ${name} ${definitions[name]} …`);
  const { module, folder: types, sum } = typeModules[name];
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos-fetch-'));
  try {
    const source = `${module}@v${definitions[name]}`;
    go(folder, 'mod', 'init', 'example.invalid/define');
    /** @type {{ Sum: string }} */
    const { Sum } = JSON.parse(go(folder, 'mod', 'download', '-json', source));
    if (Sum !== sum) throw new Error(`${source} has the digest ${Sum} instead of ${sum}`);
    writeFileSync(join(folder, 'types.go'), `package types\n\nimport _ "${module}/${types}"\n`);
    go(folder, 'mod', 'edit', `-require=${source}`, `-require=${generator}@${generatorVersion}`);
    const options = ['crd:allowDangerousTypes=true', `paths=${module}/${types}`, 'output:crd:dir=made'];
    go(folder, 'run', `${generator}/cmd/controller-gen`, ...options);
    const made = readdirSync(join(folder, 'made')).find((file) => file.endsWith(`_${name}.yaml`)) ?? '';
    const staged = `${definitionFile(name)}.${process.pid}`;
    cpSync(join(folder, 'made', made), staged);
    renameSync(staged, definitionFile(name));
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
