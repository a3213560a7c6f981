/** The problems that several machines of a page have: they are above its table, and rows refer to them. */

import type { Diagnostic } from '../../core/finding.ts';
import { formatNames, groupProblems } from '../../io/report/problemGroups.ts';
import { formatCount } from '../../formats/messageText.ts';
import type { MachineCause, MachineRow } from './machineRow.ts';

/** By each of the causes that are the same: where the page has it. */
export type SharedCauses = ReadonlyMap<MachineCause, SharedCause>;

interface SharedCause {
  /** Of the element. */
  readonly id: string;
  /** The first one. */
  readonly cause: MachineCause;
  /** `12 machines: worker-0 … worker-11` */
  readonly machines: string;
}

export function shareCauses(rows: readonly MachineRow[]): SharedCauses {
  const causes = new Map<Diagnostic, MachineCause>();
  for (const { causes: shown, name, others } of rows) {
    for (const cause of [...shown, ...others]) {
      const { evidence, fix, hint = fix, severity, text } = cause;
      const message = evidence === undefined ? text : `${text} ${evidence}`;
      causes.set({ severity, message, hint, host: { name } }, cause);
    }
  }
  const shared = new Map<MachineCause, SharedCause>();
  const groups = groupProblems([...causes.keys()]).filter(({ hosts }) => hosts.length > 1);
  for (const [index, { hosts, problems }] of groups.entries()) {
    const own = problems.flatMap((problem) => causes.get(problem) ?? []);
    const [cause] = own;
    if (cause === undefined) continue;
    const machines = `${formatCount(hosts.length, 'machine')}: ${formatNames(hosts)}`;
    for (const one of own) shared.set(one, { id: `problem-${index + 1}`, cause, machines });
  }
  return shared;
}
