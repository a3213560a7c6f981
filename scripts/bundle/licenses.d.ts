/** Types of `licenses.js`, for the tests. */

import type { Plugin } from 'rolldown';

export interface Package {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
}

export function licensesInside(fileName: string): Plugin;
export function parseLicenses(text: string): Package[];
