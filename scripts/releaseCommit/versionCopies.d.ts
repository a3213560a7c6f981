/** Types of `versionCopies.js`, for the tests. */

export const VERSION: RegExp;
export function filesWithVersion(root: string): string[];
