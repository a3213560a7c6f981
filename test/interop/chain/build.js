// @ts-check
/**
 * Builds the parts of the real chain from package registries: a live ISO with the real Ignition, systemd, NetworkManager and
 * podman, and the agent's container image with the real ironic-python-agent.
 *
 *   npm run build && node test/interop/chain/build.js [PART…]
 *
 * `npm run oracles` does so, and installs the Debian packages that it needs. It needs Linux, root, 8 GB of disk, and half an hour on
 * two cores the first time. A part is built again if what it is made of has changed.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { findFile } from '../../oracles/find.js';
import { agentRecipe, cacheFolder, parts, versions } from './parts.js';

const live = join(import.meta.dirname, 'live');
const project = resolve(import.meta.dirname, '../../..');

/** The release of Debian of the default base image of the agent's image. */
const agentRelease = 'trixie';

const systemPackages = [
  ...'systemd systemd-sysv udev dbus libpam-systemd kmod linux-image-cloud-amd64 util-linux util-linux-extra passwd sudo'.split(
    ' ',
  ),
  ...'podman crun catatonit conmon netavark aardvark-dns network-manager openssh-server libnss-myhostname chrony iproute2 iputils-ping'.split(
    ' ',
  ),
  ...'ca-certificates procps xfsprogs curl less gdisk jq libgpgme11 libblkid1 libssl3 libarchive-tools gpg'.split(
    ' ',
  ),
];
/**
 * @typedef {object} Step
 * @property {string} part the file or folder that it makes
 * @property {readonly string[]} from files and folders, and texts such as versions; a change of them builds the part again
 * @property {() => void} build
 */

/** @type {readonly Step[]} */
const steps = [
  { part: parts.ignition, from: [versions.ignition], build: buildIgnition },
  {
    part: parts.debian,
    from: [join(live, 'debianRoot.sh'), ...systemPackages],
    build: () => script('debianRoot.sh', 'bookworm', parts.debian, systemPackages.join(',')),
  },
  {
    part: parts.rootfs,
    from: [
      join(live, 'liveRoot.sh'),
      join(live, 'root'),
      join(live, 'version'),
      parts.debian,
      parts.installer,
    ],
    build: () => script('liveRoot.sh', parts.debian, parts.rootfs, parts.installer),
  },
  { part: parts.kernel, from: [parts.debian], build: copyKernel },
  {
    part: parts.initramfs,
    from: [
      join(live, 'initramfs.sh'),
      join(live, 'initramfs'),
      join(live, 'features.json'),
      parts.ignition,
      parts.rootfs,
    ],
    build: () => script('initramfs.sh', parts.debian, parts.ignition, parts.initramfs),
  },
  {
    part: parts.iso,
    from: [
      join(live, 'liveIso.sh'),
      join(live, 'features.json'),
      parts.kernel,
      parts.initramfs,
      parts.rootfs,
    ],
    build: buildIso,
  },
  {
    part: parts.agentBase,
    from: [join(live, 'debianRoot.sh'), agentRelease],
    build: () => script('debianRoot.sh', agentRelease, parts.agentBase),
  },
  { part: parts.archive, from: [agentRecipe, parts.agentBase], build: buildAgent },
];

/** Names of single parts, or nothing for all. */
const wanted = process.argv.slice(2);
for (const step of steps) {
  if (wanted.length === 0 || wanted.includes(basename(step.part))) run(step);
}
console.log(`the parts are in ${cacheFolder}`);

