/** The output of `boot --check`: text for users, and JSON for programs (`schemas/boot-check.json`). */

import type { Diagnostic } from '../../core/finding.ts';
import { printable } from '../../core/foreignText.ts';
import { formatGrouped } from '../../io/report/diagnosticText.ts';
import { formatNames } from '../../io/report/problemGroups.ts';
import { wrapText } from '../../io/report/terminalText.ts';
import { type CheckedMachine, isRefused } from './checks.ts';

export function formatChecks(machines: readonly CheckedMachine[]): string {
  const lines = machines.flatMap(({ checks, target }) => [
    `${printable(target.name)}: ${isRefused(checks) ? 'cannot be booted' : 'can be booted'}`,
    ...checks.flatMap((check) => formatCheck(check.id, check)),
    '',
  ]);
  return `${lines.join('\n')}\n${formatVerdict(machines)}`;
}

/** Lines of a table: the name of the check, what it found, and the hint. */
export function formatCheck(
  name: string,
  {
    hint,
    status,
    text,
  }: { readonly status: string; readonly text: string; readonly hint?: string | undefined },
): readonly string[] {
  const mark = status === 'ok' ? '' : `${status}: `;
  const rest = ' '.repeat(15);
  return [
    ...wrapText(printable(`${mark}${text}`), { first: `  ${name.padEnd(13)}`, rest }),
    ...(hint === undefined ? [] : wrapText(printable(`hint: ${hint}`), { first: rest, rest })),
  ];
}

/** Only the problems, each once for all machines. */
export function formatProblems(machines: readonly CheckedMachine[]): string {
  return `${formatGrouped(machines.flatMap(problemsOf))}${formatVerdict(machines)}`;
}

/** What prevents a boot of the machine, and warnings. */
export function problemsOf({ checks, target }: CheckedMachine): Diagnostic[] {
  return checks.flatMap(({ hint, status, text }) =>
    status === 'ok'
      ? []
      : [{ severity: status, message: text, hint, host: { name: target.name, state: 'not bootable' } }],
  );
}

function formatVerdict(machines: readonly CheckedMachine[]): string {
  const refused = machines.filter(({ checks }) => isRefused(checks)).map(({ target }) => target.name);
  const count = `${machines.length - refused.length} of ${machines.length} can be booted\n`;
  return refused.length === 0 ? count : `${count}cannot be booted: ${formatNames(refused)}\n`;
}

/** Without credentials. */
export function describeChecks(machines: readonly CheckedMachine[]): object {
  return {
    bootable: machines.every(({ checks }) => !isRefused(checks)),
    machines: machines.map(({ checks, show, survey, target }) => ({
      name: target.name,
      bmc: target.origin,
      bootable: !isRefused(checks),
      method: target.method,
      vendor: survey?.vendor.name,
      model: survey?.manager?.model && show(survey.manager.model),
      firmware: survey?.manager?.firmware && show(survey.manager.firmware),
      system: survey && show(survey.system.path),
      power: survey?.system.power && show(survey.system.power),
      macs: survey?.macs ?? [],
      slots: survey?.slots.map(({ id, isInserted }) => ({ id: show(id), inserted: isInserted })) ?? [],
      checks: checks.map((check) => ({ ...check, text: printable(check.text) })),
    })),
  };
}
