/** Kernel, initramfs and root filesystem that stand for those of CoreOS, with the init of this folder. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { oracleFile } from '../../support/programs.ts';

export type Architecture = 'x86_64' | 'aarch64';

/** Where Debian's kernel, its modules and busybox are for each. */
const roots: Readonly<Record<Architecture, string>> = {
  x86_64: '/',
  aarch64: join(oracleFile('arm64'), 'root'),
};

/** What the init loads, with what it depends on. */
const drivers = ['virtio_pci', 'virtio_net'];

/** The file of a package of the architecture; undefined where there is none. */
export function packagedFile(architecture: Architecture, path: string): string | undefined {
  const full = join(roots[architecture], path);
  return existsSync(full) ? full : undefined;
}

/** Writes the files `kernel`, `initramfs` and `rootfs` into a new folder. */
export function makeRamdisk(architecture: Architecture, folder: string): void {
  const root = join(folder, 'root');
  for (const name of ['bin', 'proc', 'sys', 'dev', 'etc/coreos', 'modules']) {
    mkdirSync(join(root, name), { recursive: true });
  }
  copyFileSync(packagedFile(architecture, 'bin/busybox') ?? '', join(root, 'bin/busybox'));
  for (const name of ['init', 'udhcpc-script']) {
    copyFileSync(join(import.meta.dirname, name), join(root, name));
    chmodSync(join(root, name), 0o755);
  }
  writeFileSync(join(root, 'etc/coreos-live-initramfs'), 'loaders\n');
  writeFileSync(join(root, 'etc/coreos/features.json'), '{"live-initrd-network": true}\n');
  addModules(architecture, join(root, 'modules'));
  const version = kernelVersion(architecture) ?? '';
  copyFileSync(packagedFile(architecture, `boot/vmlinuz-${version}`) ?? '', join(folder, 'kernel'));
  // An EFI kernel puts archives behind each other without a gap, and finds them at multiples of 4.
  const pack =
    '(cd root && find . | sort | cpio -o -H newc --quiet | gzip -1) > initramfs; truncate -s %4 initramfs';
  const rootfs = 'echo filesystem > root.squashfs; echo root.squashfs | cpio -o -H newc --quiet > rootfs';
  for (const script of [pack, rootfs]) execFileSync('sh', ['-e', '-c', script], { cwd: folder });
}

function kernelVersion(architecture: Architecture): string | undefined {
  const folder = packagedFile(architecture, 'lib/modules');
  const names = folder === undefined ? [] : readdirSync(folder);
  return names.find(
    (name) => name.includes('cloud') && packagedFile(architecture, `boot/vmlinuz-${name}`) !== undefined,
  );
}

/** The modules, and in `order` their names as they have to be loaded. */
function addModules(architecture: Architecture, folder: string): void {
  const source = packagedFile(architecture, `lib/modules/${kernelVersion(architecture) ?? ''}`) ?? '';
  const dependencies = new Map(
    readFileSync(join(source, 'modules.dep'), 'utf8')
      .split('\n')
      .map((line) => line.split(/:? /))
      .map(([path = '', ...rest]) => [path.replace(/:$/, ''), rest.filter((it) => it !== '')] as const),
  );
  const order = new Set<string>();
  for (const driver of drivers) {
    const path = [...dependencies.keys()].find((it) => basename(it) === `${driver}.ko`);
    if (path === undefined) continue; // built into the kernel
    // The list of a module ends with what has to be loaded first.
    for (const needed of (dependencies.get(path) ?? []).toReversed()) order.add(needed);
    order.add(path);
  }
  for (const path of order) copyFileSync(join(source, path), join(folder, basename(path)));
  writeFileSync(join(folder, 'order'), [...order].map((path) => `${basename(path)}\n`).join(''));
}
