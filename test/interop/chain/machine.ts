/** A machine in QEMU without virtualization by the kernel: two processors, one disk, one network card. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../support/listening.ts';

export const GUEST_MAC = '52:54:00:c0:4e:05';
export const DISK_SERIAL = 'CHAIN0';
/** The file with the output of the serial console. */
export const CONSOLE = 'console.log';

export interface Network {
  /** This machine, as seen from the guest. */
  readonly host: string;
  /** The guest, as it sees itself. */
  readonly guest: string;
}

/** QEMU answers DHCP and translates addresses. The ports 22 and 9999 are forwarded: for SSH, and for calls to the agent. */
export const translated: Network = { host: '10.0.2.2', guest: '10.0.2.15' };
/** A network between this machine and the guest only. Nothing answers DHCP. RFC 2544 reserves its addresses for benchmarks. */
export const direct: Network = { host: '198.18.0.1', guest: '198.18.0.10' };
const TAP = 'chain0';

/** A CD that the firmware boots. */
interface DiscBoot {
  readonly iso: string;
}

/** What a boot loader fetches from the network. */
interface NetworkBoot {
  readonly kernel: string;
  readonly initramfs: string;
  readonly args: string;
}

export type BootSource = DiscBoot | NetworkBoot;

export interface MachineOptions {
  readonly network: Network;
  readonly source: BootSource;
  readonly firmware?: 'bios' | 'uefi';
  /** The clock of the machine; default: the time. */
  readonly clock?: Date;
}

export interface Machine {
  /** What the machine has written to its serial console. */
  readonly console: () => string;
  /** Runs a shell script as the user core. */
  readonly run: (script: string, input?: string) => Promise<Result>;
  /** Takes the CD out, even while the machine uses it. */
  readonly eject: () => Promise<void>;
  /** Resolves when the machine is off. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface Result {
  readonly code: number | null;
  readonly output: string;
}

function ip(args: string): void {
  execFileSync('ip', args.split(' '));
}

/** Makes the network of this machine. Needs root. */
function prepareNetwork({ guest, host }: Network): void {
  if (host === direct.host) {
    if (!existsSync(`/sys/class/net/${TAP}`)) ip(`tuntap add ${TAP} mode tap`);
    ip(`address replace ${host}/24 dev ${TAP}`);
    ip(`link set ${TAP} up`);
  } else {
    // Without the source address, connections to a forwarded port would come from the address of the guest.
    ip(`address replace ${guest}/32 dev lo`);
    ip(`route replace local ${guest} dev lo table local src 127.0.0.1`);
  }
}

function removeNetwork({ guest, host }: Network): void {
  const args = host === direct.host ? `link del ${TAP}` : `address del ${guest}/32 dev lo`;
  spawnSync('ip', args.split(' '));
}

/** @param folder gets the disk, and the key `ssh-key` must be in it */
export async function startMachine(folder: string, options: MachineOptions): Promise<Machine> {
  const disk = join(folder, 'disk.img');
  writeFileSync(disk, '');
  truncateSync(disk, 8 * 2 ** 30);
  const { network } = options;
  prepareNetwork(network);
  const ssh =
    network === direct ? { host: network.guest, port: 22 } : { host: '127.0.0.1', port: await freePort() };
  const args = [
    ...'-nodefaults -no-user-config -display none -no-reboot -machine pc -accel tcg,thread=multi -cpu max -smp 2 -m 4096'.split(
      ' ',
    ),
    ...'-vga std -monitor none -serial stdio -device virtio-rng-pci'.split(' '),
    ...firmwareArguments(folder, options.firmware ?? 'bios'),
    ...sourceArguments(options.source),
    ...(options.clock === undefined ? [] : ['-rtc', `base=${options.clock.toISOString().slice(0, 19)}`]),
    '-qmp',
    `unix:${socketOf(folder)},server=on,wait=off`,
    '-drive',
    `if=none,id=disk,format=raw,file=${disk}`,
    '-device',
    `virtio-blk-pci,drive=disk,serial=${DISK_SERIAL}`,
    '-netdev',
    network === direct
      ? `tap,id=net,ifname=${TAP},script=no,downscript=no`
      : `user,id=net,hostfwd=tcp:${ssh.host}:${ssh.port}-:22,hostfwd=tcp:${network.guest}:9999-:9999`,
    '-device',
    `virtio-net-pci,netdev=net,mac=${GUEST_MAC},romfile=`,
  ];
  const qemu = spawn('qemu-system-x86_64', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  qemu.once('close', () => removeNetwork(network));
  let text = '';
  qemu.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    writeFileSync(join(folder, CONSOLE), chunk, { flag: 'a' });
  });
  return {
    console: () => text,
    run: async (script, input = '') => runScript(join(folder, 'ssh-key'), ssh, script, input),
    eject: async () => ejectDisc(socketOf(folder)),
    ended: once(qemu, 'close').then(() => undefined),
    stop: async () => stop(qemu),
  };
}

