/**
 * Machines in QEMU on a network without any DHCP server. The other end of the network is a machine too, the peer: a router with
 * static addresses, also on a VLAN, as this kernel may have no VLAN devices. It passes HTTP on to servers of this machine.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** An address of the peer that machines reach only through their gateway. */
export const PEER_ADDRESS = '198.51.100.1';

const SECONDS = 300;

const network = (folder: string, own: string, other: string): string[] => {
  const socket = (name: string): string => join(folder, `${name}.sock`);
  const ends = `local.type=unix,local.path=${socket(own)},remote.type=unix,remote.path=${socket(other)}`;
  return ['-netdev', `dgram,id=lan,${ends}`];
};

/** Ports of the peer, and the ports of loopback on this machine that it passes connections to. */
export type Relays = Readonly<Record<number, number>>;

/** Resolves when the peer is ready. The folder gets the sockets. */
export async function startPeer(
  folder: string,
  files: { readonly kernel: string; readonly initramfs: string },
  relays: Relays,
): Promise<ChildProcess> {
  const ports = Object.entries(relays).map(([port, target]) => `relay=${port}:${target}`);
  const peer = spawn(
    'qemu-system-x86_64',
    [
      ...'-m 256 -nographic -no-reboot'.split(' '),
      '-kernel',
      files.kernel,
      '-initrd',
      files.initramfs,
      '-append',
      ['console=ttyS0', 'quiet', ...ports].join(' '),
      ...network(folder, 'peer', 'host'),
      ...'-device virtio-net-pci,netdev=lan,romfile='.split(' '),
      ...'-netdev user,id=wan -device virtio-net-pci,netdev=wan,romfile='.split(' '),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await new Promise<void>((resolve, reject) => {
    let text = '';
    peer.stdout.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('PEER-READY')) resolve();
    });
    peer.on('error', reject);
    peer.on('close', () => reject(new Error(`the peer ended: ${text.slice(-2000)}`)));
  });
  return peer;
}

/** A CD that the firmware boots. */
export interface DiscBoot {
  readonly iso: string;
}

/** What the firmware would fetch over the network. */
export interface NetworkBoot {
  readonly kernel: string;
  readonly initramfs: string;
  readonly args: readonly string[];
}

export type BootSource = DiscBoot | NetworkBoot;

/** What the machine printed until it was powered off. */
export interface Console {
  /** The lines of its init, without `BOOT-`. */
  readonly lines: readonly string[];
  readonly text: string;
}

/** A machine with one network card for each MAC address; all cards are on the network of the peer. */
export function bootOnNetwork(folder: string, source: BootSource, macs: readonly string[]): Promise<Console> {
  rmSync(join(folder, 'host.sock'), { force: true });
  const cards = macs.flatMap((mac, index) => [
    '-netdev',
    `hubport,hubid=0,id=port${index}`,
    '-device',
    `virtio-net-pci,netdev=port${index},mac=${mac},romfile=`,
  ]);
  const args = [
    ...'-m 1024 -nographic -no-reboot'.split(' '),
    ...sourceArguments(source),
    ...network(folder, 'host', 'peer'),
    ...'-netdev hubport,hubid=0,id=uplink,netdev=lan'.split(' '),
    ...cards,
  ];
  return new Promise((resolve, reject) => {
    const options = { timeout: SECONDS * 1000, killSignal: 'SIGKILL' } as const;
    const machine = spawn('qemu-system-x86_64', args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    machine.stdout.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    machine.on('error', reject);
    machine.on('close', () => {
      const lines = text.split(/[\r\n]+/).flatMap((line) => /BOOT-(.*)/.exec(line)?.[1]?.trimEnd() ?? []);
      resolve({ lines, text });
    });
  });
}

function sourceArguments(source: BootSource): string[] {
  if ('iso' in source) return ['-cdrom', source.iso, '-boot', 'd'];
  const { args, initramfs, kernel } = source;
  return ['-kernel', kernel, '-initrd', initramfs, '-append', args.join(' ')];
}
