/** The real ironic-python-agent as the judge of config files, where IPA_PYTHON names a Python that has it. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const python = process.env['IPA_PYTHON'] ?? 'python3';
const script = join(import.meta.dirname, 'ipaVerdicts.py');

export interface IpaVerdict {
  readonly starts: boolean;
  readonly error: string;
  /** Sections and names that are ignored. */
  readonly unknown: readonly (readonly [string, string])[];
  /** What options of type string that the file sets end up as, by `section.name`. */
  readonly values: Readonly<Record<string, string>>;
}

export const hasIpa = spawnSync(python, ['-c', 'import ironic_python_agent.config']).status === 0;

/** For test titles. */
export const ipaNote = hasIpa ? '' : ' (skipped: IPA_PYTHON names no Python with ironic-python-agent)';

/** One verdict for each text, in the same order. */
export function ipaVerdicts(texts: readonly string[]): IpaVerdict[] {
  const run = spawnSync(python, [script], { input: JSON.stringify(texts), maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`ipaVerdicts.py failed: ${run.stderr.toString()}`);
  const verdicts: IpaVerdict[] = JSON.parse(run.stdout.toString());
  return verdicts;
}
