/**
 * Which hosts a program reaches without its proxy: the entries of NO_PROXY, as Python's requests reads them (`should_bypass_proxies`
 * and urllib's `proxy_bypass_environment`), which the agent uses, and as Go reads them (golang.org/x/net/http/httpproxy), in which
 * podman and Ignition are written.
 */

import { isIpv4, isLoopbackHost, parseIpv6 } from '../formats/hostName.ts';
import { parseUrl, portOf, urlHost, withoutBrackets } from '../formats/url.ts';
import { lintWarning, type Rule } from '../core/rule.ts';
import { formatAddress, isInNetwork, parseAddress } from './ipAddress.ts';
import type { Server } from './reachability.ts';

/** Whether the agent connects to the URL without a proxy. */
export function isExceptForPython(url: URL, entries: readonly string[]): boolean {
  const host = urlHost(url);
  // Only if it is the whole list.
  if (entries.length === 1 && entries[0]?.trim() === '*') return true;
  // urllib takes the last part of an IPv6 address for a port.
  const names = [host, host.replace(/:\d*$/, ''), ...(url.port === '' ? [] : [`${host}:${url.port}`])];
  return entries.some((entry) => {
    const text = entry.replaceAll(' ', '').toLowerCase();
    if (text === '') return false;
    if (isIpv4(host) && isPythonNetwork(text)) return isInNetwork(host, text.replace('/+', '/'));
    const name = text.replace(/^\.+/, '');
    // An IPv4 address is compared without its port.
    const compared = isIpv4(host) ? [host] : names;
    return compared.some((own) => own === name || own.endsWith(`.${name}`));
  });
}

/** Whether podman and Ignition connect to the URL without a proxy. */
export function isExceptForGo(url: URL, entries: readonly string[]): boolean {
  const host = urlHost(url);
  if (isLoopbackHost(host)) return true;
  const port = String(portOf(url));
  return entries.some((entry) => {
    const text = entry.trim().toLowerCase();
    if (text === '*') return true;
    if (text.includes('/')) return isInNetwork(host, text);
    const [name, onlyPort] = splitPort(text);
    if (onlyPort !== undefined && onlyPort !== port) return false;
    const [address, own] = [parseAddress(name), parseAddress(host)];
    if (address !== undefined) return own !== undefined && formatAddress(address) === formatAddress(own);
    if (name === '' || own !== undefined) return false;
    const domain = name.startsWith('*.') ? name.slice(1) : name;
    return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
  });
}

/** Splits `HOST:PORT` and `[IPV6]:PORT`; brackets without a port are kept, as in Go, and match no host. */
function splitPort(text: string): readonly [host: string, port: string | undefined] {
  const [, host, port] = /^(\[[^\]]*\]|[^:[\]]*):([^:]*)$/.exec(text) ?? [];
  return host === undefined ? [text, undefined] : [withoutBrackets(host), port === '' ? undefined : port];
}

/** How a program reads the variables of proxies. */
export interface ProxyReader {
  readonly program: string;
  readonly isExcept: typeof isExceptForGo;
  /** Whether `ALL_PROXY` is the proxy for schemes without one. */
  readonly readsAllProxy: boolean;
}

export const proxyReaders = {
  /** Also reads the exceptions much like Go. */
  curl: { program: 'curl', isExcept: isExceptForGo, readsAllProxy: true },
  /** podman and Ignition (`FromEnvironment` of golang.org/x/net/http/httpproxy). */
  go: { program: 'Go', isExcept: isExceptForGo, readsAllProxy: false },
  /** The agent. requests reads `ALL_PROXY`, but podman does not hand it to containers (`--http-proxy`). */
  requests: { program: 'requests', isExcept: isExceptForPython, readsAllProxy: false },
} satisfies Record<string, ProxyReader>;

/**
 * The proxy through which a program connects to the URL; undefined without one.
 * @param variables the environment of the program, with names in lower case
 */
export function proxyOf(
  url: URL,
  variables: ReadonlyMap<string, string>,
  { isExcept, readsAllProxy }: ProxyReader,
): URL | undefined {
  const ofScheme = variables.get(`${url.protocol.slice(0, -1)}_proxy`);
  const text = ofScheme ?? (readsAllProxy ? variables.get('all_proxy') : undefined) ?? '';
  const isDirect = text === '' || isExcept(url, (variables.get('no_proxy') ?? '').split(','));
  return isDirect ? undefined : parseUrl(text.includes('://') ? text : `http://${text}`);
}

/** The server to which a program connects for a URL: the one of the URL, or its proxy, which resolves the name in place of the host. */
export function connectedServer(
  purpose: string,
  url: URL,
  variables: ReadonlyMap<string, string>,
  reader: ProxyReader,
): Server {
  const proxy = proxyOf(url, variables, reader);
  return proxy === undefined ? { purpose, host: urlHost(url) } : { purpose: 'proxy', host: urlHost(proxy) };
}

export const exceptionRule = lintWarning(
  'agent-proxy-exception',
  'the agent ignores an entry in the list of hosts without a proxy',
  'use a domain such as .example.com, an address, or a network such as 192.0.2.0/24',
);

/** Reports entries that match no host for the agent, although they may for podman and Ignition. */
export function findIgnoredExceptions(entries: readonly string[]): Rule[] {
  return entries.flatMap((entry) => findIgnored(entry.trim(), entries.length > 1) ?? []);
}

function findIgnored(text: string, hasOthers: boolean): Rule | undefined {
  const ignored = (why: string, hint = exceptionRule.hint): Rule => ({
    ...exceptionRule,
    message: `the agent ignores ${text} in the list of hosts without a proxy: Python's requests ${why}`,
    hint,
  });
  if (text === '*' && hasOthers)
    return ignored('reads * only as the whole list', 'remove all entries except *');
  if (text.startsWith('*.')) return ignored('supports no wildcards', `use ${text.slice(1)}`);
  if (text.startsWith('[')) {
    const hint = `use ${withoutBrackets(text.replace(/\]:.*$/, ']'))}`;
    return ignored('compares IPv6 addresses without brackets', hint);
  }
  if (!text.includes('/') || isPythonNetwork(text)) return undefined;
  return parseIpv6(text.split('/', 1)[0] ?? '') === undefined
    ? ignored('does not read it as a network')
    : ignored('supports no networks of IPv6', 'add the addresses of the hosts, or the domain of their names');
}

/** IPv4 with a prefix length from 1 to 32. */
function isPythonNetwork(text: string): boolean {
  const [, address = '', length = ''] = /^([^/]*)\/\+?0*(\d{1,3})$/.exec(text) ?? [];
  return isIpv4(address) && Number(length) >= 1 && Number(length) <= 32;
}
