/** What is said while a trial runs: on standard error, and on a terminal with a last line that counts who is home. */

import type { Io } from '../io/io.ts';
import { showProgress } from '../io/progress.ts';
import { formatDiagnostic } from '../io/report/diagnosticText.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import type { Awaited } from './timeline/verdict.ts';

export interface TrialTalk {
  /** A line that is harmless for terminals, without a line break. */
  readonly say: (line: string) => void;
  readonly remark: (remark: Diagnostic) => void;
  /** Shows how many are home. */
  readonly count: (home: number) => void;
  readonly close: () => void;
}

export function createTrialTalk({ stderr }: Pick<Io, 'stderr'>, awaited: Awaited): TrialTalk {
  const total = awaited.kind === 'any' ? awaited.count : awaited.names.length;
  const progress = showProgress(stderr, 'home', total);
  const write = (text: string): void => {
    progress.clear();
    stderr.write(text);
  };
  return {
    say: (line) => write(`${line}\n`),
    remark: (remark) => write(formatDiagnostic(remark)),
    count: (home) => progress.update(home),
    close: () => progress.clear(),
  };
}