/** @param {Step} step */
function run({ build, from, part }) {
  const stamp = `${part}.stamp`;
  const digest = digestOf(from);
  if (existsSync(part) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  console.log(`building ${basename(part)} …`);
  const start = performance.now();
  rmSync(stamp, { force: true });
  mkdirSync(dirname(part), { recursive: true });
  try {
    build();
  } catch (error) {
    // The program that failed has said why; its last line comes last.
    console.error(`${basename(part)} cannot be built: ${String(error)}`);
    process.exit(1);
  }
  writeFileSync(stamp, digest);
  console.log(`built ${basename(part)} in ${Math.round((performance.now() - start) / 1000)} s`);
}

/** Other parts count by their stamps. @param {readonly string[]} from */
function digestOf(from) {
  const hash = createHash('sha256');
  for (const source of from) {
    hash.update(`${basename(source)}\0`);
    for (const file of filesOf(source)) hash.update(`${basename(file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** @param {string} source @returns {string[]} */
function filesOf(source) {
  if (source.startsWith(cacheFolder)) return [`${source}.stamp`];
  if (!source.startsWith(project)) return [];
  if (!statSync(source).isDirectory()) return [source];
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => join(source, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** @param {string} name @param {readonly string[]} args */
function script(name, ...args) {
  execFileSync('bash', [join(live, name), ...args], { stdio: 'inherit' });
}

/** The module has its main package in a folder that `go install` refuses to name, so it is built in its own folder. */
function buildIgnition() {
  const module = `github.com/coreos/ignition/v2`;
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '1' };
  const download = ['mod', 'download', '-json', `${module}@v${versions.ignition}`];
  const { Dir: folder } = JSON.parse(
    execFileSync('go', download, { env, cwd: cacheFolder, encoding: 'utf8' }),
  );
  const flags = [
    '-s -w',
    `-X ${module}/internal/version.Raw=v${versions.ignition}`,
    `-X ${module}/internal/distro.selinuxRelabel=false`,
  ];
  const build = [
    'build',
    '-buildvcs=false',
    '-ldflags',
    flags.join(' '),
    '-o',
    `${parts.ignition}.new`,
    './internal',
  ];
  execFileSync('go', build, { env, cwd: folder, stdio: 'inherit' });
  renameSync(`${parts.ignition}.new`, parts.ignition);
}

/**
 * podman builds the recipe as it does for users, but on a base from Debian's packages, because no other registry is needed then. The
 * commands run in a chroot, which works on kernels that crun does not support. The CAs of this machine are installed like those of
 * a company. The image has one layer: each megabyte costs an emulated machine a second.
 */
function buildAgent() {
  const image = 'localhost/ironic-coreos-test-agent';
  podman('import', '--quiet', parts.agentBase, `${image}-base`);
  const authorities = '/etc/ssl/certs/ca-certificates.crt';
  const build = ['build', '--quiet', '--isolation=chroot', '--squash-all', '--no-cache', '--tag', image];
  const trust = ['--volume', `${authorities}:/usr/local/share/ca-certificates/host.crt:ro`];
  podman(...build, '--build-arg', `BASE=${image}-base`, ...trust, agentRecipe);
  for (const [format, output] of /** @type {const} */ ([
    ['oci-dir', parts.oci],
    ['oci-archive', parts.archive],
  ])) {
    rmSync(`${output}.new`, { recursive: true, force: true });
    podman('save', '--quiet', '--format', format, '--output', `${output}.new`, image);
    rmSync(output, { recursive: true, force: true });
    renameSync(`${output}.new`, output);
  }
  podman('rmi', '--force', image, `${image}-base`);
}

/** @param {readonly string[]} args */
function podman(...args) {
  execFileSync('podman', args, { stdio: 'inherit' });
}

function copyKernel() {
  const boot = join(parts.debian, 'boot');
  const name = readdirSync(boot).find((file) => file.startsWith('vmlinuz-'));
  copyFileSync(join(boot, name ?? 'vmlinuz'), parts.kernel);
}

/** The minimal ISO is packed into the full one, like in an image of CoreOS. */
function buildIso() {
  script('liveIso.sh', parts.kernel, parts.initramfs, parts.rootfs, parts.iso);
  const pack = ['pack', 'minimal-iso', '--consume', `${parts.iso}.new`, `${parts.iso}.minimal`];
  execFileSync(findFile('coreos-installer') ?? 'coreos-installer', pack, { stdio: 'inherit' });
  renameSync(`${parts.iso}.new`, parts.iso);
}
