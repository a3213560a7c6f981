/** The machines that a status page shows, selected by the query of the request. */

/**
 * The states of a machine, problems first. `failed`: it does not boot the agent, which is proven. `stuck`: its boot stopped.
 * `under-way`: its boot goes on. `idle`: nothing shows that it boots. `home`: it has reached the last that the page shows.
 */
export const machineStates = ['failed', 'stuck', 'under-way', 'idle', 'home'] as const;

export type MachineState = (typeof machineStates)[number];

export interface StatusQuery {
  /** Text to find in names, MAC addresses and architectures, in lower case. */
  readonly text: string;
  /** Undefined for all machines. */
  readonly state: MachineState | undefined;
  /** From 1. */
  readonly page: number;
}

export interface Selection<Row> {
  readonly rows: readonly Row[];
  /** Machines on all pages. */
  readonly matching: number;
  /** The requested page, or the last one. */
  readonly page: number;
  /** At least 1. */
  readonly pages: number;
}

const PER_PAGE = 50;
const MAX_TEXT_LENGTH = 100;

/** Ignores unknown and invalid parameters. */
export function parseStatusQuery(parameters: URLSearchParams): StatusQuery {
  const page = parameters.get('page') ?? '';
  return {
    text: (parameters.get('q') ?? '').trim().slice(0, MAX_TEXT_LENGTH).toLowerCase(),
    state: machineStates.find((state) => state === parameters.get('show')),
    page: /^\d{1,9}$/.test(page) ? Math.max(1, Number(page)) : 1,
  };
}

/** The query of a link: `?q=worker&page=2`; only `?` without parameters. */
export function formatStatusQuery({ text, state, page }: StatusQuery): string {
  const parameters = new URLSearchParams();
  if (text !== '') parameters.set('q', text);
  if (state !== undefined) parameters.set('show', state);
  if (page !== 1) parameters.set('page', String(page));
  return `?${parameters.toString()}`;
}

export interface Selectable {
  readonly name: string;
  /** Other texts by which it is found, such as MAC addresses. */
  readonly texts: readonly string[];
  readonly state: MachineState;
}

/** Problems first, otherwise in their order. */
export function problemsFirst<Row extends Selectable>(rows: readonly Row[]): Row[] {
  return machineStates.flatMap((state) => rows.filter((row) => row.state === state));
}

/** The machines of the requested page, in their order. */
export function selectMachines<Row extends Selectable>(
  rows: readonly Row[],
  { text, state, page: requested }: StatusQuery,
): Selection<Row> {
  const matching = rows.filter((row) => (state === undefined || row.state === state) && isFound(row, text));
  const pages = Math.max(1, Math.ceil(matching.length / PER_PAGE));
  const page = Math.min(requested, pages);
  const first = (page - 1) * PER_PAGE;
  return { rows: matching.slice(first, first + PER_PAGE), matching: matching.length, page, pages };
}

export function countStates(rows: readonly Selectable[]): Record<MachineState, number> {
  const counts = { failed: 0, stuck: 0, 'under-way': 0, idle: 0, home: 0 };
  for (const { state } of rows) counts[state] += 1;
  return counts;
}

function isFound({ name, texts }: Selectable, text: string): boolean {
  if (text === '') return true;
  // Also the form of MAC addresses in iPXE: 52-54-00-….
  const asMac = text.replaceAll('-', ':');
  return [name, ...texts].some((one) => {
    const lower = one.toLowerCase();
    return lower.includes(text) || lower.includes(asMac);
  });
}
