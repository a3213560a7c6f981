/** The machines of `try` and `boot` on a terminal: the rows of the status page as text, bounded to its height. */

import { append, largest } from '../../core/lists.ts';
import { printable } from '../../core/foreignText.ts';
import { formatCount, formatSize } from '../../formats/messageText.ts';
import type { TerminalSize } from '../../io/liveRows.ts';
import { displayWidth, wrapText } from '../../io/report/terminalText.ts';
import { type Paint, withoutColors } from '../../io/report/paint.ts';
import { formatAgo, formatDuration, formatPercent } from '../../service/status/figures.ts';
import { formatStates, type StatusPage } from '../../service/status/document.ts';
import type { MachineCause, MachineRow, StateNames } from '../../service/status/machineRow.ts';
import { type MachineState, problemsFirst } from '../../service/status/select.ts';
import { type SharedCause, shareCauses } from '../../service/status/sharedCauses.ts';
import type { RateOf } from './rates.ts';

/** Machines in these states have a row. Those without activity are only named, and those that are done only counted. */
const listed: readonly MachineState[] = ['failed', 'stuck', 'under-way'];

/** The part of the terminal that the rows may take. The rest shows the last lines of the log. */
const SHARE = 0.75;

/** @param url of the page */
export function formatLiveRows(
  url: string,
  { names, rows, service, summary }: Omit<StatusPage, 'rows'> & { readonly rows: readonly MachineRow[] },
  { columns, rows: height }: TerminalSize,
  rateOf: RateOf,
  paint: Paint = withoutColors,
): readonly string[] {
  const width = columns - 1; // in the last column, some terminals wrap
  const others = formatStates(
    rows.filter(({ state }) => state !== 'home'),
    names,
  );
  const figures = others === '' ? summary : `${summary}: ${others}`;
  const head = [cut(`status page: ${url}`, width), ...wrapped(figures, width, '', 2)];
  const idle = idleLines(rows, names.idle, width);
  const machines = problemsFirst(rows.filter(({ state }) => listed.includes(state)));
  const room = Math.max(1, Math.floor(height * SHARE) - head.length - idle.length);
  const shared = shareCauses(machines);
  const body = machineLines(machines, room, { names, now: service.now, rateOf, shared, width, paint });
  return [...head, ...body, ...idle].slice(0, Math.max(1, height - 1));
}

interface Look {
  readonly names: StateNames;
  readonly now: Date;
  readonly rateOf: RateOf;
  readonly shared: ReadonlyMap<MachineCause, SharedCause>;
  readonly width: number;
  readonly paint: Paint;
}

function machineLines(machines: readonly MachineRow[], room: number, look: Look): readonly string[] {
  const lines: string[] = [];
  const longest = largest(
    machines.slice(0, room).map(({ name }) => displayWidth(printable(name))),
    0,
  );
  const nameWidth = Math.min(longest, Math.floor(look.width / 3));
  for (const [index, machine] of machines.entries()) {
    const [first = '', ...others] = blockOf(machine, nameWidth, look);
    const later = machines.slice(index + 1);
    const problems = later.filter(({ state }) => state in roles).length;
    const left = room - lines.length - (later.length === 0 ? 0 : 1);
    if (left < 1) {
      const hidden = machines.slice(index);
      return [...lines, cut(`and ${hidden.length} more: ${formatStates(hidden, look.names)}`, look.width)];
    }
    // The causes of one machine leave room for the names of others.
    lines.push(first);
    append(lines, others.slice(0, Math.max(0, left - 1 - Math.min(problems, Math.floor(room / 2)))));
  }
  return lines;
}

/** Colours of the states with problems. */
const roles: Partial<Record<MachineState, 'error' | 'warning'>> = { failed: 'error', stuck: 'warning' };

