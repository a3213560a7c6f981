/** Lint of the host's network: consistent connections, and a way to Ironic. */

import type { Path } from '../../core/finding.ts';
import type { Config } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import { type Connection, parseConnections } from '../../network/connection.ts';
import { findConnectionProblems, findReachProblem, type NetworkProblem } from '../../network/reachability.ts';
import { keyfileFolder } from '../files.ts';
import { confValues } from './conf.ts';
import { broken, warning } from './lintRule.ts';
import { type LintedFile, type LintSubject, readContents, readSubject } from './subject.ts';

export const networkRules = {
  inconsistent: warning(
    'agent-network',
    'a connection of the host cannot work',
    'fix the keyfile of the connection',
  ),
  unreachable: warning(
    'agent-network-reach',
    'the network of the host does not reach a server that the host requires',
    'add an address, a gateway, a route or a DNS server to the network',
  ),
};

/** A connection, and the file of the config that contains it. */
interface LintedConnection {
  readonly connection: Connection;
  readonly path: Path;
}

const KEYFILE_PATH = new RegExp(`^${keyfileFolder}/[^/]+\\.nmconnection$`);

/** The findings of {@link checkNetwork} for a config that is not linted otherwise. */
export function lintNetwork(config: Config): Issue[] {
  return checkNetwork(readSubject(config));
}

export function checkNetwork(subject: LintSubject): Issue[] {
  const linted = subject.files.flatMap(connectionOf);
  const [first] = linted;
  if (first === undefined) return [];
  const connections = linted.map(({ connection }) => connection);
  const pathOf = (file: string | undefined): Path =>
    (linted.find(({ connection }) => connection.file === file) ?? first).path;
  const problems = apiHosts(subject).map((host) => findReachProblem(connections, host));
  // The agent tries all URLs and uses the first that answers.
  const unreachable = problems.includes(undefined) ? [] : problems.flatMap((problem) => problem ?? []);
  return [
    ...findConnectionProblems(connections).map((problem) =>
      broken(networkRules.inconsistent, pathOf(problem.file), textsOf(problem)),
    ),
    ...withoutRepeats(unreachable).map((problem) =>
      broken(networkRules.unreachable, first.path, textsOf(problem, 'Ironic: ')),
    ),
  ];
}

/** Empty for a file that is not a keyfile, or whose contents are not in the config. */
function connectionOf({ file, name, path }: LintedFile): LintedConnection[] {
  const data = KEYFILE_PATH.test(name) ? readContents(file.contents ?? {}) : undefined;
  if (data === undefined) return [];
  return parseConnections([{ name: name.slice(keyfileFolder.length + 1), data }]).map((connection) => ({
    connection,
    path: [...path, 'contents', 'source'],
  }));
}

/** The hosts of the URLs in `api_url`, without brackets; not `mdns`. */
function apiHosts(subject: LintSubject): string[] {
  return confValues(subject, 'api_url')
    .flatMap((value) => value.split(','))
    .flatMap((url) => (URL.canParse(url.trim()) ? [urlHost(url.trim())] : []));
}

/** The host of a URL, without the brackets of an IPv6 address. */
export function urlHost(url: string): string {
  return new URL(url).hostname.replaceAll(/^\[|\]$/g, '');
}

function withoutRepeats(problems: readonly NetworkProblem[]): NetworkProblem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}

function textsOf({ hint, message }: NetworkProblem, start = ''): { message: string; hint: string } {
  return { message: `${start}${message}`, hint };
}
