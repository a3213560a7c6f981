/** Types of `program.js`, for the tests. */

export const programChunks: readonly { readonly name: string; readonly test: RegExp }[];
