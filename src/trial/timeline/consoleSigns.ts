/**
 * The lines of a console that say how far a boot got, or why it stopped: the table, `console-lines.yaml`, and the search in it. A pattern
 * applies only to lines of its printer, because journald, systemd and the kernel mark their lines.
 */

import { readAsset } from '../../core/assets.ts';
import { maskLogLine } from '../../core/masking.ts';
import { once } from '../../core/once.ts';
import type { ConsoleEvent } from './events.ts';
import type { Stage } from './stage.ts';

/** A line that the table has; `console-lines.yaml` explains the fields. */
export interface ConsoleSign<Pattern = RegExp> {
  readonly id: string;
  readonly printer: string;
  readonly pattern: Pattern;
  readonly stage?: Stage;
  readonly proves?: string;
  readonly suggests: readonly string[];
  /** Ids of causes. */
  readonly excludes: readonly string[];
  readonly settles?: true;
  readonly times?: number;
  readonly resultOf: readonly string[];
  /** A later event of one of these stages shows that the problem is solved. */
  readonly until: readonly Stage[];
}

/** As the build stores it: the regular expression is its source and its flags. */
export type SignRow = ConsoleSign<readonly [source: string, flags: string]>;

/** By their ids, in the order of the table. */
export const consoleSigns = once((): ReadonlyMap<string, ConsoleSign> => {
  const rows: readonly SignRow[] = JSON.parse(readAsset('dist/compiled/console-lines.json'));
  return new Map(
    rows.map(({ pattern: [source, flags], ...row }) => [
      row.id,
      { ...row, pattern: new RegExp(source, flags) },
    ]),
  );
});

/** Undefined for a line that the table does not have. */
export function signOf({ sign }: ConsoleEvent): ConsoleSign | undefined {
  return sign === undefined ? undefined : consoleSigns().get(sign);
}

export interface FoundSign {
  readonly sign: ConsoleSign;
  /** The part of the line that matters, without secrets. */
  readonly line: string;
}

/**
 * The recognized parts of a line, usually none or one.
 * @param line without control characters and escape sequences
 * @param now the time of this machine, with which rows compare a time in the line
 */
export function findConsoleSigns(line: string, now: Date): readonly FoundSign[] {
  return line.split(MESSAGE_START).flatMap((text) => {
    const { message, prefix, printer } = parseConsoleLine(text);
    for (const sign of consoleSigns().values()) {
      if (sign.printer === printer && matches(sign, message, now))
        return [{ sign, line: `${prefix}${excerpt(message, sign.pattern)}`.trim() }];
    }
    return [];
  });
}

/** The signs in a message without the time and the name of its program, as a user copies it. */
export function findSignsOfMessage(message: string): readonly ConsoleSign[] {
  const sign = [...consoleSigns().values()].find(
    (one) => copiedPrinters.has(one.printer) && matches(one, message, new Date()),
  );
  return sign === undefined ? [] : [sign];
}

/** Printers whose messages differ from those of others; of coreos-installer, any line is a sign. */
const copiedPrinters: ReadonlySet<string> = new Set([
  'kernel',
  'ignition',
  'systemd',
  'coreos-livepxe-rootfs',
  'podman',
  'agent',
]);

/** Milliseconds by which clocks may differ: certificates are valid for longer. */
const CLOCK_TOLERANCE = 24 * 60 * 60 * 1000;

/** A time in the line must differ from that of the machine. */
function matches({ pattern }: ConsoleSign, message: string, now: Date): boolean {
  const match = pattern.exec(message);
  const time = match?.groups?.['time'];
  if (time === undefined) return match !== null;
  return Math.abs(Date.parse(time) - now.getTime()) > CLOCK_TOLERANCE;
}

/** A line of journald, the kernel or systemd may follow a prompt without a line break: `localhost login: [   45.6…] podman[9]: …` */
const MESSAGE_START = /(?=\[ {0,5}\d{1,7}\.\d{6}\] |\[(?: {2}OK {2}|FAILED|DEPEND| TIME )\] )/;

