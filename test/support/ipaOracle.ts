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

/** The value of an option with each conf, on a machine that boots with these kernel arguments. Throws if the agent does not start. */
export function ipaValuesWith(kernelArguments: string, option: string, confs: readonly string[]): unknown[] {
  const input = JSON.stringify({ arguments: kernelArguments, option, confs });
  const run = spawnSync(python, [join(import.meta.dirname, 'ipaWithArguments.py')], { input });
  if (run.status !== 0) throw new Error(run.stderr.toString());
  const values: unknown[] = JSON.parse(run.stdout.toString());
  return values;
}

/** The collectors that the agent contains, and the inspection data that it sends for the value of `inspection_collectors`. */
export function ipaInspection(collectors: string): {
  readonly names: readonly string[];
  readonly sent: Readonly<Record<string, unknown>>;
  /** The class of the exception; empty if the inspection does not fail. */
  readonly error: string;
} {
  const run = spawnSync(python, [join(import.meta.dirname, 'ipaCollectors.py')], { input: collectors });
  if (run.status !== 0) throw new Error(run.stderr.toString());
  return JSON.parse(run.stdout.toString());
}
