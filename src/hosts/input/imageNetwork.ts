/**
 * Checks the network of the initramfs of an image: keyfiles that are embedded in it, or kernel arguments. The agent uses the same
 * network if the config of the image has none (coreos-teardown-initramfs copies it to the system).
 */

import type { Finding } from '../../core/finding.ts';
import { posix } from 'node:path';
import { listFetched, listNeeds } from '../../agent/contacts.ts';
import { connectionsOf } from '../../agent/hostNetwork.ts';
import { readSubject } from '../../agent/lint/subject.ts';
import type { KernelArgument } from '../../kargs/argument.ts';
import { argumentConnections } from '../../kargs/connections.ts';
import { argumentServers, usesBootInterface } from '../../kargs/networkChecks.ts';
import type { Config } from '../../ignition/config.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import { embedsKeyfiles } from '../../image/inspection/imageChecks.ts';
import { isNetworkPath } from '../../image/networkSettings.ts';
import type { Connection } from '../../network/connection.ts';
import { initramfsNameProblem } from '../../network/keyfile/names.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
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
 * @param files the embedded files by path; keyfiles take the place of kernel arguments, also those that NetworkManager does not load
 * @param config of the image
 * @param others what the host needs besides
 */
export function checkImageNetwork(
  list: readonly KernelArgument[],
  files: EmbedFiles,
  config: Config | undefined,
  others: readonly Need[] = [],
): readonly NetworkFinding[] {
  const hasKeyfiles = embedsKeyfiles(files);
  const connections = hasKeyfiles ? keyfileConnections(files) : argumentConnections(list);
  if (connections.length === 0 || (!hasKeyfiles && usesBootInterface(list))) return [];
  const ofConfig = config === undefined ? [] : listInitramfsNeeds(config);
  // The servers of the arguments are checked together with a network of arguments.
  const ofArguments = hasKeyfiles ? list.map((argument) => argumentServers(argument, list)) : [];
  const needs = [...ofArguments, ...ofConfig, ...others].filter((servers) => servers.length > 0);
  const ofNetwork = hasKeyfiles ? networkServers(connections) : [];
  const addresses = findOwnAddresses(connections, [...ofNetwork, ...needs.flat()]);
  return [...addresses, ...findReachProblems(connections, needs)].map((problem) => ({
    path: [],
    ...problem,
  }));
}

export function checkKeyfileConnections(files: EmbedFiles): readonly Finding[] {
  return findConnectionProblems(keyfileConnections(files)).map((problem) => ({ path: [], ...problem }));
}

function keyfileConnections(files: EmbedFiles): readonly Connection[] {
  const keyfiles = [...files].flatMap(([path, data]) =>
    isNetworkPath(path) ? [{ name: posix.basename(path), data }] : [],
  );
  return readConnections(keyfiles.filter(({ name }) => initramfsNameProblem(name) === undefined));
}

/** What a config needs of the network of the initramfs. It is not the network of the agent if the config has one of its own. */
function listInitramfsNeeds(config: Config): readonly Need[] {
  return connectionsOf(config).length > 0 ? listFetched(readSubject(config)) : listServers(config);
}

export function listServers(config: Config): readonly Need[] {
  const subject = readSubject(config);
  return [...listNeeds(subject), ...listFetched(subject)];
}
