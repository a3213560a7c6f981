/** Checks the network of all kernel arguments together: what it is in the end, and whether it reaches the servers they name. */

import type { Finding } from '../core/finding.ts';
import { parseUrl } from '../formats/url.ts';
import { lintErrors, lintWarnings } from '../core/rule.ts';
import { connectedServer, proxyReaders } from '../network/noProxy.ts';
import {
  findConnectionProblems,
  findOwnAddresses,
  findReachProblems,
  networkServers,
  type Server,
} from '../network/reachability.ts';
import { hasIpxeSetting, type KernelArgument, parseArgument } from './argument.ts';
import { isNetworkArgument, readArgumentConnections } from './connections.ts';
import { allCoreosArguments, coreosArguments } from './coreosArguments.ts';

export const networkArgumentRules = {
  ...lintErrors({
    'ip-rejected': [
      'NetworkManager rejects the connection of the network arguments, so the interface has no network',
      'write the gateway and the DNS servers in the IP version of the address, or add an address of the other version',
    ],
  }),
  ...lintWarnings({
    'ip-unreachable': [
      'the network of the kernel arguments does not reach a server that the arguments name',
      'fix the ip= arguments, or use a URL that the host reaches',
    ],
  }),
};

/** @param added other arguments of the command line, which a boot loader adds */
export function checkArgumentNetwork(
  list: readonly KernelArgument[],
  added: readonly KernelArgument[] = [],
): readonly Finding[] {
  if (list.some((argument) => isNetworkArgument(argument) && hasIpxeSetting(argument.text))) return [];
  const read = readArgumentConnections(list);
  const connections = read.filter(({ rejection }) => rejection === undefined);
  const all = [...list, ...added];
  const needs = list.map((argument) => ({ path: argument.path, servers: argumentServers(argument, all) }));
  const servers = [...networkServers(connections), ...needs.flatMap((need) => need.servers)];
  const problems = [...findConnectionProblems(connections), ...findOwnAddresses(connections, servers)].map(
    ({ file, line: _line, ...problem }) => {
      const path = read.find((one) => one.file === file)?.source.path ?? [];
      return { ...problem, path };
    },
  );
  return [
    ...read.flatMap(({ rejection, source }) =>
      rejection === undefined
        ? []
        : [{ ...networkArgumentRules['ip-rejected'], path: source.path, message: rejection }],
    ),
    ...problems,
    ...(usesBootInterface(all)
      ? []
      : needs.flatMap(({ path, servers: own }) =>
          findReachProblems(connections, [own])
            .slice(0, 1)
            .map(({ hint, message }) => ({ ...networkArgumentRules['ip-unreachable'], path, message, hint })),
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
  if (purpose === undefined || value === '' || hasIpxeSetting(value)) return [];
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
    if (url === undefined || /^(?:s3|gs|arn):$/.test(url.protocol)) return []; // the servers of these are Amazon's and Google's
    // Ignition reads no proxies from kernel arguments. curl, which fetches the root filesystem, reads exceptions much like Go.
    const used = name === coreosArguments.configUrl.name ? noVariables : variables;
    return [connectedServer(purpose, url, used, isOfAgent ? proxyReaders.requests : proxyReaders.curl)];
  });
}

const noVariables: ReadonlyMap<string, string> = new Map();

/** Whether the interface from which the machine booted gets a connection with DHCP. */
export function usesBootInterface(list: readonly KernelArgument[]): boolean {
  return list.some(({ name }) => name === 'BOOTIF') && !list.some(({ text }) => text === 'rd.bootif=0');
}