/** The line of a machine. If it has a problem, its cause follows; that of several machines follows the first of them. */
function blockOf(machine: MachineRow, nameWidth: number, look: Look): readonly string[] {
  const { name, state } = machine;
  const { names, paint, shared, width } = look;
  const [cause] = machine.causes;
  const label = pad(cut(printable(name), nameWidth), nameWidth);
  const stateWidth = largest(listed.map((one) => names[one].length));
  const start = `${label}  ${names[state].padEnd(stateWidth)}  `;
  const activity = activityOf(machine, width - displayWidth(start), look);
  const role = roles[state];
  if (role === undefined) return [cut(`${start}${activity}`, width)];
  const first = (cause && shared.get(cause)?.machines[0]) ?? name;
  const same = first === name ? '' : `, same cause as ${printable(first)}`;
  const line = cut(`${start}${activity}${same}`, width);
  const [from, end] = [label.length + 2, label.length + 2 + names[state].length];
  const painted = `${line.slice(0, from)}${paint(role, line.slice(from, end))}${line.slice(end)}`;
  return cause === undefined || same !== '' ? [painted] : [painted, ...causeLines(cause, width, paint)];
}

/** `kernel [######..............] 31 %, 12 MiB/s, 40 s left`, or `kernel, 31 %, 2 min ago` */
function activityOf(machine: MachineRow, width: number, { now, rateOf }: Look): string {
  const { name, since, stage, transfer } = machine;
  const ago = since === undefined ? [] : [formatAgo(since, now)];
  if (transfer === undefined) return [...(stage === undefined ? [] : [stage]), ...ago].join(', ');
  const { bytes, path, size } = transfer;
  const rate = rateOf(`${name} ${path}`, bytes);
  const speed = rate === undefined ? [] : [`${formatSize(rate)}/s`];
  const left = rate === undefined || rate === 0 ? [] : [`${formatDuration((size - bytes) / rate)} left`];
  const amount = [formatPercent(bytes, size), ...speed, ...left].join(', ');
  const drawn = bar(bytes, size, width - displayWidth(`${stage ?? ''}  ${amount}`));
  return [...(stage === undefined ? [] : [stage]), ...drawn, amount].join(' ');
}

const LONGEST_BAR = 22;
const SHORTEST_BAR = 7;

/** Empty if there is no room for it. */
function bar(bytes: number, size: number, room: number): readonly string[] {
  if (room < SHORTEST_BAR) return [];
  const length = Math.min(room, LONGEST_BAR) - 2;
  const done = size === 0 ? length : Math.floor((bytes / size) * length);
  return [`[${'#'.repeat(done)}${'.'.repeat(length - done)}]`];
}

const INDENT = '  ';

function causeLines(
  { evidence, severity, label = severity, message, hint }: MachineCause,
  width: number,
  paint: Paint,
): readonly string[] {
  const lines = wrapped(printable(`${label}: ${message}`), width, INDENT, 3);
  return [
    ...lines.map((line, index) => (index === 0 ? line.replace(label, paint(severity, label)) : line)),
    ...(evidence === undefined ? [] : wrapped(printable(`seen: ${evidence}`), width, INDENT, 2)),
    ...(hint === undefined ? [] : wrapped(printable(`hint: ${hint}`), width, INDENT, 2)),
  ];
}

/** `no activity: worker-3, worker-4 and 12 more` */
function idleLines(rows: readonly MachineRow[], stateName: string, width: number): readonly string[] {
  const names = rows.filter(({ state }) => state === 'idle').map(({ name }) => printable(name));
  if (names.length === 0) return [];
  for (let count = Math.min(names.length, width); count > 0; count--) {
    const more = names.length === count ? '' : ` and ${names.length - count} more`;
    const line = `${stateName}: ${names.slice(0, count).join(', ')}${more}`;
    if (displayWidth(line) <= width) return [line];
  }
  return [cut(`${stateName}: ${formatCount(names.length, 'machine')}`, width)];
}

/** Lines of a text, at most `most`; what does not fit is cut off. */
function wrapped(text: string, width: number, indent: string, most: number): readonly string[] {
  const lines = wrapText(text, { first: indent, rest: `${indent}  ` }, width);
  const shown = lines.length <= most ? lines : [...lines.slice(0, most - 1), `${lines[most - 1] ?? ''} …`];
  return shown.map((line) => cut(line, width));
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += displayWidth(character);
    if (used >= width) break;
    kept += character;
  }
  return `${kept}…`;
}
