/** Images and archives are compared as a whole: vitest would compare each of their bytes as a property. */

import { expect } from 'vitest';

let isKnown = false;

/** Adds the comparison to `expect`, which all files of tests of a process share. */
export function compareBytesAsWhole(): void {
  if (isKnown) return;
  isKnown = true;
  expect.addEqualityTesters([
    (left, right) =>
      left instanceof Uint8Array && right instanceof Uint8Array
        ? Buffer.compare(left, right) === 0
        : undefined,
  ]);
}
