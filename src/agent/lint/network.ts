/** Lint of the host's network: consistent connections, and a way to Ironic. */

import { posix } from 'node:path';
import type { Path, Problem } from '../../core/finding.ts';
import { urlHost } from '../../formats/url.ts';
import type { Config } from '../../ignition/config.ts';
import { type Issue, lintError, lintWarning } from '../../ignition/rule.ts';
import { checkKeyfile } from '../../network/keyfile/checkKeyfile.ts';
import { findConnectionProblems, findReachProblem } from '../../network/reachability.ts';
import { keyfileFolder } from '../files.ts';
import { connectionsOf } from '../hostNetwork.ts';
import {
  broken,
  confValues,
  type FileSubject,
  type LintedFile,
  readContents,
  readFiles,
  textOf,
} from './subject.ts';

export const networkRules = {
  ignored: lintError(
    'agent-keyfile',
    'NetworkManager ignores a keyfile, so the connection does not exist',
    'fix the keyfile',
  ),
  inconsistent: lintWarning(
    'agent-network',
    'a connection of the host cannot work',
    'fix the keyfile of the connection',
  ),
  unreachable: lintWarning(
    'agent-network-reach',
    'the network of the host does not reach a server that the host requires',
    'add an address, a gateway, a route or a DNS server to the network',
  ),
};

/** The findings of {@link checkConnections} for a config that is not linted otherwise. */
export function lintNetwork(config: Config): Issue[] {
  return checkConnections(readFiles(config));
}

export function checkConnections(subject: FileSubject): Issue[] {
  return [...checkKeyfiles(subject), ...checkParsed(subject)];
}

/** NetworkManager loads only keyfiles that it can parse and that no other user can read. */
function checkKeyfiles({ filesByPath }: FileSubject): Issue[] {
  const keyfiles = [...filesByPath.values()].filter(({ name }) => posix.dirname(name) === keyfileFolder);
  return keyfiles.flatMap((keyfile) => [...checkMode(keyfile), ...checkSyntax(keyfile)]);
}

/** Ignition creates files with the mode 0644. */
function checkMode({ name, file: { contents, mode = 0o644 }, path }: LintedFile): Issue[] {
  if (contents?.source === undefined || (Number(mode) & 0o077) === 0) return [];
  const message = `NetworkManager ignores ${posix.basename(name)}, because other users can access the file`;
  return [broken(networkRules.inconsistent, [...path, 'mode'], { message, hint: modeHint })];
}

function checkSyntax(keyfile: LintedFile): Issue[] {
  if (!keyfile.name.endsWith('.nmconnection')) return [];
  if (readContents(keyfile.file.contents) === undefined) return [];
  const about = posix.basename(keyfile.name);
  return checkKeyfile(textOf(keyfile)).map(({ hint, line, message, severity }) => {
    const rule = severity === 'error' ? networkRules.ignored : networkRules.inconsistent;
    const place = line === undefined ? about : `${about}:${line}`;
    return broken(rule, keyfile.source, { about: place, message, hint });
  });
}

const modeHint = 'set "mode" to 384, which is octal 0600';

function checkParsed(subject: FileSubject): Issue[] {
  const connections = connectionsOf(subject.config);
  const [first] = connections;
  if (first === undefined) return [];
  const sourceOf = (file: string): Path => subject.filesByPath.get(`${keyfileFolder}/${file}`)?.source ?? [];
  const problems = apiHosts(subject).map((host) => findReachProblem(connections, host));
  // The agent tries all URLs and uses the first that answers.
  const unreachable = problems.includes(undefined) ? [] : problems.flatMap((problem) => problem ?? []);
  return [
    ...findConnectionProblems(connections).map(({ file, ...problem }) =>
      broken(networkRules.inconsistent, sourceOf(file), problem),
    ),
    ...withoutRepeats(unreachable).map((problem) =>
      broken(networkRules.unreachable, sourceOf(first.file), { ...problem, about: 'Ironic' }),
    ),
  ];
}

/** The hosts of the URLs in `api_url`, without brackets; not `mdns`. */
function apiHosts(subject: FileSubject): string[] {
  return confValues(subject, 'api_url')
    .flatMap((value) => value.split(','))
    .flatMap((url) => (URL.canParse(url.trim()) ? [urlHost(url.trim())] : []));
}

function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [problem.message, problem])).values()];
}
