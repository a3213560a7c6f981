/** The process environment of a command. Tests replace it. */

import type { Readable, Writable } from 'node:stream';
import type { Diagnostic } from '../core/finding.ts';
import type { ReadFiles } from './files/readFiles.ts';
import type { Paint } from './report/paint.ts';

export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export interface WorkProgress {
  readonly unit: 'bytes' | 'hosts';
  readonly done: number;
  /** Undefined if it is not known. */
  readonly total: number | undefined;
  /** The file; undefined for hosts. */
  readonly name?: string;
}

export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Data only. */
  readonly stdout: Output;
  /** Progress and results. Errors and warnings go to `report` (`io/report/report.ts`). */
  readonly stderr: Output;
  /** Standard error for questions and the errors of a log where only errors are printed: then `stderr` discards what it gets. */
  readonly errors?: Output | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths of the user start here. */
  readonly cwd: string;
  /** The name that the program was started under, without folder: `ironic-coreos` or `coreos-installer`. */
  readonly programName: string;
  /** The absolute path that the program was started by; undefined where it is called as a library. */
  readonly programPath?: string | undefined;
  /** Receives diagnostics; if absent, they are text on standard error. */
  readonly report?: ((diagnostics: readonly Diagnostic[]) => void) | undefined;
  /** Receives a line for each read input and each decision; absent without `--verbose`. */
  readonly note?: ((text: string) => void) | undefined;
  /** The regular files that the command has read; its output must not replace them. Absent where it is called as a library. */
  readonly inputs?: ReadFiles | undefined;
  /** Ends the work early; services stop. Absent in the program, which listens to the signals of its process instead. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress of work that may take longer than a second. */
  readonly onProgress?: ((progress: WorkProgress) => void) | undefined;
  /** Only errors are printed, or only the lines of a log. */
  readonly isQuiet?: boolean;
  /** The colours of text for people on standard output. */
  readonly paintData?: Paint | undefined;
  /** The colours of text on standard error; absent without colours. */
  readonly paint?: Paint | undefined;
  /** The ids of ignored rules; all are valid. */
  readonly ignored?: readonly string[];
}

/** The same `io` with changed members. Other members are read from `io` on use, because opening standard input takes time. */
export function ioWith(io: Io, changes: Partial<Io>): Io {
  return Object.create(io, Object.getOwnPropertyDescriptors(changes));
}

/** 0: success or valid. 1: failure or invalid. 2: usage error. */
export type ExitCode = 0 | 1 | 2;
