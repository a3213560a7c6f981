/** Where the service is to be found: an address and a port, or a socket that systemd has opened for it. */

import type { AddressInfo, ListenOptions } from 'node:net';
import { CliError, UsageError } from '../../core/errors.ts';
import { parseHost, formatUrlHost } from '../../formats/hostName.ts';
import { errorCode } from '../../io/files/fileErrors.ts';

export type ListenAddress =
  | {
      readonly kind: 'tcp';
      /** A name or an address without brackets; undefined for all addresses of the machine. */
      readonly host: string | undefined;
      /** 0: one that is free. */
      readonly port: number;
    }
  | { readonly kind: 'inherited'; readonly fd: number };

/** The first file descriptor that systemd passes on (sd_listen_fds). */
const FIRST_INHERITED = 3;

/**
 * `HOST:PORT`, `[::1]:PORT`, or `:PORT` for all addresses.
 * @throws UsageError
 */
export function parseListenAddress(text: string): ListenAddress {
  const { address, port } = splitAddress(text);
  if (!/^[0-9]+$/.test(port)) throw noAddress(text, `the port ${JSON.stringify(port)} is not a number`);
  if (Number(port) > HIGHEST_PORT) throw noAddress(text, `the port ${port} is above ${HIGHEST_PORT}`);
  if (address === '') return { kind: 'tcp', host: undefined, port: Number(port) };
  const bracketed = /^\[(.*)\]$/.exec(address)?.[1];
  if (bracketed === undefined && address.includes(':')) throw noAddress(text, 'IPv6 addresses need brackets');
  const host = parseHost(bracketed ?? address);
  if (host.kind === 'invalid')
    throw noAddress(text, `${JSON.stringify(bracketed ?? address)}: ${host.problem}`);
  if ((host.kind === 'ipv6') !== (bracketed !== undefined))
    throw noAddress(text, 'brackets are for IPv6 addresses');
  return { kind: 'tcp', host: bracketed ?? address, port: Number(port) };
}

const HIGHEST_PORT = 65_535;

/** At the last colon outside of brackets. */
function splitAddress(text: string): { readonly address: string; readonly port: string } {
  if (text.includes('://')) throw noAddress(text, 'it is a URL');
  const colon = text.endsWith(']') ? -1 : text.lastIndexOf(':');
  const port = text.slice(colon + 1);
  if (colon >= 0 && port !== '') return { address: text.slice(0, colon), port };
  throw noAddress(
    text,
    /^[0-9]+$/.test(text) ? 'the colon before the port is missing' : 'the port is missing',
  );
}

function noAddress(text: string, problem: string): UsageError {
  return new UsageError(`Cannot listen on ${JSON.stringify(text)}: ${problem}`, {
    hint: 'pass ADDRESS:PORT, [::1]:PORT, or :PORT for all addresses of the machine',
  });
}

/** The socket of a systemd unit of type socket, if this process was started for one; the environment says so. */
export function inheritedAddress(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): ListenAddress | undefined {
  if (env['LISTEN_PID'] !== String(pid) || env['LISTEN_FDS'] === undefined) return undefined;
  if (env['LISTEN_FDS'] !== '1') {
    throw new CliError(`systemd passes on ${env['LISTEN_FDS']} sockets, where one is served`, {
      code: 'ERR_LISTEN',
      hint: 'leave one ListenStream= in the .socket unit',
    });
  }
  return { kind: 'inherited', fd: FIRST_INHERITED };
}

/** Whether only programs of the same machine can reach it. What is inherited may be anything. */
export function isLoopback(address: ListenAddress): boolean {
  if (address.kind === 'inherited') return false;
  const { host = '' } = address;
  return (
    host === 'localhost' || host === '::1' || (host.startsWith('127.') && parseHost(host).kind === 'ipv4')
  );
}

/** For node's `listen`. */
export function listenOptions(address: ListenAddress): ListenOptions & { readonly fd?: number } {
  if (address.kind === 'inherited') return { fd: address.fd };
  return { port: address.port, ...(address.host === undefined ? {} : { host: address.host }) };
}

/** `http://127.0.0.1:8080`, for a person who wants to open it: of all addresses, the one of this machine. */
export function formatOrigin(scheme: 'http' | 'https', bound: AddressInfo | string | null): string {
  if (bound === null || typeof bound === 'string') return `${scheme}://localhost`;
  const isAny = bound.address === '::' || bound.address === '0.0.0.0';
  const host = parseHost(isAny ? 'localhost' : bound.address);
  return `${scheme}://${host.kind === 'invalid' ? bound.address : formatUrlHost(host)}:${bound.port}`;
}

/** Why nothing could be served there. Passes on what is no system error. */
export function listenError(error: unknown, address: ListenAddress): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const [problem, hint] = listenProblems[code] ?? [code, 'give another address and port'];
  return new CliError(`Cannot listen on ${formatAddress(address)}: ${problem}`, {
    code: 'ERR_LISTEN',
    hint,
    cause: error,
  });
}

function formatAddress(address: ListenAddress): string {
  if (address.kind === 'inherited') return `the socket of systemd (file descriptor ${address.fd})`;
  const { host = '', port } = address;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const listenProblems: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  EADDRINUSE: ['another program listens there', 'end that program, or give another port'],
  EACCES: [
    'ports below 1024 are for privileged programs',
    'give a higher port, or let systemd open the socket, or grant CAP_NET_BIND_SERVICE',
  ],
  EADDRNOTAVAIL: ['this machine does not have the address', 'see its addresses with: ip address'],
  ENOTFOUND: ['no such host is known', 'give an address of this machine'],
  EAI_AGAIN: ['no such host is known', 'give an address of this machine'],
  EAFNOSUPPORT: ['this machine has no such kind of address', 'give an IPv4 address'],
  EBADF: ['there is no such socket', 'start it by its .socket unit'],
  EINVAL: ['that is no socket to listen on', 'give ListenStream= in the .socket unit'],
  ENOTSOCK: ['that is no socket to listen on', 'give ListenStream= in the .socket unit'],
};
