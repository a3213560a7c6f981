/**
 * A network of its own for one machine, with what a machine room has: dnsmasq for DHCP and TFTP, and a plain HTTP server.
 * It is a network namespace of Linux, so nothing of the host is touched, and it needs root.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { have } from '../../support/programs.ts';

/** Where the folder is served, by TFTP and by HTTP. */
export const serverAddress = '10.77.0.1';
const device = 'boot0';

export interface BootNetwork {
  /** Arguments of QEMU for a machine in it. */
  readonly netdev: string;
  /** Puts a program into it: the command line to start. */
  inside(...command: readonly string[]): readonly string[];
  /** What dnsmasq has logged so far. */
  log(): string;
  close(): Promise<void>;
}

/** What is not there of all that this takes. */
export function missingForBootNetwork(): readonly string[] {
  const programs = ['ip', 'dnsmasq', 'busybox'].filter((name) => !have(name));
  const root = process.getuid?.() === 0 ? [] : ['right to make a network namespace (root)'];
  return [...programs, ...root, ...(existsSync('/dev/net/tun') ? [] : ['/dev/net/tun'])];
}

/**
 * @param folder that is served
 * @param configuration lines for dnsmasq that say what machines boot
 */
export async function openBootNetwork(folder: string, configuration: string): Promise<BootNetwork> {
  const name = `boot-${process.pid}-${Date.now().toString(36)}`;
  const inside = (...command: readonly string[]): string[] => ['ip', 'netns', 'exec', name, ...command];
  const services: ChildProcess[] = [];
  const state = join(folder, '..', name);
  const close = async (): Promise<void> => {
    await Promise.all(services.map(stop));
    ip('netns', 'delete', name);
  };
  ip('netns', 'add', name);
  try {
    ip('-n', name, 'tuntap', 'add', 'dev', device, 'mode', 'tap');
    ip('-n', name, 'address', 'add', `${serverAddress}/24`, 'dev', device);
    ip('-n', name, 'link', 'set', device, 'up');
    writeFileSync(`${state}.conf`, serviceLines(folder, state) + configuration);
    const log: string[] = [];
    const dnsmasq = start(inside('dnsmasq', '--no-daemon', `--conf-file=${state}.conf`));
    dnsmasq.stderr?.on('data', (chunk: Buffer) => void log.push(chunk.toString()));
    services.push(dnsmasq, start(inside('busybox', 'httpd', '-f', '-p', '80', '-h', folder)));
    await untilSaid(dnsmasq, log);
    return { netdev: `tap,ifname=${device},script=no,downscript=no`, inside, log: () => log.join(''), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args);
}

/** Everything but what machines boot. */
function serviceLines(folder: string, state: string): string {
  return `port=0
user=root
interface=${device}
bind-interfaces
log-dhcp
pid-file=
dhcp-leasefile=${state}.leases
dhcp-range=10.77.0.100,10.77.0.200,1h
enable-tftp
tftp-root=${folder}
`;
}

function start([program = '', ...args]: readonly string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Until dnsmasq serves, or has ended. */
async function untilSaid(dnsmasq: ChildProcess, log: readonly string[]): Promise<void> {
  while (!log.join('').includes('TFTP root is')) {
    if (dnsmasq.exitCode !== null) throw new Error(`dnsmasq has ended: ${log.join('')}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

async function stop(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    service.once('exit', resolve);
  });
  service.kill();
  await ended;
}
