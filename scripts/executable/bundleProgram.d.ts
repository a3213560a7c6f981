/** Types of `bundleProgram.js`, for the tests. */

export function bundleProgram(root: string, dir: string): Promise<string>;
