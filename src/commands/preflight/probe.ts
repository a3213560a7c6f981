/** One check of one server, for all hosts that need it in the same way. */

import { knownError } from '../../io/report/report.ts';
import type { Limits } from './request.ts';

/** In the order in which a host needs the servers. */
export const checkNames = [
  'bmc',
  'boot-file',
  'ignition',
  'time',
  'registry',
  'ironic',
  'inspection',
  'clock',
] as const;

type CheckName = (typeof checkNames)[number];

export interface CheckOutcome {
  /** Undefined for that of the probe. */
  readonly check?: CheckName;
  /** `skipped`: this machine cannot know it. */
  readonly status: 'ok' | 'warning' | 'error' | 'skipped';
  /** A sentence without secrets. */
  readonly text: string;
  readonly hint?: string | undefined;
}

export interface Probe {
  readonly check: CheckName;
  /** What is asked and how: the same for the same check of another host. It may contain secrets. */
  readonly key: unknown;
  /** What it asks, for messages. */
  readonly subject: string;
  /** @throws CliError, which is a failed check */
  readonly run: (limits: Limits) => Promise<readonly CheckOutcome[]>;
}

export function failed(error: unknown): CheckOutcome {
  const { hint, message: text } = knownError(error);
  return { status: 'error', text, hint };
}

/** For a program that uses the first server that answers: what fails before it is a warning. */
export async function askFirst<T>(
  servers: readonly T[],
  ask: (server: T) => Promise<readonly CheckOutcome[]>,
): Promise<readonly CheckOutcome[]> {
  const failures: CheckOutcome[] = [];
  for (const server of servers) {
    try {
      const outcomes = await ask(server);
      return [...failures.map((one) => ({ ...one, status: 'warning' as const })), ...outcomes];
    } catch (error) {
      failures.push(failed(error));
    }
  }
  return failures;
}
