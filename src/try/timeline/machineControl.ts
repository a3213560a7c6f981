/**
 * What QEMU tells of a machine that runs (QMP, the QEMU Machine Protocol): JSON, a line each. Left out: answers to
 * commands, as the only one that is sent asks for events, and the
 * end of the machine, as QEMU ends with it.
 */

/** `stuck`: QEMU has stopped the machine by itself, as when virtualization does not work. */
export type MachineSign = 'rebooted' | 'stuck';

/** Is sent first: before it, there are no events. */
export const CONTROL_GREETING = '{"execute":"qmp_capabilities"}\n';

/** Characters of a line; events that matter have some hundred. */
const LONGEST_LINE = 64 * 1024;

/** Reads events out of what arrives, wherever it is cut. */
export function createControlReader(): (text: string) => MachineSign[] {
  let rest = '';
  let isOver = false;
  const signOf = (line: string): MachineSign | undefined => {
    const { event, data } = parse(line) ?? {};
    isOver ||= event === 'SHUTDOWN';
    if (event === 'STOP') return isOver ? undefined : 'stuck';
    // There are resets by QEMU itself, too: the machine starts with one.
    return event === 'RESET' && isMapping(data) && data['guest'] === true ? 'rebooted' : undefined;
  };
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-LONGEST_LINE);
    return lines.flatMap((line) => signOf(line) ?? []);
  };
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