function socketOf(folder: string): string {
  return join(folder, 'qmp');
}

/** @param socket of the QEMU Machine Protocol, which wants its capabilities negotiated before the first command */
async function ejectDisc(socket: string): Promise<void> {
  const connection = connect(socket);
  const replies = createInterface({ input: connection })[Symbol.asyncIterator]();
  await replies.next(); // the greeting
  for (const command of [
    { execute: 'qmp_capabilities' },
    { execute: 'eject', arguments: { device: 'cd', force: true } },
  ]) {
    connection.write(`${JSON.stringify(command)}\n`);
    for (let reply = {}; !('return' in reply);) {
      const { value } = await replies.next();
      if (value === undefined) throw new Error('QEMU has closed its socket');
      reply = JSON.parse(value);
      if ('error' in reply) throw new Error(value);
    }
  }
  connection.destroy();
}

function sourceArguments(source: BootSource): string[] {
  if ('iso' in source) {
    const drive = `if=none,id=cd,media=cdrom,readonly=on,format=raw,file=${source.iso}`;
    return ['-drive', drive, '-device', 'ide-cd,drive=cd,bootindex=0'];
  }
  return ['-kernel', source.kernel, '-initrd', source.initramfs, '-append', source.args];
}

function firmwareArguments(folder: string, firmware: 'bios' | 'uefi'): string[] {
  if (firmware === 'bios') return [];
  const variables = join(folder, 'variables.fd');
  copyFileSync('/usr/share/OVMF/OVMF_VARS.fd', variables);
  return [
    '-drive',
    'if=pflash,unit=0,readonly=on,format=raw,file=/usr/share/OVMF/OVMF_CODE.fd',
    '-drive',
    `if=pflash,unit=1,format=raw,file=${variables}`,
  ];
}

async function stop(qemu: ChildProcess): Promise<void> {
  if (qemu.exitCode !== null || qemu.signalCode !== null) return;
  const closed = once(qemu, 'close');
  qemu.kill('SIGKILL');
  await closed;
}

interface Server {
  readonly host: string;
  readonly port: number;
}

/** Tries again where the SSH server does not run yet: ssh then ends with 255. */
async function runScript(key: string, server: Server, script: string, input: string): Promise<Result> {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'ConnectTimeout=60',
    'LogLevel=ERROR',
  ];
  const args = [
    ...options.flatMap((option) => ['-o', option]),
    '-i',
    key,
    '-p',
    String(server.port),
    `core@${server.host}`,
    script,
  ];
  for (let tries = 0; ; tries++) {
    const ssh = spawn('ssh', args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [ssh.stdout, ssh.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    ssh.stdin.on('error', () => undefined).end(input);
    const code = await new Promise<number | null>((resolve) => void ssh.on('close', resolve));
    if (code !== 255 || tries === 20) return { code, output };
    await setTimeout(3000);
  }
}
