/** What the functions of the library have in common: their options, and their errors. */

import { append } from '../core/lists.ts';
import { Readable, Writable } from 'node:stream';
import type { Diagnostic } from '../core/finding.ts';
import { CliError } from '../core/errors.ts';
import type { Io, WorkProgress } from '../io/io.ts';

/** What is the same for opening an image. */
export interface OpenOptions {
  /** The folder that relative paths start from (default: that of the process). */
  readonly cwd?: string;
  /** Environment variables for settings and proxies (default: none; those of the process are `process.env`). */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Ends the work early: the function throws the reason of the signal, and there is no new output. */
  readonly signal?: AbortSignal;
}

export interface CallOptions extends OpenOptions {
  /** Ids of rules to ignore. */
  readonly ignore?: readonly string[];
  readonly onProgress?: (progress: WorkProgress) => void;
}

/** A failed call. If several errors were found, the message, the place and the hint are those of the first one. */
export class ReportedError extends CliError {
  /** All errors and warnings that were found before the call failed. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(error: CliError, diagnostics: readonly Diagnostic[]) {
    const first = diagnostics.find(({ severity }) => severity === 'error');
    const { at, hint, rule } = first ?? error;
    super(first?.message ?? error.sentence, { code: error.code, at, hint, rule, cause: error });
    this.diagnostics = diagnostics;
  }
}

/**
 * Runs `work` with an `Io` that uses nothing of the process.
 * @throws ReportedError, and the reason of the signal
 */
export async function call<T>(
  options: CallOptions,
  work: (io: Io) => Promise<T>,
): Promise<{ readonly result: T; readonly diagnostics: readonly Diagnostic[] }> {
  const { signal } = options;
  signal?.throwIfAborted();
  const diagnostics: Diagnostic[] = [];
  try {
    const io = await quietIo(options, (reported) => append(diagnostics, reported));
    return { result: await work(io), diagnostics };
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof CliError ? new ReportedError(error, diagnostics) : error;
  }
}

async function quietIo(
  { cwd, env = {}, ignore = [], onProgress, signal }: CallOptions,
  report: Io['report'],
): Promise<Io> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    stdin: Readable.from([]),
    stdout: nowhere,
    stderr: nowhere,
    env,
    cwd: cwd ?? process.cwd(),
    programName: 'ironic-coreos',
    report,
    ignored: ignore.length === 0 ? [] : (await import('../io/report/ignored.ts')).parseIgnoredRules(ignore),
    signal,
    onProgress,
  };
}
