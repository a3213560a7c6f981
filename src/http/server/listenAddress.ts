/** The listen address of a service: an address and a port, or a socket that systemd has opened. */

import { quoteText } from '../../core/foreignText.ts';
import type { AddressInfo, ListenOptions } from 'node:net';
import { CliError, UsageError } from '../../core/errors.ts';
import { formatUrlHost, isLoopbackHost, parseHost } from '../../formats/hostName.ts';
import { parseUrl, withBrackets, withoutBrackets } from '../../formats/url.ts';
import { errorCode } from '../../io/files/fileErrors.ts';

export type ListenAddress =
  | {
      readonly kind: 'tcp';
      /** A name or an address without brackets; undefined for all addresses of the machine. */
      readonly host: string | undefined;
      /** Without a host: only all IPv4 addresses. */
      readonly isIpv4Only?: true;
      /** 0: any free port. */
      readonly port: number;
    }
  | { readonly kind: 'inherited'; readonly fd: number };

/** The first file descriptor that systemd passes (sd_listen_fds). */
const FIRST_INHERITED = 3;

/** `HOST:PORT`, `[::1]:PORT`, or `:PORT` for all addresses, also as `[::]:PORT`; `0.0.0.0:PORT` for all IPv4 addresses. */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain = '', digits] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d+)$/.exec(text) ?? [];
  if (digits === undefined) throw invalidAddress(text, 'it is not ADDRESS:PORT');
  const port = Number(digits);
  if (port > HIGHEST_PORT) throw invalidAddress(text, `the port ${digits} is above ${HIGHEST_PORT}`);
  const address = bracketed ?? plain;
  if (text.startsWith(':')) return { kind: 'tcp', host: undefined, port };
  const host = parseHost(address);
  if (host.kind === 'invalid') throw invalidAddress(text, `${quoteText(address)}: ${host.problem}`);
  if ((host.kind === 'ipv6') !== (bracketed !== undefined))
    throw invalidAddress(text, 'only IPv6 addresses have brackets');
  const ipv6 = parseUrl(`http://[${address}]`)?.hostname; // in its usual form; undefined for all others
  if (ipv6 === '[::]') return { kind: 'tcp', host: undefined, port };
  if (address === ANY_IPV4) return { kind: 'tcp', host: undefined, isIpv4Only: true, port };
  return { kind: 'tcp', host: ipv6 === undefined ? address : withoutBrackets(ipv6), port };
}

const ANY_IPV4 = '0.0.0.0';

const HIGHEST_PORT = 65_535;

function invalidAddress(text: string, problem: string): UsageError {
  return new UsageError(`Cannot listen on ${quoteText(text)}: ${problem}`, {
    hint: 'pass ADDRESS:PORT, [::1]:PORT, or :PORT for all addresses of the machine',
  });
}

/** The socket of a systemd socket unit, if the environment contains one for this process. */
export function inheritedAddress(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): ListenAddress | undefined {
  if (env['LISTEN_PID'] !== String(pid) || env['LISTEN_FDS'] === undefined) return undefined;
  if (env['LISTEN_FDS'] !== '1') {
    throw new CliError(`systemd passes ${env['LISTEN_FDS']} sockets; only one is supported`, {
      code: 'ERR_LISTEN',
      hint: 'keep only one ListenStream= in the .socket unit',
    });
  }
  return { kind: 'inherited', fd: FIRST_INHERITED };
}

/** Whether only this machine can connect. An inherited socket counts as reachable from other machines. */
export function isLoopback(address: ListenAddress): boolean {
  return address.kind === 'tcp' && isLoopbackHost(address.host ?? '');
}

/**
 * Connections that the kernel keeps until the process accepts them; Linux limits it to `net.core.somaxconn`, 4096. With the 511 of
 * Node, machines that start at the same time lose their request and send it again only seconds later.
 */
const BACKLOG = 4096;

export function listenOptions(address: ListenAddress): ListenOptions & { readonly fd?: number } {
  if (address.kind === 'inherited') return { fd: address.fd };
  const host = boundHost(address);
  return { port: address.port, backlog: BACKLOG, ...(host !== undefined && { host }) };
}

/** Without a host, Node listens on all addresses, also where the machine has no IPv6. */
function boundHost({ host, isIpv4Only }: Extract<ListenAddress, { kind: 'tcp' }>): string | undefined {
  return isIpv4Only === true ? ANY_IPV4 : host;
}

/** A URL for this machine, such as `http://127.0.0.1:8080`; `localhost` if the server listens on all addresses. */
export function formatOrigin(scheme: 'http' | 'https', bound: AddressInfo | string | null): string {
  if (bound === null || typeof bound === 'string') return `${scheme}://localhost`;
  const isAny = bound.address === '::' || bound.address === ANY_IPV4;
  const host = parseHost(isAny ? 'localhost' : bound.address);
  return `${scheme}://${host.kind === 'invalid' ? bound.address : formatUrlHost(host)}:${bound.port}`;
}

/** The error for an address on which the server cannot listen. Other errors are returned unchanged. */
export function listenError(error: unknown, address: ListenAddress): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const [problem, hint] = listenProblems[code] ?? [code, 'pass another address and port with --listen'];
  return new CliError(`Cannot listen on ${formatAddress(address)}: ${problem}`, {
    code: 'ERR_LISTEN',
    hint,
    cause: error,
  });
}

function formatAddress(address: ListenAddress): string {
  if (address.kind === 'inherited') return `the systemd socket (file descriptor ${address.fd})`;
  return `${withBrackets(boundHost(address) ?? '')}:${address.port}`;
}

const listenProblems: Readonly<Record<string, readonly [problem: string, hint: string]>> = {
  EADDRINUSE: ['the address is already in use', 'stop the other program, or pass another port with --listen'],
  EACCES: [
    'ports below 1024 require privileges',
    'pass a higher port, use a systemd socket unit, or grant CAP_NET_BIND_SERVICE',
  ],
  EADDRNOTAVAIL: ['this machine does not have this address', 'list its addresses with: ip address'],
  ENOTFOUND: ['host name not found', 'pass an IP address of this machine'],
  EAI_AGAIN: ['host name not found', 'pass an IP address of this machine'],
  EAFNOSUPPORT: ['this machine does not support this address family', 'pass an IPv4 address'],
  EBADF: ['the socket does not exist', 'start the service with its .socket unit'],
  EINVAL: ['it is not a listening socket', 'use ListenStream= in the .socket unit'],
  ENOTSOCK: ['it is not a listening socket', 'use ListenStream= in the .socket unit'],
};
