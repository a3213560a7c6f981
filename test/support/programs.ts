/** The real programs and libraries that tests compare with, from the table of oracles. */

import { findFile, isAsked, missingParts, oracleOf } from '../oracles/find.js';

/** Whether a test asks these oracles or parts of oracles now, and all of them are there. */
export function have(...names: readonly string[]): boolean {
  return whyNot(names) === undefined;
}

/**
 * For the titles of tests that need these: the oracles, by which `npm run oracles` counts the test as theirs, or the reason to skip
 * it: ` (oracle: xz)`, ` (skipped: npm run oracles asks podman)`, ` (skipped: no xz)`.
 */
export function oracleNote(...names: readonly string[]): string {
  const reason = whyNot(names);
  if (reason !== undefined) return ` (skipped: ${reason})`;
  return ` (oracle: ${[...new Set(names.map((name) => oracleOf(name).name))].join(', ')})`;
}

function whyNot(names: readonly string[]): string | undefined {
  const others = new Set(names.filter((name) => !isAsked(name)).map((name) => oracleOf(name).name));
  if (others.size > 0) return `npm run oracles asks ${[...others].join(', ')}`;
  const missing = new Set(names.flatMap((name) => missingParts(name)));
  if (missing.size > 0) return `no ${[...missing].join(', no ')}`;
  const { getuid = (): number => 0 } = process;
  const needsRoot = names.some((name) => oracleOf(name).requires !== undefined) && getuid() !== 0;
  return needsRoot ? 'only root can' : undefined;
}

/** The file or folder of an oracle or of a part. Tests without it are skipped, so an empty text is never used. */
export function oracleFile(name: string): string {
  return findFile(name) ?? '';
}
