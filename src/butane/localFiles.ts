/** What a Butane document reads from the folder of `--files-dir`. Paths are those of the document, with `/`. */

import type { Rule } from '../core/rule.ts';

export interface LocalFiles {
  /** @throws LocalFileError */
  readonly read: (path: string) => Uint8Array;
  /**
   * A folder and everything below it, sorted by path; links are not followed.
   * @throws LocalFileError
   */
  readonly walk: (path: string) => readonly LocalEntry[];
}

export type LocalEntry =
  | { readonly kind: 'folder'; readonly path: string }
  /** `readAs` is the path for `read`. */
  | { readonly kind: 'file'; readonly path: string; readonly isExecutable: boolean; readonly readAs: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'other'; readonly path: string };

export class LocalFileError extends Error {
  readonly problem: Rule;

  constructor(problem: Rule) {
    super(problem.message);
    this.problem = problem;
  }
}
