/** The way of all diagnostics: from whoever finds something to the user. */

import type { Diagnostic } from '../../core/diagnostic.ts';
import { type Io, ioWith } from '../io.ts';
import { formatDiagnostic, formatDiagnostics } from './diagnosticText.ts';

/** Where nothing else becomes of diagnostics (`io.report`), they are text on standard error. */
export function report(io: Pick<Io, 'report' | 'stderr'>, ...diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  if (io.report === undefined) io.stderr.write(formatDiagnostics(diagnostics));
  else io.report(diagnostics);
}

/** The same `io`, except that diagnostics go into `reported`. */
export function collectDiagnostics(io: Io): { readonly io: Io; readonly reported: readonly Diagnostic[] } {
  const reported: Diagnostic[] = [];
  return { io: ioWith(io, { report: (diagnostics) => void reported.push(...diagnostics) }), reported };
}

/** Without those that say the same again. */
export function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((diagnostic) => [formatDiagnostic(diagnostic), diagnostic])).values()];
}
