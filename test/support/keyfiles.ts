/** Keyfiles of tests. */

import type { Connection } from '../../src/network/connection.ts';
import type { KeyfileProblem } from '../../src/network/keyfile/profile.ts';
import { readKeyfile } from '../../src/network/keyfile/readKeyfile.ts';

/** The connection of a keyfile, which may have problems. */
export function parseConnection(file: string, text: string): Connection {
  const { connection, problems } = readKeyfile(file, text);
  if (connection === undefined) throw new Error(problems.map(({ message }) => message).join());
  return connection;
}

export function keyfileProblems(text: string): readonly KeyfileProblem[] {
  return readKeyfile('a.nmconnection', text).problems;
}
