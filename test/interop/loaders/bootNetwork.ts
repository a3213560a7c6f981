/**
 * A network of its own for one machine, with what a machine room has: dnsmasq for DHCP and TFTP, or another DHCP server beside it,
 * and a plain HTTP server.
 * It is a network namespace of Linux, so nothing of the host is touched, and it needs root.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dhcpFiles, type DhcpServer } from '../../../src/kargs/dhcpServers.ts';
import { dhcpCommands, dhcpConfigurations } from '../dhcp/servers.ts';

/** Where the folder is served, by TFTP and by HTTP. */
export const serverAddress = '10.77.0.1';
export const serverAddress6 = 'fd00:77::1';
const device = 'boot0';
/** The network of {@link serverAddress}, with another DHCP server. */
const bridge = 'bridge0';

export interface BootNetwork {
  /** Arguments of QEMU for a machine in it. */
  readonly netdev: string;
  /** Puts a program into it: the command line to start. */
  inside(...command: readonly string[]): readonly string[];
  /** What dnsmasq and the HTTP server have logged so far. */
  log(): string;
  close(): Promise<void>;
}

/** How dnsmasq is configured. */
export type Dhcp =
  /** Lines that say what machines boot, by files of the folder. */
  | { readonly kind: 'lines'; readonly lines: string }
  /** The file dnsmasq.conf of the folder as it is, after the commands for Debian that it contains. */
  | { readonly kind: 'printed' }
  /** The same, in a network whose addresses come from another DHCP server. */
  | { readonly kind: 'printed, proxy' }
  /** Kea or dhcpd with the classes of the folder; dnsmasq serves only TFTP. */
  | { readonly kind: DhcpServer };

/** @param folder that is served */
export async function openBootNetwork(folder: string, dhcp: Dhcp): Promise<BootNetwork> {
  const name = `boot-${process.pid}-${Date.now().toString(36)}`;
  const inside = (...command: readonly string[]): string[] => ['ip', 'netns', 'exec', name, ...command];
  const services: ChildProcess[] = [];
  const state = join(folder, '..', name);
  const other = `${name}-dhcp`;
  const close = async (): Promise<void> => {
    await Promise.all(services.map(stop));
    ip('netns', 'delete', name);
    if (dhcp.kind === 'printed, proxy') ip('netns', 'delete', other);
  };
  ip('netns', 'add', name);
  if (dhcp.kind === 'printed, proxy') ip('netns', 'add', other);
  try {
    ip('-n', name, 'tuntap', 'add', 'dev', device, 'mode', 'tap');
    if (dhcp.kind === 'printed, proxy') {
      services.push(startOtherDhcp(name, other, state));
    } else ip('-n', name, 'address', 'add', `${serverAddress}/24`, 'dev', device);
    ip('-n', name, 'address', 'add', `${serverAddress6}/64`, 'dev', device, 'nodad');
    ip('-n', name, 'link', 'set', device, 'up');
    const log: string[] = [];
    const dnsmasq = start(
      dhcp.kind === 'printed' || dhcp.kind === 'printed, proxy'
        ? inside('unshare', '--mount', 'sh', '-e', '-c', printedScript(folder))
        : inside(
            'dnsmasq',
            '--no-daemon',
            `--conf-file=${lineFile(folder, state, dhcp.kind === 'lines' ? `${RANGE}${dhcp.lines}` : '')}`,
          ),
    );
    const httpd = start(inside('busybox', 'httpd', '-f', '-vv', '-p', '80', '-h', folder));
    for (const service of [dnsmasq, httpd])
      service.stderr?.on('data', (chunk: Buffer) => void log.push(chunk.toString()));
    services.push(dnsmasq, httpd);
    if (dhcp.kind === 'kea' || dhcp.kind === 'isc')
      services.push(start(inside('sh', '-c', otherDhcpScript(dhcp.kind, folder, state))));
    await untilSaid(dnsmasq, log);
    return {
      netdev: `tap,ifname=${device},script=no,downscript=no,vnet_hdr=off`,
      inside,
      log: () => log.join(''),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args);
}

/** Joins the machine and a second namespace, in which busybox assigns addresses and nothing else. */
function startOtherDhcp(name: string, other: string, state: string): ChildProcess {
  ip('-n', name, 'link', 'add', bridge, 'type', 'bridge');
  ip('-n', name, 'link', 'add', 'other0', 'type', 'veth', 'peer', 'name', 'dhcp0', 'netns', other);
  for (const port of [device, 'other0']) ip('-n', name, 'link', 'set', port, 'master', bridge);
  ip('-n', name, 'address', 'add', `${serverAddress}/24`, 'dev', bridge);
  for (const link of [bridge, 'other0']) ip('-n', name, 'link', 'set', link, 'up');
  ip('-n', other, 'address', 'add', '10.77.0.2/24', 'dev', 'dhcp0');
  ip('-n', other, 'link', 'set', 'dhcp0', 'up');
  writeFileSync(
    `${state}.udhcpd`,
    `start 10.77.0.100
end 10.77.0.200
interface dhcp0
lease_file ${state}.leases
pidfile ${state}.pid
option subnet 255.255.255.0
option lease 3600
`,
  );
  return start(['ip', 'netns', 'exec', other, 'busybox', 'udhcpd', '-f', `${state}.udhcpd`]);
}

/**
 * Does what the comments of dnsmasq.conf ask for on Debian, with a /var/lib of its own, and starts dnsmasq with the file. This
 * Debian has no loader for aarch64.
 */
function printedScript(folder: string): string {
  const text = readFileSync(join(folder, 'dnsmasq.conf'), 'utf8');
  const commands = [...text.matchAll(/^#.*?((?:mkdir -p|cp|ln -s) \S+(?: \S+)?)/gm)].map(
    ([, command = '']) => command,
  );
  const asked = commands.filter((command) => !/\/usr\/share\/ipxe\/|arm64|snponly-aarch64/.test(command));
  return [
    'mount -t tmpfs tmpfs /var/lib',
    'mkdir /var/lib/misc',
    `cd '${folder}'`,
    ...asked,
    'exec dnsmasq --no-daemon --log-dhcp --conf-file=dnsmasq.conf',
  ].join('\n');
}

function lineFile(folder: string, state: string, lines: string): string {
  writeFileSync(`${state}.conf`, serviceLines(folder, state) + lines);
  return `${state}.conf`;
}

const RANGE = 'dhcp-range=10.77.0.100,10.77.0.200,1h\n';

/** Starts Kea or dhcpd with the classes that `prepare --dhcp` has written. */
function otherDhcpScript(server: DhcpServer, folder: string, state: string): string {
  const classes = join(folder, dhcpFiles[server]);
  writeFileSync(`${state}.dhcp`, dhcpConfigurations[server]({ classes, device, network: '10.77.0' }));
  return dhcpCommands[server].run(`${state}.dhcp`, device);
}

/** Everything but addresses and what machines boot. */
function serviceLines(folder: string, state: string): string {
  return `port=0
user=root
interface=${device}
bind-interfaces
log-dhcp
pid-file=
dhcp-leasefile=${state}.leases
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
