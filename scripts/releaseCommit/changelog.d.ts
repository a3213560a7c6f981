/** Types of `changelog.js`, for the tests. */

export interface Release {
  readonly version: string;
  /** YYYY-MM-DD */
  readonly date: string;
  /** Files of `.changes/`. */
  readonly changes: readonly { readonly name: string; readonly text: string }[];
}

export function sectionOf(name: string): string;
export function addRelease(changelog: string, release: Release): string;
