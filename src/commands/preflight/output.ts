/** The report of `preflight`: a table by hosts and checks, and JSON for programs (`schemas/preflight.json`). */

import type { Diagnostic } from '../../core/finding.ts';
import { printable } from '../../core/foreignText.ts';
import { groupBy } from '../../core/lists.ts';
import { formatNames, groupProblems } from '../../io/report/problemGroups.ts';
import { formatCheck } from '../../trial/bmc/checkOutput.ts';
import { checkNames, type CheckOutcome, type Probe } from './probe.ts';

/** The outcome of a check, and the hosts that it is about. */
export type Row = CheckOutcome & Pick<Probe, 'check'> & { readonly hosts: readonly string[] };

export interface CheckedHost {
  readonly name: string;
  /** Whether its config is valid and no check failed. */
  readonly passed: boolean;
}

/** What many hosts have in common is there once, with the values of the first. */
export function formatRows(rows: readonly Row[], hosts: readonly CheckedHost[]): string {
  const origins = new Map<Diagnostic, Row>();
  for (const row of rows) {
    const { check, hint, status, text: message } = row;
    const severity = status === 'error' || status === 'warning' ? status : 'info';
    for (const name of row.hosts)
      origins.set({ severity, rule: `${check} ${status}`, message, hint, host: { name } }, row);
  }
  const groups = groupProblems([...origins.keys()]).map(({ hosts: names, problems }) => {
    const isAll = names.length === hosts.length && names.length > 1;
    const own = problems.flatMap((problem) => origins.get(problem) ?? []);
    const heading = isAll ? `all ${names.length} hosts` : formatNames(names);
    return { heading, rows: names.length > 1 ? own.slice(0, 1) : own };
  });
  const blocks = Array.from(
    groupBy(groups, ({ heading }) => heading),
    ([heading, parts]) => {
      const own = checkNames.flatMap((name) =>
        parts.flatMap((part) => part.rows).filter(({ check }) => check === name),
      );
      return [`${heading}:`, ...own.flatMap((row) => formatCheck(row.check, row)), ''];
    },
  );
  const failed = hosts.filter(({ passed }) => !passed).map(({ name }) => name);
  const end = `${hosts.length - failed.length} of ${hosts.length} passed\n`;
  return `${blocks.flat().join('\n')}\n${end}${failed.length > 0 ? `failed: ${formatNames(failed)}\n` : ''}`;
}

export function describeRows(rows: readonly Row[], hosts: readonly CheckedHost[]): object {
  return {
    passed: hosts.every(({ passed }) => passed),
    hosts,
    checks: rows.map(({ text, ...row }) => ({ ...row, text: printable(text) })),
  };
}
