/** The output of `boot --check`: text for users, and JSON for programs (`schemas/boot-check.json`). */

import { printable, wrapText } from '../io/report/terminalText.ts';
import { type MachineCheck, isRefused } from './checks.ts';
import type { CheckedMachine } from './boot.ts';

/** One block per machine. */
export function formatChecks(machines: readonly CheckedMachine[]): string {
  const lines = machines.flatMap(({ checks, target }) => [
    `${printable(target.name)}: ${isRefused(checks) ? 'cannot be booted' : 'can be booted'}`,
    ...checks.flatMap(checkLines),
    '',
  ]);
  const count = machines.filter(({ checks }) => !isRefused(checks)).length;
  return `${[...lines, `${count} of ${machines.length} can be booted`].join('\n')}\n`;
}

function checkLines({ hint, id, status, text }: MachineCheck): readonly string[] {
  const mark = status === 'ok' ? '' : `${status}: `;
  const rest = ' '.repeat(15);
  return [
    ...wrapText(printable(`${mark}${text}`), { first: `  ${id.padEnd(13)}`, rest }),
    ...(hint === undefined ? [] : wrapText(printable(`hint: ${hint}`), { first: rest, rest })),
  ];
}

/** Without credentials. */
export function describeChecks(machines: readonly CheckedMachine[]): object {
  return {
    bootable: machines.every(({ checks }) => !isRefused(checks)),
    machines: machines.map(({ checks, survey, target }) => ({
      name: target.name,
      bmc: target.origin,
      bootable: !isRefused(checks),
      method: target.method,
      vendor: survey?.vendor.name,
      model: survey?.manager?.model,
      firmware: survey?.manager?.firmware,
      system: survey?.system.path,
      power: survey?.system.power,
      macs: survey?.macs ?? [],
      slots: survey?.slots.map(({ id, isInserted }) => ({ id, inserted: isInserted })) ?? [],
      checks: checks.map((check) => ({ ...check, text: printable(check.text) })),
    })),
  };
}
