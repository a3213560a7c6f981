/**
 * Problems of this machine, such as a full disk, that stop many tasks and all their retries: each is reported once, and again only
 * after no task had it any more.
 */

import type { CliError, ErrorCode } from '../../core/errors.ts';

export class SharedProblems {
  readonly #problems = new Map<ErrorCode, { readonly first: CliError; readonly tasks: Set<string> }>();

  /** @returns the first error of this kind, as the free space in later ones differs, and whether it is this one */
  add(task: string, error: CliError): { readonly first: CliError; readonly isNew: boolean } {
    const known = this.#problems.get(error.code);
    const problem = known ?? { first: error, tasks: new Set() };
    problem.tasks.add(task);
    this.#problems.set(error.code, problem);
    for (const code of this.#problems.keys()) if (code !== error.code) this.#remove(task, code);
    return { first: problem.first, isNew: known === undefined };
  }

  /** The task was completed or cancelled. @returns the other tasks with its problem, which may be gone */
  remove(task: string): readonly string[] {
    return [...this.#problems.keys()].flatMap((code) => this.#remove(task, code));
  }

  #remove(task: string, code: ErrorCode): readonly string[] {
    const { tasks } = this.#problems.get(code) ?? {};
    if (tasks?.delete(task) !== true) return [];
    if (tasks.size === 0) this.#problems.delete(code);
    return [...tasks];
  }
}
