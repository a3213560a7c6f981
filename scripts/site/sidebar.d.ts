/** Types of `sidebar.js`, for the tests. */

export const sidebar: readonly { readonly text: string; readonly items: readonly string[] }[];
