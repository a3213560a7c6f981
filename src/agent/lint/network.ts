/** Lint of the host's network: consistent connections, and a way to Ironic. */

import { posix } from 'node:path';
import type { Finding, Path } from '../../core/finding.ts';
import type { Config } from '../../ignition/config.ts';
import type { Connection } from '../../network/connection.ts';
import type { KeyfileProblem } from '../../network/keyfile/profile.ts';
import { readKeyfile } from '../../network/keyfile/readKeyfile.ts';
import { networkRules } from '../../network/networkRules.ts';
import {
  findConnectionProblems,
  findOwnAddresses,
  findReachProblems,
  type Need,
  networkServers,
} from '../../network/reachability.ts';
import { listNeeds } from '../contacts.ts';
import { isKeyfilePath } from '../hostNetwork.ts';
import { readContents, readSubject } from './subject.ts';

interface CheckedNetwork {
  readonly findings: readonly Finding[];
  /** Of the keyfiles that can be parsed. */
  readonly connections: readonly Connection[];
}

/**
 * The connections of keyfiles, and the findings about them and about servers that the host does not reach with them.
 * @param needs the servers, if they are known; not called without a connection
 */
export function lintNetwork(
  config: Config,
  needs = (): readonly Need[] => listNeeds(readSubject(config)),
): CheckedNetwork {
  const { files = [] } = config.storage ?? {};
  // NetworkManager loads only keyfiles that it can parse and that no other user can read.
  const sources = new Map<string, Path>();
  const connections: Connection[] = [];
  const findings = files.flatMap(({ contents, mode = 0o644, path = '' }, index) => {
    if (!isKeyfilePath(path) || contents?.source === undefined) return [];
    const about = posix.basename(path);
    const source = ['storage', 'files', index, 'contents', 'source'];
    const exposed = (Number(mode) & 0o077) === 0 ? [] : [exposedKeyfile(about, ['storage', 'files', index])];
    const data = readContents(contents);
    if (data === undefined) return exposed;
    const { connection, problems } = readKeyfile(about, Buffer.from(data).toString());
    sources.set(about, source);
    if (connection !== undefined) connections.push(connection);
    return [...exposed, ...problems.map((problem) => ofKeyfile(problem, about, source))];
  });
  const sourceOf = (file: string): Path => sources.get(file) ?? [];
  return { findings: [...findings, ...checkParsed(connections, sourceOf, needs)], connections };
}

/** Ignition creates files with the mode 0644. */
function exposedKeyfile(about: string, path: Path): Finding {
  const message = `NetworkManager ignores ${about}, because other users can access the file`;
  const hint = 'set "mode" to 384, which is octal 0600';
  return { ...networkRules['agent-network'], path: [...path, 'mode'], message, hint };
}

function ofKeyfile({ hint, line, message, severity }: KeyfileProblem, about: string, path: Path) {
  const rule = severity === 'error' ? networkRules['agent-keyfile'] : networkRules['agent-network'];
  const place = line === undefined ? about : `${about}:${line}`;
  return { ...rule, path, message: `${place}: ${message}`, hint, line };
}

function checkParsed(
  connections: readonly Connection[],
  sourceOf: (file: string) => Path,
  needsOf: () => readonly Need[],
): Finding[] {
  const [first] = connections;
  if (first === undefined) return [];
  const needs = needsOf();
  return [
    ...findConnectionProblems(connections),
    ...findOwnAddresses(connections, [...networkServers(connections), ...needs.flat()]),
    ...findReachProblems(connections, needs),
  ].map(({ file = first.file, ...problem }) => ({ ...problem, path: sourceOf(file) }));
}