/** Time since boot as by the kernel, optionally with its caller; or the time of journalctl with an optional host name. */
const TIME_PREFIX =
  /^(?:\[ {0,5}\d{1,7}\.\d{6}\](?:\[ {0,6}[TC]\d{1,7}\])? |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]{1,64} (?=[\w.@-]{1,64}\[|kernel: ))?)/;
const STATUS_PREFIX =
  /^(?:\[(?: {2}OK {2}|FAILED|DEPEND| TIME )\] |\[[ *]{6}\] (?:\(\d{1,4} of \d{1,4}\) )?)/;
/** journalctl prints lines of the kernel with its name, and without a process. */
const IDENTIFIER_PREFIX = /^(?:([\w.@-]{1,64})\[(\d{1,10})\]|kernel): /;
/** podman logs failed attempts before it prints the error. */
const RETRY_PREFIX =
  /^time="[^"]{1,40}" level=\w{1,10} msg="Failed, retrying in [^(]{1,20} \(\d+\/\d+\)\. (?=Error: )/;

/** The lines of oslo.log, `2026-11-26 18:46:19.767 1 WARNING `, and the errors that the agent prints without a log. */
const AGENT_PREFIX =
  /^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \d{1,10} [A-Z]{4,8} |(?=argument --|Value for option |Failed to parse |ironic_python_agent\.|oslo_config\.))/;

/** The identifiers of the agent: of podman, of conmon with the name of the container, and of ramdisks without a container. */
const agentIdentifiers: ReadonlySet<string | undefined> = new Set([
  'podman',
  'ironic-agent',
  'ironic-python-agent',
]);

/** Printers whose lines have no identifier of their own. */
const unmarked: ReadonlySet<string> = new Set(['kernel', 'terminal', 'agent']);

/** `printer` as the table names it; `prefix` is the time and the identifier, as they are shown. */
function parseConsoleLine(text: string): {
  readonly printer: string;
  readonly prefix: string;
  readonly message: string;
} {
  const [status] = STATUS_PREFIX.exec(text) ?? [];
  if (status !== undefined) return { printer: 'systemd', prefix: status, message: text.slice(status.length) };
  const [time = ''] = TIME_PREFIX.exec(text) ?? [];
  const rest = text.slice(time.length);
  const [identifier = '', name, pid] = IDENTIFIER_PREFIX.exec(rest) ?? [];
  const prefix = time + identifier;
  const message = rest.slice(identifier.length);
  const [agent = ''] = AGENT_PREFIX.exec(message) ?? [];
  const ownMessage = message.slice(agent.length);
  // Without an identifier, only a line of its own log is one of the agent.
  const isAgent =
    name === undefined
      ? time === '' && agent !== '' && ownMessage.startsWith('ironic_python_agent.')
      : agentIdentifiers.has(name) && AGENT_PREFIX.test(message);
  if (isAgent) return { printer: 'agent', prefix: prefix + agent, message: ownMessage };
  const isKernel = identifier === 'kernel: ' || (name === undefined && time.startsWith('['));
  if (isKernel) return { printer: 'kernel', prefix, message };
  if (name === undefined) return { printer: 'terminal', prefix, message };
  if (name === 'podman') return { printer: name, prefix, message: message.replace(RETRY_PREFIX, '') };
  // Others than process 1 are managers of users. The identifiers of {@link unmarked} do not exist.
  const isOther = unmarked.has(name) || (name === 'systemd' && pid !== '1');
  return { printer: isOther ? '' : name, prefix, message };
}

/** Characters of a line in an event. */
const LONGEST_EXCERPT = 240;

/** The end of the match, and what precedes it: errors of Go programs have their reason at the end. */
function excerpt(message: string, pattern: RegExp): string {
  const text = maskLogLine(message);
  if (text.length <= LONGEST_EXCERPT) return text;
  const match = pattern.exec(text);
  const end = Math.min(
    text.length,
    Math.max(LONGEST_EXCERPT, (match?.index ?? 0) + (match?.[0].length ?? 0) + 60),
  );
  const start = end - LONGEST_EXCERPT;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
