/**
 * The lines that the table of console lines does not contain. If no cause is known, the last ones are shown: those that report a
 * problem in any words, otherwise any.
 */

import { maskLine } from '../../../../core/masking.ts';

/** Number of lines that are kept. */
const COUNT = 3;
/** Characters of a line. */
const LONGEST = 160;

const problem =
  /\b(?:errors?|fail(?:ed|s|ure)?|fatal|panic|cannot|can't|could ?n(?:o|')t|couldn't|unable|denied|refused|rejected|timed? ?out|not found|no such|missing|invalid|corrupt(?:ed)?|abort(?:ed)?|emergency)\b/i;

/** Messages of healthy machines that contain such words. */
const harmless =
  /^(?:\[ {0,5}\d{1,7}\.\d{6}\] )?(?:audit|kauditd|ACPI|SELinux|EDAC|mei_me|integrity|tsc|PCI|pci|pnp|x86\/|systemd-udevd|multipathd)\b|\bDirect firmware load\b|\bres=success\b/;

export interface LastLines {
  /** Adds a line, and returns the ones to show, the latest one last. */
  add(line: string): readonly string[];
}

/** Of one console, since its machine was started. */
export function createLastLines(): LastLines {
  let any: readonly string[] = [];
  let problems: readonly string[] = [];
  return {
    add: (line) => {
      const masked = maskLine(line).trim();
      const text = masked.length > LONGEST ? `${masked.slice(0, LONGEST)}…` : masked;
      if (text === '') return problems.length > 0 ? problems : any;
      any = [...any, text].slice(-COUNT);
      if (problem.test(text) && !harmless.test(text) && !problems.includes(text))
        problems = [...problems, text].slice(-COUNT);
      return problems.length > 0 ? problems : any;
    },
  };
}
