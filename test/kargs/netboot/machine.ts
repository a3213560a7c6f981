/** A machine in QEMU that boots over the network from a folder, and says on its console with what it was started. */

import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BootFile } from '../../../src/kargs/loaders/loader.ts';

/** Where the folder is for the machine. */
export const server = 'tftp://10.0.2.2';

export interface Machine {
  readonly mac: string;
  readonly firmware: 'bios' | 'uefi';
  /** What DHCP names to it. */
  readonly bootFile: string;
}

const ovmf = '/usr/share/ovmf/OVMF.fd';
const busybox = '/usr/bin/busybox';

function kernel(): string | undefined {
  const name = existsSync('/boot')
    ? readdirSync('/boot').find((entry) => /^vmlinuz-.*cloud/.test(entry))
    : undefined;
  return name === undefined ? undefined : join('/boot', name);
}

/** A folder with these files, a kernel, an initramfs, an archive with a config, and a GRUB for UEFI. */
export class NetworkFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'netboot-'));

  constructor(files: Iterable<BootFile>) {
    for (const { path, text } of files) {
      mkdirSync(dirname(join(this.path, path)), { recursive: true });
      writeFileSync(join(this.path, path), text);
    }
    copyFileSync(kernel() ?? '', join(this.path, 'kernel'));
    const root = join(this.path, 'root');
    mkdirSync(join(root, 'bin'), { recursive: true });
    mkdirSync(join(root, 'proc'));
    copyFileSync(busybox, join(root, 'bin/busybox'));
    copyFileSync(join(import.meta.dirname, 'init'), join(root, 'init'));
    this.#shell('chmod +x root/init; (cd root && find . | cpio -o -H newc --quiet | gzip -1) > initramfs');
    // As those of CoreOS: an EFI kernel puts archives behind each other without a gap, and finds them at multiples of 4.
    this.#shell('truncate -s %4 initramfs');
    this.#shell('echo from-the-archive > config.ign; echo config.ign | cpio -o -H newc --quiet > config.img');
    // GRUB's own search for the file of a machine is switched off, as most builds do not have it for HTTP.
    writeFileSync(join(this.path, 'early.cfg'), 'set feature_net_search_cfg=n\n');
    this.#shell(
      `grub-mkimage -O x86_64-efi -c early.cfg -o grubx64.efi -p '(tftp,10.0.2.2)/grub' ` +
        'normal linux tftp http efinet configfile regexp test echo sleep halt boot serial terminal',
    );
  }

  #shell(command: string): void {
    execFileSync('sh', ['-c', command], { cwd: this.path });
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

const seconds = 150;

/** Everything that appeared on the console until the machine switched itself off. */
export function bootFrom(folder: string, { mac, firmware, bootFile }: Machine): Promise<string> {
  const args = [
    ...'-m 1024 -nographic -no-reboot -boot n'.split(' '),
    ...(firmware === 'uefi' ? ['-bios', ovmf] : []),
    '-netdev',
    `user,id=net,tftp=${folder},bootfile=${bootFile}`,
    '-device',
    `e1000,netdev=net,mac=${mac}`,
  ];
  return new Promise((resolve, reject) => {
    const machine = spawn('qemu-system-x86_64', args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: seconds * 1000,
      killSignal: 'SIGKILL',
    });
    let console = '';
    machine.stdout.on('data', (chunk: Buffer) => {
      console += chunk.toString('latin1');
    });
    machine.on('error', reject);
    machine.on('close', () => resolve(console));
  });
}
