/** The problems that several machines of a page have: they are above its table, and rows refer to them. */

import type { Diagnostic } from '../../core/finding.ts';
import { groupProblems } from '../../io/report/problemGroups.ts';
import type { MachineCause, MachineRow } from './machineRow.ts';

export interface SharedCause {
  /** The first one. */
  readonly cause: MachineCause;
  /** In the order of the page. */
  readonly machines: readonly string[];
}

/** By each of the causes that are the same; the most severe first. */
export function shareCauses(rows: readonly MachineRow[]): ReadonlyMap<MachineCause, SharedCause> {
  const causes = new Map<Diagnostic, MachineCause>();
  for (const { causes: shown, name, others } of rows) {
    for (const cause of [...shown, ...others]) {
      const { evidence = '' } = cause;
      const text = `${withoutAddresses(cause.message)} ${evidence}`;
      causes.set({ ...cause, message: text, host: { name } }, cause);
    }
  }
  const shared = new Map<MachineCause, SharedCause>();
  for (const { hosts, problems } of groupProblems([...causes.keys()])) {
    const own = problems.flatMap((problem) => causes.get(problem) ?? []);
    const [cause] = own;
    if (cause === undefined || hosts.length < 2) continue;
    const group = { cause, machines: hosts };
    for (const one of own) shared.set(one, group);
  }
  return shared;
}

/** Each machine has a BMC of its own. */
function withoutAddresses(message: string): string {
  return message.replaceAll(/\bhttps?:\/\/[^\s/]*[^\s/:,;)]/g, '…');
}
