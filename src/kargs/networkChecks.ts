/** Checks the network of all kernel arguments together: what it is in the end, and whether it reaches the servers they name. */

import type { Finding } from '../core/finding.ts';
import { parseUrl } from '../formats/url.ts';
import { lintError, lintWarning } from '../core/rule.ts';
import { formatAddress } from '../network/ipAddress.ts';
import { connectedServer, isExceptForGo, isExceptForPython } from '../network/noProxy.ts';
import {
  findConnectionProblems,
  findOwnAddresses,
  findReachProblems,
  networkServers,
  type Server,
} from '../network/reachability.ts';
import { type KernelArgument, parseArgument } from './argument.ts';
import { acceptedConnections, type Device, type IpRequest, readDevices } from './connections.ts';
import { allCoreosArguments, coreosArguments } from './coreosArguments.ts';

export const networkArgumentRules = {
  cancelled: lintWarning(
    'ip-cancelled',
    'another network argument for the same interface cancels this one',
    'use one ip= for each interface',
  ),
  rejected: lintError(
    'ip-rejected',
    'NetworkManager rejects the connection of the network arguments, so the interface has no network',
    'write the gateway and the DNS servers in the IP version of the address, or add an address of the other version',
  ),
  unreachable: lintWarning(
    'ip-unreachable',
    'the network of the kernel arguments does not reach a server that the arguments name',
    'fix the ip= arguments, or use a URL that the host reaches',
  ),
};

/** @param added other arguments of the command line, which a boot loader adds */
export function checkArgumentNetwork(
  list: readonly KernelArgument[],
  added: readonly KernelArgument[] = [],
): readonly Finding[] {
  const devices = readDevices(list);
  const connections = acceptedConnections(devices);
  const all = [...list, ...added];
  const needs = list.map((argument) => ({ path: argument.path, servers: argumentServers(argument, all) }));
  const servers = [...networkServers(connections), ...needs.flatMap((need) => need.servers)];
  const problems = [...findConnectionProblems(connections), ...findOwnAddresses(connections, servers)].map(
    ({ file, line: _line, ...problem }) => {
      const path = devices.find(({ source }) => source.text === file)?.source.path ?? [];
      return { ...problem, path };
    },
  );
  return [
    ...devices.flatMap(checkDevice),
    ...problems,
    ...(usesBootInterface(all)
      ? []
      : needs.flatMap(({ path, servers: own }) =>
          findReachProblems(connections, [own])
            .slice(0, 1)
            .map(({ hint, message }) => ({ ...networkArgumentRules.unreachable, path, message, hint })),
        )),
  ];
}

/** The arguments with servers, and what the host needs these for. */
const purposes: ReadonlyMap<string, string> = new Map([
  ...allCoreosArguments.flatMap(({ name, fetched }) =>
    fetched === undefined ? [] : [[name, fetched] as const],
  ),
  ['ipa-api-url', 'Ironic'],
  ['ipa-inspection-callback-url', 'inspector'],
  ['ipa-ntp-server', 'NTP server'],
]);

/** The servers that an argument names; of those of the agent, one suffices. */
export function argumentServers(
  { name, value = '' }: KernelArgument,
  all: readonly KernelArgument[],
): readonly Server[] {
  const purpose = purposes.get(name);
  if (purpose === undefined || value === '' || value.includes('${')) return [];
  if (name === 'ipa-ntp-server') return [{ purpose, host: value }];
  // The environment that `systemd.setenv=` gives to all services, with names in lower case.
  const variables = new Map(
    all.flatMap((other) => {
      const variable = parseArgument(other.name === 'systemd.setenv' ? (other.value ?? '') : '');
      return variable.value === undefined ? [] : [[variable.name.toLowerCase(), variable.value] as const];
    }),
  );
  const isOfAgent = name.startsWith('ipa-');
  return (isOfAgent ? value.split(',') : [value]).flatMap((item) => {
    const url = parseUrl(item); // not `mdns`
    if (url === undefined) return [];
    // Ignition reads no proxies from kernel arguments. curl, which fetches the root filesystem, reads exceptions much like Go.
    const used = name === coreosArguments.configUrl.name ? noVariables : variables;
    return [connectedServer(purpose, url, used, isOfAgent ? isExceptForPython : isExceptForGo)];
  });
}

const noVariables: ReadonlyMap<string, string> = new Map();

/** Whether the interface from which the machine booted gets a connection with DHCP. */
export function usesBootInterface(list: readonly KernelArgument[]): boolean {
  return list.some(({ name }) => name === 'BOOTIF') && !list.some(({ text }) => text === 'rd.bootif=0');
}

function checkDevice(device: Device): readonly Finding[] {
  const { controllers, name: port, rejection, requests, source } = device;
  const controller = controllers.at(-1)?.name;
  const named = port === '' ? '' : `${port.replaceAll(':', '-')}:`;
  const hint =
    controller === undefined
      ? `use ip=${named}dhcp,dhcp6 for both IP versions, or write the address with dhcp in place of none`
      : `use ip=${controller}:dhcp, or another ip= for ${controller}`;
  const { cancelled, rejected } = networkArgumentRules;
  return [
    ...controllers.slice(1).map(({ name, source: { path } }, index) => {
      const earlier = controllers[index]?.name;
      const message =
        earlier === name
          ? `${port} is listed twice as a port of ${name}`
          : `${port} is a port of ${earlier} already; NetworkManager makes it a port of ${name} only`;
      return { ...cancelled, path, message, hint: 'list each port once' };
    }),
    ...requests.flatMap((request) => {
      const message = findMissed(device, request);
      const { path } = request.source;
      return message === undefined ? [] : [{ ...cancelled, path, message, hint }];
    }),
    ...(rejection === undefined || requests.length === 0
      ? []
      : [{ ...rejected, path: source.path, message: rejection }]),
  ];
}

/** Why an `ip=` has no effect in the end: each one changes the connection that the earlier ones have made. */
function findMissed(
  { controllers, ip, name }: Device,
  { address, gateway, method }: IpRequest,
): string | undefined {
  const device = name === '' ? 'the same interface' : name;
  const later = `a later ip= for ${device}`;
  const controller = controllers.at(-1)?.name;
  if (controller !== undefined && (method !== 'none' || address !== undefined)) {
    return `${device} is a port of ${controller}, so NetworkManager gives it no address`;
  }
  const isOff = { 4: ip[4].method === 'disabled', 6: ip[6].method === 'disabled' };
  if (method === 'dhcp' && ip[4].method !== 'auto') return `${later} turns DHCP for IPv4 off`;
  if (method === 'dhcp6' && ip[6].method !== 'auto')
    return `${later} turns DHCP and autoconfiguration for IPv6 off`;
  if (method === 'link6' && isOff[6]) return `${later} turns IPv6 off`;
  if (method === 'auto' && address === undefined && (isOff[4] || isOff[6]))
    return `${later} turns ${isOff[4] ? 'IPv4' : 'IPv6'} off`;
  if (method === 'none' && address === undefined && !(isOff[4] && isOff[6]))
    return `${later} turns the network on again`;
  const used = gateway && ip[gateway.family].gateway;
  if (gateway === undefined || used === undefined || formatAddress(gateway) === formatAddress(used))
    return undefined;
  return `${later} replaces the gateway ${formatAddress(gateway)} with ${formatAddress(used)}`;
}
