/**
 * Checks the network of the initramfs of an image: keyfiles that are embedded in it, or kernel arguments. The agent uses the same
 * network if the config of the image has none (coreos-teardown-initramfs copies it to the system).
 */

import type { Finding } from '../../core/finding.ts';
import { posix } from 'node:path';
import { ignitionContact, listNeeds, serverOf } from '../../agent/contacts.ts';
import { connectionsOf } from '../../agent/hostNetwork.ts';
import { readSubject } from '../../agent/lint/subject.ts';
import type { KernelArgument } from '../../kargs/argument.ts';
import { argumentConnections } from '../../kargs/connections.ts';
import { argumentServers, usesBootInterface } from '../../kargs/networkChecks.ts';
import type { Config } from '../../ignition/config.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { isNetworkPath } from '../../image/networkSettings.ts';
import type { Connection } from '../../network/connection.ts';
import { initramfsNameProblem } from '../../network/keyfile/names.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import { networkRules } from '../../network/networkRules.ts';
import {
  findConnectionProblems,
  findOwnAddresses,
  findReachProblems,
  type Need,
  networkServers,
} from '../../network/reachability.ts';

/** An issue, with the name of the keyfile that its line is in. */
export interface NetworkFinding extends Finding {
  readonly file?: string | undefined;
}

/**
 * The issues of the network of an image.
 * @param list all kernel arguments of the machine, as far as they are known
 * @param files the embedded files by path
 * @param others what the host needs besides
 */
export function checkImageNetwork(
  list: readonly KernelArgument[],
  files: EmbedFiles,
  others: readonly Need[] = [],
): readonly NetworkFinding[] {
  const keyfiles = [...files].filter(([path]) => isNetworkPath(path));
  const connections = initramfsConnections(list, files);
  if (connections.length === 0 || (keyfiles.length === 0 && usesBootInterface(list))) return [];
  const ofConfig = readNeeds(files.get(CONFIG_NAME));
  // The servers of the arguments are checked together with a network of arguments.
  const ofArguments = keyfiles.length === 0 ? [] : list.map((argument) => argumentServers(argument, list));
  const needs = [...ofArguments, ...ofConfig, ...others].filter((servers) => servers.length > 0);
  const ofNetwork = keyfiles.length === 0 ? [] : networkServers(connections);
  const addresses = findOwnAddresses(connections, [...ofNetwork, ...needs.flat()]);
  return [
    ...addresses.map((problem) => ({ path: [], ...problem })),
    ...findReachProblems(connections, needs).map((problem) => {
      return { ...networkRules['agent-network-reach'], path: [], ...problem };
    }),
  ];
}

/** Embedded files take the place of kernel arguments, also those that NetworkManager does not load. */
function initramfsConnections(list: readonly KernelArgument[], files: EmbedFiles): readonly Connection[] {
  const keyfiles = [...files].filter(([path]) => isNetworkPath(path));
  return keyfiles.length > 0
    ? readConnections(
        keyfiles
          .map(([path, data]) => ({ name: posix.basename(path), data }))
          .filter(({ name }) => initramfsNameProblem(name) === undefined),
      )
    : argumentConnections(list);
}

export function checkKeyfileConnections(files: EmbedFiles): readonly Finding[] {
  if (![...files.keys()].some(isNetworkPath)) return [];
  return findConnectionProblems(initramfsConnections([], files)).map((problem) => ({ path: [], ...problem }));
}

/** What a config needs of the network of the initramfs. It is not the network of the agent if the config has one of its own. */
function readNeeds(document: Uint8Array | undefined): readonly Need[] {
  const read = document === undefined ? undefined : readEffectiveConfig(document);
  if (read?.status !== 'read') return [];
  const { config } = read;
  return connectionsOf(config).length > 0 ? listFetched(config) : listServers(config);
}

/** The servers of the agent and of Ignition. */
export function listServers(config: Config): readonly Need[] {
  return [...listNeeds(readSubject(config)), ...listFetched(config)];
}

/** The servers from which Ignition fetches contents, in the initramfs. */
export function listFetched(config: Config): readonly Need[] {
  const { access, urls } = ignitionContact(readSubject(config));
  return urls.map((url) => [serverOf('contents for Ignition', url, access)]);
}
