/** Findings that were made about a config as data, joined with their places in the document that it came from. */

import { locatePaths, positionsOf } from '../formats/json/locate.ts';
import type { Finding } from '../core/finding.ts';

/** Gives each finding the position of what its path leads to; `bytes` are valid JSON. */
export function locateFindings(findings: readonly Finding[], bytes: Buffer): readonly Finding[] {
  if (findings.length === 0) return findings;
  const paths = findings.map(({ path }) => path);
  const positions = positionsOf(bytes, locatePaths(bytes, paths));
  return findings.map((finding, index) => {
    const position = positions[index];
    return position === undefined || finding.path.length === 0 ? finding : { ...finding, position };
  });
}
