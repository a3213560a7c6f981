/** The lines of a serial console as events: how far the boot got, or why it stopped. */

import { maskLogLine } from '../../core/masking.ts';
import { findConsoleSigns } from '../timeline/consoleSigns.ts';
import type { ConsoleEvent } from '../timeline/events.ts';

/** Columns of the terminals that firmware and boot loaders assume: they wrap longer lines. */
const COLUMNS = 80;

/** Number of lines that are kept. */
const LAST_LINES = 3;
/** Characters of a line. */
const LONGEST_LAST_LINE = 160;

const PROBLEM_WORDS =
  /\b(?:errors?|fail(?:ed|s|ure)?|fatal|panic|cannot|can't|could ?n(?:o|')t|couldn't|unable|denied|refused|rejected|timed? ?out|not found|no such|missing|invalid|corrupt(?:ed)?|abort(?:ed)?|emergency)\b/i;

/** Messages of healthy machines that contain such words. */
const HARMLESS_LINE =
  /^(?:\[ {0,5}\d{1,7}\.\d{6}\] )?(?:audit|kauditd|ACPI|SELinux|EDAC|mei_me|integrity|tsc|PCI|pci|pnp|x86\/|systemd-udevd|multipathd)\b|\bDirect firmware load\b|\bres=success\b/;

/**
 * The last lines of one console that the table does not contain, since its machine was started, for a boot whose cause is not
 * known: those that report a problem in any words, otherwise any.
 * @returns adds a line, and returns the ones to show, the latest one last
 */
function createLastLines(): (line: string) => readonly string[] {
  let any: readonly string[] = [];
  let problems: readonly string[] = [];
  return (line) => {
    const masked = maskLogLine(line).trim();
    const text = masked.length > LONGEST_LAST_LINE ? `${masked.slice(0, LONGEST_LAST_LINE)}…` : masked;
    if (text !== '') any = [...any, text].slice(-LAST_LINES);
    if (PROBLEM_WORDS.test(text) && !HARMLESS_LINE.test(text) && !problems.includes(text))
      problems = [...problems, text].slice(-LAST_LINES);
    return problems.length > 0 ? problems : any;
  };
}

/**
 * Turns lines into events.
 * @param host name of the machine
 * @returns a function that takes each line of the console, without control characters
 */
export function createConsoleWatch(
  host: string,
  observe: (event: ConsoleEvent) => void,
): (line: string) => void {
  let last = 0;
  /** The lines of an installed system are no progress of the live system. */
  let isOfDisk = false;
  /** The beginning of a wrapped line; otherwise empty. */
  let wrapped = '';
  let lastLines = createLastLines();
  const nextEvent = () => {
    // Many lines may arrive at once, but their order matters.
    last = Math.max(Date.now(), last + 1);
    return { kind: 'console', at: new Date(last), client: undefined, host } as const;
  };
  return (text) => {
    const now = new Date();
    const alone = findConsoleSigns(text, now);
    const found = alone.length === 0 && wrapped !== '' ? findConsoleSigns(wrapped + text, now) : alone;
    // A line that fills the terminal, except for a space at its end, which is removed.
    const isWrapped = text.length === COLUMNS || text.length === COLUMNS - 1;
    // Many lines say in their second part why a program failed.
    const isReason = found.some(({ sign }) => sign.proves !== undefined || sign.suggests.length > 0);
    wrapped = !isReason && isWrapped ? text.padEnd(COLUMNS) : '';
    if (found.length === 0) {
      const event = { ...nextEvent(), sign: undefined, stage: undefined, line: text };
      observe({ ...event, lastLines: lastLines(text) });
    }
    for (const { line, sign } of found) {
      if (sign.id === 'kernel-started') lastLines = createLastLines();
      if (sign.id === 'kernel-started' || sign.id === 'kernel-live') isOfDisk = false;
      if (isOfDisk) continue;
      isOfDisk = sign.id === 'kernel-disk';
      observe({ ...nextEvent(), sign: sign.id, stage: sign.stage, line });
    }
  };
}
