/** Runs one check and writes what it found in a line each: `rule at path`, or `rule` for the value itself. */

import { checks } from '../../src/ignition/rules.ts';
import type { Finding } from '../../src/core/finding.ts';
import type { SpecVersion } from '../../src/ignition/versions.ts';

/** The issues of the check that belongs to a Go type. */
export function issuesOf(type: string, value: unknown, version: SpecVersion = '3.4.0'): readonly Finding[] {
  const check = checks[type];
  if (check === undefined) throw new Error(`no check for ${type}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test passes a value of the type
  return [...check(value as never, version)];
}

export function brokenRules(type: string, value: unknown, version: SpecVersion = '3.4.0'): readonly string[] {
  return issuesOf(type, value, version).map(({ rule, path }) =>
    path.length === 0 ? rule : `${rule} at ${path.join('.')}`,
  );
}
