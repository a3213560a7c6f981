/** The real ironic-python-agent as the judge of config files. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { oracleFile, have, oracleNote } from './programs.ts';

/** A Python that has ironic-python-agent. */
export const ipaPython = oracleFile('ironic-python-agent');
const script = join(import.meta.dirname, 'ipaVerdicts.py');

export interface IpaVerdict {
  readonly starts: boolean;
  readonly error: string;
  /** Sections and names that are ignored. */
  readonly unknown: readonly (readonly [string, string])[];
  /** What options of type string that the file sets end up as, by `section.name`. */
  readonly values: Readonly<Record<string, string>>;
}

export const hasIpa = have('ironic-python-agent');

/** For test titles. */
export const ipaNote = oracleNote('ironic-python-agent');

/** One verdict for each text, in the same order. */
export function ipaVerdicts(texts: readonly string[]): IpaVerdict[] {
  const run = spawnSync(ipaPython, [script], { input: JSON.stringify(texts), maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`ipaVerdicts.py failed: ${run.stderr.toString()}`);
  const verdicts: IpaVerdict[] = JSON.parse(run.stdout.toString());
  return verdicts;
}

/** The value of an option with each conf, on a machine that boots with these kernel arguments. Throws if the agent does not start. */
export function ipaValuesWith(kernelArguments: string, option: string, confs: readonly string[]): unknown[] {
  const input = JSON.stringify({ arguments: kernelArguments, option, confs });
  const run = spawnSync(ipaPython, [join(import.meta.dirname, 'ipaWithArguments.py')], { input });
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
  const run = spawnSync(ipaPython, [join(import.meta.dirname, 'ipaCollectors.py')], { input: collectors });
  if (run.status !== 0) throw new Error(run.stderr.toString());
  return JSON.parse(run.stdout.toString());
}
