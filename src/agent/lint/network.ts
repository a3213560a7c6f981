/** Lint of the host's network: consistent connections, and a way to Ironic. */

import { posix } from 'node:path';
import type { Finding, Path } from '../../core/finding.ts';
import { readKeyfile } from '../../network/keyfile/readKeyfile.ts';
import { networkRules } from '../../network/networkRules.ts';
import {
  findConnectionProblems,
  findOwnAddresses,
  findReachProblems,
  networkServers,
} from '../../network/reachability.ts';
import { KEYFILE_FOLDER } from '../files.ts';
import { connectionsOf, isKeyfilePath } from '../hostNetwork.ts';
import { listNeeds } from '../contacts.ts';
import { type LintedFile, type LintSubject, readContents, textOf } from './subject.ts';

export function checkConnections(subject: LintSubject): Finding[] {
  // NetworkManager loads only keyfiles that it can parse and that no other user can read.
  const keyfiles = [...subject.filesByPath.values()].filter(({ name }) => isKeyfilePath(name));
  return [
    ...keyfiles.flatMap((keyfile) => [...checkMode(keyfile), ...checkSyntax(keyfile)]),
    ...checkParsed(subject),
  ];
}

/** Ignition creates files with the mode 0644. */
function checkMode({ name, file: { contents, mode = 0o644 }, path }: LintedFile): Finding[] {
  if (contents?.source === undefined || (Number(mode) & 0o077) === 0) return [];
  const message = `NetworkManager ignores ${posix.basename(name)}, because other users can access the file`;
  return [{ ...networkRules.inconsistent, path: [...path, 'mode'], message, hint: MODE_HINT }];
}

function checkSyntax(keyfile: LintedFile): Finding[] {
  if (readContents(keyfile.file.contents) === undefined) return [];
  const about = posix.basename(keyfile.name);
  return readKeyfile(about, textOf(keyfile)).problems.map(({ hint, line, message, severity }) => {
    const rule = severity === 'error' ? networkRules.ignored : networkRules.inconsistent;
    const place = line === undefined ? about : `${about}:${line}`;
    return { ...rule, path: keyfile.source, message: `${place}: ${message}`, hint, line };
  });
}

const MODE_HINT = 'set "mode" to 384, which is octal 0600';

function checkParsed(subject: LintSubject): Finding[] {
  const connections = connectionsOf(subject.config);
  const [first] = connections;
  if (first === undefined) return [];
  const sourceOf = (file: string): Path => subject.filesByPath.get(`${KEYFILE_FOLDER}/${file}`)?.source ?? [];
  const needs = listNeeds(subject);
  return [
    ...[
      ...findConnectionProblems(connections),
      ...findOwnAddresses(connections, [...networkServers(connections), ...needs.flat()]),
    ].map(({ file, ...problem }) => ({ ...problem, path: sourceOf(file) })),
    ...findReachProblems(connections, needs).map(({ file = first.file, ...problem }) => ({
      ...networkRules.unreachable,
      path: sourceOf(file),
      ...problem,
    })),
  ];
}
