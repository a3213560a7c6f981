/**
 * QEMU's user network, in which a machine needs no interface of this machine. Its addresses are also addresses of the loopback
 * interface: Ironic calls the agent where the agent says that it is, and QEMU forwards that port; and a URL with the address of the
 * gateway works in the machine and here. It is not QEMU's default network, which other machines use.
 */

import { execFileSync, spawnSync } from 'node:child_process';

export const NETWORK = '10.0.3.0/24';
export const GUEST = '10.0.3.15';
/** This machine, as the machine in QEMU sees it. */
export const GATEWAY = '10.0.3.2';

const addresses = [GUEST, GATEWAY];

/** @throws Error if the addresses are in use: only one such network can be there */
export function addAddresses(): void {
  const { stdout } = spawnSync('ip', ['-o', 'addr', 'show', 'to', NETWORK], { encoding: 'utf8' });
  if (stdout !== '') throw new Error(`this machine already has addresses of ${NETWORK}: ${stdout}`);
  for (const address of addresses) execFileSync('ip', ['addr', 'add', `${address}/32`, 'dev', 'lo']);
  // Without the source address, connections to a forwarded port would come from the machine's own address.
  const route = ['route', 'replace', 'local', GUEST, 'dev', 'lo', 'table', 'local', 'src', '127.0.0.1'];
  execFileSync('ip', route);
}

export function removeAddresses(): void {
  for (const address of addresses) spawnSync('ip', ['addr', 'del', `${address}/32`, 'dev', 'lo']);
}
